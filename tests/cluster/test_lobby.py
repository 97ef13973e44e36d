"""One lobby over two servers: each shows the tables of both."""

import asyncio
from typing import Any

from msgspec.structs import replace

from scoville_server.lobby.digests import DIGEST_SECONDS, KEPT_SECONDS
from scoville_server.nodes.members import NodeId
from scoville_shared.errors import Code
from scoville_shared.protocol import messages as m
from tests.cluster.pair import TwoServers, outcome_of
from tests.cluster.several import SETTLED, SeveralServers
from tests.support.server import Caller, core_of
from tests.support.virtual_time import in_virtual_time

SHOWN_SECONDS = DIGEST_SECONDS + 1
"""After which a change is shown everywhere: the digest, and the feed of the other node."""


async def two_servers(**settings: Any) -> TwoServers:
    two = TwoServers(**settings)
    await two.start_a()
    await two.start_b()
    return two


async def listed(user: Caller) -> list[m.TableInfo]:
    return (await user.call(m.ListTablesRequest())).tables


def changes(user: Caller) -> list[m.LobbyChangedNotice]:
    found = [notice for notice in user.peer.heard if isinstance(notice, m.LobbyChangedNotice)]
    user.peer.heard.clear()
    return found


async def open_table(user: Caller, **settings: Any) -> str:
    reply = await user.call(m.CreateRequest(game="high_card", seat_count=2, settings=m.TableSettingsParams(**settings)))
    table: str = reply.info.table
    await user.call(m.JoinRequest(table=table))
    return table


@in_virtual_time
async def test_tables_of_both_servers_are_listed_by_their_age() -> None:
    two = await two_servers()
    anna, ben = await Caller(two.a).hello("Anna"), await Caller(two.b).hello("Ben")
    tables = []
    for user in (anna, ben, anna):
        tables.append(await open_table(user))
        await asyncio.sleep(SHOWN_SECONDS)
    for server in (two.a, two.b):
        somebody = await Caller(server).hello("Cleo")
        seen = await listed(somebody)
        assert [info.table for info in seen] == tables
        assert [info.seats[0].name for info in seen] == ["Anna", "Ben", "Anna"]
        somebody.hang_up()


@in_virtual_time
async def test_node_alone_describes_its_tables_once_another_one_comes() -> None:
    several = SeveralServers("ab")
    await several.start_server(NodeId("a"))
    anna = await Caller(several.servers["a"]).hello("Anna")
    table = await open_table(anna)
    await asyncio.sleep(SHOWN_SECONDS)
    lines = several.core("a").nodes.lines
    assert lines.find_own_value(table) is None
    await several.start_server(NodeId("b"))
    assert lines.find_own_value(table) is not None
    ben = await Caller(several.servers["b"]).hello("Ben")
    assert [info.table for info in await listed(ben)] == [table]


@in_virtual_time
async def test_line_of_a_table_is_the_same_at_both_servers() -> None:
    two = await two_servers()
    anna = await Caller(two.a).hello("Anna")
    table = await open_table(anna)
    await asyncio.sleep(SHOWN_SECONDS)
    near, far = await Caller(two.a).hello("Cleo"), await Caller(two.b).hello("Dora")
    assert await listed(near) == await listed(far) != []
    await anna.call(m.LeaveRequest(table=table))
    await asyncio.sleep(SHOWN_SECONDS)
    assert await listed(near) == await listed(far)


@in_virtual_time
async def test_readers_of_the_other_lobby_hear_of_each_change() -> None:
    two = await two_servers()
    ben = await Caller(two.b).hello("Ben")
    await ben.call(m.WatchLobbyRequest())
    anna = await Caller(two.a).hello("Anna")
    table = await open_table(anna)
    await asyncio.sleep(SHOWN_SECONDS)
    assert [info.table for notice in changes(ben) for info in notice.tables] == [table]
    cleo = await Caller(two.a).hello("Cleo")
    await cleo.call(m.JoinRequest(table=table))
    await asyncio.sleep(SHOWN_SECONDS)
    [info] = [info for notice in changes(ben) for info in notice.tables]
    assert [seat.name for seat in info.seats] == ["Anna", "Cleo"]
    core_of(two.a).registry.remove_table(core_of(two.a).tables.find_table(table))
    await asyncio.sleep(SHOWN_SECONDS)
    assert [notice.removed for notice in changes(ben)] == [[table]]
    assert await listed(ben) == []


