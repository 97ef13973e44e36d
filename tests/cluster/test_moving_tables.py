"""Tables of a lost node: requests wait for their heir, removed ones are forgotten, and quick ones are filled."""

import asyncio
from typing import Any

import pytest
from msgspec import to_builtins

from scoville_server.cli.control_commands import describe_result
from scoville_server.control import desk as c
from scoville_server.control import tables
from scoville_server.control.commands import COMMAND_OF, CloseTable, ListSince, ListTables, MoveTable
from scoville_server.control.desk import ControlDesk
from scoville_server.control.wire import Asked
from scoville_server.lobby import webhook
from scoville_server.nodes.election import MISSING_SECONDS
from scoville_server.nodes.members import NodeId
from scoville_server.tables.lifecycle.adoption import LOOK_SECONDS, SETTLED_SECONDS, Adoption
from scoville_server.visiting.lines import MOVING_SECONDS
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import TableId
from scoville_shared.protocol import messages as m
from tests.cluster.pair import outcome_of
from tests.cluster.several import NodeOfSeveral, SeveralServers, is_table
from tests.support.server import Caller, core_of
from tests.support.virtual_time import in_virtual_time


async def table_of_b() -> tuple[SeveralServers, Caller, str]:
    """A table of node `b`, which Cleo at node `c` has joined."""
    servers = SeveralServers("abc")
    await servers.start()
    ben, cleo = await servers.come("Ben", "b"), await servers.come("Cleo", "c")
    table = await ben.create("high_card", 2)
    await cleo.call(m.JoinRequest(table=table))
    assert table in servers.core("b").tables
    return servers, cleo, table


def hold_adoptions(servers: SeveralServers) -> None:
    for name in "ac":
        servers.journals[name].gate.clear()


@pytest.mark.parametrize("kind", [m.WatchRequest, m.PollRequest, m.MovesRequest])
@in_virtual_time
async def test_request_waits_for_the_heir_of_a_table(kind: type[m.WatchRequest]) -> None:
    servers, cleo, table = await table_of_b()
    hold_adoptions(servers)
    servers.kill("b")
    await asyncio.sleep(MISSING_SECONDS + 0.1)
    assert servers.core("c").nodes.directory.is_moving(table)
    asked = asyncio.ensure_future(outcome_of(cleo.call(kind(table=table))))
    await asyncio.sleep(1)
    assert not asked.done()
    for name in "ac":
        servers.journals[name].gate.set()
    await asyncio.sleep(0.5)
    assert asked.done()
    assert await asked == "ok"


@in_virtual_time
async def test_request_waits_some_seconds_and_no_longer() -> None:
    servers, cleo, table = await table_of_b()
    hold_adoptions(servers)
    servers.kill("b")
    await asyncio.sleep(MISSING_SECONDS + 0.1)
    began = asyncio.get_running_loop().time()
    assert await outcome_of(cleo.call(m.WatchRequest(table=table))) == Code.BUSY
    assert asyncio.get_running_loop().time() - began == pytest.approx(MOVING_SECONDS)
    assert not servers.core("c").nodes.directory._held._waiting


@in_virtual_time
async def test_node_that_starts_again_waits_for_the_heirs_of_the_tables_that_it_had() -> None:
    servers, _, table = await table_of_b()
    hold_adoptions(servers)
    servers.kill("b")
    # While the engine has no leader, the others adopt nothing before the node is back, which has heard of no table.
    await servers.start_server(NodeId("b"))
    servers.journals["b"].gate.clear()
    dora = await servers.come("Dora", "b")
    asked = asyncio.ensure_future(outcome_of(dora.call(m.WatchRequest(table=table))))
    await asyncio.sleep(1)
    assert not asked.done()
    for journal in servers.journals.values():
        journal.gate.set()
    assert await asked == "ok"


