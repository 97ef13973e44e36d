"""A hostile server: real traffic, mutated, against the client's session, its line mode and its screens."""
