"""Random keys for the client: every screen, three languages, windows of all sizes, and lost connections."""
