"""Guests at three servers: nobody is connected twice, no two have names that look alike, and all servers agree."""

import pytest

from tests.cluster.visits import run_seed


@pytest.mark.parametrize("seed", range(5))
def test_servers_agree_on_who_is_where_under_which_name(seed: int) -> None:
    assert run_seed(seed) == []
