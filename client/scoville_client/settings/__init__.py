"""The user's settings: typed data, their file with explanations, and what overrides it."""
