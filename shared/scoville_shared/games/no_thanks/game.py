"""No Thanks! as one object of the game contract."""

from collections.abc import Sequence

from scoville_shared.games.no_thanks import round as rounds
from scoville_shared.games.no_thanks import rules, seen
from scoville_shared.games.no_thanks.cards import DECK_SIZE, FEWEST_SEATS, MOST_SEATS, TACTICAL_CHIPS
from scoville_shared.games.no_thanks.facts import AnyFact, Fact
from scoville_shared.games.no_thanks.imagine import imagine
from scoville_shared.games.no_thanks.options import MOST_ROUNDS, Options
from scoville_shared.games.no_thanks.state import Move, State
from scoville_shared.games.no_thanks.text import NoThanksText
from scoville_shared.games.no_thanks.view import View
from scoville_shared.ids import Seat
from scoville_shared.kit.codec import Codec
from scoville_shared.kit.contract import Game, Info, Outcome, Refusal, Step
from scoville_shared.kit.dice import Dice

MOST_DECISIONS = MOST_ROUNDS * DECK_SIZE * (MOST_SEATS * TACTICAL_CHIPS + 1)
"""Every chip can be paid for a card once; then somebody has to take it."""


class NoThanks(Game[Options, State, Move, View, Fact]):
    """Take the card, or pay a chip to leave it to your neighbour; fewest points win."""

    info = Info(
        slug="no_thanks",
        title="No Thanks!",
        seats=(FEWEST_SEATS, MOST_SEATS),
        official=(3, 5),
        rules_version=1,
        max_moves=MOST_DECISIONS,
    )
    codec: Codec[Options, State, Move, View, Fact] = Codec(
        options=Options, state=State, moves=(Move,), view=View, fact=AnyFact
    )
    text = NoThanksText()

    def setup(self, options: Options, seats: int, dice: Dice) -> State:
        """Deal the first round."""
        return rounds.deal(options, dice, number=1, rounds=(), totals=(0,) * seats)

    def pending(self, state: State) -> frozenset[Seat]:
        """Name the seat that has to decide."""
        return rules.pending(state)

    def check(self, state: State, seat: Seat, move: Move) -> Refusal | None:
        """Judge a decision."""
        return rules.check(state, seat, move)

    def apply(self, state: State, seat: Seat, move: Move) -> Step[State, Fact]:
        """Carry out a decision."""
        return rules.apply(state, seat, move)

    def outcome(self, state: State) -> Outcome | None:
        """Rank the totals of all rounds."""
        return rules.outcome(state)

    def view(self, state: State, seat: Seat | None) -> View:
        """Build what a seat, or a spectator, sees."""
        return seen.seen_by(state, seat)

    def moves(self, view: View) -> Sequence[Move]:
        """List what the View's seat may do."""
        return seen.moves(view)

    def fallback(self, view: View) -> Move:
        """Take what costs nothing, else decline while there are chips."""
        return seen.fallback(view)

    def imagine(self, view: View, dice: Dice) -> State:
        """Invent a deck and other people's chips."""
        return imagine(view, dice)


GAME = NoThanks()
