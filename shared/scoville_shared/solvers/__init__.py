"""Exact solutions of parts of the games, and equilibria. The coach alone asks for them."""
