"""Bots for Dicht dran."""
