"""Thinking: what lets bots search fast, for the server, practice and tools."""
