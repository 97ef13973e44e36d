"""Nodes that wait, with a courier and an engine of the test, in virtual time."""

import asyncio

import pytest

from scoville_server.cluster.node import NO_CONTACT_SECONDS, Contact
from scoville_server.journal.base import Deposed
from scoville_server.journal.jetstream.insistence import outcome_unknown
from scoville_server.nodes.election import (
    BEAT_SECONDS,
    FOLLOW_SECONDS,
    MISSING_SECONDS,
    OVERDUE_SECONDS,
    Port,
)
from scoville_server.nodes.neighbours import FORGET_SECONDS
from scoville_server.nodes.nodes import single_node
from scoville_server.nodes.standby import LOOK_SECONDS
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.messages import ListTablesRequest, PingReply, PingRequest
from tests.support.server import CHEAP_HASHING, Caller, toy_shelf
from tests.support.virtual_time import in_virtual_time
from tests.support.waiting_nodes import Nodes, ask_node


@in_virtual_time
async def test_one_node_serves_and_the_next_follows_when_it_ends() -> None:
    nodes = Nodes("a", "b", "c")
    await asyncio.sleep(5)
    assert [name for name, _ in nodes.turns] == ["a"]
    assert nodes.neighbours["c"].serving_address == "a.example:1"
    assert nodes.neighbours["a"].addresses() == ["a.example:1", "b.example:1", "c.example:1"]
    nodes.ports["a"] = "closed"
    nodes.end("a")
    ended = nodes.clock.seconds()
    await asyncio.sleep(5)
    assert [name for name, _ in nodes.turns] == ["a", "b"]
    assert nodes.turns[1][1] - ended < OVERDUE_SECONDS + LOOK_SECONDS


@pytest.mark.parametrize("port", ["closed", "unclear"])
@in_virtual_time
async def test_nodes_that_wait_do_not_race_with_one_that_takes_over_slowly(port: Port) -> None:
    """Beside load a server takes longer to make than the next node waits: both read everything then."""
    nodes = Nodes("a", "b", "c", start_seconds=1.5)
    await asyncio.sleep(10)
    nodes.ports["a"] = port
    nodes.end("a")
    await asyncio.sleep(10)
    assert ([name for name, _ in nodes.turns], nodes.conflicts) == (["a", "b"], [])


@in_virtual_time
async def test_node_that_is_lost_while_it_takes_over_is_followed() -> None:
    nodes = Nodes("a", "b", "c", start_seconds=1.5)
    await asyncio.sleep(10)
    nodes.ports["a"] = "closed"
    nodes.end("a")
    ended = nodes.clock.seconds()
    await asyncio.sleep(1)
    assert nodes.neighbours["b"].begins
    nodes.tasks["b"].cancel()
    nodes.end("b")
    await asyncio.sleep(10)
    assert [name for name, _ in nodes.turns] == ["a", "c"]
    assert nodes.turns[1][1] - ended < 1 + FOLLOW_SECONDS + 1.5


@in_virtual_time
async def test_node_that_cannot_take_over_is_waited_for_a_moment_alone() -> None:
    nodes = Nodes("a", "b", "c", start_seconds=30.0)
    await asyncio.sleep(60)
    nodes.ports["a"] = "closed"
    nodes.end("a")
    await asyncio.sleep(1)
    assert (nodes.neighbours["b"].begins, nodes.neighbours["c"].begins) == (True, False)
    await asyncio.sleep(FOLLOW_SECONDS)
    assert nodes.neighbours["c"].begins


@in_virtual_time
async def test_hanging_node_is_followed_later_than_a_dead_one() -> None:
    nodes = Nodes("a", "b")
    await asyncio.sleep(5)
    nodes.end("a")
    ended = nodes.clock.seconds()
    await asyncio.sleep(5)
    assert [name for name, _ in nodes.turns] == ["a", "b"]
    assert 0.7 < nodes.turns[1][1] - ended < 2