@in_virtual_time
async def test_code_is_not_unknown_to_a_node_that_has_not_heard_of_its_table() -> None:
    servers, _, table = await table_of_b()
    code = servers.core("b").tables.find_table(table).table.opened.code
    hold_adoptions(servers)
    servers.kill("b")
    await servers.start_server(NodeId("b"))
    dora = await servers.come("Dora", "b")
    assert await outcome_of(dora.call(m.EnterRequest(code=code))) == Code.BUSY
    for journal in servers.journals.values():
        journal.gate.set()
    await asyncio.sleep(SETTLED_SECONDS + 0.5)
    assert (await dora.call(m.EnterRequest(code=code))).info.table == table
    assert await outcome_of(dora.call(m.EnterRequest(code="zesty-zeppelin-zesty"))) == Code.UNKNOWN_CODE


@in_virtual_time
async def test_code_that_is_on_the_way_to_a_node_is_heard_before_the_answer() -> None:
    servers = SeveralServers("ab")
    await servers.start()
    anna, ben = await servers.come("Anna", "a"), await servers.come("Ben", "b")
    # An answer overtakes nothing that was published before.
    servers.wire.seconds, servers.wire.quick = 0.1, 0.2
    info = (await anna.call(m.CreateRequest(game="high_card", seat_count=2))).info
    assert servers.core("b").nodes.codes.find_table(info.code) is None
    assert (await ben.call(m.EnterRequest(code=info.code))).info.table == info.table


@in_virtual_time
async def test_table_is_not_unknown_while_a_node_that_may_serve_it_is_silent() -> None:
    servers, cleo, _ = await table_of_b()
    ben = await servers.come("Benny", "b")
    # Nobody has missed it yet.
    servers.silence("b")
    info = (await ben.call(m.CreateRequest(game="high_card", seat_count=2))).info
    assert info.table in servers.core("b").tables
    assert await outcome_of(cleo.call(m.WatchRequest(table=info.table))) == Code.BUSY
    assert await outcome_of(cleo.call(m.EnterRequest(code=info.code))) == Code.BUSY


@in_virtual_time
async def test_table_of_a_lost_node_of_which_nobody_has_heard_is_not_unknown() -> None:
    servers, cleo, _ = await table_of_b()
    ben = await servers.come("Benny", "b")
    servers.silence("b")
    info = (await ben.call(m.CreateRequest(game="high_card", seat_count=2))).info
    await ben.call(m.JoinRequest(table=info.table))
    hold_adoptions(servers)
    servers.kill("b")
    await asyncio.sleep(MISSING_SECONDS + 0.1)
    assert await outcome_of(cleo.call(m.EnterRequest(code=info.code))) == Code.BUSY
    asked = asyncio.ensure_future(outcome_of(cleo.call(m.WatchRequest(table=info.table))))
    await asyncio.sleep(1)
    assert not asked.done()
    for name in "ac":
        servers.journals[name].gate.set()
    assert await asked == "ok"
    assert await outcome_of(cleo.call(m.WatchRequest(table="08efa6d47f85"))) == Code.UNKNOWN_TABLE


