"""Votes on a kick on a server: recipients, their end, and the changed code of a private table."""

from scoville_server.server import Server
from scoville_server.tables.actions.vote import Vote
from scoville_shared.protocol.messages import (
    CreateRequest,
    EnterRequest,
    InviteRequest,
    JoinRequest,
    Kicked,
    KickRequest,
    ListTablesRequest,
    PollRequest,
    StartRequest,
    TableClock,
    TableSettingsParams,
    Voted,
    VoteEnded,
    VoteRequest,
    WatchLobbyRequest,
    WatchRequest,
)
from tests.server.tables.actors import Room
from tests.support.core import code_of, connect_user, seat_users
from tests.support.server import Caller, RecordingPeer, until
from tests.support.tables import start_table as playing_table
from tests.support.tables import user_of, watcher_of


async def playing(server: Server, *names: str) -> tuple[str, list[Caller]]:
    """A game of heap between users who all watch it."""
    table, users = await seat_users(server, *names)
    for user in users:
        await user.call(WatchRequest(table=table))
    await users[0].call(StartRequest(table=table))
    await until(lambda: any(type(notice.event).__name__ == "Started" for notice in users[-1].peer.events))
    return table, users


async def test_players_kick_together_and_hosts_only_while_waiting(server: Server) -> None:
    table, (anna, ben, cleo) = await playing(server, "Anna", "Ben", "Cleo")
    zoe = await connect_user(server, "Zoe")
    await zoe.call(WatchRequest(table=table))
    assert await code_of(anna, KickRequest(table=table, name="Ben")) == "vote_needed"
    await anna.call(VoteRequest(table=table, against=1))
    await until(lambda: isinstance(zoe.peer.events[-1].event, Voted))
    open_vote = (await cleo.call(PollRequest(table=table))).vote
    assert (open_vote.against, open_vote.agreed, open_vote.needed) == (1, [0], 2)
    assert await code_of(zoe, VoteRequest(table=table, against=1)) == "not_seated"
    assert await code_of(anna, VoteRequest(table=table, against=1)) == "already_voted"
    assert await code_of(ben, VoteRequest(table=table, against=1, agree=False)) == "no_vote"
    await cleo.call(VoteRequest(table=table, against=1))
    for user in (anna, ben, cleo, zoe):
        await until(lambda user=user: isinstance(user.peer.events[-1].event, Kicked))  # type: ignore[misc]
        assert user.peer.events[-1].event.voted
    assert (await cleo.call(PollRequest(table=table))).vote is None
    assert await code_of(ben, JoinRequest(table=table)) == "kicked"


async def test_a_vote_ends_by_itself_after_a_minute(room: Room) -> None:
    table, peer = playing_table("Anna", "Ben", "Cleo", game="heap", clock=TableClock(move_ms=300_000)), RecordingPeer()
    actor = room.actor(table)
    actor.watched.add_watcher(peer, watcher_of("Zoe"), 0)
    await actor.carry_out(Vote(user=user_of("Anna"), against=1))
    await room.watch.go_on(59.9)
    vote = actor.watched.take_snapshot(watcher_of("Cleo"), 0).vote
    assert vote is not None
    assert vote.ends_in_ms == 100
    await room.watch.go_on(0.2)
    assert [type(notice.event) for notice in peer.events] == [Voted, VoteEnded]
    assert peer.events[-1].event.reason == "expired"
    await room.watch.go_on(300)
    assert actor.table.moves, "the clock of the game has gone on"


async def test_after_a_private_kick_the_old_code_is_void(server: Server) -> None:
    names = ("Anna", "Ben", "Cleo", "Zoe", "Yves", "Mallory")
    anna, ben, cleo, zoe, yves, mallory = [await connect_user(server, name) for name in names]
    params = CreateRequest(game="heap", seat_count=3, settings=TableSettingsParams(private=True))
    made = (await anna.call(params)).info
    table, old = made.table, made.code
    await cleo.call(WatchLobbyRequest())
    for user in (ben, cleo, zoe):
        await user.call(EnterRequest(code=old))
    for user in (anna, ben, cleo):
        await user.call(JoinRequest(table=table))
    await anna.call(InviteRequest(table=table, name="Yves"))
    await zoe.call(WatchRequest(table=table))
    await ben.call(WatchRequest(table=table))
    await anna.call(KickRequest(table=table, name="Ben"))
    new = (await cleo.call(PollRequest(table=table))).info.code
    assert new not in ("", old)
    assert (await zoe.call(PollRequest(table=table))).info.code == new, "who watches stays"
    for user in (ben, yves, mallory):
        assert await code_of(user, EnterRequest(code=old)) == "unknown_code"
        assert (await user.call(ListTablesRequest())).tables == []
        assert new not in repr(user.peer.heard)
    assert await code_of(yves, JoinRequest(table=table)) == "unknown_table", "the invitation is void"
    assert await code_of(ben, EnterRequest(code=new)) == "kicked"
    assert (await mallory.call(EnterRequest(code=new))).info.table == table
