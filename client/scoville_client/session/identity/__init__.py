"""The user's account, credentials and tokens."""
