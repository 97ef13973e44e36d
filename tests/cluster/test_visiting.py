"""Players at node `b` and their table at node `a`: they play, watch, talk, and come back without a gap."""

import asyncio
from random import Random
from typing import Any

import pytest

from scoville_server.net.peer import End
from scoville_server.nodes.members import NodeId
from scoville_server.tables.catalog import GameCatalog
from scoville_server.tables.lifecycle.balance import TableBalance
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.games.registry import list_slugs
from scoville_shared.protocol import messages as m
from scoville_shared.protocol.connection import notice_bytes
from tests.cluster.pair import TwoServers, outcome_of
from tests.cluster.several import SeveralServers
from tests.support.server import Caller, core_of, toy_shelf
from tests.support.toys import TOYS
from tests.support.virtual_time import in_virtual_time

GAMES = [*((game, toy_shelf) for game in sorted(TOYS)), *((game, GameCatalog) for game in list_slugs())]


async def two_servers(*args: Any, **settings: Any) -> TwoServers:
    two = TwoServers(*args, **settings)
    await two.start_a()
    await two.start_b()
    return two


async def play_out(table: str, users: list[Caller], most: int = 2_000) -> None:
    """Play legal moves until nobody has one."""
    chance = Random(7)
    for _ in range(most):
        moved = False
        for user in users:
            moves = (await user.call(m.MovesRequest(table=table))).moves
            if moves:
                await user.call(m.PlayRequest(table=table, move=chance.choice(moves)))
                moved = True
        if not moved:
            return


def seqs_of(user: Caller, table: str) -> list[int]:
    return [notice.event.seq for notice in user.peer.events if notice.table == table]


async def opened_table(two: TwoServers, game: str = "high_card") -> tuple[str, Caller, Caller, Caller]:
    """A table at `a`, opened by Anna there; Ben and Cleo have come to it from `b`."""
    anna = await Caller(two.a).hello("Anna")
    ben, cleo = [await Caller(two.b, f"192.0.2.{n}:99").hello(name) for n, name in ((1, "Ben"), (2, "Cleo"))]
    table = await anna.create(game, 3)
    for user in (anna, ben, cleo):
        await user.call(m.JoinRequest(table=table))
    return table, anna, ben, cleo


async def begun_table(two: TwoServers, game: str = "high_card") -> tuple[str, Caller, Caller, Caller]:
    table, *users = await opened_table(two, game)
    await users[0].call(m.StartRequest(table=table))
    for user in users:
        await user.call(m.WatchRequest(table=table))
    anna, ben, cleo = users
    return table, anna, ben, cleo


@pytest.mark.parametrize(("game", "make_catalog"), GAMES, ids=[game for game, _ in GAMES])
@in_virtual_time
async def test_players_of_another_node_play_a_whole_game(game: str, make_catalog: Any) -> None:
    two = await two_servers(make_catalog)
    table, *users = await opened_table(two, game)
    await users[0].call(m.StartRequest(table=table))
    shown = [await user.call(m.WatchRequest(table=table)) for user in users]
    await play_out(table, users)
    await asyncio.sleep(5)
    last = await users[1].call(m.PollRequest(table=table, since=seqs_of(users[1], table)[-1]))
    assert last.info.status == "finished"
    for snapshot, user in zip(shown, users, strict=True):
        assert seqs_of(user, table) == [*range(snapshot.seq + 1, last.seq + 1)]
    assert len((await users[2].call(m.ExportRequest(table=table))).lines) > 1
    views = [(await user.call(m.LookBackRequest(table=table, since=0))).views for user in users]
    assert len({len(each) for each in views}) == 1
    assert core_of(two.b).tables.all_tables() == []
    assert len(two.link.passed) > 10


