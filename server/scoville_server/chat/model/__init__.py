"""Chat as pure data: channels, messages, permissions and rate limits."""