@in_virtual_time
async def test_deaf_node_takes_nothing_over() -> None:
    nodes = Nodes("a", "b", "c")
    await asyncio.sleep(5)
    # It hears the third one, which hears the serving one.
    heard = nodes.couriers["a"].send_message
    nodes.couriers["a"].send_message = lambda message: [  # type: ignore[method-assign, func-returns-value]
        handle(message) for name in ("a", "c") for handle in nodes.couriers[name].handlers
    ]
    await asyncio.sleep(20)
    assert [name for name, _ in nodes.turns] == ["a"]
    nodes.couriers["a"].send_message = heard  # type: ignore[method-assign]


@in_virtual_time
async def test_node_without_the_engine_waits_for_it() -> None:
    nodes = Nodes("a", "b")
    await asyncio.sleep(5)
    nodes.log.is_away = True
    await asyncio.sleep(1)
    nodes.end("a")
    await asyncio.sleep(20)
    assert [name for name, _ in nodes.turns] == ["a"]
    nodes.log.is_away = False
    await asyncio.sleep(3)
    assert [name for name, _ in nodes.turns] == ["a", "b"]


@in_virtual_time
async def test_leaving_node_is_followed_at_once() -> None:
    """Not at the next look at the engine: users wait. They do so in front of the node that follows, not in it."""
    nodes = Nodes("a", "b", "c")
    # Between two looks.
    await asyncio.sleep(5 + LOOK_SECONDS / 2)
    nodes.neighbours["a"].end_serving(leaving=True)
    assert nodes.holding == {"b"}
    left = nodes.clock.seconds()
    await asyncio.sleep(1)
    assert nodes.turns[1:] == [("b", left)]


@in_virtual_time
async def test_a_node_that_has_just_started_reads_tables_ahead_without_long_rests() -> None:
    """It may have to take over before it has read them all at the pace of its looks."""
    nodes = Nodes("a", "b")
    await asyncio.sleep(5)
    usual = round(1 / LOOK_SECONDS)
    before = nodes.log.looks
    await asyncio.sleep(1)
    assert nodes.log.looks - before == pytest.approx(usual, abs=1)
    nodes.log.left_to_read = 40
    before = nodes.log.looks
    await asyncio.sleep(1)
    assert nodes.log.looks - before >= 40, "all are read within a second"
    assert not nodes.log.is_behind
    nodes.log.left_to_read, nodes.log.is_away = 1_000, True
    before = nodes.log.looks
    await asyncio.sleep(1)
    assert nodes.log.looks - before <= usual + 3, "an engine that is away is not asked more often for that"


@in_virtual_time
async def test_nodes_with_links_serve_beside_each_other() -> None:
    nodes = Nodes("a", "b", "c", links="abc")
    await asyncio.sleep(5)
    assert ([name for name, _ in nodes.turns], sorted(nodes.joined)) == (["a"], ["b", "c"])
    assert nodes.log.serving_epoch == 1
    # The one that has taken the epoch ends, and the others go on in it.
    nodes.ports["a"] = "closed"
    nodes.end("a")
    await asyncio.sleep(10)
    nodes.start("d")
    await asyncio.sleep(5)
    assert [name for name, _ in nodes.turns] == ["a"], "one without links waits for all that serve"
    assert nodes.log.serving_epoch == 1


@pytest.mark.parametrize("links", ["", "abc"])
@pytest.mark.parametrize("pauses", [(0, 0, 0), (0.5, 0, 0), (0, 0.5, 0), (0.5, 0, 0.5), (1, 0.5, 0), (0.45, 0, 0.55)])
@in_virtual_time
async def test_one_of_nodes_that_start_together_takes_the_first_epoch(
    pauses: tuple[float, float, float], links: str
) -> None:
    nodes = Nodes(links=links, start_seconds=2.0)
    for _, name in sorted(zip(pauses, "abc", strict=True)):
        asyncio.get_running_loop().call_later(pauses["abc".index(name)], nodes.start, name)
    await asyncio.sleep(10)
    assert nodes.conflicts == []
    assert len(nodes.turns) == nodes.log.serving_epoch == 1
    assert sorted(nodes.joined) == [name for name in links if name != nodes.turns[0][0]]