@in_virtual_time
async def test_a_spectator_of_another_node_sees_what_one_of_this_node_sees() -> None:
    two = await two_servers()
    table, *users = await begun_table(two)
    near, far = await Caller(two.a).hello("Dora"), await Caller(two.b).hello("Emil")
    snapshots = [await each.call(m.WatchRequest(table=table)) for each in (near, far)]
    assert snapshots[0].events == snapshots[1].events
    await asyncio.sleep(2)
    near.peer.heard.clear()
    far.peer.heard.clear()
    await play_out(table, users)
    assert [*map(notice_bytes, near.peer.heard)] == [*map(notice_bytes, far.peer.heard)] != []
    await far.call(m.UnwatchRequest(table=table))
    await asyncio.sleep(2)
    assert (await near.call(m.PollRequest(table=table, since=0))).spectators == ["Dora"]


@in_virtual_time
async def test_players_of_two_nodes_talk_at_their_table() -> None:
    two = await two_servers()
    table, anna, ben, cleo = await begun_table(two)
    await ben.call(m.SayRequest(table=table, text="Hello from afar"))
    await anna.call(m.SayRequest(table=table, text="Hello from here"))
    await asyncio.sleep(0.1)
    said = ["Hello from afar", "Hello from here"]
    for user, heard in ((anna, said[:1]), (ben, said[1:]), (cleo, said)):
        assert [notice.message.text for notice in user.peer.heard if isinstance(notice, m.SaidNotice)] == heard
        read = await user.call(m.ReadChatRequest(channel="table", table=table))
        assert [message.text for message in read.messages] == said
    await cleo.call(m.ReactRequest(table=table, reaction="thanks"))
    await asyncio.sleep(0.1)
    assert [notice.reaction for notice in anna.peer.heard if isinstance(notice, m.ReactedNotice)] == ["thanks"]


@in_virtual_time
async def test_a_lost_link_sends_watchers_away_and_they_come_back_without_a_gap() -> None:
    two = await two_servers()
    table, anna, ben, cleo = await begun_table(two)
    lobby = await Caller(two.b).hello("Finn")
    seen = seqs_of(ben, table)
    two.link.cut()
    await asyncio.sleep(0.1)
    assert ben.peer.bye is not None
    assert ben.peer.bye.code == Code.RESTARTING, "their own node is well, and they come back to it"
    assert not lobby.peer.closed
    assert not anna.peer.closed
    for user in (ben, cleo):
        user.handler.release_connection(End("closed"))
    moves = (await anna.call(m.MovesRequest(table=table))).moves
    await anna.call(m.PlayRequest(table=table, move=moves[0]))
    await asyncio.sleep(1)
    assert ben.welcome is not None
    back = await Caller(two.b).hello(token=ben.welcome.token)
    since = (seen or [0])[-1]
    shown = await back.call(m.WatchRequest(table=table, since=since))
    assert [event.seq for event in shown.events] == [*range(since + 1, shown.seq + 1)]
    moves = (await back.call(m.MovesRequest(table=table))).moves
    await back.call(m.PlayRequest(table=table, move=moves[0]))
    assert seqs_of(back, table) == [shown.seq + 1]


@in_virtual_time
async def test_an_unknown_outcome_is_answered_as_such_and_asked_once() -> None:
    two = await two_servers()
    table, _, ben, _ = await opened_table(two)
    two.link.is_stuck = True
    says = asyncio.ensure_future(outcome_of(ben.call(m.SayRequest(table=table, text="Hi"))))
    asks = asyncio.ensure_future(outcome_of(ben.call(m.MovesRequest(table=table))))
    await asyncio.sleep(0.1)
    passed = len(two.link.passed)
    two.link.cut()
    assert (await says, await asks) == (Code.OUTCOME_UNKNOWN, Code.BUSY)
    await asyncio.sleep(1)
    # They watched nothing: they stay, and ask again when they want.
    assert not ben.peer.closed
    assert len(two.link.passed) == passed
    assert (await ben.call(m.ReadChatRequest(channel="table", table=table))).messages == []


