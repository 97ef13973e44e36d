"""Facts of No Thanks!: what can happen in a game.

A move has the facts `Passed`, or as `Took` and then the card that the taker turns up next (`TurnedUp`). The last
card of a round is followed by `RoundScored`, and by `RoundBegan` and `TurnedUp` when there is another round.
"""

from msgspec import Struct

from scoville_shared.ids import Seat


class Fact(Struct, frozen=True, gc=False, tag_field="fact"):
    """Something that happened."""


class Passed(Fact, frozen=True, gc=False, tag="passed"):
    """A seat declined `card` and paid a chip; `pot` chips are on the card now."""

    seat: Seat
    card: int
    pot: int


class Took(Fact, frozen=True, gc=False, tag="took"):
    """A seat took `card` and its `chips`; the card is now part of `run`, and its cards count `points` together."""

    seat: Seat
    card: int
    chips: int
    run: tuple[int, ...]
    points: int


class TurnedUp(Fact, frozen=True, gc=False, tag="turned_up"):
    """A seat turned the next card; `left` are still face down. The same seat acts first (B7)."""

    seat: Seat
    card: int
    left: int


class RoundScored(Fact, frozen=True, gc=False, tag="round_scored"):
    """The last card is taken: the points of the cards less the chips, by seat; fewer is better.

    `removed` holds the nine cards that were out of this round if the table shows them (B9), else nothing.
    """

    round: int
    points: tuple[int, ...]
    chips: tuple[int, ...]
    scores: tuple[int, ...]
    totals: tuple[int, ...]
    removed: tuple[int, ...]


class RoundBegan(Fact, frozen=True, gc=False, tag="round_began"):
    """Another round is dealt; `starter` was drawn by lot (B6)."""

    round: int
    starter: Seat


AnyFact = Passed | Took | TurnedUp | RoundScored | RoundBegan
