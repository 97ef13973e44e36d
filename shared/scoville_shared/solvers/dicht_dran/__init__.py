"""Equilibria of one round of Dicht dran between two players."""