@in_virtual_time
async def test_a_node_that_can_not_be_reached_is_asked_again_a_moment_later() -> None:
    two = await two_servers()
    table, _, ben, _ = await opened_table(two)
    two.dialer.is_cut = True
    two.link.cut()
    await asyncio.sleep(0.3)
    assert await outcome_of(ben.call(m.MovesRequest(table=table))) == Code.BUSY
    # At once, and without another attempt.
    wires = dict(two.dialer.wires)
    assert await outcome_of(ben.call(m.MovesRequest(table=table))) == Code.BUSY
    assert two.dialer.wires == wires
    two.dialer.is_cut = False
    await asyncio.sleep(0.3)
    assert (await ben.call(m.MovesRequest(table=table))).moves == []


@pytest.mark.parametrize("kind", [m.CreateRequest, m.QuickMatchRequest])
@in_virtual_time
async def test_a_node_opens_the_table_itself_when_the_other_one_is_not_reached(
    monkeypatch: pytest.MonkeyPatch, kind: type[m.CreateRequest]
) -> None:
    monkeypatch.setattr(TableBalance, "choose_node", lambda balance: NodeId("a"))
    servers = SeveralServers("ab")
    await servers.start()
    ben = await servers.come("Ben", "b")
    asked = m.QuickMatchRequest(game="heap") if kind is m.QuickMatchRequest else kind(game="heap", seat_count=2)
    assert (await ben.call(asked)).info.table in servers.core("a").tables
    # The node is gone, and nobody has missed it yet.
    servers.dialer.is_cut = True
    servers.dialer.wires["b", "a"].cut()
    await asyncio.sleep(0.3)
    ben.hang_up()
    cleo = await servers.come("Cleo", "b")
    assert (await cleo.call(asked)).info.table in servers.core("b").tables


@in_virtual_time
async def test_a_seat_is_kept_while_its_player_is_connected_to_another_node() -> None:
    two = await two_servers(grace_seconds=5.0)
    table, anna, ben, _ = await begun_table(two)
    await asyncio.sleep(60)
    assert [seat.kind for seat in (await anna.call(m.PollRequest(table=table, since=0))).info.seats] == ["human"] * 3
    ben.hang_up()
    await asyncio.sleep(0.1)
    presence = [n for n in anna.peer.heard if isinstance(n, m.PresenceNotice)]
    assert [(n.seat, n.connected) for n in presence] == [(1, False)]
    assert ben.welcome is not None
    # Without asking for the table.
    back = await Caller(two.b).hello(token=ben.welcome.token)
    await asyncio.sleep(0.1)
    presence = [n for n in anna.peer.heard if isinstance(n, m.PresenceNotice)]
    assert [(n.seat, n.connected) for n in presence] == [(1, False), (1, True)]
    await asyncio.sleep(60)
    assert [seat.kind for seat in (await anna.call(m.PollRequest(table=table, since=0))).info.seats] == ["human"] * 3
    back.hang_up()
    await asyncio.sleep(60)
    assert (await anna.call(m.PollRequest(table=table, since=0))).info.seats[1].kind == "bot"
    third = await Caller(two.b).hello(token=back.welcome.token if back.welcome else "")
    await asyncio.sleep(1)
    shown = await third.call(m.WatchRequest(table=table))
    assert shown.info.seats[1].kind == "human"
    assert shown.seat == 1


@in_virtual_time
async def test_a_player_who_changes_nodes_keeps_their_seat() -> None:
    two = await two_servers(grace_seconds=5.0)
    table, anna, ben, _ = await begun_table(two)
    assert ben.welcome is not None
    back = await Caller(two.a).hello(token=ben.welcome.token)
    await asyncio.sleep(0.1)
    assert ben.peer.bye is not None
    assert ben.peer.bye.code == Code.TAKEN_OVER
    ben.hang_up()
    shown = await back.call(m.WatchRequest(table=table))
    assert shown.seat == 1
    await asyncio.sleep(60)
    assert (await anna.call(m.PollRequest(table=table, since=0))).info.seats[1].kind == "human"
    assert core_of(two.b).nodes.links is not None


