"""Bots for Dicht dran that search: gated Monte Carlo over the rest of the cycle."""

from collections.abc import MutableSequence
from typing import Any, ClassVar

from msgspec import Struct

from scoville_shared.bots.dicht_dran import kernel
from scoville_shared.bots.dicht_dran.policies import POPULATION
from scoville_shared.bots.dicht_dran.table import (
    KnownCycle,
    choose_by_policy,
    list_seen,
    list_worth,
    make_space,
    read_cycle,
)
from scoville_shared.bots.machine import Machine
from scoville_shared.bots.search import SearchBot
from scoville_shared.engine.contract import AnyGame
from scoville_shared.engine.phrases import Phrase
from scoville_shared.games.dicht_dran.cards import DECK
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
        # A client's coach has facts of a server, perhaps a hostile one: a card is a place in a kernel's list here.
        if isinstance(fact, FellInGap | Discarded) and (fact.card not in DECK or fact.card in self.discard):
            return
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
    hand: list[int]
    unseen: list[int]
    cycle: KnownCycle
    population: int

    def compare_moves(
        self, machine: Machine, playouts: int, rng: MutableSequence[int], sums: MutableSequence[float]
    ) -> None:
        """Play every card out."""
        table, numbers = self.cycle, machine.numbers
        seats = len(table.sizes)
        machine.load(kernel).compare_cards(
            list_seen(machine, table, self.me, self.hand, self.unseen), numbers(self.candidates), numbers(self.mine),
            list_worth(machine, table.peppers, seats), self.population, playouts, rng, make_space(machine, seats), sums,
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
            hand=list(view.hand),
            unseen=[card for card in DECK if card not in seen],
            cycle=read_cycle(board, known.discard, [known.won.get(each, 0) for each in range(len(board.hands))]),
            population=self.population,
        )


class Strong(RoundBot):
    """Tries each card some twenty times in its mind, as a good player does."""

    description = Phrase("remembers all cards and plays two hundred futures")
    playouts = 200


class Master(RoundBot):
    """Searches for as long as other players do not have to wait."""

    description = Phrase("remembers all cards and plays ten thousand futures")
    equal_levels: ClassVar = {3: ("strong", "master")}
    playouts = 10_000
    mine = (0, 1)
    population = len(POPULATION)


def _list_candidates(view: View) -> list[int]:
    """List the cards of the hand, that of the first policy first."""
    best = choose_by_policy(view.board, view.hand, 0)
    return [best, *(card for card in view.hand if card != best)]
