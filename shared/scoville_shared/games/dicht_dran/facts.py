"""Facts of Dicht dran: what can happen in a game.

A round has the rulebook's four actions: `Revealed`; `TargetWon`; a `FellInGap` for each card discarded for free;
a `Discarded` for each left-over card, then `Drew` for each player who draws. Seats come clockwise from the
winner's left (A13).
"""

from enum import StrEnum

from msgspec import Struct

from scoville_shared.ids import Seat


class CycleEnd(StrEnum):
    """Why a cycle ended (A14, A15, A18)."""

    HAND_EMPTY = "hand_empty"
    PILE_EMPTY = "pile_empty"


class Fact(Struct, frozen=True, gc=False, tag_field="fact"):
    """Something that happened."""


class Chosen(Fact, frozen=True, tag="chosen"):
    """A seat has chosen its card; which one stays secret until the last has (A24)."""

    seat: Seat


class TookBack(Fact, frozen=True, tag="took_back"):
    """A seat has taken its choice back (A25)."""

    seat: Seat


class Revealed(Fact, frozen=True, tag="revealed"):
    """1st action: all choices are turned over; `cards` by seat."""

    cards: tuple[int, ...]


class TargetWon(Fact, frozen=True, tag="target_won"):
    """2nd action: `card` came closest and takes the target's slot; `tie` when the higher of two won (A10)."""

    seat: Seat
    card: int
    target: int
    peppers: int
    distance: int
    tie: bool


class FellInGap(Fact, frozen=True, tag="fell_in_gap"):
    """3rd action: a card that fits the gap is discarded for free."""

    seat: Seat
    card: int


class Discarded(Fact, frozen=True, tag="discarded"):
    """4th action: a left-over card is discarded; it costs its peppers in new cards."""

    seat: Seat
    card: int
    peppers: int


class Reshuffled(Fact, frozen=True, tag="reshuffled"):
    """The draw pile ran out while cards were owed: the discard of `count` cards is shuffled (A14)."""

    count: int


class Drew(Fact, frozen=True, tag="drew"):
    """4th action: a seat draws `count` cards."""

    seat: Seat
    count: int


class DrewCards(Fact, frozen=True, tag="drew_cards"):
    """The cards that a seat drew; for that seat alone."""

    cards: tuple[int, ...]


class RoundBegan(Fact, frozen=True, tag="round_began"):
    """The next target is pushed inward; the gap lies between `low` and `high`, both outside it (A8)."""

    cycle: int
    round: int
    target: int
    low: int
    high: int


class CycleScored(Fact, frozen=True, tag="cycle_scored"):
    """A cycle ended: won peppers less the peppers left in hand, by seat."""

    cycle: int
    reason: CycleEnd
    plus: tuple[int, ...]
    minus: tuple[int, ...]
    scores: tuple[int, ...]
    totals: tuple[int, ...]


AnyFact = (
    Chosen
    | TookBack
    | Revealed
    | TargetWon
    | FellInGap
    | Discarded
    | Reshuffled
    | Drew
    | DrewCards
    | RoundBegan
    | CycleScored
)
