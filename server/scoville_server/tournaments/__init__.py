"""Tournaments at tables of several seats: arenas, Swiss rounds and knock-outs."""
