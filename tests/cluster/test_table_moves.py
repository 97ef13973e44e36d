"""Tables that move to another node while they are played: nobody is sent away, and nobody misses anything."""

import asyncio
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec import msgpack

from scoville_server.handover import HAND_OVER_SECONDS
from scoville_server.nodes import loads
from scoville_server.nodes.bus import Address, NoSubscriber, at_node
from scoville_server.nodes.loads import MOST_UNEVEN, WATCHED_WEIGHT, NodeLoad, choose_receiver, evens_out
from scoville_server.nodes.members import NodeId
from scoville_server.tables.actions.start import REVEAL_MS
from scoville_server.tables.actions.vote import VOTE_MS
from scoville_server.tables.actor import TableActor
from scoville_server.tables.lifecycle.balance import REST_SECONDS, TableBalance
from scoville_server.tables.lifecycle.moving import _TAKE, Offer, TableMoves
from scoville_server.tables.watching.project import list_time_left
from scoville_server.tables.watching.watched_table import WatchedTable
from scoville_server.visiting.joining import WatchesGoOn
from scoville_server.visiting.lines import MovedTables
from scoville_shared.engine.dice import nonce_hash
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import TableId
from scoville_shared.protocol import messages as m
from tests.cluster.moves import run_seed
from tests.cluster.pair import outcome_of, play_first_move
from tests.cluster.several import SETTLED, SeveralServers
from tests.support.server import Caller
from tests.support.virtual_time import in_virtual_time


async def played_table(names: str = "abc", **options: Any) -> tuple[SeveralServers, str, list[Caller]]:
    """A table of node `a`, with a player at each node and a spectator at the last one."""
    servers = SeveralServers(names)
    await servers.start()
    users = [await servers.come(f"User {node}", node) for node in names]
    made = await users[0].call(
        m.CreateRequest(game="high_card", seat_count=len(names), options={"rounds": 10}, **options)
    )
    table = made.info.table
    await asyncio.sleep(0.1)
    for user in users:
        await user.call(m.JoinRequest(table=table))
    await users[0].call(m.StartRequest(table=table))
    users.append(await servers.come("Zoe", names[-1]))
    for user in users:
        await user.call(m.WatchRequest(table=table))
    return servers, table, users


async def move(servers: SeveralServers, table: str, to: str) -> None:
    node = next(node for node in servers.servers if table in servers.core(node).tables)
    await servers.core(node).balance.move_table(table, to)


def seqs_of(user: Caller) -> list[int]:
    return [notice.event.seq for notice in user.peer.events]


async def play_round(table: str, users: list[Caller]) -> list[int]:
    """Let each player play a card; returns the numbers of the moves."""
    played = []
    for user in users:
        moves = (await user.call(m.MovesRequest(table=table))).moves
        played.append((await user.call(m.PlayRequest(table=table, move=moves[0]))).seq)
    return played


@in_virtual_time
async def test_table_moves_while_it_is_played_and_nobody_notices() -> None:
    servers, table, users = await played_table()
    played = await play_round(table, users[:3])
    for node in "bcba":
        await move(servers, table, node)
        assert [name for name in servers.servers if table in servers.core(name).tables] == [node]
        played += await play_round(table, users[:3])
    await asyncio.sleep(1)
    assert played == sorted({*played})
    heard = seqs_of(users[0])
    assert heard == [*range(heard[0], heard[-1] + 1)]
    assert heard[-1] >= played[-1]
    for user in users:
        assert not user.peer.closed
        assert seqs_of(user) == heard
    actor = servers.core("a").tables.find_table(table)
    assert actor.watched.spectator_count == 1
    await users[-1].call(m.UnwatchRequest(table=table))
    await asyncio.sleep(1)
    assert actor.watched.spectator_count == 0


@pytest.mark.parametrize("seed", range(4))
def test_nobody_notices_that_tables_move(seed: int) -> None:
    found, played, moved = run_seed(seed)
    assert found == []
    assert played > 40
    assert moved > 8


def test_watchers_who_do_not_go_on_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(WatchesGoOn, "send_on", lambda *_: None)
    assert any("has heard" in found for found in run_seed(0)[0])


def test_watchers_who_miss_what_came_before_them_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    adopt = WatchedTable.adopt_watcher
    monkeypatch.setattr(
        WatchedTable, "adopt_watcher", lambda table, peer, watcher, _: adopt(table, peer, watcher, table.table)
    )
    assert any("hears event" in found for seed in range(4) for found in run_seed(seed)[0])


