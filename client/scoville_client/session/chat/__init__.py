"""Chat: channels, conversations and slash commands."""
