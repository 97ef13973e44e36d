"""Hosting: many clients in one process, each on a channel of bytes to a terminal elsewhere.

Nothing here knows SSH or the web. `tests/client/doors/hosting/test_textual_hooks.py` fails when a private hook of
Textual changes that this package uses.
"""
