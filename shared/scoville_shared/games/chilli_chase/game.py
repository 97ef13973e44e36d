"""Chilli Chase as one object of the game contract."""

from collections.abc import Sequence

from scoville_shared.games.chilli_chase import rules, seen
from scoville_shared.games.chilli_chase.cards import FEWEST_SEATS, MOST_SEATS
from scoville_shared.games.chilli_chase.deal import deal
from scoville_shared.games.chilli_chase.facts import AnyFact, Fact
from scoville_shared.games.chilli_chase.imagine import imagine
from scoville_shared.games.chilli_chase.options import MOST_TURNS, Options
from scoville_shared.games.chilli_chase.state import Keep, Move, NewScore, Play, State
from scoville_shared.games.chilli_chase.text import ChilliChaseText
from scoville_shared.games.chilli_chase.view import View
from scoville_shared.ids import Seat
from scoville_shared.kit.codec import Codec
from scoville_shared.kit.contract import Game, Info, Outcome, Refusal, Step
from scoville_shared.kit.dice import Dice

MOST_CHOICES = 2 * MOST_TURNS
"""A turn is a card, and sometimes a Chilli Score."""


class ChilliChase(Game[Options, State, Move, View, Fact]):
    """Combine a card with the running total, and be the first to hit your Chilli Score often enough."""

    info = Info(
        slug="chilli_chase",
        title="Chilli Chase",
        seats=(FEWEST_SEATS, MOST_SEATS),
        official=(FEWEST_SEATS, MOST_SEATS),
        rules_version=1,
        max_moves=MOST_CHOICES,
    )
    codec: Codec[Options, State, Move, View, Fact] = Codec(
        options=Options, state=State, moves=(Play, NewScore, Keep), view=View, fact=AnyFact
    )
    text = ChilliChaseText()

    def setup(self, options: Options, seats: int, dice: Dice) -> State:
        """Draw a dealer, deal three cards each, roll everybody's Chilli Score."""
        return deal(options, seats, dice)

    def pending(self, state: State) -> frozenset[Seat]:
        """Name the seat whose turn it is."""
        return rules.pending(state)

    def check(self, state: State, seat: Seat, move: Move) -> Refusal | None:
        """Judge a play, or a Chilli Score."""
        return rules.check(state, seat, move)

    def apply(self, state: State, seat: Seat, move: Move) -> Step[State, Fact]:
        """Carry out a play, or a choice of Chilli Score."""
        return rules.apply(state, seat, move)

    def outcome(self, state: State) -> Outcome | None:
        """Rank the points."""
        return rules.outcome(state)

    def view(self, state: State, seat: Seat | None) -> View:
        """Build what a seat, or a spectator, sees."""
        return seen.seen_by(state, seat)

    def moves(self, view: View) -> Sequence[Move]:
        """List what the View's seat may do; new Chilli Scores are many, and made only when asked for."""
        return seen.moves(view)

    def fallback(self, view: View) -> Move:
        """Hit the own score, or stay close to it and help nobody."""
        return seen.fallback(view)

    def imagine(self, view: View, dice: Dice) -> State:
        """Deal the cards that the View does not show."""
        return imagine(view, dice)


GAME = ChilliChase()
