"""Bots for Chilli Chase that search: gated Monte Carlo over the next turns."""

from collections.abc import MutableSequence
from typing import Any, ClassVar

from msgspec import Struct

from scoville_shared.bots.chilli_chase import comparison
from scoville_shared.bots.chilli_chase.careful import CAREFUL, FITTED
from scoville_shared.bots.chilli_chase.heuristics import new_score, rank_plays
from scoville_shared.bots.chilli_chase.table import KnownTable, list_seen, make_space, read_table
from scoville_shared.bots.machine import Machine
from scoville_shared.bots.search import SURE, SearchBot
from scoville_shared.engine.contract import AnyGame
from scoville_shared.engine.phrases import Phrase
from scoville_shared.games.chilli_chase.arithmetic import list_reaches
from scoville_shared.games.chilli_chase.facts import Drew, Fact, Played, Recycled
from scoville_shared.games.chilli_chase.scores import check_score
from scoville_shared.games.chilli_chase.state import DECK, KEEP, Keep, NewScore, View
from scoville_shared.ids import Seat
from scoville_shared.values import Plain


class Memory:
    """The Hot Pile in its order, which becomes the deck (C22), and the cards of it that others have drawn.

    Before the pile is turned over for the first time nothing of this is known, nor after it was shuffled.
    """

    def __init__(self) -> None:
        self._pile: list[int] = []
        self.deck: list[int] = []
        self.hands: dict[Seat, list[int]] = {}

    def observe_fact(self, fact: Fact) -> None:
        match fact:
            case Played(seat=seat, card=card, before=before):
                self._pile = [*(self._pile or [before]), card]  # the first card of all lay there as the total
                if card in self.hands.get(seat, []):
                    self.hands[seat].remove(card)
            case Recycled(shuffled=shuffled):
                self.deck = [] if shuffled else self._pile[:-1]
                self._pile = self._pile[-1:]
            case Drew(seat=seat) if self.deck:
                self.hands.setdefault(seat, []).append(self.deck.pop(0))


MOST_SCORES = 12
"""How many new Chilli Scores are compared: those that the hand reaches, the closest to zero first."""


class TurnQuestion(Struct, frozen=True, kw_only=True):
    """The choice of a play or of a Chilli Score, in the terms of the kernel; `candidates` are the moves there."""

    ways: ClassVar[int] = 1
    needed_errors: ClassVar[float] = SURE
    rivals: ClassVar[int] = CAREFUL
    moves: list[Plain]
    candidates: list[int]
    me: int
    table: KnownTable
    unseen: list[int]
    rounds: int

    def compare_moves(
        self, machine: Machine, playouts: int, rng: MutableSequence[int], sums: MutableSequence[float]
    ) -> None:
        """Play on after every candidate."""
        numbers = machine.numbers
        machine.load(comparison).compare_plays(
            self.me, list_seen(machine, self.table), numbers(self.unseen), numbers(self.candidates), self.rivals,
            self.rounds, playouts, rng, make_space(machine, self.table, len(self.moves)), sums,
        )  # fmt: skip


class WaryQuestion(TurnQuestion, frozen=True, kw_only=True):
    """The same choice by a player who expects opponents to choose like `strong`."""

    needed_errors: ClassVar[float] = 1.0
    rivals: ClassVar[int] = FITTED


class TurnBot(SearchBot):
    """Compares plays, or Chilli Scores, by playing on.

    A bot that `memorizes` knows the deck after it was turned over, and what others have drawn from it. It looks
    so many `rounds` of turns ahead; what players it expects is said by the `kind` of its questions.
    """

    kind: ClassVar[type[TurnQuestion]] = TurnQuestion
    memorizes: ClassVar[bool] = False
    rounds: ClassVar[int] = 2

    def __init__(self, game: AnyGame) -> None:
        super().__init__(game)
        self._memory = Memory()

    def observe_fact(self, fact: Any) -> None:
        if self.memorizes:
            self._memory.observe_fact(fact)

    def make_question(self, view: View) -> TurnQuestion:
        """Ask for a play, or for a Chilli Score."""
        board = view.board
        moves, candidates = _list_scores(view) if board.choosing else _list_plays(view)
        # The own hand last: the memory of it is less than the sight.
        known = {**self._memory.hands, board.mover: view.hand}
        table = read_table(
            board, [known.get(seat, ()) for seat in map(Seat, range(len(board.scores)))], self._memory.deck
        )
        unseen = list(DECK)
        for card in (*table.hot, *filter(None, table.hands), *table.deck):
            unseen.remove(card)
        return self.kind(
            moves=moves, candidates=candidates, me=board.mover, table=table, unseen=unseen, rounds=self.rounds
        )


class Strong(TurnBot):
    """Tries each result some ten times in its mind, as a good player does."""

    description = Phrase("looks two rounds ahead and plays a hundred futures")
    playouts = 100


class Master(TurnBot):
    """Searches for as long as other players do not have to wait."""

    description = Phrase("remembers all cards, looks six rounds ahead, expects good players")
    equal_levels: ClassVar = {6: ("strong", "master")}
    kind = WaryQuestion
    playouts = 2_000
    memorizes = True
    rounds = 6


def _list_plays(view: View) -> tuple[list[Plain], list[int]]:
    """List the different results of the hand, the best by the rule of thumb first, as moves and as candidates."""
    moves: list[Plain] = []
    candidates: list[int] = []
    for _, way in rank_plays(view):
        # Plays that make the same total are one choice (C14), and a playout would not tell them apart.
        play = way.plays[0]
        moves.append({"card": play.card, "op": play.op.value, "left": play.left.value})
        candidates += [view.hand.index(play.card), way.total]
    return moves, candidates


def _list_scores(view: View) -> tuple[list[Plain], list[int]]:
    """List the Chilli Scores that the hand reaches and the old one, that of the rule of thumb first."""
    board = view.board
    old = board.scores[board.mover]
    reached = {way.total for card in view.hand for way in list_reaches(card, board.total, board.options)}
    free = sorted(
        (score for score in reached if check_score(board, score) is None), key=lambda score: (abs(score), score)
    )
    chosen = new_score(view)
    first = old if isinstance(chosen, Keep) else chosen.score if isinstance(chosen, NewScore) else old
    others = [score for score in [old, *free[:MOST_SCORES]] if score != first]
    scores = [first, *others]
    moves: list[Plain] = [{"keep": KEEP.keep} if score == old else {"score": score} for score in scores]
    return moves, [number for score in scores for number in (-1, score)]
