"""Nodes that wait, with a courier and an engine of the test, in virtual time."""

import asyncio
from collections.abc import Callable

import pytest

from scoville_server.cluster.node import NO_CONTACT_SECONDS, Contact
from scoville_server.journal.base import Deposed, JournalError
from scoville_server.journal.jetstream.insistence import outcome_unknown
from scoville_server.net.peer import End
from scoville_server.nodes.election import (
    BEAT_SECONDS,
    DOUBTFUL_SECONDS,
    FOLLOW_SECONDS,
    MISSING_SECONDS,
    OVERDUE_SECONDS,
    Port,
)
from scoville_server.nodes.neighbours import FORGET_SECONDS, Neighbours
from scoville_server.nodes.nodes import single_node
from scoville_server.nodes.standby import ASKED_SECONDS, LOOK_SECONDS, ServingPort, Standby, WaitingService
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.messages import PROTOCOL, HelloRequest, ListTablesRequest, PingReply, PingRequest
from tests.support import virtual_time
from tests.support.server import CHEAP_HASHING, Caller, RecordingPeer, toy_shelf
from tests.support.virtual_time import in_virtual_time


class Air:
    """Carries the messages of all nodes; those that are `deaf` hear nothing."""

    def __init__(self) -> None:
        self.couriers: list[AirCourier] = []

    def courier(self) -> "AirCourier":
        self.couriers.append(AirCourier(self))
        return self.couriers[-1]


class AirCourier:
    def __init__(self, air: Air) -> None:
        self.air = air
        self.is_connected = True
        self.is_deaf = self.is_mute = False
        self.handlers: list[Callable[[bytes], None]] = []

    def send_message(self, message: bytes) -> None:
        for courier in () if self.is_mute else self.air.couriers:
            for handle in () if courier.is_deaf else courier.handlers:
                handle(message)

    def hear_messages(self, handle: Callable[[bytes], None]) -> None:
        self.handlers.append(handle)


class Log:
    """The engine: who has the newest epoch."""

    def __init__(self) -> None:
        self.serving_epoch = 0
        self.is_away = False
        self.faults = 0

    async def catch_up(self) -> None:
        if self.is_away:
            raise JournalError("It does not answer.")

    def take_epoch(self) -> int:
        self.serving_epoch += 1
        return self.serving_epoch


class Nodes:
    """Some nodes: `turns` are those that have come to serve, with the time; `joined` those that serve beside others.

    Those with `links` are to serve beside others. Between its turn and its epoch a node needs `start_seconds`; what
    another one has taken by then is its `conflicts`.
    """

    def __init__(self, *names: str, links: str = "", start_seconds: float = 0.0) -> None:
        self.links = links
        self.start_seconds = start_seconds
        self.conflicts: list[str] = []
        self.joined: list[str] = []
        self.air, self.log = Air(), Log()
        self.clock = virtual_time.make_clock()
        self.ports: dict[str, Port] = {}
        self.looks = 0
        self.serving_ports: dict[str, ServingPort] = {}
        self.holding: set[str] = set()
        self.turns: list[tuple[str, float]] = []
        self.neighbours: dict[str, Neighbours] = {}
        self.couriers: dict[str, AirCourier] = {}
        self.tasks = {name: asyncio.ensure_future(self._run(name)) for name in names}

    async def _run(self, name: str) -> None:
        courier = self.couriers[name] = self.air.courier()
        neighbours = self.neighbours[name] = Neighbours(courier, name, f"{name}.example:1", self.clock)
        joins = name in self.links
        neighbours.link = f"{name}.example:2" if joins else ""
        neighbours.start_beating()
        port = self.serving_ports[name] = ServingPort(neighbours, self._look, self.clock)

        def hold_users(is_next: bool) -> None:
            (self.holding.add if is_next else self.holding.discard)(name)

        standby = Standby(self.log, neighbours, port, self.clock, joins=joins, hold_users=hold_users)
        while True:
            if await standby.wait_for_turn():
                self.joined.append(name)
                neighbours.begin_serving(self.log.serving_epoch, 0.0)
                return
            known = self.log.serving_epoch
            await self.clock.sleep(self.start_seconds)
            if self.log.serving_epoch == known:
                neighbours.begin_serving(self.log.take_epoch(), 0.0)
                self.turns.append((name, self.clock.seconds()))
                return
            self.conflicts.append(name)

    def start(self, name: str) -> None:
        self.tasks[name] = asyncio.ensure_future(self._run(name))

    async def _look(self, address: str) -> Port:
        self.looks += 1
        return self.ports.get(address.partition(".")[0], "unclear")

    def end(self, name: str) -> None:
        self.neighbours[name].stop_beating()
        self.couriers[name].is_mute = True


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
    nodes = Nodes("a", "b")
    await asyncio.sleep(5)
    nodes.neighbours["a"].end_serving(leaving=True)
    left = nodes.clock.seconds()
    await asyncio.sleep(1)
    assert nodes.turns[1][0] == "b"
    assert nodes.turns[1][1] - left < 0.3


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
    assert await ask(nodes, "c") == ("b.example:1", 0)
    nodes.end("b")
    await asyncio.sleep(1)
    assert (await ask(nodes, "c"))[0] == ""


