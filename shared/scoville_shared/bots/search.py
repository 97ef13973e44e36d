"""Bots that search: they turn a View into a question of plain numbers, which another process can answer.

A question samples worlds that the View could come from, plays each legal move in the same worlds against the same
opponents to the end of the round, and compares. It departs from the move of a rule of thumb only when another one is
better by more than chance explains: a noisy difference would lose what the rule gains.
"""

from abc import abstractmethod
from collections.abc import Callable, MutableSequence, Sequence
from math import sqrt
from typing import Any, ClassVar, NamedTuple, Protocol

from scoville_shared.bots.base import Bot
from scoville_shared.bots.machine import INTERPRETED, Machine
from scoville_shared.bots.utility import COLUMNS, WORLDS
from scoville_shared.engine.dice import Stream

SURE = 2.0
"""Standard errors by which a move usually must be better than that of the rule of thumb."""

PORTIONS = 10
"""In so many parts a question is answered; between them a clock may cut it."""

_SEEDS = 2**32 - 1


class Finding(NamedTuple):
    """The result of a search for one move.

    `move` is plain data. `value` is its utility, the share of the win above all; `better` by how much it exceeds that
    of the first move of its way to go on, and `error` the standard error of that.
    """

    move: Any
    value: float
    better: float
    error: float


class Thought(NamedTuple):
    """The move of a search with everything it found, the playouts of a move on average, and whether a clock `cut` it.

    `portion` is the size of the parts in which the playouts were made.
    """

    move: Any
    findings: tuple[Finding, ...]
    playouts: int
    cut: bool
    portion: int = 0


class Searched(NamedTuple):
    """The playouts of each move that a search really made, in parts of `portion`: enough to repeat it exactly.

    Without playouts the bot got no answer and played by its rule of thumb.
    """

    playouts: int
    portion: int


class Question(Protocol):
    """A decision in plain numbers; it can be sent to another process.

    `moves` are the moves to compare as plain data, that of the rule of thumb first. Where the seat may go on in several
    `ways`, each of them has its own moves, one way after another; the rule of thumb of a way is what it goes on by.
    """

    @property
    def moves(self) -> Sequence[Any]:
        """The moves to compare."""

    @property
    def ways(self) -> int:
        """The number of ways to go on that are compared first; the moves of the best one decide."""

    @property
    def needed_errors(self) -> float:
        """The standard errors by which a move must be better than that of the rule of thumb."""

    def compare_moves(
        self, machine: Machine, playouts: int, rng: MutableSequence[int], sums: MutableSequence[float]
    ) -> None:
        """Play moves out, each `playouts` times or all together as often, and add to `sums` as `add_utility` does.

        Differences are those to the first move of the same way. At first every move is played out.
        """


def answer_question(
    question: Question,
    playouts: int,
    seed: int,
    machine: Machine = INTERPRETED,
    stop: Callable[[], bool] = lambda: False,
) -> Thought:
    """Answer a question.

    Args:
        question: The decision.
        playouts: The budget on a fast machine, for all moves together.
        seed: From 1 to 2**32 - 1; the same seed gives the same answer, unless it is cut.
        machine: The machine that runs the kernel.
        stop: Whether the time is over; asked between portions.
    """
    return _answer_in_portions(question, _playouts_of_portion(question, playouts, machine), seed, machine, stop)


def answer_exactly(question: Question, playouts: int, seed: int, machine: Machine = INTERPRETED) -> Thought:
    """Answer a question with all `playouts` on any machine, however slow; the same seed gives the same move on each.

    Without a clock, and by sums in nine digits: those of two machines may differ in the last one.
    """
    portion = _playouts_of_portion(question, playouts)
    return _answer_in_portions(question, portion, seed, machine, lambda: False, _round_sum)


def _round_sum(total: float) -> float:
    return float(f"{total:.9g}")