@in_virtual_time
async def test_budgets_count_at_the_node_of_the_user() -> None:
    two = await two_servers()
    table, _, ben, _ = await opened_table(two)
    codes = [await outcome_of(ben.call(m.ReadyRequest(table=table, ready=n % 2 == 0))) for n in range(200)]
    assert codes[0] == "ok"
    assert codes[-1] == Code.SLOW_DOWN
    passed = len(two.link.passed)
    assert await outcome_of(ben.call(m.ReadyRequest(table=table))) == Code.SLOW_DOWN
    assert len(two.link.passed) == passed


@in_virtual_time
async def test_a_new_guest_is_new_at_every_node() -> None:
    two = await two_servers()
    table, _, ben, _ = await opened_table(two)
    for server in (two.a, two.b):
        sessions = core_of(server).sessions
        user = sessions.find_by_name("Ben")
        assert user is not None
        assert sessions.standing_of(user) == 0
    await asyncio.sleep(605)
    await ben.call(m.MovesRequest(table=table))
    sessions = core_of(two.a).sessions
    user = sessions.find_by_name("Ben")
    assert user is not None
    assert sessions.standing_of(user) == 1


@in_virtual_time
async def test_a_guest_who_only_looks_is_no_user_of_the_other_node() -> None:
    two = await two_servers()
    table, anna, *_ = await opened_table(two)
    before = len(core_of(two.a).sessions._by_id)
    emil = await Caller(two.b).hello("Emil")
    await emil.call(m.WatchRequest(table=table))
    await asyncio.sleep(2)
    assert (await anna.call(m.PollRequest(table=table, since=0))).spectators == ["Emil"]
    assert len(core_of(two.a).sessions._by_id) == before
    emil.hang_up()
    await asyncio.sleep(2)
    assert (await anna.call(m.PollRequest(table=table, since=0))).spectators == []


@in_virtual_time
async def test_an_invitation_reaches_a_user_of_another_node_without_a_line() -> None:
    two = await two_servers()
    table, anna, *_ = await opened_table(two)
    emil = await Caller(two.b).hello("Emil")
    club = await emil.create()
    await emil.call(m.JoinRequest(table=club))
    await anna.call(m.InviteRequest(table=table, name="Emil"))
    [invited] = [notice for notice in emil.peer.heard if isinstance(notice, m.InvitedNotice)]
    assert (invited.by, invited.info.table) == ("Anna", table)


@in_virtual_time
async def test_a_missed_invitation_waits_for_the_node_with_the_table() -> None:
    two = await two_servers()
    table, anna, _, cleo = await opened_table(two)
    emil = await Caller(two.b).hello("Emil")
    await emil.call(m.SayRequest(text="Good night"))
    emil.hang_up()
    await asyncio.sleep(0.1)
    await anna.call(m.InviteRequest(table=table, name="Emil"))
    near = await cleo.create()
    await cleo.call(m.JoinRequest(table=near))
    await cleo.call(m.InviteRequest(table=near, name="Emil"))
    await asyncio.sleep(0.1)
    assert emil.welcome is not None
    back = await Caller(two.b).hello(token=emil.welcome.token)
    await asyncio.sleep(1)
    invited = [(n.by, n.info.table) for n in back.peer.heard if isinstance(n, m.InvitedNotice)]
    assert sorted(invited) == [("Anna", table), ("Cleo", near)]
    assert not two.journal._books.get("invitations.missed")


@in_virtual_time
async def test_a_guest_whom_only_their_node_knows_is_invited_and_kicked() -> None:
    two = await two_servers()
    table, anna, ben, _ = await opened_table(two)
    emil = await Caller(two.b).hello("Emil")
    await emil.call(m.WatchRequest(table=table))
    await ben.call(m.InviteRequest(table=table, name="emil"))
    await asyncio.sleep(0.1)
    assert [notice.by for notice in emil.peer.heard if isinstance(notice, m.InvitedNotice)] == ["Ben"]
    await anna.call(m.KickRequest(table=table, name="EMIL"))
    await asyncio.sleep(0.1)
    assert isinstance(emil.peer.events[-1].event, m.Kicked)
    assert await outcome_of(emil.call(m.WatchRequest(table=table))) == Code.KICKED
    assert await outcome_of(ben.call(m.InviteRequest(table=table, name="Nobody"))) == Code.UNKNOWN_USER