@in_virtual_time
async def test_node_that_starts_again_tells_unknown_tables_from_those_that_move(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    servers, _, table = await table_of_b()
    servers.kill("b")
    hold_adoptions(servers)
    await servers.start_server(NodeId("b"))
    # Nobody takes it over: its records are there all the same.
    monkeypatch.setattr(Adoption, "_may_adopt", lambda *_: False)
    for name in "abc":
        servers.journals[name].gate.set()
    await asyncio.sleep(SETTLED_SECONDS + 0.1)
    dora = await servers.come("Dora", "b")
    assert await outcome_of(dora.call(m.WatchRequest(table=table))) == Code.BUSY
    assert await outcome_of(dora.call(m.WatchRequest(table="08efa6d47f85"))) == Code.UNKNOWN_TABLE


@in_virtual_time
async def test_table_that_was_removed_with_its_node_is_unknown_after_a_while() -> None:
    servers, cleo, table = await table_of_b()
    other = await servers.come("Dora", "c")
    kept = await other.create("high_card", 2)
    servers.kill("b")
    del servers.journals["c"].store._kept[TableId(table)]
    await asyncio.sleep(MISSING_SECONDS + 0.1)
    assert await outcome_of(cleo.call(m.WatchRequest(table=table))) == Code.BUSY
    await asyncio.sleep(2 * LOOK_SECONDS)
    assert await outcome_of(cleo.call(m.WatchRequest(table=table))) == Code.UNKNOWN_TABLE
    assert await outcome_of(cleo.call(m.WatchRequest(table=kept))) == "ok"


@in_virtual_time
async def test_quick_table_of_a_lost_node_is_filled_by_the_next_one(monkeypatch: pytest.MonkeyPatch) -> None:
    find_heir = NodeOfSeveral.heir_of

    def heir_of(nodes: NodeOfSeveral, thing: str) -> NodeId:
        return nodes.running[-1] if is_table(thing) else find_heir(nodes, thing)

    # Each table goes to another node than that which seats users.
    monkeypatch.setattr(NodeOfSeveral, "heir_of", heir_of)
    servers = SeveralServers("abc")
    await servers.start()
    cleo, dora = await servers.come("Cleo", "c"), await servers.come("Dora", "c")
    table = (await cleo.call(m.QuickMatchRequest(game="heap"))).info.table
    own = await cleo.create("high_card", 2)
    assert table in servers.core("a").tables
    servers.kill("a")
    await asyncio.sleep(MISSING_SECONDS + 1)
    assert table in servers.core("b").tables
    assert own in servers.core("c").tables
    assert (await dora.call(m.QuickMatchRequest(game="heap"))).info.table == table


@in_virtual_time
async def test_messages_stay_and_are_sent_once_when_a_table_comes_back() -> None:
    servers, cleo, table = await table_of_b()
    await cleo.call(m.SayRequest(table=table, text="Hello"))
    servers.members["a"].lose(NodeId("b"))
    servers.members["c"].lose(NodeId("b"))
    await asyncio.sleep(1)
    assert table not in servers.core("b").tables
    for name in "ac":
        servers.members[name].note_return(NodeId("b"))
        servers.kill(name)
    await asyncio.sleep(MISSING_SECONDS + 1)
    assert table in servers.core("b").tables
    dora = await servers.come("Dora", "b")
    await dora.call(m.WatchRequest(table=table))
    await (await servers.come("Emil", "b")).call(m.SayRequest(table=table, text="Who is here?"))
    heard = [notice.message.text for notice in dora.peer.heard if isinstance(notice, m.SaidNotice)]
    assert heard == ["Who is here?"]
    read = await dora.call(m.ReadChatRequest(channel="table", table=table))
    assert [message.text for message in read.messages] == ["Hello", "Who is here?"]


@in_virtual_time
async def test_node_that_does_not_know_of_its_successor_sends_no_messages_of_it() -> None:
    servers, cleo, table = await table_of_b()
    dora = await servers.come("Dora", "b")
    await dora.call(m.WatchRequest(table=table))
    # It hears no claims, and follows the rows of the others all the same.
    servers.buses["b"].is_dead = True
    servers.members["a"].lose(NodeId("b"))
    servers.members["c"].lose(NodeId("b"))
    await asyncio.sleep(1)
    await cleo.call(m.SayRequest(table=table, text="Hello"))
    assert table in servers.core("b").tables
    assert [message.text for message in servers.core("b").chat.channels.list_messages()] == ["Hello"]
    assert not any(isinstance(notice, m.SaidNotice) for notice in dora.peer.heard)


@in_virtual_time
async def test_host_of_any_node_moves_and_closes_a_table() -> None:
    servers, cleo, table = await table_of_b()
    await cleo.call(m.WatchRequest(table=table))
    desk, host = ControlDesk(servers.servers["c"].watch_and_control(lambda: None)), c.Caller(0, "root")
    moved: Any = await desk.carry_out(host, Asked(COMMAND_OF["move-table"], MoveTable(table=table, to="a"), ""))
    assert moved.node == "a"
    assert table in servers.core("a").tables
    await desk.carry_out(host, Asked(COMMAND_OF["close-table"], CloseTable(table=table), "Stuck."))
    await asyncio.sleep(0.5)
    assert table not in servers.core("a").tables
    assert [notice.event.reason for notice in cleo.peer.events if isinstance(notice.event, m.Closed)] == ["Stuck."]
    acts: Any = await desk.carry_out(host, Asked(COMMAND_OF["audit"], ListSince(), ""))
    assert [entry.action for entry in acts.entries] == ["move", "close"]


@in_virtual_time
async def test_vacation_reaches_the_tables_of_other_nodes() -> None:
    servers = SeveralServers("abc")
    await servers.start()
    ben, cleo = await servers.come("Ben", "b"), await servers.come("Cleo", "c")
    clock = m.TableClock(move_ms=2 * m.DAY_MS, absence_ms=None)
    made = await ben.call(m.CreateRequest(game="high_card", seat_count=2, clock=clock))
    table = made.info.table
    for user in (ben, cleo):
        await user.call(m.JoinRequest(table=table))
    await ben.call(m.StartRequest(table=table))
    actor = servers.core("b").tables.find_table(table)
    assert actor.table.resting == {}
    until_ms = (await cleo.call(m.BeginVacationRequest(days=5))).until_ms
    await asyncio.sleep(0.5)
    assert [*actor.table.resting.values()] == [until_ms]
    await cleo.call(m.EndVacationRequest())
    await asyncio.sleep(0.5)
    assert max(actor.table.resting.values(), default=0) <= actor.now()


@in_virtual_time
async def test_webhook_announces_a_table_once_wherever_it_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    posted: list[str] = []

    async def post(_: str, what: dict[str, str]) -> None:
        posted.append(what["table"])

    monkeypatch.setattr(webhook, "_post_json", post)
    servers = SeveralServers("abc", webhook="http://example.invalid/")
    await servers.start()
    ben = await servers.come("Ben", "b")
    cleo = await servers.come("Cleo", "a")
    table = await ben.create("high_card", 3)
    await servers.core("b").balance.move_table(table, "a")
    await asyncio.sleep(0.5)
    assert posted == []
    await ben.call(m.JoinRequest(table=table))
    await asyncio.sleep(0.5)
    assert posted == [table]
    await servers.core("b").balance.move_table(table, "c")
    servers.kill("c")
    await asyncio.sleep(MISSING_SECONDS + 1)
    await cleo.call(m.JoinRequest(table=table))
    await asyncio.sleep(0.5)
    assert posted == [table]


@in_virtual_time
async def test_table_that_its_heir_has_removed_is_unknown_at_once() -> None:
    servers, cleo, table = await table_of_b()
    servers.kill("b")
    await asyncio.sleep(MISSING_SECONDS + 1)
    for name in "ac":
        core = servers.core(name)
        if table in core.tables:
            core.registry.remove_table(core.tables.find_table(table))
    await asyncio.sleep(0.1)
    assert await outcome_of(cleo.call(m.WatchRequest(table=table))) == Code.UNKNOWN_TABLE


@pytest.mark.parametrize(("is_sure", "code"), [(True, Code.BUSY), (False, Code.MOVED)])
@in_virtual_time
async def test_node_in_doubt_says_of_no_table_that_there_is_none(is_sure: bool, code: Code) -> None:
    """What it does not know by then it may hear of a moment later: to users, unknown would be the end."""
    servers, cleo, _ = await table_of_b()

    async def restore_contact() -> bool:
        await asyncio.sleep(1)
        return is_sure

    core_of(servers.servers["c"]).users.observers[-1]._restore_contact = restore_contact  # type: ignore[attr-defined]
    for asked in (m.EnterRequest(code="zesty-zeppelin-zesty"), m.WatchRequest(table="08efa6d47f85")):
        assert await outcome_of(cleo.call(asked)) == code


@in_virtual_time
async def test_heir_waits_for_what_it_has_not_heard_of_a_connected_player(monkeypatch: pytest.MonkeyPatch) -> None:
    servers, _, table = await table_of_b()
    guest = await Caller(servers.servers["a"]).hello("Vera")
    await guest.call(m.JoinRequest(table=table))
    await asyncio.sleep(1)
    number = servers.core("a").sessions.known_user("Vera").id
    sessions, is_known = servers.core("c").sessions, False
    find_user = sessions.find_user
    monkeypatch.setattr(sessions, "find_user", lambda user: find_user(user) if is_known or user != number else None)
    monkeypatch.setattr(NodeOfSeveral, "heir_of", lambda nodes, _: nodes.running[-1])
    servers.kill("b")
    await asyncio.sleep(MISSING_SECONDS + 1)
    actor = servers.core("c").tables.find_table(table)
    assert actor.table.seat_of(number) is not None
    is_known = True
    await asyncio.sleep(2)
    assert actor.table.seat_of(number) is not None
    assert table in find_user(number).tables


@in_virtual_time
async def test_table_that_waits_for_anybody_stays_at_the_node_that_seats_them() -> None:
    servers = SeveralServers("ab")
    await servers.start()
    table = (await (await servers.come("Anna", "b")).call(m.QuickMatchRequest(game="heap"))).info.table
    assert table in servers.core("a").tables
    for node in "ab":
        with pytest.raises(ScovilleError, match="it waits for any players, whom this one seats"):
            await servers.core(node).balance.move_table(table, "b")
    await servers.core("a").balance.hand_over_all()
    assert table in servers.core("b").tables


@in_virtual_time
async def test_table_stays_at_the_node_that_it_is_to_move_to() -> None:
    servers, _, table = await table_of_b()
    for node in "abc":
        assert await servers.core(node).balance.move_table(table, "b") == "b"
    assert table in servers.core("b").tables


@in_virtual_time
async def test_host_of_any_node_lists_the_tables_of_all() -> None:
    servers, cleo, table = await table_of_b()
    own = await cleo.create("high_card", 3)
    desks = {name: ControlDesk(servers.servers[name].watch_and_control(lambda: None)) for name in "abc"}
    for desk in desks.values():
        await desk.begin_sharing()

    async def list_tables(**wanted: Any) -> Any:
        asked = Asked(COMMAND_OF["tables"], ListTables(**wanted), "")
        return await desks["a"].carry_out(c.Caller(0, "root"), asked)

    found = await list_tables(sort="seats")
    assert [(row.id, row.node) for row in found.tables] == [(table, "b"), (own, "c")]
    assert [row.id for row in (await list_tables(sort="seats", most=1)).tables] == [table]
    assert (await list_tables(match=own)).total == 1
    assert "NODE" in describe_result("tables", to_builtins(found))
    servers.kill("b")
    found = await list_tables()
    assert ([row.id for row in found.tables], found.total, found.unreached) == ([own], 1, ["b"])
    assert "b has not answered; its tables are missing." in describe_result("tables", to_builtins(found))


@in_virtual_time
async def test_list_of_a_node_with_very_many_tables_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    servers, cleo, table = await table_of_b()
    others = [await cleo.create("high_card", 3) for _ in range(4)]
    desk = ControlDesk(servers.servers["b"].watch_and_control(lambda: None))
    await ControlDesk(servers.servers["c"].watch_and_control(lambda: None)).begin_sharing()
    await ControlDesk(servers.servers["a"].watch_and_control(lambda: None)).begin_sharing()
    monkeypatch.setattr(tables, "_MOST_BYTES", 600)
    found: Any = await desk.carry_out(c.Caller(0, "root"), Asked(COMMAND_OF["tables"], ListTables(), ""))
    assert found.total == 5
    assert {table} < {row.id for row in found.tables} < {table, *others}
