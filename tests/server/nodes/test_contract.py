"""The contract of every implementation of the protocols in `nodes`."""

from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from scoville_server.cluster.engine_bus import EngineBus
from scoville_server.journal.jetstream.courier import EngineCourier
from scoville_server.net.flushes import PORTION, FlushQueue
from scoville_server.nodes.bus import Address, Bus, LocalBus, NoSubscriber, at_node
from scoville_server.nodes.connections import LocalConnections, SharedConnections, UserConnections
from scoville_server.nodes.held_keys import HeldKeys
from scoville_server.nodes.members import Alone, Members, NodeId
from scoville_server.nodes.serving import LocalServing
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import TableId, UserId
from scoville_shared.protocol.messages import AnnouncedNotice, ByeNotice
from tests.support.server import RecordingPeer, until

T1, T2 = TableId("t1"), TableId("t2")
ANNA, BEN = UserId("anna"), UserId("ben")


class TwoNodes:
    """Members of which the second inherits `t2`, and the first everything else."""

    def __init__(self, me: str) -> None:
        self.me = NodeId(me)

    def running_nodes(self) -> list[NodeId]:
        return [NodeId("first"), NodeId("second")]

    def heir_of(self, thing: str) -> NodeId:
        return NodeId("second" if thing == T2 else "first")

    def follow_losses(self, on_loss: Callable[[NodeId], object]) -> None:
        """Nobody asks for losses here."""

    def follow_gaps(self, on_gap: Callable[[bool], object]) -> None:
        """Nobody asks for gaps here."""

    def follow_returns(self, on_return: Callable[[NodeId], object]) -> None:
        """Nobody comes back."""


def serve_tables(members: Members, *, joins: bool = False) -> LocalServing[str]:
    return LocalServing(members, HeldKeys(members, LocalBus(), "tables"), joins=joins)


@pytest.fixture
def serving() -> LocalServing[str]:
    return serve_tables(Alone())


def test_a_claimed_table_is_found_until_it_is_released(serving: LocalServing[str]) -> None:
    serving.claim_table(T2, "second")
    serving.claim_table(T1, "first")
    assert (serving.find_table(T1), serving.find_table(T2), serving.all_tables()) == (
        "first",
        "second",
        ["second", "first"],
    )
    assert (T1 in serving, len(serving)) == (True, 2)
    serving.release_table(T1)
    assert (T1 in serving, serving.all_tables(), len(serving)) == (False, ["second"], 1)


def test_tables_may_be_released_while_listing(serving: LocalServing[str]) -> None:
    serving.claim_table(T1, "first")
    for _ in serving.all_tables():
        serving.release_table(T1)
    assert serving.all_tables() == []


def test_an_unknown_table_is_not_served_and_may_be_released(serving: LocalServing[str]) -> None:
    serving.release_table(T1)
    assert T1 not in serving
    with pytest.raises(ScovilleError) as refused:
        serving.find_table(T1)
    assert refused.value.code == Code.UNKNOWN_TABLE


def test_node_that_joins_others_takes_no_table_over() -> None:
    assert serve_tables(Alone(), joins=True).inherited_tables([T1, T2]) == set()


@pytest.mark.parametrize(
    ("members", "mine"), [(Alone(), {T1, T2}), (TwoNodes("first"), {T1}), (TwoNodes("second"), {T2})]
)
def test_each_stored_table_is_inherited_by_one_node(members: Members, mine: set[TableId]) -> None:
    assert serve_tables(members).inherited_tables([T1, T2]) == mine


def test_a_node_alone_is_a_member_and_inherits_everything() -> None:
    alone: Members = Alone()
    assert (alone.running_nodes(), alone.heir_of("a table")) == ((alone.me,), alone.me)


@pytest.fixture(params=["in this process", "over the engine"])
async def bus(request: pytest.FixtureRequest) -> AsyncIterator[Bus]:
    if request.param == "in this process":
        yield LocalBus()
        return
    courier = EngineCourier(request.getfixturevalue("nats_place"))
    await courier.connect()
    engine_bus = EngineBus(courier)
    yield engine_bus
    await engine_bus.close()
    await courier.close()


NEWS = Address("news")


async def test_all_subscribers_get_what_is_published(bus: Bus) -> None:
    heard: list[tuple[str, bytes]] = []

    def listener(name: str) -> Callable[[bytes], None]:
        return lambda message: heard.append((name, message))

    bus.publish(NEWS, b"too early")
    await bus.subscribe(NEWS, listener("first"))
    await bus.subscribe(NEWS, listener("second"))
    await bus.subscribe(Address("other news"), listener("third"))
    bus.publish(NEWS, b"hello")
    assert heard == [("first", b"hello"), ("second", b"hello")]


