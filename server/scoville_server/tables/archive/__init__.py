"""Finished games as files, and which of them are kept."""
