"""Work of the coach for another process: the study of a decision, its judgement, and everybody's chances."""

from typing import NamedTuple

from scoville_shared.bots.machine import Machine
from scoville_shared.coach.base import CourseQuestion, Question
from scoville_shared.coach.study import Judged, Study, chart_course, judge_move, study_moves

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
        """Return the judgement."""
        return judge_move(self.question, self.played, self.playouts, self.seed, machine)


class Charting(NamedTuple):
    """Estimate everybody's score and chance to win in a position."""

    question: CourseQuestion
    playouts: int
    seed: int
    seconds: float = SECONDS

    def run(self, machine: Machine) -> list[tuple[float, float]]:
        """Return score and chance by seat."""
        return chart_course(self.question, self.playouts, self.seed, machine)