async def ask(nodes: Nodes, name: str) -> tuple[str, float]:
    """Say hello to a node that waits; returns the address that it names, and the seconds until then."""
    connection = WaitingService(lambda: nodes.serving_ports[name]).accept_connection(RecordingPeer())
    began = nodes.clock.seconds()
    with pytest.raises(ScovilleError) as refused:
        await connection.handle_request(HelloRequest(protocol=PROTOCOL, name="Anna"))  # type: ignore[misc]
    assert refused.value.code == Code.MOVED
    connection.release_connection(End("left"))
    return str(refused.value.data.get("address", "")), nodes.clock.seconds() - began


@in_virtual_time
async def test_waiting_node_names_the_one_that_serves() -> None:
    nodes = Nodes("a", "b")
    await asyncio.sleep(5)
    assert await ask(nodes, "b") == ("a.example:1", 0)
    nodes.neighbours["b"].served, nodes.neighbours["b"].since = None, nodes.clock.seconds()
    assert (await ask(nodes, "b"))[1] < 1


@in_virtual_time
async def test_users_wait_at_a_node_for_the_next_that_serves() -> None:
    nodes = Nodes("a", "b", "c")
    await asyncio.sleep(5)
    nodes.end("a")
    await asyncio.sleep(DOUBTFUL_SECONDS + 0.1)
    address, seconds = await ask(nodes, "c")
    assert address == "b.example:1"
    assert 0 < seconds < 1.5


@in_virtual_time
async def test_users_are_not_sent_back_to_a_node_that_has_just_ended() -> None:
    """They notice at once: until it was missed, hundreds went to and fro between it and the nodes that wait."""
    nodes = Nodes("a", "b", "c")
    await asyncio.sleep(5)
    assert await ask(nodes, "c") == ("a.example:1", 0)
    await asyncio.sleep(5)
    nodes.ports["a"], nodes.looks = "closed", 0
    nodes.end("a")
    ended = nodes.clock.seconds()
    answers = await asyncio.gather(*(ask(nodes, "c") for _ in range(100)))
    assert {address for address, _ in answers} == {"b.example:1"}
    assert nodes.clock.seconds() - ended < 2 * LOOK_SECONDS + OVERDUE_SECONDS
    assert nodes.looks <= 4, "one for all users, and those of the election"


@in_virtual_time
async def test_users_wait_in_front_of_the_node_that_is_about_to_take_over() -> None:
    """Let in, they would wait at it for nothing, and come again once its server accepts them."""
    nodes = Nodes("a", "b", "c")
    await asyncio.sleep(5)
    assert (await ask(nodes, "b"))[0] == "a.example:1"
    assert not nodes.holding
    await asyncio.sleep(1)
    nodes.ports["a"] = "closed"
    nodes.end("a")
    asking = [asyncio.ensure_future(ask(nodes, name)) for name in "bc"]
    await asyncio.sleep(0.01)
    assert nodes.holding == {"b"}
    await asyncio.sleep(1)
    assert [name for name, _ in nodes.turns] == ["a", "b"]
    assert nodes.holding == {"b"}, "its server has the port now"
    assert (await asking[1])[0] == "b.example:1"


@in_virtual_time
async def test_node_that_does_not_take_over_lets_users_in_again() -> None:
    nodes = Nodes("a", "b", "c")
    await asyncio.sleep(5)
    # It hears the third one alone, which hears the serving one.
    heard = nodes.couriers["a"].send_message
    nodes.couriers["a"].send_message = lambda message: [  # type: ignore[method-assign, func-returns-value]
        handle(message) for name in ("a", "c") for handle in nodes.couriers[name].handlers
    ]
    nodes.ports["a"] = "closed"
    asking = asyncio.ensure_future(ask(nodes, "b"))
    await asyncio.sleep(0.01)
    assert nodes.holding == {"b"}
    await asyncio.sleep(MISSING_SECONDS + 2 * LOOK_SECONDS)
    assert not nodes.holding
    assert [name for name, _ in nodes.turns] == ["a"]
    nodes.couriers["a"].send_message = heard  # type: ignore[method-assign]
    assert (await asking)[0] == "a.example:1"


@in_virtual_time
async def test_users_wait_for_the_next_beat_of_a_node_that_only_seems_closed() -> None:
    nodes = Nodes("a", "b")
    await asyncio.sleep(5)
    nodes.ports["a"] = "closed"
    address, seconds = await ask(nodes, "b")
    assert address == "a.example:1"
    assert seconds <= BEAT_SECONDS
    assert [name for name, _ in nodes.turns] == ["a"]


@in_virtual_time
async def test_users_who_wait_at_the_next_node_itself_come_in_once_it_accepts_them() -> None:
    nodes = Nodes("a", "b")
    await asyncio.sleep(5)
    nodes.end("a")
    await asyncio.sleep(1)
    asking = asyncio.ensure_future(ask(nodes, "b"))
    await asyncio.sleep(1)
    assert [name for name, _ in nodes.turns] == ["a", "b"]
    assert not asking.done(), "it serves, and does not accept them yet"
    nodes.neighbours["b"].begin_accepting()
    assert (await asking)[0] == "b.example:1"
    nodes.neighbours["b"].end_serving(leaving=True)
    assert (await ask(nodes, "b"))[0] == ""


@in_virtual_time
async def test_users_wait_no_longer_than_some_seconds() -> None:
    nodes = Nodes("a", "b")
    await asyncio.sleep(5)
    nodes.log.is_away = True
    nodes.end("a")
    await asyncio.sleep(1)
    assert await ask(nodes, "b") == ("", pytest.approx(ASKED_SECONDS))


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
