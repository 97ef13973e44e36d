"""Puzzles: decisions of real games with one clear best move, the pool of them, their maker and their ratings."""