@in_virtual_time
async def test_private_table_is_shown_to_those_who_may_enter_it() -> None:
    two = await two_servers()
    anna, dora = await Caller(two.a).hello("Anna"), await Caller(two.b).hello("Dora")
    await dora.call(m.WatchLobbyRequest())
    table = await open_table(anna, private=True)
    await asyncio.sleep(SHOWN_SECONDS)
    assert (await listed(dora), [notice.tables for notice in changes(dora) if notice.tables]) == ([], [])
    [mine] = await listed(anna)
    # Anna comes to the other server: her table is in its list, with its code and her seat.
    assert anna.welcome is not None
    there = await Caller(two.b).hello("Anna", anna.welcome.token)
    [seen] = await listed(there)
    assert (seen.table, seen.code, seen.your_seat) == (table, mine.code, 0)
    assert mine.code
    assert await listed(dora) == []


@in_virtual_time
async def test_player_sees_their_seat_and_turn_in_the_list_of_the_other_server() -> None:
    two = await two_servers()
    anna, ben = await Caller(two.a).hello("Anna"), await Caller(two.b).hello("Ben")
    table = await open_table(anna)
    await ben.call(m.JoinRequest(table=table))
    await ben.call(m.WatchLobbyRequest())
    await anna.call(m.StartRequest(table=table))
    await asyncio.sleep(SHOWN_SECONDS)
    await anna.call(m.PlayRequest(table=table, move=(await anna.call(m.MovesRequest(table=table))).moves[0]))
    await asyncio.sleep(SHOWN_SECONDS)
    turn = bool((await ben.call(m.MovesRequest(table=table))).moves)
    [seen] = await listed(ben)
    assert (seen.your_seat, seen.your_turn) == (1, turn)
    latest = [info for notice in changes(ben) for info in notice.tables if info.table == table][-1]
    assert (latest.your_seat, latest.your_turn) == (1, turn)
    [public] = await listed(await Caller(two.b).hello("Dora"))
    assert (public.your_seat, public.your_turn) == (None, False)
    assert replace(seen, your_seat=None, your_turn=False) == public


@in_virtual_time
async def test_tables_of_a_lost_server_are_shown_until_nobody_can_have_them() -> None:
    two = await two_servers()
    anna, ben = await Caller(two.a).hello("Anna"), await Caller(two.b).hello("Ben")
    table = await open_table(anna)
    await ben.call(m.WatchLobbyRequest())
    await asyncio.sleep(SHOWN_SECONDS)
    changes(ben)
    two.members["b"].lose(NodeId("a"))
    await asyncio.sleep(1)
    assert [info.table for info in await listed(ben)] == [table]
    await asyncio.sleep(KEPT_SECONDS)
    assert await listed(ben) == []
    assert [notice.removed for notice in changes(ben) if notice.removed] == [[table]]


@in_virtual_time
async def test_everything_is_shown_again_after_a_gap() -> None:
    two = await two_servers()
    anna, ben = await Caller(two.a).hello("Anna"), await Caller(two.b).hello("Ben")
    first = await open_table(anna)
    await asyncio.sleep(SHOWN_SECONDS)
    two.wire.is_cut = True
    core_of(two.a).registry.remove_table(core_of(two.a).tables.find_table(first))
    second = await open_table(anna)
    await asyncio.sleep(SHOWN_SECONDS)
    assert [info.table for info in await listed(ben)] == [first]
    two.end_gap()
    await asyncio.sleep(SHOWN_SECONDS)
    assert [info.table for info in await listed(ben)] == [second]


@in_virtual_time
async def test_unchanged_lines_are_told_once() -> None:
    two = await two_servers()
    told: list[str] = []
    publish = core_of(two.a).nodes.bus.publish

    def note(to: Any, message: bytes) -> None:
        told.append(to)
        publish(to, message)

    core_of(two.a).nodes.bus.publish = note  # type: ignore[method-assign]
    anna = await Caller(two.a).hello("Anna")
    table = await open_table(anna)
    await asyncio.sleep(SHOWN_SECONDS)
    assert told.count("lobby.held") == 1
    actor = core_of(two.a).tables.find_table(table)
    for _ in range(3):
        core_of(two.a).registry.observers.notify_presence(actor)
        await asyncio.sleep(SHOWN_SECONDS)
    assert told.count("lobby.held") == 1


# --- users ------------------------------------------------------------------------------------------------


