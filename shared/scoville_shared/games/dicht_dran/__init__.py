"""Dicht dran, the chili circle: come closest to the target card, or let your card fall through the gap."""
