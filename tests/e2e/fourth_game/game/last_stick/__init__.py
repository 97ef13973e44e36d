"""Last Stick: take one to three sticks; the last one is worth ten points, and everybody has a secret bonus."""

from last_stick.game import GAME

__all__ = ["GAME"]
