"""The short form of `scripts/cluster --measure`: the serving node is killed under play, and nothing is lost."""

import pytest

from tests.e2e.cluster.__main__ import measure
from tests.support.nats_server import BINARY, MISSING


@pytest.mark.skipif(not BINARY.exists(), reason=MISSING)
async def test_players_play_through_the_end_of_the_serving_node() -> None:
    found = await measure(players=4, ways=["kill", "stop", "machine"], rest=1.0, pause=0.02)
    print(found.outages)
    assert [outage.how for outage in found.outages] == ["kill", "stop", "machine"]
    assert all(each.waits for each in found.played)
    assert [(each.lost, each.doubled) for each in found.played] == [(0, 0)] * 4
    assert [each.refused for each in found.played] == [[]] * 4


@pytest.mark.skipif(not BINARY.exists(), reason=MISSING)
async def test_table_with_a_hole_is_not_served() -> None:
    # Slowly: the table must not be over before the next node reads it.
    found = await measure(players=2, ways=["hole"], rest=2.0, pause=0.4)
    assert len(found.damaged) == 1
    # The other one goes on, and nobody else is troubled.
    assert max(len(each.waits) for each in found.played) > 2
    assert [(each.lost, each.doubled) for each in found.played] == [(0, 0)] * 2
