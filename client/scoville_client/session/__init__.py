"""Sessions: the client's model of a server, and its requests; no Textual."""
