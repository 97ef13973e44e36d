"""A link between two nodes without a network: late, in pieces, slow to read, and cut."""

import asyncio
from collections.abc import Awaitable, Callable, Collection
from typing import Any

from scoville_server.nodes.link.answering import AnsweringEnd, FarPeer
from scoville_server.nodes.link.asking import AskingEnd
from scoville_server.nodes.link.ends import Carrier, LinkEnd
from scoville_server.nodes.link.frames import Introduction
from scoville_server.nodes.link.links import Links
from scoville_server.nodes.members import NodeId
from scoville_shared.protocol import messages as m


class LinkWire:
    """What is between two ends.

    `seconds` is how late bytes come, `piece` how many come at a time (0 for all), `is_stuck` whether nobody reads.
    """

    def __init__(self) -> None:
        self.seconds = 0.0
        self.piece = 0
        self.is_stuck = False
        self.passed: list[bytes] = []
        """What has been written, by either end."""
        self.why = ""
        """Why an end has closed the link."""
        self.carriers: list[WireCarrier] = []

    def cut(self) -> None:
        """Lose the link, and what is on its way."""
        for carrier in self.carriers:
            carrier.lose()

    def read_again(self) -> None:
        self.is_stuck = False
        for carrier in self.carriers:
            carrier.flush_soon()


class WireCarrier:
    """The `Carrier` of one end."""

    def __init__(self, wire: LinkWire) -> None:
        self.wire = wire
        self.end: LinkEnd
        self.other: WireCarrier
        self._is_due = self._is_busy = self._is_lost = False
        self._latest = 0.0
        self.change: Callable[[bytes], bytes] = lambda data: data
        """Changes what this end sends."""
        self._unread: list[bytes] = []
        wire.carriers.append(self)

    def flush_soon(self) -> None:
        if not self._is_due:
            self._is_due = True
            asyncio.get_running_loop().call_soon(self._flush)

    def _flush(self) -> None:
        self._is_due = False
        if self._is_lost or self.wire.is_stuck:
            return
        data = self.end.take_bytes()
        if data:
            self.wire.passed.append(data)
            self._deliver(self.change(data))
        if self.end.has_more:
            self.flush_soon()

    def _deliver(self, data: bytes) -> None:
        size = self.wire.piece or len(data)
        for start in range(0, len(data), size):
            piece = data[start : start + size]
            if self.wire.seconds:
                loop = asyncio.get_running_loop()
                # A bit later than the one before: the loop keeps no order among those of one moment.
                self._latest = max(self._latest + 1e-6, loop.time() + self.wire.seconds)
                loop.call_at(self._latest, self.other.receive, piece)
            else:
                self.other.receive(piece)

    def receive(self, data: bytes) -> None:
        if self._is_busy:
            self._unread.append(data)
        elif not self._is_lost:
            self.end.receive_bytes(data)

    def read_on_soon(self) -> None:
        self._is_busy = True
        asyncio.get_running_loop().call_soon(self._read_on)

    def _read_on(self) -> None:
        self._is_busy = False
        if not self._is_lost:
            self.end.read_on()
        while self._unread and not self._is_busy:
            self.receive(self._unread.pop(0))

    def end_link(self, why: str) -> None:
        self.wire.why = self.wire.why or why
        self.wire.cut()

    def lose(self) -> None:
        if not self._is_lost:
            self._is_lost = True
            if hasattr(self, "end"):
                self.end.lose_link()


def join_ends(
    wire: LinkWire,
    make_asking: Callable[[WireCarrier], AskingEnd],
    make_answering: Callable[[WireCarrier], AnsweringEnd],
) -> tuple[AskingEnd, AnsweringEnd]:
    """Join two ends by a wire, and let the first one greet."""
    one, other = WireCarrier(wire), WireCarrier(wire)
    one.other, other.other = other, one
    asking, answering = make_asking(one), make_answering(other)
    one.end, other.end = asking, answering
    asking.begin_link()
    return asking, answering


class WireDialer:
    """Opens links between the nodes of one process, on wires by their names: the asking node's, then the other's."""

    def __init__(self) -> None:
        self.links: dict[str, Links] = {}
        self.wires: dict[tuple[str, str], LinkWire] = {}
        self.seconds: Callable[[], float] = lambda: 0.0
        """How late the bytes of each new link come."""
        self.is_cut = False
        """Whether no new link can be opened."""

    def links_of(self, me: NodeId) -> Links:
        """Return the links of a node that joins."""
        node = Dialing(self, me)
        self.links[me] = Links(me, node, lambda: asyncio.get_running_loop().time())
        return self.links[me]


class Dialing:
    """The `Dialer` of one node."""

    def __init__(self, dialer: WireDialer, me: NodeId) -> None:
        self._dialer = dialer
        self._me = me

    def dial_node(self, node: NodeId, make_end: Callable[[Carrier], AskingEnd]) -> AskingEnd:
        wire = self._dialer.wires[self._me, node] = LinkWire()
        wire.seconds = self._dialer.seconds()
        one, other = WireCarrier(wire), WireCarrier(wire)
        one.other, other.other = other, one
        one.end = end = make_end(one)
        asyncio.get_running_loop().call_soon(self._connect, node, end, one, other)
        return end

    def _connect(self, node: NodeId, end: AskingEnd, one: WireCarrier, other: WireCarrier) -> None:
        if end.is_lost:
            return
        found = None if self._dialer.is_cut else self._dialer.links[node].accept_link(other)
        if found is None:
            one.lose()
        else:
            other.end = found
            end.begin_link()


class Recorder:
    """The connection of a user at their own node."""

    def __init__(self) -> None:
        self.notices: list[bytes] = []
        self.byes: list[m.ByeNotice | None] = []
        self.unanswered: list[Collection[object]] = []

    def take_notice(self, notice: bytes) -> None:
        self.notices.append(notice)

    def end_line(self, bye: m.ByeNotice | None) -> None:
        self.byes.append(bye)

    def lose_watched(self, unanswered: Collection[object]) -> None:
        self.unanswered.append(unanswered)


class Host:
    """The tables of the other node: answers as a test wants."""

    def __init__(self) -> None:
        self.visits: list[Visitor] = []
        self.answer: Callable[[Visitor, m.Params], Any] = lambda _visitor, _params: m.Empty()

    def open_visit(self, peer: FarPeer, introduction: Introduction) -> "Visitor":
        visit = Visitor(self, peer, introduction)
        self.visits.append(visit)
        return visit


class Visitor:
    def __init__(self, host: Host, peer: FarPeer, introduction: Introduction) -> None:
        self.host, self.peer, self.introductions = host, peer, [introduction]
        self.asked: list[m.Params] = []
        self.ended = 0

    def introduce_user(self, introduction: Introduction) -> None:
        self.introductions.append(introduction)

    def handle_request(self, params: m.Params) -> m.Reply | Awaitable[m.Reply]:
        self.asked.append(params)
        answer: m.Reply | Awaitable[m.Reply] = self.host.answer(self, params)
        return answer

    def end_visit(self) -> None:
        self.ended += 1
