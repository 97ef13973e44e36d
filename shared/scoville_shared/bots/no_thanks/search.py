"""Bots for No Thanks! that search: gated Monte Carlo over the rest of the round."""

from collections.abc import MutableSequence
from typing import Any, ClassVar

from msgspec import Struct

from scoville_shared.bots.machine import Machine
from scoville_shared.bots.no_thanks import kernel
from scoville_shared.bots.no_thanks.heuristics import bits, wants
from scoville_shared.bots.no_thanks.opponents import Opponents, equal_chances
from scoville_shared.bots.no_thanks.policies import POPULATION, WEIGHTS
from scoville_shared.bots.search import SearchBot
from scoville_shared.engine.contract import AnyGame
from scoville_shared.engine.phrases import Phrase
from scoville_shared.games.no_thanks.facts import Fact, Passed, RoundBegan, Took
from scoville_shared.games.no_thanks.state import Action, Options, View, chips_each, playable
from scoville_shared.values import Plain

_PASS: Plain = {"action": Action.PASS.value}
_TAKE: Plain = {"action": Action.TAKE.value}


class Counted:
    """Everybody's chips, counted from the beginning of the round as a person at the table could."""

    def __init__(self) -> None:
        self._changes: dict[int, int] = {}

    def observe(self, fact: Fact) -> None:
        """Count the chips of a move."""
        match fact:
            case Passed(seat=seat):
                self._changes[seat] = self._changes.get(seat, 0) - 1
            case Took(seat=seat, chips=chips):
                self._changes[seat] = self._changes.get(seat, 0) + chips
            case RoundBegan():
                self._changes.clear()

    def chips(self, options: Options, seats: int) -> list[int]:
        """Return each seat's chips."""
        return [chips_each(options, seats) + self._changes.get(seat, 0) for seat in range(seats)]


class CardQuestion(Struct, frozen=True, kw_only=True):
    """The decision on a card, in the terms of the kernel.

    `moves` are those of all plans: the candidates, once for each policy in `mine` by which the seat may go on.
    """

    moves: list[Plain]
    mine: list[int]
    chances: list[int]
    me: int
    chips: list[int]
    owned: list[int]
    points: list[int]
    unseen: list[int]
    left: int
    card: int
    pot: int
    totals: list[int]
    final: bool

    def compare(self, machine: Machine, playouts: int, rng: MutableSequence[int], sums: MutableSequence[float]) -> None:
        """Play every plan out."""
        numbers = machine.numbers
        decisions = self.moves[: len(self.moves) // len(self.mine)]
        candidates = [kernel.TAKE_FIRST if move == _TAKE else kernel.PASS_FIRST for move in decisions]
        machine.load(kernel).compare(
            self.me, numbers(self.chips), numbers(self.owned), numbers(self.points), numbers(self.unseen), self.left,
            self.card, self.pot, numbers(self.totals), self.final, numbers(WEIGHTS), numbers(self.chances),
            numbers(candidates), numbers(self.mine), playouts, rng, numbers([0] * (6 * len(self.chips))), sums,
        )  # fmt: skip


class CardBot(SearchBot):
    """Compares taking and passing by playouts.

    `mine` are the policies by which it may go on. A bot that `learns` expects opponents to decide as they have so far.
    """

    mine: ClassVar[tuple[int, ...]] = (0,)
    learns: ClassVar[bool] = False

    def __init__(self, game: AnyGame) -> None:
        super().__init__(game)
        self._counted = Counted()
        self._opponents = Opponents()

    def observe(self, fact: Any) -> None:
        """Count chips, and watch the opponents."""
        self._counted.observe(fact)
        if self.learns:
            self._opponents.observe(fact)

    def question(self, view: View) -> CardQuestion:
        """Ask whether to take the card, with everything that is known."""
        board = view.board
        assert view.seat is not None, "a pending View has a seat"
        seats = len(board.cards)
        chips = list(board.chips or self._counted.chips(board.options, seats))
        owned = [bits(cards) for cards in board.cards]
        seen = {card for cards in board.cards for card in cards} | {board.card_up}
        moves = _moves(view)
        mine = list(self.mine) if len(moves) > 1 else [0]
        return CardQuestion(
            moves=moves * len(mine),
            mine=mine,
            chances=self._opponents.chances(board.options, seats) if self.learns else equal_chances(seats),
            me=view.seat,
            chips=chips,
            owned=owned,
            points=list(board.points),
            unseen=[card for card in playable(board.options) if card not in seen],
            left=board.left,
            card=board.card_up,
            pot=board.pot,
            totals=list(board.totals),
            final=board.round == board.options.rounds,
        )


class Strong(CardBot):
    """Searches briefly."""

    description = Phrase("counts chips and plays two thousand futures")
    playouts = 2_000


class Master(CardBot):
    """Searches as long as nobody has to wait."""

    description = Phrase("learns how its opponents decide and plays twenty thousand futures")
    playouts = 20_000
    mine = (0, 3, 6)
    learns = True


def _moves(view: View) -> list[Plain]:
    """List the legal moves, that of the rule of thumb first."""
    if not view.chips:
        return [_TAKE]
    return [_TAKE, _PASS] if wants(view, POPULATION[0]) else [_PASS, _TAKE]
