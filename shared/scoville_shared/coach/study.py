"""Answers to the coach's questions: under perfect play where that is cheap, else by sampled worlds."""

from collections.abc import Callable
from typing import NamedTuple

from scoville_shared.bots.machine import INTERPRETED, Machine
from scoville_shared.coach.base import CourseQuestion, Policy, Question, Sums
from scoville_shared.coach.sample import SURE, Estimate, Sample
from scoville_shared.coach.tally import COLUMNS, COMPARED, WIN

PORTIONS = 10
"""In so many parts a sample is taken; between them a clock may cut it."""

SLOWER = 2
"""In plain Python a sample is so much smaller again than those of bots: a review has hundreds of them."""

FEWEST_WORLDS = 40
"""A sample has at least so many worlds: of fewer no standard error can be told."""


class Study(NamedTuple):
    """The figures of a decision, and which policy they assume."""

    sample: Sample
    policy: Policy


class Judged(NamedTuple):
    """A decision that was made: the study of all moves, and how the move compares with the best other one.

    `played` and `best` are places among the moves. The losses of worth, of the chance to win and of score come from
    worlds that had no part in choosing the best move, so they are fair.
    """

    study: Study
    played: int
    best: int
    loss: Estimate
    win_loss: Estimate
    score_loss: Estimate

    @property
    def sure(self) -> bool:
        """Whether the move was worse by more than chance explains."""
        return self.loss.mean > SURE * self.loss.error and self.loss.mean > 0


def study(
    question: Question,
    playouts: int,
    seed: int,
    machine: Machine = INTERPRETED,
    stop: Callable[[], bool] = lambda: False,
) -> Study:
    """Study every move of a question.

    Args:
        question: The decision.
        playouts: The budget on a fast machine, for all moves together.
        seed: From 1 to 2**32 - 1; the same seed gives the same figures, unless they are cut.
        machine: What runs the kernels.
        stop: Whether the time is over; asked between portions.
    """
    solved = question.solved(machine)
    if solved is not None:
        return Study(solved, Policy.BEST if solved.exact else Policy.ESTIMATED)
    return Study(_sampled(question, playouts, seed, machine, stop), question.policy)


def judge(
    question: Question,
    played: int,
    playouts: int,
    seed: int,
    machine: Machine = INTERPRETED,
) -> Judged:
    """Compare the move at the place `played` with the best one; half the playouts choose that, half compare the two."""
    whole = study(question, playouts // 2, seed, machine)
    sample = whole.sample
    best = sample.best
    if best == played:
        none = Estimate(0.0, 0.0)
        return Judged(whole, played, best, none, none, none)
    pair, one, two = sample, best, played
    if not sample.exact and whole.policy is not Policy.ESTIMATED:
        pair, one, two = _sampled(question.only([best, played]), playouts // 2, -seed, machine, lambda: False), 0, 1
    loss = pair.advantage(one, two)
    return Judged(whole, played, best, loss, pair.difference(one, two, WIN), pair.difference(two, one, 0))


def course(
    question: CourseQuestion, playouts: int, seed: int, machine: Machine = INTERPRETED
) -> list[tuple[float, float]]:
    """Return each seat's mean final score and chance to win."""
    worlds = max(FEWEST_WORLDS, playouts // _divisor(machine))
    sums = machine.floats([0.0] * (2 * question.seats))
    question.add_worlds(machine, worlds, machine.numbers([_scattered(seed)]), sums)
    return [(float(sums[2 * seat]) / worlds, float(sums[2 * seat + 1]) / worlds) for seat in range(question.seats)]


def _sampled(question: Question, playouts: int, seed: int, machine: Machine, stop: Callable[[], bool]) -> Sample:
    moves = len(question.moves)
    to = Sums(machine.floats([0.0] * (COLUMNS * moves)), machine.floats([0.0] * (COMPARED * moves) ** 2))
    wanted = max(FEWEST_WORLDS, playouts // moves // _divisor(machine))
    exact = 0 < question.all_worlds <= wanted
    if exact:
        question.add_worlds(machine, range(question.all_worlds), None, to)
        done = question.all_worlds
    else:
        done, portion, rng = 0, max(1, wanted // PORTIONS), machine.numbers([_scattered(seed)])
        for _ in range(PORTIONS):
            if done and stop():
                break
            question.add_worlds(machine, range(portion), rng, to)
            done += portion
    sums, products = (tuple(map(float, each)) for each in to)
    return Sample(tuple(question.moves), question.aim, done, exact, sums, products)


def _divisor(machine: Machine) -> int:
    return 1 if machine.divisor == 1 else SLOWER * machine.divisor


def _scattered(seed: int) -> int:
    """Return a state of the kernels' random numbers; from small states the first numbers would be much alike."""
    return seed * 2_654_435_769 % (2**32 - 1) + 1
