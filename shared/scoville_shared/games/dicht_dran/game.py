"""Dicht dran as one object of the game contract."""

from collections.abc import Sequence

from scoville_shared.games.dicht_dran import cycle, rules, seen
from scoville_shared.games.dicht_dran.cards import HIGHEST
from scoville_shared.games.dicht_dran.facts import AnyFact, Fact
from scoville_shared.games.dicht_dran.imagine import imagine
from scoville_shared.games.dicht_dran.options import MOST_CYCLES, Options
from scoville_shared.games.dicht_dran.state import (
    FEWEST_SEATS,
    MOST_SEATS,
    TAKE_BACKS,
    Move,
    Play,
    State,
    TakeBack,
)
from scoville_shared.games.dicht_dran.text import DichtDranText
from scoville_shared.games.dicht_dran.view import CIRCLE_SLOTS, View
from scoville_shared.ids import Seat
from scoville_shared.kit.codec import Codec
from scoville_shared.kit.contract import Game, Info, Outcome, Refusal, Step
from scoville_shared.kit.dice import Dice

MOST_CHOICES = MOST_CYCLES * (HIGHEST - CIRCLE_SLOTS)
"""A card that was played does not come back in its cycle, and the first six of the circle are never played."""


class DichtDran(Game[Options, State, Move, View, Fact]):
    """Come closest to the target card, or let your card fall through the gap."""

    info = Info(
        slug="dicht_dran",
        title="Dicht dran",
        seats=(FEWEST_SEATS, MOST_SEATS),
        official=(3, 5),
        rules_version=1,
        max_moves=MOST_CHOICES * (1 + 2 * TAKE_BACKS),
    )
    codec: Codec[Options, State, Move, View, Fact] = Codec(
        options=Options, state=State, moves=(Play, TakeBack), view=View, fact=AnyFact
    )
    text = DichtDranText()

    def setup(self, options: Options, seats: int, dice: Dice) -> State:
        """Lay out the circle, deal eight cards each."""
        return cycle.first_cycle(options, seats, dice)

    def pending(self, state: State) -> frozenset[Seat]:
        """Name the seats that have not chosen."""
        return rules.pending(state)

    def check(self, state: State, seat: Seat, move: Move) -> Refusal | None:
        """Judge a choice, or its taking back."""
        return rules.check(state, seat, move)

    def apply(self, state: State, seat: Seat, move: Move) -> Step[State, Fact]:
        """Keep a choice; the last one resolves the round."""
        return rules.apply(state, seat, move)

    def outcome(self, state: State) -> Outcome | None:
        """Rank the totals of all cycles."""
        return rules.outcome(state)

    def view(self, state: State, seat: Seat | None) -> View:
        """Build what a seat, or a spectator, sees."""
        return seen.seen_by(state, seat)

    def moves(self, view: View) -> Sequence[Move]:
        """List what the View's seat may do."""
        return seen.moves(view)

    def fallback(self, view: View) -> Move:
        """Choose the card closest to the target."""
        return seen.fallback(view)

    def imagine(self, view: View, dice: Dice) -> State:
        """Deal the cards that the View does not show."""
        return imagine(view, dice)


GAME = DichtDran()
