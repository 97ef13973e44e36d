"""Settings of a server: their description, files, checks and changes while it runs."""
