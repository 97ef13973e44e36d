"""Bots for Dicht dran that search: gated Monte Carlo over the rest of the cycle."""

from collections.abc import MutableSequence
from typing import Any, ClassVar

from msgspec import Struct

from scoville_shared.bots.dicht_dran import kernel
from scoville_shared.bots.dicht_dran.policies import POPULATION, WEIGHTS, chances_by_rank
from scoville_shared.bots.machine import Machine
from scoville_shared.bots.search import SearchBot
from scoville_shared.engine.contract import AnyGame
from scoville_shared.engine.phrases import Phrase
from scoville_shared.games.dicht_dran.cards import DECK, peppers_by_card
from scoville_shared.games.dicht_dran.facts import CycleScored, Discarded, Fact, FellInGap, TargetWon
from scoville_shared.games.dicht_dran.state import View
from scoville_shared.values import Plain


class Remembered:
    """The cards of this cycle that everybody has seen: those in the discard, and the peppers that each seat has won."""

    def __init__(self) -> None:
        self.discard: list[int] = []
        self.targets: list[int] = []
        self.won: dict[int, int] = {}

    def observe_fact(self, fact: Fact) -> None:
        """Remember the cards of a round; a new cycle begins with all of them."""
        match fact:
            case TargetWon(seat=seat, target=target, peppers=peppers):
                self.targets.append(target)
                self.won[seat] = self.won.get(seat, 0) + peppers
            case FellInGap(card=card) | Discarded(card=card):
                self.discard.append(card)
            case CycleScored():
                self.discard, self.targets, self.won = [], [], {}


class RoundQuestion(Struct, frozen=True, kw_only=True):
    """The choice of a card, in the terms of the kernel; `candidates` are the cards, `moves` the same as moves.

    The hand is there once for every policy by which the seat may go on, and `mine` is that policy.
    """

    ways: ClassVar[int] = 1
    moves: list[Plain]
    candidates: list[int]
    mine: list[int]
    me: int
    circle: list[int]
    slot: int
    hand: list[int]
    sizes: list[int]
    won: list[int]
    unseen: list[int]
    discard: list[int]
    peppers: list[int]
    totals: list[int]
    final: bool
    population: int

    def compare_moves(
        self, machine: Machine, playouts: int, rng: MutableSequence[int], sums: MutableSequence[float]
    ) -> None:
        """Play every card out."""
        numbers, floats, seats = machine.numbers, machine.floats, len(self.sizes)
        machine.load(kernel).compare_cards(
            self.me, numbers(self.circle), self.slot, numbers(self.hand), numbers(self.sizes), numbers(self.won),
            numbers(self.unseen), numbers(self.discard), numbers(self.peppers), numbers(self.totals), self.final,
            numbers(self.candidates), numbers(self.mine), floats(chances_by_rank(seats)), floats(WEIGHTS),
            self.population, playouts, rng, numbers([0] * kernel.scratch_size(seats)), sums,
        )  # fmt: skip


class RoundBot(SearchBot):
    """Compares the cards in hand by playouts.

    `mine` are the policies by which it may go on. It expects opponents to be drawn from the first policies, so many as
    `population` says.
    """

    mine: ClassVar[tuple[int, ...]] = (0,)
    population: ClassVar[int] = 1

    def __init__(self, game: AnyGame) -> None:
        super().__init__(game)
        self._remembered = Remembered()

    def observe_fact(self, fact: Any) -> None:
        self._remembered.observe_fact(fact)

    def make_question(self, view: View) -> RoundQuestion:
        """Ask which card to choose, with everything that is known."""
        board, seat, known = view.board, view.seat, self._remembered
        assert seat is not None, "a pending View has a seat"
        hand = _list_candidates(view)
        candidates = hand * len(self.mine)
        seen = {*board.circle, *view.hand, *known.discard, *known.targets}
        return RoundQuestion(
            moves=[{"card": card} for card in candidates],
            candidates=candidates,
            mine=[policy for policy in self.mine for _ in hand],
            me=seat,
            circle=list(board.circle),
            slot=board.target,
            hand=list(view.hand),
            sizes=list(board.hands),
            won=[known.won.get(each, 0) for each in range(len(board.hands))],
            unseen=[card for card in DECK if card not in seen],
            discard=list(known.discard),
            peppers=list(peppers_by_card(board.options.peppers)),
            totals=list(board.totals),
            final=board.cycle == board.options.cycles,
            population=self.population,
        )


class Strong(RoundBot):
    """Tries each card some twenty times in its mind, as a good player does."""

    description = Phrase("remembers all cards and plays two hundred futures with players like itself")
    playouts = 200


class Master(RoundBot):
    """Searches as long as nobody has to wait."""

    description = Phrase("remembers all cards and plays ten thousand futures with many kinds of players")
    playouts = 10_000
    mine = (0, 1)
    population = len(POPULATION)


def _list_candidates(view: View) -> list[int]:
    """List the cards of the hand, that of the first policy first."""
    board, size = view.board, len(view.hand)
    peppers, odds = peppers_by_card(board.options.peppers), chances_by_rank(len(board.hands))
    best = kernel.choose_card(board.circle, board.target, view.hand, size, 0, peppers, odds, WEIGHTS, 0)
    return [best, *(card for card in view.hand if card != best)]
