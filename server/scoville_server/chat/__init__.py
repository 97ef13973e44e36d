"""Chat: channels, messages, permissions, ignores, mutes and rate limits."""