@in_virtual_time
async def test_node_that_ends_before_it_has_taken_the_first_epoch_is_followed() -> None:
    nodes = Nodes("a", "b", start_seconds=2.0)
    await asyncio.sleep(2)
    assert nodes.neighbours["a"].begins
    nodes.tasks["a"].cancel()
    nodes.end("a")
    await asyncio.sleep(10)
    assert [name for name, _ in nodes.turns] == ["b"]


@in_virtual_time
async def test_node_returns_to_those_that_have_gone_on() -> None:
    nodes = Nodes("a", "b", links="ab")
    await asyncio.sleep(5)
    nodes.end("a")
    await asyncio.sleep(5)
    nodes.start("a")
    await asyncio.sleep(3)
    assert (len(nodes.turns), nodes.joined, nodes.log.serving_epoch) == (1, ["b", "a"], 1)
    assert nodes.neighbours["a"].list_beside() == ["b"]
    for name, other in ("ab", "ba"):
        assert nodes.neighbours[name].addresses() == [f"{name}.example:1", f"{other}.example:1"]


@pytest.mark.parametrize(("first", "links"), [("a", "b"), ("b", "a")])
@in_virtual_time
async def test_node_that_serves_alone_is_joined_by_none(
    first: str, links: str, caplog: pytest.LogCaptureFixture
) -> None:
    nodes = Nodes(first, links=links)
    await asyncio.sleep(5)
    other = "b" if first == "a" else "a"
    nodes.start(other)
    await asyncio.sleep(20)
    assert ([name for name, _ in nodes.turns], nodes.joined) == ([first], [])
    said = [record.getMessage() for record in caplog.records]
    alone = f"Node {first}.example:1 serves alone, without cluster.link: this one waits until it ends."
    assert said == ([alone] if other in links else [])
    nodes.neighbours[first].end_serving(leaving=True)
    await asyncio.sleep(2)
    assert [name for name, _ in nodes.turns] == [first, other]


@in_virtual_time
async def test_waiting_node_names_another_one_when_the_first_of_several_leaves() -> None:
    nodes = Nodes("a", "b", links="abc")
    await asyncio.sleep(5)
    nodes.log.is_away = True
    nodes.start("c")
    await asyncio.sleep(1)
    nodes.neighbours["a"].end_serving(leaving=True)
    assert await ask_node(nodes, "c") == ("b.example:1", 0)
    nodes.end("b")
    await asyncio.sleep(1)
    assert (await ask_node(nodes, "c"))[0] == ""


@in_virtual_time
async def test_serving_node_hears_of_its_successor() -> None:
    nodes = Nodes("a", "b")
    await asyncio.sleep(5)
    heard: list[tuple[int, float]] = []
    nodes.neighbours["a"].on_followed = lambda epoch: heard.append((epoch, nodes.clock.seconds()))
    nodes.couriers["a"].is_mute = nodes.couriers["a"].is_deaf = True
    await asyncio.sleep(5)
    assert [name for name, _ in nodes.turns] == ["a", "b"]
    assert not heard
    nodes.couriers["a"].is_deaf = False
    mended = nodes.clock.seconds()
    await asyncio.sleep(1)
    epoch, at = heard[0]
    assert epoch == 2
    assert at - mended <= BEAT_SECONDS


class Serving:
    """What the engine says of the node that asks: nothing, or that it serves, or that another one does."""

    def __init__(self) -> None:
        self.says: ScovilleError | None = outcome_unknown()
        self.asked = 0

    async def confirm(self) -> None:
        self.asked += 1
        if self.says is not None:
            raise self.says


@in_virtual_time
async def test_node_that_hears_nobody_asks_the_engine_who_serves() -> None:
    nodes, engine = Nodes("a", "b", "c"), Serving()
    await asyncio.sleep(5)
    contact = Contact(nodes.neighbours["a"], engine.confirm, nodes.clock)
    assert contact.restore_contact() is None
    # Its own beats come back: the server of the engine beside it is cut off with it.
    for other in "bc":
        nodes.couriers[other].is_mute = True
    await asyncio.sleep(MISSING_SECONDS + BEAT_SECONDS)
    doubt = contact.restore_contact()
    assert doubt is not None
    assert not await doubt
    doubt = contact.restore_contact()
    assert doubt is not None
    engine.says = Deposed()
    with pytest.raises(ScovilleError) as moved:
        await doubt
    assert moved.value.code == Code.MOVED
    engine.says = None
    doubt = contact.restore_contact()
    assert doubt is not None
    assert await doubt
    assert contact.restore_contact() is None
    assert engine.asked == 3
    await asyncio.sleep(FORGET_SECONDS)
    assert contact.restore_contact() is None