def test_requests_that_are_not_asked_again_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MovedTables, "answer_or_follow", lambda _, handle, connection, p: handle(connection, p))
    assert any(": moved" in found for seed in range(4) for found in run_seed(seed)[0])


def test_table_that_moves_without_a_hold_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a former node still writes makes the other one read again; here it sends its watchers away."""

    async def give_at_once(moves: TableMoves, actor: TableActor, to: NodeId, **_: int) -> None:
        offer = Offer(actor.table.id, actor.table.owner, actor.mark, actor.now(), is_held=True)
        await moves._make_offer(to, offer)

    monkeypatch.setattr(TableMoves, "give_table", give_at_once)
    assert any("was sent away" in found for seed in range(4) for found in run_seed(seed)[0])


@in_virtual_time
async def test_what_waits_while_a_table_moves_is_answered_by_the_other_node() -> None:
    servers, table, users = await played_table()
    servers.journals["b"].gate.clear()
    moving = asyncio.ensure_future(move(servers, table, "b"))
    await asyncio.sleep(0.2)
    assert not moving.done()
    since = servers.core("a").tables.find_table(table).table.seq
    asked = [
        asyncio.ensure_future(user.call(request))
        for user, request in zip(
            (*users, users[-1]),
            (
                m.ReactRequest(table=table, reaction="thanks"),
                m.ReadyRequest(table=table),
                m.PollRequest(table=table, since=since, wait_ms=60_000),
                m.WatchRequest(table=table),
                m.MovesRequest(table=table),
            ),
            strict=True,
        )
    ]
    asked += [asyncio.ensure_future(outcome_of(play_first_move(table, user))) for user in users[:3]]
    await asyncio.sleep(0.2)
    servers.journals["b"].gate.set()
    await moving
    await asyncio.sleep(1)
    assert table in servers.core("b").tables
    assert [each.done() for each in asked] == [True] * len(asked)
    assert [each.result() for each in asked[-3:]] == ["ok"] * 3
    assert not any(user.peer.closed for user in users)


async def opened_tables(servers: SeveralServers, node: str, count: int) -> list[str]:
    """Open tables of one user each at a node, which nobody watches."""
    opened = []
    for number in range(count):
        user = await Caller(servers.servers[node]).hello(f"{node}{number}")
        opened.append((await user.call(m.CreateRequest(game="high_card", seat_count=2))).info.table)
        user.hang_up()
    return opened


@in_virtual_time
async def test_node_that_drains_hands_its_tables_over_watched_ones_first() -> None:
    servers, table, users = await played_table()
    await opened_tables(servers, "a", 3)
    idle = [actor.table.id for actor in servers.core("a").tables.all_tables() if actor.table.id != table]
    order, give = [], TableMoves.give_table

    async def note_order(moves: TableMoves, actor: TableActor, to: NodeId, **more: int) -> None:
        order.append(actor.table.id)
        await give(moves, actor, to, **more)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TableMoves, "give_table", note_order)
        await servers.servers["a"].hand_over_tables(asyncio.Event())
    assert order == [table, *idle]
    assert idle
    assert len(servers.core("a").tables) == 0
    assert [*map(len, (servers.core("b").tables, servers.core("c").tables))] == [2, 2]
    made = await users[0].call(m.CreateRequest(game="high_card", seat_count=2))
    assert made.info.table not in servers.core("a").tables
    assert len((await users[0].call(m.WatchRequest(table=made.info.table))).info.seats) == 2
    assert not users[0].peer.closed
    with pytest.raises(ScovilleError, match="it gives its own tables away"):
        await servers.core("b").balance.move_table(servers.core("b").tables.all_tables()[0].table.id, "a")


@in_virtual_time
async def test_node_ends_in_time_although_nobody_takes_its_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TableBalance, "choose_node", lambda _: None)
    servers = SeveralServers("abc")
    await servers.start()
    await opened_tables(servers, "a", 100)
    offers = 0

    async def say_nothing(_: bytes) -> bytes:
        nonlocal offers
        offers += 1
        await asyncio.sleep(2)
        raise NoSubscriber("the node hangs")

    for name in "bc":
        servers.buses[name].answerers[at_node(NodeId(name), _TAKE)] = say_nothing
    began = asyncio.get_running_loop().time()
    await servers.servers["a"].hand_over_tables(asyncio.Event())
    assert asyncio.get_running_loop().time() - began == HAND_OVER_SECONDS
    before = offers
    await servers.servers["a"].close(goes_on=True, moves_on=True)
    assert asyncio.get_running_loop().time() - began < HAND_OVER_SECONDS + 5
    await asyncio.sleep(10)
    assert offers == before


@in_virtual_time
async def test_node_that_does_not_know_the_rules_gets_no_table() -> None:
    servers, table, users = await played_table()
    rules = servers.core("b").catalog.find_game("high_card").info
    with pytest.MonkeyPatch.context() as patch:
        later = SimpleNamespace(info=SimpleNamespace(rules_version=rules.rules_version + 1))
        patch.setattr(servers.core("b").registry, "find_game", lambda _: later)
        with pytest.raises(ScovilleError, match="this server has version 2"):
            await servers.core("a").balance.move_table(table, "b")
        assert await play_round(table, users[:3])
        # Another node is asked then.
        assert await servers.core("a").balance.move_table(table) == "c"
        assert await play_round(table, users[:3])


@pytest.mark.parametrize("is_adopted", [True, False])
@in_virtual_time
async def test_without_an_answer_the_journal_says_who_owns_a_table(is_adopted: bool) -> None:
    servers, table, users = await played_table()
    request = servers.buses["a"].request

    async def lose_answer(to: Address, message: bytes) -> bytes:
        if not msgpack.decode(message, type=Offer).is_held:
            return await request(to, message)
        if is_adopted:
            await request(to, message)
        raise NoSubscriber(to)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(servers.buses["a"], "request", lose_answer)
        assert await outcome_of(servers.core("a").balance.move_table(table, "b")) == Code.INTERNAL
    await asyncio.sleep(1)
    assert [node for node in "abc" if table in servers.core(node).tables] == ["b" if is_adopted else "a"]
    if not is_adopted:
        assert await play_round(table, users[:3])
    assert [user.peer.closed for user in users] == [is_adopted] * 4, "users who watch come back by themselves"


@in_virtual_time
async def test_new_tables_go_to_a_node_that_has_clearly_less() -> None:
    servers = SeveralServers("ab")
    await servers.start()
    users = [await Caller(servers.servers["a"]).hello(f"User {number}") for number in range(30)]
    for user in users:
        made = await user.call(m.CreateRequest(game="high_card", seat_count=2))
        await user.call(m.WatchRequest(table=made.info.table))
    counts = [len(servers.core(node).tables) for node in "ab"]
    assert sum(counts) == 30
    assert 0 < counts[0] - counts[1] <= MOST_UNEVEN, "the node of the users has a bit more"


@in_virtual_time
async def test_many_watched_tables_are_shared_with_a_new_node_within_seconds() -> None:
    servers = SeveralServers("ab")
    await servers.start_server(servers.names[0])
    await asyncio.sleep(SETTLED)
    users = [await Caller(servers.servers["a"]).hello(f"User {number}") for number in range(32)]
    for user in users:
        made = await user.call(m.CreateRequest(game="high_card", seat_count=2))
        await user.call(m.WatchRequest(table=made.info.table))
    await servers.start_server(servers.names[1])
    await asyncio.sleep(10)
    counts = [len(servers.core(node).tables) for node in "ab"]
    assert sum(counts) == 32
    assert counts[0] - counts[1] <= MOST_UNEVEN / WATCHED_WEIGHT + 1
    await asyncio.sleep(REST_SECONDS)
    assert [len(servers.core(node).tables) for node in "ab"] == counts, "nothing moves back"


@in_virtual_time
async def test_node_takes_no_more_watched_tables_although_their_watchers_are_not_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    servers, table, _ = await played_table("ab")
    balance = servers.core("b").balance
    offer = Offer(TableId(table), servers.core("a").nodes.ownership.owner, b"", 0, weight=WATCHED_WEIGHT, load=9)
    assert balance._refuse_offer(offer) == ""
    await move(servers, table, "b")
    monkeypatch.setattr(WatchedTable, "has_watchers", False)
    assert balance._meter.measure_load() == NodeLoad(1, 0)
    assert balance._refuse_offer(offer) == "it is not lighter."
    await asyncio.sleep(10)
    assert balance._refuse_offer(offer) == ""


def test_load_is_evened_out_once_and_by_the_heaviest_node_alone() -> None:
    loads = {NodeId(name): NodeLoad(tables, tables) for name, tables in (("a", 30), ("b", 30), ("c", 0))}
    steps, giving = [], dict.fromkeys(loads, False)
    for _ in range(200):
        for me in loads:
            others = {node: load for node, load in loads.items() if node != me}
            to = choose_receiver(me, loads[me], others, is_giving=giving[me])
            giving[me] = to is not None
            if to is not None and evens_out(WATCHED_WEIGHT, loads[me].weight, loads[to].weight):
                steps.append((me, to))
                for node, change in ((me, -1), (to, 1)):
                    loads[node] = NodeLoad(loads[node].tables + change, loads[node].watched + change)
    assert {to for _, to in steps} == {NodeId("c")}
    assert len(steps) == len({*steps}) or len(steps) <= 20
    assert max(load.tables for load in loads.values()) - min(load.tables for load in loads.values()) <= 3
    assert choose_receiver(NodeId("a"), NodeLoad(9, 0), {NodeId("c"): NodeLoad()}, is_giving=False) is None
    assert choose_receiver(NodeId("a"), NodeLoad(90, 0, True), {NodeId("c"): NodeLoad()}, is_giving=False) is None
    assert choose_receiver(NodeId("a"), NodeLoad(90, 0), {NodeId("c"): NodeLoad(drains=True)}, is_giving=True) is None


@in_virtual_time
async def test_thinking_time_counts_until_the_hold_alone_whatever_the_clocks_say() -> None:
    servers = SeveralServers("ab")
    await servers.start_server(NodeId("a"))
    servers._start_ms += 60_000
    await servers.start_server(NodeId("b"))
    await asyncio.sleep(3)
    users = [await servers.come(f"User {node}", node) for node in "ab"]
    clock = m.TableClock(bank_ms=300_000)
    made = await users[0].call(m.CreateRequest(game="high_card", seat_count=2, options={"rounds": 3}, clock=clock))
    table = made.info.table
    await asyncio.sleep(0.2)
    for user in users:
        await user.call(m.JoinRequest(table=table))
    await users[0].call(m.StartRequest(table=table))
    for node in "bab":
        await asyncio.sleep(10)
        await move(servers, table, node)
    actor = servers.core("b").tables.find_table(table)
    left = [*list_time_left(actor.table, actor.now())]
    assert min(each for each in left if each is not None) == pytest.approx(270_000, abs=1_500)


@in_virtual_time
async def test_table_that_another_node_cannot_read_keeps_no_other_one_from_moving(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    servers = SeveralServers("ab")
    await servers.start()
    unread = await opened_tables(servers, "a", 14)
    balance = servers.core("a").balance
    read, asked = TableMoves._read_table, list[str]()

    async def refuse_some(moves: TableMoves, table: TableId) -> Any:
        asked.append(table)
        if table in unread[:5]:
            raise ScovilleError(Code.INTERNAL, "it lacks a game.")
        return await read(moves, table)

    monkeypatch.setattr(TableMoves, "_read_table", refuse_some)
    monkeypatch.setattr(loads, "MOST_UNEVEN", 2)
    await asyncio.sleep(30)
    assert len(servers.core("b").tables) > 3
    assert max(asked.count(table) for table in unread) == 1, "it is not asked again and again"
    assert balance.moves.seconds_here(TableId(unread[0])) < 60


# --- what runs while a table moves -----------------------------------------------------------------------


def heard_at(user: Caller, kind: type) -> list[Any]:
    """Return the events of a kind that a user was shown."""
    return [notice.event for notice in user.peer.events if isinstance(notice.event, kind)]


async def waiting_table(nonces: Sequence[bytes] = (), **settings: Any) -> tuple[SeveralServers, str, list[Caller]]:
    """A table of node `a` with a player at each node, who all watch it; each has committed to a nonce, if there are."""
    servers = SeveralServers("ab")
    await servers.start()
    users = [await servers.come(f"User {node}", node) for node in "ab"]
    made = await users[0].call(
        m.CreateRequest(game="high_card", seat_count=2, settings=m.TableSettingsParams(**settings))
    )
    table = made.info.table
    await asyncio.sleep(0.1)
    for n, user in enumerate(users):
        await user.call(m.WatchRequest(table=table))
        hashed = nonce_hash(table, nonces[n]).hex() if nonces else None
        await user.call(m.JoinRequest(table=table, nonce_hash=hashed))
    return servers, table, users


@pytest.mark.parametrize("apart_ms", [0, -10_000, 10_000])
@in_virtual_time
async def test_countdown_goes_on_while_its_table_moves(apart_ms: int) -> None:
    servers, table, users = await waiting_table(start="full", countdown_ms=10_000)
    began = servers.core("a").clock.seconds()
    await asyncio.sleep(4)
    clock = servers.core("b").registry.clock
    date_ms = clock.date_ms
    clock.date_ms = lambda: date_ms() + apart_ms
    await move(servers, table, "b")
    await asyncio.sleep(began + 9.9 - clock.seconds())
    for user in users:
        assert not heard_at(user, m.Started)
        assert (await user.call(m.PollRequest(table=table))).info.starts_in_ms == pytest.approx(100, abs=50)
    await asyncio.sleep(0.2)
    for user in users:
        assert [len(heard_at(user, kind)) for kind in (m.CountdownStarted, m.Started)] == [1, 1]


@in_virtual_time
async def test_reveal_goes_on_while_its_table_moves() -> None:
    nonces = [bytes([n]) * 32 for n in range(2)]
    servers, table, users = await waiting_table(nonces)
    await users[0].call(m.StartRequest(table=table))
    await users[1].call(m.RevealRequest(table=table, nonce=nonces[1].hex()))
    await asyncio.sleep(REVEAL_MS / 2000)
    await move(servers, table, "b")
    await asyncio.sleep(0.1)
    assert servers.core("b").tables.find_table(table).table.unrevealed_seats == [0]
    await users[0].call(m.RevealRequest(table=table, nonce=nonces[0].hex()))
    for user in users:
        [started] = heard_at(user, m.Started)
        assert started.nonces == [nonce.hex() for nonce in nonces]


@in_virtual_time
async def test_reveal_ends_in_time_although_its_table_has_moved() -> None:
    nonces = [bytes([n]) * 32 for n in range(2)]
    servers, table, users = await waiting_table(nonces)
    await users[0].call(m.StartRequest(table=table))
    await users[1].call(m.RevealRequest(table=table, nonce=nonces[1].hex()))
    await asyncio.sleep(REVEAL_MS / 2000)
    await move(servers, table, "b")
    await asyncio.sleep(REVEAL_MS / 2000 + 0.1)
    for user in users:
        assert len(heard_at(user, m.StartVoided)) == 1


@in_virtual_time
async def test_ballot_goes_on_while_its_table_moves() -> None:
    servers, table, users = await played_table()
    vote = m.VoteRequest(table=table, against=2)
    await users[0].call(vote)
    await asyncio.sleep(40)
    await move(servers, table, "b")
    await asyncio.sleep(0.1)
    info = (await users[0].call(m.PollRequest(table=table))).vote
    assert (info.agreed, info.ends_in_ms) == ([0], pytest.approx(VOTE_MS - 40_000, abs=500))
    await asyncio.sleep(VOTE_MS / 1000 - 41)
    assert not heard_at(users[0], m.VoteEnded)
    await asyncio.sleep(2)
    for user in users:
        assert [event.reason for event in heard_at(user, m.VoteEnded)] == ["expired"]


@in_virtual_time
async def test_votes_count_on_where_their_table_moves_to() -> None:
    servers, table, users = await played_table()
    await users[0].call(m.VoteRequest(table=table, against=2))
    await move(servers, table, "b")
    await asyncio.sleep(0.1)
    await users[1].call(m.VoteRequest(table=table, against=2))
    assert [event.seat for event in heard_at(users[0], m.Kicked)] == [2]


@in_virtual_time
async def test_thinking_time_goes_on_while_its_table_moves() -> None:
    servers, table, users = await played_table("ab", clock=m.ClockParams(move_ms=30_000))
    await asyncio.sleep(20)
    await move(servers, table, "b")
    await asyncio.sleep(0.1)
    await asyncio.sleep(9.5)
    assert not heard_at(users[0], m.Played)
    await asyncio.sleep(1)
    assert {event.mover for event in heard_at(users[0], m.Played)} == {"clock"}
