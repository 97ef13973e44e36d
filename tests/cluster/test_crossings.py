"""Players at three servers: they get the events of tables at other nodes without a gap, whatever is cut."""

import pytest

from tests.cluster.crossings import run_seed


@pytest.mark.parametrize("seed", range(6))
def test_what_players_hear_has_no_gap(seed: int) -> None:
    assert run_seed(seed) == []
