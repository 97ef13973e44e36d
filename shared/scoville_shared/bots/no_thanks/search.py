"""Bots for No Thanks! that search: gated Monte Carlo over the rest of the round."""

from collections.abc import MutableSequence
from typing import Any, ClassVar

from msgspec import Struct

from scoville_shared.bots.machine import Machine
from scoville_shared.bots.no_thanks import comparison, counting, kernel
from scoville_shared.bots.no_thanks.heuristics import wants_card
from scoville_shared.bots.no_thanks.opponents import Opponents, like_me
from scoville_shared.bots.no_thanks.policies import BEST, COUNTING_WEIGHTS, EVERYBODY, EVOLVED, OWN, POPULATION, WEIGHTS
from scoville_shared.bots.no_thanks.table import Round, read_round
from scoville_shared.bots.search import SearchBot
from scoville_shared.engine.contract import AnyGame
from scoville_shared.engine.phrases import Phrase
from scoville_shared.games.no_thanks.facts import Fact, Passed, RoundBegan, Took
from scoville_shared.games.no_thanks.state import Action, Options, View, chips_each
from scoville_shared.values import Plain

_PASS: Plain = {"action": Action.PASS.value}
_TAKE: Plain = {"action": Action.TAKE.value}


class Counted:
    """Everybody's chips, counted from the beginning of the round as a person at the table could."""

    def __init__(self) -> None:
        self._changes: dict[int, int] = {}

    def observe_fact(self, fact: Fact) -> None:
        """Count the chips of a move."""
        match fact:
            case Passed(seat=seat):
                self._changes[seat] = self._changes.get(seat, 0) - 1
            case Took(seat=seat, chips=chips):
                self._changes[seat] = self._changes.get(seat, 0) + chips
            case RoundBegan():
                self._changes.clear()

    def chips_by_seat(self, options: Options, seats: int) -> list[int]:
        """Return each seat's chips."""
        return [chips_each(options, seats) + self._changes.get(seat, 0) for seat in range(seats)]


class CardQuestion(Struct, frozen=True, kw_only=True):
    """The decision on a card, in the terms of the kernel.

    `moves` are those of all plans: for each policy in `mine` by which the seat may go on the move that this policy
    makes first, then the other one. `chances` and `alike` are those of the opponents' policies.
    """

    moves: list[Plain]
    mine: list[int]
    chances: list[int]
    alike: int
    round: Round
    counting: bool

    @property
    def ways(self) -> int:
        """The number of policies by which the seat may go on."""
        return len(self.mine)

    def compare_moves(
        self, machine: Machine, playouts: int, rng: MutableSequence[int], sums: MutableSequence[float]
    ) -> None:
        """Play every plan out."""
        numbers, table = machine.numbers, self.round
        decisions = [kernel.TAKE_FIRST if move == _TAKE else kernel.PASS_FIRST for move in self.moves]
        machine.load(comparison).compare_answers(
            table.mover, numbers(table.chips), numbers(table.owned), numbers(table.points), numbers(table.unseen),
            table.left, table.card, table.pot, numbers(table.totals), not table.rounds, self.counting,
            numbers(COUNTING_WEIGHTS if self.counting else WEIGHTS), numbers(self.chances), self.alike,
            numbers(decisions), numbers(self.mine), playouts, rng, numbers([0] * (6 * len(table.chips))), sums,
        )  # fmt: skip


class CardBot(SearchBot):
    """Compares taking and passing by playouts.

    `mine` are the policies by which it may go on, that of its rule of thumb first. It goes on by the one that does
    best, and departs from the move of that policy only for one that is surely better. A bot that `learns` knows
    policies that count, and expects opponents to decide as they have so far; another one expects them to decide as it
    does.
    """

    mine: ClassVar[tuple[int, ...]] = (0,)
    learns: ClassVar[bool] = False

    def __init__(self, game: AnyGame) -> None:
        super().__init__(game)
        self._counted = Counted()
        self._opponents = Opponents()

    def observe_fact(self, fact: Any) -> None:
        self._counted.observe_fact(fact)
        if self.learns:
            self._opponents.observe_fact(fact)

    def make_question(self, view: View) -> CardQuestion:
        """Ask whether to take the card, with everything that is known."""
        board = view.board
        assert view.seat is not None, "a pending View has a seat"
        seats = len(board.cards)
        chips = list(board.chips or self._counted.chips_by_seat(board.options, seats))
        table = read_round(board, chips)
        moves, mine = [_TAKE], [self.mine[0]]
        if view.chips:
            mine = list(self.mine)
            moves = [
                move
                for policy in mine
                for move in ((_TAKE, _PASS) if self._takes_card(view, table, policy) else (_PASS, _TAKE))
            ]
        expected = self._opponents.expected_policies(board.options, seats, view.seat) if self.learns else like_me(seats)
        return CardQuestion(
            moves=moves,
            mine=mine,
            chances=expected.chances,
            alike=expected.alike,
            round=table,
            counting=self.learns,
        )

    def _takes_card(self, view: View, table: Round, policy: int) -> bool:
        """Decide by a policy."""
        if not self.learns:
            return wants_card(view, POPULATION[policy])
        return counting.takes_card(
            table.mover, table.chips, table.owned, table.card, table.left, table.pot, OWN[policy], 0
        )  # fmt: skip


class Strong(CardBot):
    """Tries what it would do twenty times in its mind, as a good player does."""

    description = Phrase("counts chips and plays forty futures with players like itself")
    playouts = 40


class Master(CardBot):
    """Searches as long as nobody has to wait."""

    description = Phrase("learns how its opponents decide and plays five thousand futures")
    playouts = 5_000
    mine = (BEST, POPULATION.index(EVOLVED), *range(len(EVERYBODY), len(OWN)))
    learns = True