async def test_a_request_is_answered_at_its_address(bus: Bus) -> None:
    def echo(name: bytes) -> Callable[[bytes], Awaitable[bytes]]:
        async def answer(message: bytes) -> bytes:
            return name + message

        return answer

    first, second = (at_node(NodeId(node), "echo") for node in ("first", "second"))
    await bus.answer(first, echo(b"first: "))
    await bus.answer(second, echo(b"second: "))
    assert await bus.request(second, b"hello") == b"second: hello"


async def test_an_unheard_request_is_a_temporary_error(bus: Bus) -> None:
    with pytest.raises(NoSubscriber) as refused:
        await bus.request(NEWS, b"hello")
    assert str(NEWS) in refused.value.message


@pytest.fixture
def peer() -> RecordingPeer:
    return RecordingPeer()


@pytest.fixture(params=[LocalConnections, SharedConnections])
def connections(request: pytest.FixtureRequest, peer: RecordingPeer) -> UserConnections:
    """Anna is connected, Ben is not."""
    connections: UserConnections = request.param(FlushQueue())
    connections.attach_user(ANNA, peer)
    return connections


def test_a_connected_user_is_notified_and_the_connection_closed(
    connections: UserConnections, peer: RecordingPeer
) -> None:
    notice, bye = AnnouncedNotice(text="Hello"), ByeNotice(code="banned", message="Go.")
    connections.notify_user(ANNA, notice)
    assert (connections.is_here(ANNA), connections.address_of(ANNA)) == (True, peer.address)
    assert peer.heard == [notice]
    connections.close_connection(ANNA, bye)
    assert (peer.bye, peer.closed) == (bye, True)


def test_detached_user_is_no_longer_reached(connections: UserConnections, peer: RecordingPeer) -> None:
    connections.detach_user(ANNA)
    connections.detach_user(ANNA)
    connections.notify_user(ANNA, AnnouncedNotice(text="Hello"))
    assert (connections.is_here(ANNA), peer.heard) == (False, [])


def test_newest_connection_of_a_user_is_reached(connections: UserConnections, peer: RecordingPeer) -> None:
    newer, notice = RecordingPeer("192.0.2.7:4000"), AnnouncedNotice(text="Hello")
    connections.attach_user(ANNA, newer)
    connections.notify_user(ANNA, notice)
    assert (peer.heard, newer.heard, connections.address_of(ANNA)) == ([], [notice], newer.address)


def test_a_disconnected_user_is_reached_by_nothing(connections: UserConnections, peer: RecordingPeer) -> None:
    connections.notify_user(BEN, AnnouncedNotice(text="Hello"))
    connections.close_connection(BEN, ByeNotice(code="banned", message="Go."))
    assert (connections.is_here(BEN), connections.address_of(BEN), peer.heard) == (False, "", [])


async def test_many_users_are_notified_in_portions(connections: UserConnections, peer: RecordingPeer) -> None:
    notice = AnnouncedNotice(text="Hello")
    connections.notify_all([BEN] * PORTION + [ANNA], notice)
    assert peer.heard == []
    await until(lambda: peer.heard == [notice])


def test_users_of_other_nodes_are_here_while_they_have_a_line_or_are_located(peer: RecordingPeer) -> None:
    connections, changes = SharedConnections(FlushQueue()), list[tuple[object, bool]]()
    connections.on_changed = lambda user, here: changes.append((user, here))
    connections.add_visit(BEN, peer)
    connections.locate_user(BEN, "b")
    connections.notify_user(BEN, AnnouncedNotice(text="Hello"))
    connections.remove_visit(BEN, peer)
    assert connections.is_here(BEN)
    assert not connections.is_at_this_node(BEN)
    connections.locate_user(BEN, "")
    assert changes == [(BEN, True), (BEN, False)]
    assert len(peer.heard) == 1


def test_who_is_at_this_node_stays_here_whatever_is_heard_of_others(peer: RecordingPeer) -> None:
    connections, changes = SharedConnections(FlushQueue()), list[tuple[object, bool]]()
    connections.on_changed = lambda user, here: changes.append((user, here))
    connections.attach_user(ANNA, peer)
    connections.locate_user(ANNA, "b")
    connections.locate_user(ANNA, "")
    assert changes == []
    connections.close_connection(ANNA, ByeNotice(code="banned", message="Go."))
    assert peer.closed
