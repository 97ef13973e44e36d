"""What a server knows of other nodes: which tables and users it reaches, today all in its own process."""
