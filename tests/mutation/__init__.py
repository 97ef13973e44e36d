"""Faults put into the rules on purpose: tests that let one pass are no proof of the rules."""
