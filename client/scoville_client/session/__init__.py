"""What the client knows of a server and can request from it; no Textual."""
