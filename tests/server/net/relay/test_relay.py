"""A relay between two nodes: bytes in order, the ends of connections, and what ends the relay itself."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

from scoville_server.net.peer import DetachedConnection
from scoville_server.net.relay.ends import MOST_BYTES, SILENT_SECONDS, RelayEnd
from scoville_server.net.relay.following import FollowingRelay, RelayedTransport
from scoville_server.net.relay.leaving import MOST_FROM_ALL, MOST_FROM_CLIENT, LeavingRelay
from scoville_shared.errors import Code
from scoville_shared.protocol.messages import ByeNotice
from tests.server.net.doubles import RecordingTransport
from tests.support.clock import FakeClock
from tests.support.idle import wait_until_idle

MOST_UNSENT = 1000


class RecordingProtocol:
    """The protocol of a transport at the node that follows."""

    def __init__(self) -> None:
        self.received = b""
        self.is_lost = False

    def data_received(self, data: bytes) -> None:
        self.received += data

    def connection_lost(self, _: Exception | None) -> None:
        self.is_lost = True


class Pair:
    """Both ends of a relay with one connection; `lose_message` loses what the next node sends, or the leaving one."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.sizes: list[int] = []
        self.lost: set[RelayEnd] = set()
        self.leaving = LeavingRelay(
            lambda message: self.carry(self.leaving, self.following, message), self.clock.server
        )
        self.following = FollowingRelay(
            lambda message: self.carry(self.following, self.leaving, message), self.clock.server
        )
        self.client, self.number = self.add_client("127.0.0.1")
        self.transport = self.following.open_connection(self.number)
        self.protocol = RecordingProtocol()

    def add_client(self, network: str) -> tuple[RecordingTransport, int]:
        client = RecordingTransport()
        turns: Any = SimpleNamespace(shared_meter=SimpleNamespace(key=network))
        detached = DetachedConnection(client, b"", f"{network}:9", MOST_UNSENT, turns, lambda: None)
        client.set_protocol = lambda protocol: setattr(client, "protocol", protocol)  # type: ignore[method-assign]
        return client, self.leaving.add_client(detached)

    def carry(self, sender: RelayEnd, receiver: RelayEnd, message: bytes) -> None:
        self.sizes.append(len(message))
        if sender not in self.lost:
            receiver.take_message(message)

    def begin(self) -> "Pair":
        self.leaving.begin_relay()
        self.following.begin_relay()
        self.transport.set_protocol(cast("Any", self.protocol))
        return self

    def send_from_client(self, data: bytes) -> None:
        self.client.protocol.data_received(data)


async def test_bytes_go_both_ways_in_order() -> None:
    pair = Pair().begin()
    for word in (b"one ", b"two ", b"three"):
        pair.send_from_client(word)
        pair.transport.write(word)
    await wait_until_idle()
    assert pair.protocol.received == b"one two three"
    assert b"".join(pair.client.writes) == b"one two three"


async def test_bytes_that_come_before_the_beginning_wait() -> None:
    pair = Pair()
    pair.send_from_client(b"early")
    pair.leaving.begin_relay()
    await wait_until_idle()
    assert not pair.protocol.received
    pair.following.begin_relay()
    pair.transport.set_protocol(cast("Any", pair.protocol))
    await wait_until_idle()
    assert pair.protocol.received == b"early"


async def test_a_paused_transport_reads_later() -> None:
    pair = Pair().begin()
    pair.transport.pause_reading()
    pair.send_from_client(b"a move")
    await wait_until_idle()
    assert (pair.protocol.received, pair.transport.has_unread) == (b"", True)
    pair.transport.resume_reading()
    await wait_until_idle()
    assert pair.protocol.received == b"a move"


async def test_the_end_of_a_connection_follows_its_last_bytes() -> None:
    pair = Pair().begin()
    pair.transport.write(b"goodbye")
    pair.transport.close()
    await wait_until_idle()
    assert (pair.client.writes, pair.client.ended, pair.protocol.is_lost) == ([b"goodbye"], "closed", True)
    pair.client.protocol.connection_lost(None)
    await pair.leaving.wait_until_gone()
    assert pair.leaving.is_over
    assert pair.following.is_over


async def test_a_client_who_leaves_ends_the_connection_at_the_next_node() -> None:
    pair = Pair().begin()
    pair.send_from_client(b"last")
    pair.client.protocol.connection_lost(None)
    await wait_until_idle()
    assert (pair.protocol.received, pair.protocol.is_lost) == (b"last", True)
    assert not pair.clock.alarms


async def test_a_long_reply_is_sent_in_messages_that_the_engine_takes() -> None:
    pair = Pair().begin()
    pair.client.set_write_buffer_limits(high=10**9)
    pair.transport.write(bytes(3 * MOST_BYTES))
    pair.client.protocol._most_unsent = 10**9
    await wait_until_idle()
    assert len(b"".join(pair.client.writes)) == 3 * MOST_BYTES
    assert max(pair.sizes) < 2 * MOST_BYTES


