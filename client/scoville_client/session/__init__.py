"""What the client knows and can ask of a server; no Textual."""
