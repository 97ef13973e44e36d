"""Guided rounds: a scripted deal of each game, on the live board or in line mode, for users who are new to the game."""