async def assert_lost(pair: Pair, do: Callable[[], object]) -> None:
    do()
    await wait_until_idle()
    assert pair.client.ended
    assert pair.protocol.is_lost
    assert pair.leaving.is_over
    assert pair.following.is_over
    assert not pair.clock.alarms


async def test_a_message_that_is_missing_ends_the_relay_at_both_ends() -> None:
    for number in range(2):
        pair = Pair().begin()
        sender = (pair.leaving, pair.following)[number]
        pair.lost.add(sender)
        sender.send_bytes(pair.number, b"lost")
        await wait_until_idle()
        pair.lost.clear()
        await assert_lost(pair, lambda sender=sender, pair=pair: sender.send_bytes(pair.number, b"more"))  # type: ignore[misc]
        assert b"".join(pair.client.writes) + pair.protocol.received == b""


async def test_what_is_no_message_ends_the_relay() -> None:
    pair = Pair().begin()
    await assert_lost(pair, lambda: pair.following.take_message(b"\xc1"))


async def test_ends_that_have_nothing_to_say_hear_each_other() -> None:
    pair = Pair().begin()
    await pair.clock.elapse(10 * SILENT_SECONDS)
    assert not pair.leaving.is_over
    pair.send_from_client(b"a move")
    await wait_until_idle()
    assert pair.protocol.received == b"a move"


async def test_a_node_that_is_silent_loses_the_relay() -> None:
    pair = Pair().begin()
    pair.lost.update((pair.leaving, pair.following))
    await pair.clock.elapse(2 * SILENT_SECONDS)
    await assert_lost(pair, lambda: None)


async def test_an_end_that_hung_itself_hears_the_other_one_first() -> None:
    pair = Pair().begin()
    await pair.clock.elapse(1.0)
    # No alarm rings while a process hangs, and what has come is read after the alarm.
    pair.clock.time += 10
    pair.clock.advance(0)
    assert not pair.leaving.is_over
    assert not pair.following.is_over
    await pair.clock.elapse(10)
    assert not pair.leaving.is_over


async def test_a_node_that_takes_over_may_be_silent_for_longer() -> None:
    pair = Pair()
    pair.leaving.begin_relay(patience=5.0)
    await pair.clock.elapse(4.0 + SILENT_SECONDS)
    assert not pair.leaving.is_over
    await pair.clock.elapse(2.0)
    assert pair.leaving.is_over


async def test_a_client_who_does_not_read_is_cut_off() -> None:
    pair = Pair().begin()
    pair.transport.write(bytes(MOST_UNSENT))
    await wait_until_idle()
    assert not pair.client.ended
    pair.transport.write(b"!")
    await wait_until_idle()
    assert pair.client.ended == "aborted"


async def test_a_client_who_sends_without_an_end_is_cut_off() -> None:
    pair = Pair().begin()
    pair.send_from_client(bytes(MOST_FROM_CLIENT))
    assert not pair.client.ended
    pair.send_from_client(b"!")
    assert pair.client.ended == "aborted"


async def test_the_clients_of_a_network_share_what_they_may_send() -> None:
    pair = Pair()
    flooding = [pair.add_client("192.0.2.1")[0] for _ in range(200)]
    pair.begin()
    for client in flooding:
        client.protocol.data_received(bytes(MOST_FROM_CLIENT))
    await wait_until_idle()
    passed = [client for client in flooding if not client.ended]
    assert len(passed) * MOST_FROM_CLIENT == MOST_FROM_ALL // 2, "there are two networks"
    pair.send_from_client(bytes(MOST_FROM_CLIENT))
    assert not pair.client.ended
    await wait_until_idle()
    assert len(pair.protocol.received) == MOST_FROM_CLIENT


async def test_each_of_many_networks_may_send_what_one_client_may() -> None:
    pair = Pair()
    clients = [pair.add_client(f"192.0.2.{number}")[0] for number in range(250)]
    pair.begin()
    for client in clients:
        client.protocol.data_received(bytes(MOST_FROM_CLIENT))
    assert not any(client.ended for client in clients)


async def test_nobody_asks_for_the_users_and_they_get_a_goodbye() -> None:
    pair = Pair()
    bye = ByeNotice(code=Code.MOVED, message="Another server process serves now; connect again.")
    pair.leaving.send_away(bye)
    assert pair.client.messages()[-1][1] == "bye"
    assert pair.client.ended == "closed"


async def test_a_relay_that_never_began_ends_without_a_message() -> None:
    """No node has asked, so that there is nobody to tell; a client who has not read the goodbye is cut off."""
    pair = Pair()
    pair.client.close = lambda: None  # type: ignore[method-assign]
    pair.leaving.send_away(ByeNotice(code=Code.MOVED, message="Another server process serves now."))
    pair.leaving.end_relay()
    pair.leaving.cut_off()
    assert pair.sizes == []
    assert pair.client.ended == "aborted"


def test_a_relayed_transport_has_no_socket_to_be_given_away() -> None:
    transport = RelayedTransport(cast("FollowingRelay", None), 0)
    assert transport.get_extra_info("socket") is None
    assert transport.get_write_buffer_size() == 0
