"""Bots for Dicht dran that search: gated Monte Carlo over the rest of the cycle."""

from collections.abc import MutableSequence, Sequence
from typing import Any, ClassVar

from msgspec import Struct

from scoville_shared.bots.dicht_dran import comparison, kernel
from scoville_shared.bots.dicht_dran.table import (
    KnownCycle,
    choose_by_policy,
    choose_with_foresight,
    list_insight,
    list_seen,
    list_worth,
    make_desk,
    make_space,
    read_cycle,
)
from scoville_shared.bots.machine import Machine
from scoville_shared.bots.search import SURE, SearchBot
from scoville_shared.engine.contract import AnyGame
from scoville_shared.engine.phrases import Phrase
from scoville_shared.games.dicht_dran.cards import DECK
from scoville_shared.games.dicht_dran.facts import CycleScored, Discarded, Fact, FellInGap, TargetWon
from scoville_shared.games.dicht_dran.state import View
from scoville_shared.values import Plain


class Remembered:
    """The cards of this cycle that all players have seen: the discard, and the won peppers of each seat."""

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
    """The choice of a card, in the terms of the kernel; `candidates` are the cards, `moves` the same as moves."""

    ways: ClassVar[int] = 1
    needed_errors: ClassVar[float] = SURE
    moves: list[Plain]
    candidates: list[int]
    me: int
    hand: list[int]
    unseen: list[int]
    cycle: KnownCycle

    def compare_moves(
        self, machine: Machine, playouts: int, rng: MutableSequence[int], sums: MutableSequence[float]
    ) -> None:
        """Play every card out, all players by the trained policy."""
        table = self.cycle
        seats = len(table.sizes)
        machine.load(kernel).compare_cards(
            list_seen(machine, table, self.me, self.hand, self.unseen), machine.numbers(self.candidates),
            list_worth(machine, table.peppers, seats), playouts, rng, make_space(machine, seats), sums,
        )  # fmt: skip


class FarsightedQuestion(RoundQuestion, frozen=True, kw_only=True):
    """The choice of a card by a seat that goes on with foresight and expects opponents to choose like `strong`."""

    needed_errors: ClassVar[float] = 1.0

    def compare_moves(
        self, machine: Machine, playouts: int, rng: MutableSequence[int], sums: MutableSequence[float]
    ) -> None:
        """Play every card out, the others by the fitted policy."""
        table = self.cycle
        seats = len(table.sizes)
        machine.load(comparison).compare_cards(
            list_seen(machine, table, self.me, self.hand, self.unseen), machine.numbers(self.candidates),
            list_worth(machine, table.peppers, seats), list_insight(machine, seats), playouts, rng,
            make_space(machine, seats), make_desk(machine), sums,
        )  # fmt: skip


class RoundBot(SearchBot):
    """Compares the cards in hand by playouts."""

    kind: ClassVar[type[RoundQuestion]] = RoundQuestion

    def __init__(self, game: AnyGame) -> None:
        super().__init__(game)
        self._remembered = Remembered()

    def observe_fact(self, fact: Any) -> None:
        self._remembered.observe_fact(fact)

    def make_question(self, view: View) -> RoundQuestion:
        """Ask which card to choose, with everything that is known."""
        board, seat, known = view.board, view.seat, self._remembered
        assert seat is not None, "a pending View has a seat"
        seen = {*board.circle, *view.hand, *known.discard, *known.targets}
        unseen = [card for card in DECK if card not in seen]
        best = self._choose_by_rule(view, unseen)
        candidates = [best, *(card for card in view.hand if card != best)]
        return self.kind(
            moves=[{"card": card} for card in candidates],
            candidates=candidates,
            me=seat,
            hand=list(view.hand),
            unseen=unseen,
            cycle=read_cycle(board, known.discard, [known.won.get(each, 0) for each in range(len(board.hands))]),
        )

    def _choose_by_rule(self, view: View, unseen: Sequence[int]) -> int:  # noqa: ARG002 - foresight counts them
        return choose_by_policy(view.board, view.hand, kernel.TRAINED)


class Strong(RoundBot):
    """Tries each card some twenty times in its mind, as a good player does."""

    description = Phrase("remembers all cards and plays two hundred futures")
    playouts = 200


class Master(RoundBot):
    """Searches for as long as other players do not have to wait, and knows how good players choose."""

    description = Phrase("remembers all cards, expects good players, plays three thousand futures")
    playouts = 3_000
    kind = FarsightedQuestion

    def _choose_by_rule(self, view: View, unseen: Sequence[int]) -> int:
        assert view.seat is not None, "a pending View has a seat"
        return choose_with_foresight(view.board, view.seat, view.hand, unseen)
