"""Answers to the coach's questions: under perfect play where that is cheap, else by sampled worlds.

Each is also work for another process: a value with what to do.
"""

from collections.abc import Callable
from enum import StrEnum
from typing import NamedTuple

from scoville_shared.bots.machine import INTERPRETED, Machine
from scoville_shared.coach.base import CourseQuestion, Policy, Question, Sums
from scoville_shared.coach.rules import RulesCourse, RulesQuestion
from scoville_shared.coach.sample import SURE, Estimate, Figures, Sample
from scoville_shared.coach.tally import COLUMNS, COMPARED, SCORE, SECOND, WIN
from scoville_shared.engine.phrases import Phrase


class Verdict(StrEnum):
    """A review's judgement of a move."""

    BEST = "best"
    AS_GOOD = "as_good"
    INACCURACY = "inaccuracy"
    MISTAKE = "mistake"
    BLUNDER = "blunder"


VERDICT_NAMES = {
    Verdict.BEST: Phrase("best move"),
    Verdict.AS_GOOD: Phrase("as good as the best"),
    Verdict.INACCURACY: Phrase("inaccuracy"),
    Verdict.MISTAKE: Phrase("mistake"),
    Verdict.BLUNDER: Phrase("blunder"),
}

INACCURATE, MISTAKEN, BLUNDERED = 0.005, 0.03, 0.1
"""Severities from which on a move is no longer as good, and more."""

POINT = 0.004
"""Weight of a lost point beside the lost chance to win: players who cannot win any more, or are sure to, still err by
points."""

ERRORS = (Verdict.INACCURACY, Verdict.MISTAKE, Verdict.BLUNDER)


PORTIONS = 10
"""In so many parts a sample is taken; between them a clock may cut it."""

SLOWER = 2
"""In plain Python a sample is so much smaller again than those of bots: a review has hundreds of them."""

PLANNED, PLANS_SEED = 8, 1 << 24
"""Such a part of a sample's playouts chooses how to go on after a move, and what its seed differs by."""

FEWEST_WORLDS, FEWEST_COMPARED = 20, 40
"""A sample has at least so many worlds, and one that compares the played move: of fewer no standard error can be told.

That counts in plain Python only. There the first sample costs most, since it has all moves, and the second one decides
the verdict.
"""


class Study(NamedTuple):
    """The figures of a decision, and which policy they assume.

    `shares` is how often an equilibrium of this round plays each move, empty where none is known.
    """

    sample: Sample
    policy: Policy
    shares: tuple[float, ...] = ()


class Judged(NamedTuple):
    """A decision that was made: the study of all moves, and how the move compares with the best other one.

    `played` and `best` are places among the moves. The losses of worth, of the chance to win and of score come from
    worlds that had no part in choosing the best move, so they are fair. A move that an equilibrium of its round plays
    loses nothing by what happens in this round.
    """

    study: Study
    played: int
    best: int
    loss: Estimate
    win_loss: Estimate
    score_loss: Estimate

    @property
    def is_sure(self) -> bool:
        """Whether the move was worse by more than chance explains."""
        return self.loss.mean > SURE * self.loss.error and self.loss.mean > 0


