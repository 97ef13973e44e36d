"""Pending seats of games in which one seat moves at a time."""

from typing import Final

from scoville_shared.ids import Seat

NOBODY: Final[frozenset[Seat]] = frozenset()
"""No seat is pending: the game is over."""

ONLY: Final = tuple(frozenset({Seat(seat)}) for seat in range(16))
"""By seat: this one alone is pending."""