async def watch(user: Caller) -> tuple[list[str], int]:
    """Watch the lobby anew, and return the names of those who are connected, and how many they are."""
    snapshot = await user.call(m.WatchLobbyRequest())
    user.peer.heard.clear()
    return sorted(info.name for info in snapshot.users), snapshot.online


@in_virtual_time
async def test_users_of_both_servers_are_listed_and_counted_once() -> None:
    two = await two_servers()
    anna = await Caller(two.a).hello("Anna")
    ben = await Caller(two.b).hello("Ben")
    await ben.call(m.ClaimNameRequest(password="a very long password"))
    await asyncio.sleep(1)
    for user in (anna, ben):
        assert await watch(user) == (["Anna", "Ben"], 2)
    cleo = await Caller(two.a).hello("Cleo")
    await asyncio.sleep(SHOWN_SECONDS)
    for user in (anna, ben):
        heard = changes(user)
        assert [(info.name, info.claimed) for notice in heard for info in notice.arrived] == [("Cleo", False)]
        assert heard[-1].online == 3
    assert [info.claimed for info in (await anna.call(m.WatchLobbyRequest())).users if info.name == "Ben"] == [True]
    cleo.hang_up()
    await asyncio.sleep(SHOWN_SECONDS)
    for user in (anna, ben):
        heard = changes(user)
        assert [name for notice in heard for name in notice.departed] == ["Cleo"]
        assert heard[-1].online == 2


@in_virtual_time
async def test_user_who_changes_the_server_does_not_leave() -> None:
    two = await two_servers()
    anna, ben = await Caller(two.a).hello("Anna"), await Caller(two.b).hello("Ben")
    cleo = await Caller(two.a).hello("Cleo")
    await cleo.call(m.SayRequest(text="hi"))
    for user in (anna, ben):
        await watch(user)
    assert cleo.welcome is not None
    there = await Caller(two.b).hello("Cleo", cleo.welcome.token)
    await asyncio.sleep(SHOWN_SECONDS)
    cleo.hang_up()
    await asyncio.sleep(SHOWN_SECONDS)
    for user in (anna, ben):
        heard = changes(user)
        assert [name for notice in heard for name in notice.departed] == []
        assert await watch(user) == (["Anna", "Ben", "Cleo"], 3)
    there.hang_up()
    await asyncio.sleep(SHOWN_SECONDS)
    for user in (anna, ben):
        assert await watch(user) == (["Anna", "Ben"], 2)


@in_virtual_time
async def test_users_of_a_lost_server_have_left() -> None:
    two = await two_servers()
    await Caller(two.a).hello("Anna")
    ben = await Caller(two.b).hello("Ben")
    assert await watch(ben) == (["Anna", "Ben"], 2)
    two.members["b"].lose(NodeId("a"))
    await asyncio.sleep(SHOWN_SECONDS)
    assert [notice.departed for notice in changes(ben)] == [["Anna"]]
    assert await watch(ben) == (["Ben"], 1)


# --- time -------------------------------------------------------------------------------------------------


@in_virtual_time
async def test_time_left_is_shown_to_a_player_of_the_other_server() -> None:
    two = await two_servers()
    anna, ben = await Caller(two.a).hello("Anna"), await Caller(two.b).hello("Ben")
    clock = m.ClockParams(move_ms=60_000)
    table = (await anna.call(m.CreateRequest(game="high_card", seat_count=2, clock=clock))).info.table
    for user in (anna, ben):
        await user.call(m.JoinRequest(table=table))
    await anna.call(m.StartRequest(table=table))
    ids = {name: core_of(two.a).sessions.known_user(name).id for name in ("Anna", "Ben")}
    for seconds in (SHOWN_SECONDS, 20):
        await asyncio.sleep(seconds)
        [seen] = await listed(ben)
        near = core_of(two.a).tables.find_table(table).watched.describe_for_list(ids["Ben"])
        assert (seen.your_turn, seen.turn_left_ms) == (near.your_turn, near.turn_left_ms)
        assert seen.turn_left_ms is not None
        assert (await listed(await Caller(two.b).hello("Dora")))[0].turn_left_ms is None


@in_virtual_time
async def test_time_to_the_start_passes_at_the_other_server() -> None:
    two = await two_servers()
    anna, ben = await Caller(two.a).hello("Anna"), await Caller(two.b).hello("Ben")
    table = await open_table(anna, start="full", countdown_ms=60_000)
    await ben.call(m.JoinRequest(table=table))
    for seconds in (SHOWN_SECONDS, 20):
        await asyncio.sleep(seconds)
        near, far = [(await listed(user))[0].starts_in_ms for user in (anna, ben)]
        assert near is not None
        assert far == near


