"""A round of No Thanks! on the table, in plain numbers."""

from msgspec import Struct


class Round(Struct, frozen=True, kw_only=True):
    """A round with everything that a counting player knows; `card` 0: it is over."""

    chips: list[int]
    owned: list[int]
    points: list[int]
    unseen: list[int]
    left: int
    card: int
    pot: int
    mover: int
    totals: list[int]
    whole: list[int]
    rounds: int
    chips_each: int
