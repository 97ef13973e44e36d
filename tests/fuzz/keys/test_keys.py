"""Random keys break no screen and play no unseen move, and a plain key always leaves a screen."""

import pytest

from tests.fuzz.keys.lines import try_lines
from tests.fuzz.keys.rounds import run_course

SEEDS = range(6)
STEPS = 60


@pytest.mark.parametrize("seed", SEEDS)
def test_random_keys_break_nothing(seed: int) -> None:
    failure = run_course(seed, STEPS)
    assert failure is None, str(failure)


@pytest.mark.parametrize("seed", range(12))
def test_random_lines_break_nothing(seed: int) -> None:
    assert try_lines(seed, 80) == ""
