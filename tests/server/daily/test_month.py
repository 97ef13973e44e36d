"""A few days of daily deals over two servers; `tests.server.daily.month` plays whole months."""

from tests.server.daily.month import Month


async def test_days_over_two_servers_with_kills_follow_from_the_replies() -> None:
    month = Month(days=8, seed=11)
    await month.play()
    assert month.kills >= 3
    assert month.games >= 30
