"""The server's identity: its private key."""