@in_virtual_time
async def test_a_host_of_another_node_hosts() -> None:
    two = await two_servers()
    anna, ben = await Caller(two.b).hello("Anna"), await Caller(two.a).hello("Ben")
    owner = await Caller(two.a).hello("Cleo")
    table = await owner.create("high_card", 2)
    for user in (anna, ben):
        await user.call(m.JoinRequest(table=table))
    await owner.call(m.WatchRequest(table=table))
    assert (await owner.call(m.PollRequest(table=table, since=0))).info.host == 0
    await anna.call(m.KickRequest(table=table, name="Ben"))
    assert (await owner.call(m.PollRequest(table=table, since=0))).info.seats[1].kind == "open"
    assert await outcome_of(ben.call(m.JoinRequest(table=table))) == Code.KICKED


@in_virtual_time
async def test_a_rematch_is_opened_where_the_table_is() -> None:
    two = await two_servers()
    table, anna, ben, cleo = await begun_table(two)
    await play_out(table, [anna, ben, cleo])
    again = (await ben.call(m.RematchRequest(table=table))).info.table
    assert again in core_of(two.a).tables
    assert (await cleo.call(m.RematchRequest(table=table))).info.table == again
    for user in (anna, ben, cleo):
        await user.call(m.JoinRequest(table=again))
    await anna.call(m.StartRequest(table=again))
    assert (await ben.call(m.WatchRequest(table=again))).info.status == "playing"


@in_virtual_time
async def test_what_is_no_request_about_a_table_does_not_cross() -> None:
    two = await two_servers()
    _, _, ben, _ = await opened_table(two)
    lines = core_of(two.b).users.observers[-1]._lines  # type: ignore[attr-defined]
    line = lines[ben.peer][two.members["a"].me]
    with pytest.raises(ScovilleError) as refused:
        await line.send_request(m.BecomeAdminRequest(code="x"), "", None)
    assert refused.value.code == Code.UNKNOWN_METHOD


@in_virtual_time
async def test_a_connection_that_ends_leaves_nothing_at_the_other_node() -> None:
    two = await two_servers()
    table, _, ben, cleo = await begun_table(two)
    core = core_of(two.a)
    assert len(core.visits._watched) == 3
    for user in (ben, cleo):
        user.hang_up()
    await asyncio.sleep(1)
    assert len([peer for peer, watched in core.visits._watched.items() if watched]) == 1
    assert core.connections._visits == {}  # type: ignore[attr-defined]
    assert core_of(two.b).users.observers[-1]._lines == {}  # type: ignore[attr-defined]
    assert table in core.tables


@in_virtual_time
async def test_players_of_a_lost_node_are_absent_until_they_come_to_another_one() -> None:
    two = await two_servers()
    table, anna, ben, cleo = await begun_table(two)
    for user in (ben, cleo):
        await user.call(m.SayRequest(text="hi"))
    await asyncio.sleep(1)
    anna.peer.heard.clear()
    two.wire.is_cut = two.dialer.is_cut = True
    two.link.cut()
    await asyncio.sleep(1)
    two.members["a"].lose(two.members["b"].me)
    await asyncio.sleep(1)
    seats = (await anna.call(m.WatchRequest(table=table))).info.seats
    assert [seat.connected for seat in seats] == [True, False, False]
    assert ben.welcome is not None
    await Caller(two.a).hello("Ben", ben.welcome.token)
    seats = (await anna.call(m.WatchRequest(table=table))).info.seats
    assert [seat.connected for seat in seats] == [True, True, False]
