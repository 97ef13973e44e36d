"""One bound for all who call a move as good as the best: an exact lack of 0.3 % was an error in one place alone."""

import pytest

from scoville_shared.coach.sample import Estimate, Figures
from scoville_shared.coach.study import is_right

NONE = Estimate(0.0, 0.0)


@pytest.mark.parametrize(
    ("lack", "error", "right"),
    [
        (0.0, 0.0, True),
        (0.003, 0.0, True),
        (0.0049, 0.0001, True),
        (0.005, 0.0, False),
        (0.006, 0.003, True),
        (0.0061, 0.003, False),
        (0.05, 0.01, False),
    ],
)
def test_a_lack_within_chance_or_below_half_a_percent_is_none(lack: float, error: float, right: bool) -> None:
    figures = Figures(
        move=None, score=NONE, win=NONE, lead=0.0, behind=Estimate(lack, error), first=0.0, second=0.0, third=0.0
    )
    assert is_right(figures) == right