def study_moves(
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
        machine: The machine that runs the kernels.
        stop: Whether the time is over; asked between portions.
    """
    solved = question.solve_exactly(machine)
    if solved is not None:
        return Study(solved, Policy.BEST)
    planned = _choose_plan(question, playouts, seed, machine)
    return Study(
        _sample_moves(planned, playouts, seed, machine, stop, FEWEST_WORLDS),
        question.policy,
        question.equilibrium_shares(machine),
    )


def judge_move(
    question: Question,
    played: int,
    playouts: int,
    seed: int,
    machine: Machine = INTERPRETED,
) -> Judged:
    """Compare the move at the place `played` with the best one; half the playouts choose that, half compare the two."""
    whole = study_moves(question, playouts // 2, seed, machine)
    sample = whole.sample
    # Of many noisy figures the greatest is too great, so the worlds that chose this move do not judge it.
    best = sample.best_move
    none = Estimate(0.0, 0.0)
    if best == played:
        return Judged(whole, played, best, none, none, none)
    pair, one, two = sample, best, played
    if not sample.exact:
        two_moves = _choose_plan(question, playouts // 2, seed, machine).with_moves([best, played])
        # By another seed: in the worlds in which it was chosen, the best move looks better than it is.
        pair, one, two = _sample_moves(two_moves, playouts // 2, -seed, machine, lambda: False, FEWEST_COMPARED), 0, 1
    if _is_balanced(whole, played, pair, one, two):
        return Judged(whole, played, best, none, none, none)
    loss = pair.estimate_advantage(one, two)
    return Judged(
        whole, played, best, loss, pair.estimate_difference(one, two, WIN), pair.estimate_difference(two, one, SCORE)
    )


def _choose_plan(question: Question, playouts: int, seed: int, machine: Machine) -> Question:
    """Return the question with the plan that is surely better than to go on as usual, if there is one.

    A move is not wrong because the way to go on that figures usually assume wastes it.
    """
    plans = question.ask_plans()
    if plans is None:
        return question
    # By another seed: worlds that choose a move must not judge it as well.
    sample = _sample_moves(plans, playouts // PLANNED, seed + PLANS_SEED, machine, lambda: False, FEWEST_WORLDS)
    best = sample.best_move
    ahead = sample.estimate_advantage(best, 0)
    return question.follow_plan(best) if ahead.mean > SURE * ahead.error else question


def _is_balanced(whole: Study, played: int, pair: Sample, best: int, other: int) -> bool:
    """Whether an equilibrium of this round plays a move, and all that another one gains lies in this round.

    Such a move is worse only if the opponent is not prepared for the other one. `best` and `other` are the places of
    the other and the played move in the `pair`; what the round brings is in their column `SECOND`.
    """
    if not whole.shares or not whole.shares[played]:
        return False
    # Both players mix over points of this round; only later rounds can show an error.
    gain = pair.estimate_difference(best, other, SCORE)
    later = gain.mean - (pair.mean_of(best, SECOND) - pair.mean_of(other, SECOND))
    return gain.mean > 0 and later <= SURE * gain.error


def chart_course(
    question: CourseQuestion, playouts: int, seed: int, machine: Machine = INTERPRETED
) -> list[tuple[float, float]]:
    """Return each seat's mean final score and chance to win."""
    worlds = max(FEWEST_COMPARED, playouts // _divisor_of(question, machine))
    sums = machine.floats([0.0] * (2 * question.seats))
    question.add_worlds(machine, worlds, machine.numbers([_scatter_seed(seed)]), sums)
    return [(float(sums[2 * seat]) / worlds, float(sums[2 * seat + 1]) / worlds) for seat in range(question.seats)]


def _sample_moves(
    question: Question, playouts: int, seed: int, machine: Machine, stop: Callable[[], bool], fewest: int
) -> Sample:
    moves = len(question.moves)
    to = Sums(machine.floats([0.0] * (COLUMNS * moves)), machine.floats([0.0] * (COMPARED * moves) ** 2))
    wanted = max(fewest, playouts // moves // _divisor_of(question, machine))
    # Where the budget covers every world, each is visited once instead of sampled: then there is no error to state.
    exact = 0 < question.all_worlds <= wanted
    if exact:
        question.add_worlds(machine, range(question.all_worlds), None, to)
        done = question.all_worlds
    else:
        done, portion, rng = 0, max(1, wanted // PORTIONS), machine.numbers([_scatter_seed(seed)])
        for _ in range(PORTIONS):
            # At least one portion, or there would be no figures.
            if done and stop():
                break
            question.add_worlds(machine, range(portion), rng, to)
            done += portion
    sums, products = (tuple(map(float, each)) for each in to)
    return Sample(tuple(question.moves), question.aim, done, exact, sums, products)


def _divisor_of(question: Question | CourseQuestion, machine: Machine) -> int:
    # A question of the rules is as fast everywhere, and so are its budgets.
    return 1 if machine.divisor == 1 or isinstance(question, RulesQuestion | RulesCourse) else SLOWER * machine.divisor


def _scatter_seed(seed: int) -> int:
    """Return a state of the kernels' random numbers; from small states the first numbers would be much alike."""
    return seed * 2_654_435_769 % (2**32 - 1) + 1


def give_verdict(judged: Judged, *, fewer: bool) -> Verdict:
    """Return the verdict; a loss within two standard errors, or of less than half a percent, is none.

    `fewer` says that fewer points are better.
    """
    if judged.played == judged.best:
        return Verdict.BEST
    points = judged.score_loss.mean if fewer else -judged.score_loss.mean
    loss = judged.win_loss.mean + POINT * max(points, 0.0)
    # Both: a loss that is surely there may be too small to name, and a large one may be chance.
    if not judged.is_sure or loss < INACCURATE:
        return Verdict.AS_GOOD
    return Verdict.BLUNDER if loss >= BLUNDERED else Verdict.MISTAKE if loss >= MISTAKEN else Verdict.INACCURACY


def is_right(chosen: Figures) -> bool:
    """Whether a move is as good as the best one: a lack within two standard errors, or of half a percent, is none.

    As `give_verdict` has it, so that no move is an error in one place and as good in another.
    """
    lack = chosen.behind
    return lack.mean <= SURE * lack.error or lack.mean < INACCURATE


SECONDS = 60.0
"""No work takes longer on a machine that is fast enough; what takes longer may be ended."""


class Studying(NamedTuple):
    """Study every move of a decision."""

    question: Question
    playouts: int
    seed: int
    seconds: float = SECONDS

    def run(self, machine: Machine) -> Study:
        """Return the figures of every move."""
        return study_moves(self.question, self.playouts, self.seed, machine)


class Judging(NamedTuple):
    """Compare the move at the place `played` with the best one."""

    question: Question
    played: int
    playouts: int
    seed: int
    seconds: float = SECONDS

    def run(self, machine: Machine) -> Judged:
        return judge_move(self.question, self.played, self.playouts, self.seed, machine)


class Charting(NamedTuple):
    """Estimate all players' score and chance to win in a position."""

    question: CourseQuestion
    playouts: int
    seed: int
    seconds: float = SECONDS

    def run(self, machine: Machine) -> list[tuple[float, float]]:
        """Return score and chance by seat."""
        return chart_course(self.question, self.playouts, self.seed, machine)
