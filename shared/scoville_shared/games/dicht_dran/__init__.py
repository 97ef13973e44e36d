"""Dicht dran, the chili circle: come closest to the target card, or let your card fall through the gap."""

from scoville_shared.games.dicht_dran.game import GAME

__all__ = ["GAME"]