def playouts_made(question: Question, playouts: int, thought: Thought | None) -> Searched | None:
    """Return the settings that repeat an answer, beside its seed; None if it had all `playouts` of a fast machine."""
    if thought is None:
        return Searched(0, 0)
    whole = _playouts_of_portion(question, playouts) * PORTIONS
    return None if thought.playouts == whole and not thought.cut else Searched(thought.playouts, thought.portion)


def repeat_search(
    question: Question, playouts: int, seed: int, made: Searched | None, machine: Machine = INTERPRETED
) -> Any:
    """Return the move of a search that was made before, with the playouts that it had (from `playouts_made`)."""
    if made is None:
        portion = _playouts_of_portion(question, playouts)
        made = Searched(PORTIONS * portion, portion)
    if not made.playouts:
        return question.moves[0]
    # One less: the first portion is made without asking whether to stop.
    parts = iter(range(made.playouts // made.portion - 1))
    return _answer_in_portions(question, made.portion, seed, machine, lambda: next(parts, None) is None).move


def _playouts_of_portion(question: Question, playouts: int, machine: Machine | None = None) -> int:
    # Never none: with more moves than playouts each would have no world, and no move a value.
    return max(1, playouts // len(question.moves) // (machine.divisor if machine else 1) // PORTIONS)


def make_sums(question: Question, machine: Machine) -> Any:
    """Return sums of nothing for the moves of a question, in a machine's numbers."""
    return machine.floats([0.0] * (COLUMNS * len(question.moves)))


def _answer_in_portions(
    question: Question,
    portion: int,
    seed: int,
    machine: Machine,
    stop: Callable[[], bool],
    read_sum: Callable[[Any], float] = float,
) -> Thought:
    rng, sums = machine.numbers([seed]), make_sums(question, machine)
    done = 0
    for _ in range(PORTIONS):
        # At least one portion, or there would be nothing to choose by.
        if done and stop():
            break
        question.compare_moves(machine, portion, rng, sums)
        done += portion
    read = [read_sum(total) for total in sums]
    findings = tuple(
        _make_finding(move, read[COLUMNS * n : COLUMNS * (n + 1)]) for n, move in enumerate(question.moves)
    )
    return Thought(
        _choose_finding(findings, question).move, findings, done, cut=done < PORTIONS * portion, portion=portion
    )


def _make_finding(move: Any, sums: Sequence[float]) -> Finding:
    worlds = sums[WORLDS]
    value, better, squares = (total / worlds for total in sums[:WORLDS])
    # Rounding can bring a variance of zero below it.
    return Finding(move, value, better, sqrt(max(squares - better * better, 0.0) / worlds))


def _choose_finding(findings: Sequence[Finding], question: Question) -> Finding:
    size = len(findings) // question.ways
    way = max(
        (findings[at : at + size] for at in range(0, len(findings), size)),
        key=lambda moves: max(finding.value for finding in moves),
    )
    # The way by its best move, since that is the one which would be played; the move within it by differences alone.
    best = max(way, key=lambda finding: finding.better)
    # A noisy "take" cannot be undone: without this bound small budgets play worse than their rule of thumb.
    return best if best.better > question.needed_errors * best.error else way[0]


class SearchBot(Bot):
    """A bot that searches; `playouts` is its budget on a fast machine.

    Servers and clients take the `question` and have it answered in another process.
    """

    remembers = True
    playouts: ClassVar[int]

    @abstractmethod
    def make_question(self, view: Any) -> Question:
        """Return the question of a View whose seat is pending; a question with one move need not be answered."""

    def choose_move(self, view: Any, chance: Stream) -> Any:
        return self.choose_by(INTERPRETED, view, chance)

    def choose_by(self, machine: Machine, view: Any, chance: Stream) -> Any:
        """Answer the question right here, on a machine."""
        question = self.make_question(view)
        plain = question.moves[0]
        if len(question.moves) > 1:
            plain = answer_question(question, self.playouts, seed_of(chance), machine).move
        return self.game.codec.decode_move(plain)


def seed_of(chance: Stream) -> int:
    """Draw the seed of a search."""
    # Not 0, which the random numbers of the kernels never leave again.
    return 1 + chance.draw_below(_SEEDS)
