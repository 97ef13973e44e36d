"""The two ends of a link without I/O: frames in, calls of what each end serves; bytes out."""

from collections import deque
from typing import Final, Protocol

from scoville_server.nodes.link.figures import LinkFigures
from scoville_server.nodes.link.frames import (
    LINK_PROTOCOL,
    Frame,
    FrameReader,
    Greeting,
    Kind,
    LinkFault,
    read_struct,
    write_frame,
    write_struct,
)
from scoville_shared import __version__
from scoville_shared.protocol.messages import PROTOCOL

FRAMES_A_TURN: Final = 32
"""Frames that are read in one turn of the loop: a node with many users must not hold up those of this one."""
MOST_UNSENT: Final = 8 * 1024 * 1024
"""Bytes that may wait for a node that does not read; then the link ends, and its users come back by their own."""


class Carrier(Protocol):
    """Carrier of the bytes of one end."""

    def flush_soon(self) -> None:
        """Take the bytes of this end and send them at the end of this turn of the loop, or once the other end reads."""

    def read_on_soon(self) -> None:
        """Call `read_on` in the next turn of the loop, and pass on no bytes until then."""

    def end_link(self, why: str) -> None:
        """Close the connection; `lose_link` follows, at once or later."""


class LinkEnd:
    """Base of both ends: the greeting, reading in turns, and bytes that wait to be sent.

    Nothing but the greeting is sent before the other node's has come, and is right.

    Attributes:
        other: The node at the other end; empty before it is known.
        is_open: Whether both nodes have greeted each other, and the connection lives.
        is_lost: Whether the connection has ended.
        passes_on: Whether the other node lets users go on watching a table that moves.
    """

    figures: LinkFigures | None = None
    """Count this link and its bytes."""

    def __init__(self, me: str, other: str, carrier: Carrier) -> None:
        self.other = other
        self.is_open = self.is_lost = self.passes_on = False
        self._me = me
        self._carrier = carrier
        self._reader = FrameReader()
        self._unread: deque[Frame] = deque()
        self._early = bytearray()
        """Frames that wait for the greeting."""
        self.out = bytearray()
        """Bytes that wait to be sent."""

    def _send(self, frame: bytes) -> None:
        if self.is_lost:
            return
        if not self.is_open:
            self._early += frame
            return
        self.out += frame
        self._carrier.flush_soon()
        if len(self.out) > MOST_UNSENT:
            self._carrier.end_link(f"node {self.other} does not read what it is sent")

    def _greet(self) -> None:
        if not self.is_lost:
            self.out += write_struct(
                Kind.GREETING, Greeting(self._me, self.other, protocol=PROTOCOL, version=__version__, passes_on=True)
            )
            self._carrier.flush_soon()

    def send_ping(self) -> None:
        """Ask the other node for a sign of life."""
        if self.is_open:
            self._send(write_frame(Kind.PING))

    def take_bytes(self) -> bytes:
        """Hand over the bytes to send now."""
        out = bytes(self.out)
        self.out.clear()
        if self.figures is not None:
            self.figures.sent_bytes += len(out)
        return out

    @property
    def has_more(self) -> bool:
        """Whether there is more to be sent in a later turn of the loop."""
        return False

    def receive_bytes(self, data: bytes) -> None:
        """Take bytes that have come."""
        if self.is_lost:
            return
        if self.figures is not None:
            self.figures.received_bytes += len(data)
        try:
            self._unread.extend(self._reader.read_frames(data))
        except LinkFault as fault:
            self._carrier.end_link(f"from node {self.other or 'unknown'}: {fault}")
            return
        self.read_on()

    def read_on(self) -> None:
        """Read arrived frames, some in each turn of the loop."""
        try:
            for _ in range(FRAMES_A_TURN):
                if not self._unread or self.is_lost:
                    return
                self._take_frame(self._unread.popleft())
        except LinkFault as fault:
            self._carrier.end_link(f"from node {self.other or 'unknown'}: {fault}")
            return
        if self._unread:
            self._carrier.read_on_soon()

    def _take_frame(self, frame: Frame) -> None:
        """Take a frame. Raises LinkFault."""
        kind = frame.kind
        if self.is_open and kind not in (Kind.GREETING, Kind.PING, Kind.PONG):
            self.read_frame(kind, frame.content)
        elif kind == Kind.GREETING:
            self._take_greeting(read_struct(Greeting, frame.content))
        elif not self.is_open:
            raise LinkFault("it does not greet first")
        elif kind == Kind.PING:
            self._send(write_frame(Kind.PONG))

    def _take_greeting(self, greeting: Greeting) -> None:
        if self.is_open:
            raise LinkFault("it greets twice")
        if greeting.link_protocol != LINK_PROTOCOL:
            raise LinkFault(
                f"it is scoville {greeting.version} and speaks version {greeting.link_protocol} of the link, not "
                f"{LINK_PROTOCOL}; users reach its tables by connecting to it"
            )
        if greeting.to != self._me or (self.other and greeting.node != self.other):
            raise LinkFault(f"it is {greeting.node}, and looks for {greeting.to}")
        self.other, self.passes_on = greeting.node, greeting.passes_on
        self.answer_greeting()
        self.is_open = True
        if self.figures is not None:
            self.figures.note_open()
        self.out += self._early
        self._early.clear()
        self._carrier.flush_soon()

    def answer_greeting(self) -> None:
        """Answer the right greeting of the other node."""

    def read_frame(self, kind: int, content: bytes) -> None:
        """Read a frame of a greeted node. Raises LinkFault."""
        raise NotImplementedError

    def end(self, why: str) -> None:
        """End the link from this side."""
        if not self.is_lost:
            self._carrier.end_link(why)

    def lose_link(self) -> None:
        """Note that the connection has ended; a second call does nothing."""
        if not self.is_lost:
            was_open, self.is_lost, self.is_open = self.is_open, True, False
            self._unread.clear()
            self._early.clear()
            self.out.clear()
            if self.figures is not None:
                self.figures.note_end(was_open=was_open)
            self.release_lines(was_open=was_open)

    def release_lines(self, *, was_open: bool) -> None:
        """Give up all lines: the link is lost, or was never open."""
        raise NotImplementedError