@in_virtual_time
async def test_moves_at_a_table_in_rounds_reach_no_reader_of_the_other_lobby() -> None:
    two = await two_servers()
    anna, ben = await Caller(two.a).hello("Anna"), await Caller(two.a).hello("Ben")
    dora, emil = await Caller(two.b).hello("Dora"), await Caller(two.a).hello("Emil")
    table = await open_table(anna, spectating="rounds")
    await ben.call(m.JoinRequest(table=table))
    await anna.call(m.StartRequest(table=table))
    await asyncio.sleep(SHOWN_SECONDS)
    for user in (dora, emil):
        await watch(user)
    moves = 0
    for user in (anna, ben):
        if found := (await user.call(m.MovesRequest(table=table))).moves:
            await user.call(m.PlayRequest(table=table, move=found[0]))
            moves += 1
            await asyncio.sleep(SHOWN_SECONDS)
            if moves == 1:
                # That something came would say that somebody has moved.
                assert [*map(changes, (dora, emil))] == [[], []]


@in_virtual_time
async def test_tables_that_a_user_has_opened_count_at_all_servers() -> None:
    servers = SeveralServers("ab", tables_hosted=2)
    await servers.start()
    anna, ben = await servers.come("Anna", "a"), await servers.come("Ben", "a")
    tables = [await anna.create("high_card", 2) for _ in range(2)]
    await servers.core("a").balance.move_table(tables[0], "b")
    await servers.core("a").balance.move_table(tables[1], "b")
    await asyncio.sleep(SHOWN_SECONDS)
    assert await outcome_of(anna.create("high_card", 2)) == "too_many"
    assert await outcome_of(ben.create("high_card", 2)) == "ok"
    await anna.call(m.JoinRequest(table=tables[0]))
    await anna.call(m.LeaveRequest(table=tables[0]))
    await asyncio.sleep(SHOWN_SECONDS)
    assert await outcome_of(anna.create("high_card", 2)) == "ok"


@in_virtual_time
async def test_seats_of_a_user_count_at_all_servers() -> None:
    servers = SeveralServers("ab", tables_seated=2)
    await servers.start()
    anna, ben = await servers.come("Anna", "a"), await servers.come("Ben", "a")
    tables = [await ben.create("high_card", 2) for _ in range(4)]
    for table in tables[:2]:
        await anna.call(m.JoinRequest(table=table))
    await servers.core("a").balance.move_table(tables[0], "b")
    await servers.core("a").balance.move_table(tables[3], "b")
    await asyncio.sleep(SHOWN_SECONDS)
    # One seat at each node: none has as many as are allowed.
    for table in tables[2:]:
        assert await outcome_of(anna.call(m.JoinRequest(table=table))) == "too_many"
    assert await outcome_of(anna.call(m.JoinRequest(table=tables[0]))) == "ok", "she has that seat"
    assert await outcome_of(ben.call(m.JoinRequest(table=tables[3]))) == "ok"
    await anna.call(m.LeaveRequest(table=tables[0]))
    await asyncio.sleep(SHOWN_SECONDS)
    assert await outcome_of(anna.call(m.JoinRequest(table=tables[3]))) == "ok"


@in_virtual_time
async def test_user_stays_at_a_new_node_when_the_one_that_hung_wakes() -> None:
    """The new one has not heard of the connection that they have left, and its number was higher."""
    servers = SeveralServers("ab")
    await servers.start_server(servers.names[0])
    await asyncio.sleep(SETTLED)
    anna = await servers.come("Anna", "a")
    for _ in range(3):
        assert anna.welcome is not None
        anna = await Caller(servers.servers["a"]).hello("Anna", anna.welcome.token)
    servers.buses["a"].is_dead = True
    await servers.start_server(servers.names[1])
    await asyncio.sleep(1)
    there = await Caller(servers.servers["b"]).hello("Anna", anna.welcome.token)
    assert there.welcome is not None
    assert there.welcome.name == "Anna"
    servers.buses["a"].is_dead = False
    servers.members["b"].note_return(NodeId("a"))
    await asyncio.sleep(1)
    assert not there.peer.closed
    assert anna.peer.bye is not None
    assert anna.peer.bye.code == Code.TAKEN_OVER
