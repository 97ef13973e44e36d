"""Facts of Chilli Chase: what can happen in a game.

A turn has the facts `Played`, then `PointScored` if the new total is a player's Chilli Score, then the change of the
mover's own score (`ScoreOffered`, later `ScoreChanged` or `ScoreKept`), then the card drawn (`Recycled` if the deck
was empty, `Drew`, and `DrewCard` for the one who drew): the order of ruling C19.
"""

from msgspec import Struct

from scoville_shared.games.chilli_chase.state import Left, Op
from scoville_shared.ids import Seat


class Fact(Struct, frozen=True, tag_field="fact"):
    """Something that happened."""


class Played(Fact, frozen=True, tag="played"):
    """A seat played `card` on the Hot Pile, whose total went from `before` to `total`; `left` was written first."""

    seat: Seat
    card: int
    op: Op
    left: Left
    before: int
    total: int


class PointScored(Fact, frozen=True, tag="point_scored"):
    """The total is the Chilli Score of `seat`: a point, `points` now. `by` is the seat that played the card."""

    seat: Seat
    by: Seat
    points: int


class ScoreOffered(Fact, frozen=True, tag="score_offered"):
    """A seat hit an opponent's Chilli Score and may change its own."""

    seat: Seat


class ScoreChanged(Fact, frozen=True, tag="score_changed"):
    """A seat took a new Chilli Score."""

    seat: Seat
    old: int
    new: int


class ScoreKept(Fact, frozen=True, tag="score_kept"):
    """A seat keeps its Chilli Score."""

    seat: Seat
    score: int


class Recycled(Fact, frozen=True, tag="recycled"):
    """The deck was empty: the Hot Pile but for its top card, `count` cards, is the deck now (C22)."""

    count: int
    shuffled: bool


class Drew(Fact, frozen=True, tag="drew"):
    """A seat drew a card; `left` cards are still in the deck."""

    seat: Seat
    left: int


class DrewCard(Fact, frozen=True, tag="drew_card"):
    """The card that a seat drew; for that seat alone."""

    card: int


AnyFact = Played | PointScored | ScoreOffered | ScoreChanged | ScoreKept | Recycled | Drew | DrewCard
