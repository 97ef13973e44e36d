"""The benchmark of the coach builds questions itself, so that it must know all of their parts."""

import runpy
from pathlib import Path
from random import Random

import pytest

from scoville_shared.bots.machine import INTERPRETED
from scoville_shared.coach.sample import Aim
from scoville_shared.coach.study import study_moves

BENCHMARKS = Path(__file__).parents[3] / "scripts" / "benchmarks"


def test_questions_of_the_benchmark_are_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    benchmark = runpy.run_path(str(BENCHMARKS / "coach.py"))
    for left, exact in ((1, True), (8, False)):
        position = benchmark["draw_position"](Random(1), benchmark["Size"](3, left, left + 1, 2))
        question = benchmark["ask_question"](position, Aim.WIN)
        assert study_moves(question, 200, 1, INTERPRETED).sample.exact is exact