@pytest.mark.parametrize("is_cut_off", [False, True])
@in_virtual_time
async def test_node_that_hears_its_successor_sends_users_there_at_once(is_cut_off: bool) -> None:
    nodes, engine = Nodes("a", "b"), Serving()
    await asyncio.sleep(5)
    contact = Contact(nodes.neighbours["a"], engine.confirm, nodes.clock)
    engine.says = None
    nodes.couriers["a"].is_mute = nodes.couriers["a"].is_deaf = True
    await asyncio.sleep(MISSING_SECONDS + BEAT_SECONDS)
    # The engine says right before its successor begins that it serves, and does not answer any more.
    doubt = contact.restore_contact()
    assert doubt is not None
    assert await doubt
    assert contact.restore_contact() is None
    nodes.couriers["a"].is_deaf = False
    engine.says = outcome_unknown()
    await asyncio.sleep(2 * BEAT_SECONDS)
    assert [name for name, _ in nodes.turns] == ["a", "b"]
    nodes.couriers["a"].is_mute = False
    nodes.couriers["a"].is_deaf = is_cut_off
    began = nodes.clock.seconds()
    doubt = contact.restore_contact()
    assert doubt is not None
    with pytest.raises(ScovilleError) as moved:
        await doubt
    assert (moved.value.code, moved.value.data) == (Code.MOVED, {"address": "b.example:1"})
    assert nodes.clock.seconds() == began
    await asyncio.sleep(3)
    doubt = contact.restore_contact()
    assert doubt is not None
    with pytest.raises(ScovilleError, match="Another server process serves now"):
        await doubt


@in_virtual_time
async def test_beat_of_a_later_epoch_counts_before_a_late_copy_of_the_engine() -> None:
    nodes = Nodes("a", "b", "c")
    await asyncio.sleep(5)
    nodes.log.is_away = True
    nodes.log.serving_epoch = 1
    nodes.neighbours["b"].begin_serving(2, 0.0)
    assert nodes.neighbours["c"].serving_address == "b.example:1"
    nodes.log.is_away = False
    # It reads an old copy, and hears the former node, which does not know yet that it was followed.
    await asyncio.sleep(3)
    assert nodes.neighbours["c"].serving_address == "b.example:1"
    assert [name for name, _ in nodes.turns] == ["a"]


@in_virtual_time
async def test_node_that_is_cut_off_keeps_pings_waiting() -> None:
    nodes = Nodes("a", "b")
    await asyncio.sleep(5)
    engine = Serving()
    contact = Contact(nodes.neighbours["a"], engine.confirm, nodes.clock)
    server = Server(
        Settings(accounts=CHEAP_HASHING),
        toy_shelf(),
        clock=nodes.clock,
        make_nodes=lambda flushes: single_node(flushes)._replace(restore_contact=contact.restore_contact),
    )
    await server.start()
    anna = await Caller(server).hello("Anna")

    async def ping() -> float:
        began = nodes.clock.seconds()
        assert await anna.call(PingRequest(payload="1")) == PingReply(payload="1")
        return nodes.clock.seconds() - began

    assert await ping() == 0
    nodes.couriers["a"].is_deaf = True
    await asyncio.sleep(MISSING_SECONDS + BEAT_SECONDS)
    waits = asyncio.gather(ping(), ping())
    await anna.call(ListTablesRequest())
    assert await waits == [pytest.approx(NO_CONTACT_SECONDS, abs=BEAT_SECONDS)] * 2
    waits = asyncio.gather(ping(), ping())
    await asyncio.sleep(0.1)
    nodes.couriers["a"].is_deaf = False
    assert max(await waits) <= 0.1 + 2 * BEAT_SECONDS
    assert await ping() == 0
    await server.close()
