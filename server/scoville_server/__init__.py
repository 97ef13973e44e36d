"""The server: tables, lobby, sessions, and the way in from the network."""
