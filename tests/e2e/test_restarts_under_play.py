"""The short form of `scripts/restarts`: nothing acknowledged is lost, nobody is refused, doors keep their users."""

import pytest

from tests.e2e.restarts.__main__ import Load, measure_restarts
from tests.e2e.restarts.players import Played
from tests.e2e.restarts.waits import Noticed, Restart, find_outages, list_waits


@pytest.mark.parametrize("tls", [False, True], ids=["plain", "tls"])
async def test_players_play_through_restarts_of_both_kinds(tls: bool) -> None:
    found = await measure_restarts(Load(players=4, restarts=2, rest=0.5, pause=0.02, tls=tls), sessions=2)
    assert sum(len(each.waits) for each in found.played) > 0
    assert [each.lost for each in found.played] == [0] * 4
    assert [each.refused for each in found.played] == [[]] * 4
    assert (found.closed, found.silent) == (0, 0)


def test_all_moves_that_met_a_restart_count() -> None:
    # The last answer came at 10.0, the first one after the restart at 10.5.
    early = Played([(9.9, 0.1), (10.0, 0.05), (10.6, 0.55)], 0, 0, [], 0)
    late = Played([(9.8, 0.01), (10.5, 0.2), (10.9, 0.01)], 0, 0, [], 0)
    found = Noticed([early, late], [Restart(False, 9.7, 10.4, 0.3)], closed=0, silent=0)
    assert find_outages(found, in_place=False) == [(10.0, 10.5)]
    assert list_waits(found, in_place=False) == [0.2, 0.55]
    assert list_waits(found, in_place=True) == []
