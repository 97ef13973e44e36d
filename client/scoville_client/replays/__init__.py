"""Exported games in the client: open, verify, step through, narrate, record and continue."""
