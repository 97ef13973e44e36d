"""The spectator view for a television: one layout for the tables of every game."""
