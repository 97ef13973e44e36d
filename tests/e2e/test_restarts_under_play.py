"""The short form of `scripts/restarts`: nothing acknowledged is lost, nobody is refused, doors keep their users."""

from tests.e2e.restarts.__main__ import measure_restarts


async def test_players_play_through_restarts_of_both_kinds() -> None:
    found = await measure_restarts(players=4, restarts=2, rest=0.5, pause=0.02, sessions=2)
    assert sum(len(each.waits) for each in found.played) > 0
    assert [each.lost for each in found.played] == [0] * 4
    assert [each.refused for each in found.played] == [[]] * 4
    assert (found.closed, found.silent) == (0, 0)
