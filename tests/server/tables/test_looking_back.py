"""Requesting past Views: only as a connection that watches the table."""

from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_shared.errors import Code
from scoville_shared.protocol.messages import LookBackRequest, PlayRequest, StartRequest, WatchRequest
from tests.support.core import code_of, connect_user, seat_users


async def test_players_and_spectators_look_back_each_with_their_own_views() -> None:
    server = Server(Settings())
    await server.start()
    table, (anna, ben) = await seat_users(server, "Anna", "Ben", game="dicht_dran")
    zoe = await connect_user(server, "Zoe")
    assert await code_of(zoe, LookBackRequest(table=table)) == Code.UNKNOWN_TABLE
    await zoe.call(WatchRequest(table=table))
    assert (await zoe.call(LookBackRequest(table=table))).views == []
    await anna.call(StartRequest(table=table))
    now = await anna.call(WatchRequest(table=table))
    await ben.call(WatchRequest(table=table))
    begun = now.seq
    await anna.call(PlayRequest(table=table, move={"card": now.view["hand"][0]}))
    mine, theirs, public = [
        (await user.call(LookBackRequest(table=table, since=begun - 1))).views for user in (anna, ben, zoe)
    ]
    assert [past.seq for past in mine] == [past.seq for past in theirs] == [past.seq for past in public]
    assert mine[0].view == now.view
    assert mine[-1].view["pick"] == now.view["hand"][0]
    assert theirs[-1].view["hand"] != mine[-1].view["hand"]
    assert not public[-1].view["hand"]
    assert public[-1].view["pick"] is None
    await server.close()
