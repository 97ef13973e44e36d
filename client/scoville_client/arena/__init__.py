"""Matches between programs: every deal is played from every seat, and the results become ratings with intervals."""
