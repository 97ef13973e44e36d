"""Frames of a link: what crosses it beside the bytes that clients send and get, and how a stream is cut into them.

A frame is its length in four bytes, its kind in one, and a content. Requests, replies and notices in it are the very
bytes that a client sends or gets. A link is open between nodes alone, which have proved that they have the key of the
cluster; whatever is wrong with its bytes ends it.
"""

import struct
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple, TypeVar

import msgspec
from msgspec import Struct

from scoville_shared.ids import UserId
from scoville_shared.protocol.connection import FROM_SERVER

LINK_PROTOCOL: Final = 1
"""The version of these frames."""
MOST_BYTES: Final = FROM_SERVER + 64 * 1024
"""The largest frame: the largest message of a server, and to whom it goes."""
PORTION: Final = 16 * 1024
"""Bytes of a long reply in one frame: events of games do not wait behind a whole one."""


class Kind:
    """Kind of a frame, as a number: members of an enum would take their time for each frame."""

    GREETING: Final = 0
    """Of either node, its first frame: a `Greeting`."""
    VISIT: Final = 1
    """Of the asking node: whom a line belongs to from now on, as an `Introduction`."""
    CALL: Final = 2
    """Of the asking node: a request of a line."""
    LEAVE: Final = 3
    """Of the asking node: a line has ended."""
    REPLY: Final = 4
    """Of the answering node: the reply to a request, or the rest of one."""
    PART: Final = 5
    """Of the answering node: the beginning of a long reply, or more of it."""
    NOTICE: Final = 6
    """Of the answering node: a notice to some lines."""
    END: Final = 7
    """Of the answering node: a line must end, with the notice that its user gets last."""
    PING: Final = 8
    """Of either node; any frame answers it."""
    PONG: Final = 9
    PASS_ON: Final = 10
    """Of the answering node: a line goes on watching a table at another node, as a `PassedOn`."""
    RESUME: Final = 11
    """Of the asking node: a line goes on watching a table that has moved to the other one, as a `PassedOn`."""


class Greeting(Struct, frozen=True, array_like=True):
    """The first frame of a node on a link.

    Attributes:
        node: Its name.
        to: The node that it wants to reach, or that has accepted the link.
        link_protocol: The version of frames that it speaks.
        protocol: The version of the protocol in which its users speak.
        version: That of its program, for hosts.
        passes_on: Whether it lets users go on watching a table that moves; nodes of earlier versions send them away.
    """

    node: str
    to: str
    link_protocol: int = LINK_PROTOCOL
    protocol: int = 0
    version: str = ""
    passes_on: bool = False


class Introduction(Struct, frozen=True, array_like=True):
    """Who asks on a line: what their own node knows of them, and the other one believes.

    Attributes:
        user: Their number.
        name: Their name.
        claimed: Whether they own it.
        lapsed: The tables at which a bot has their seat until they come back.
        stored: Whether the journal has them.
        age_seconds: How long ago a guest has come; negative for long ago.
        address: Where they come from, for limits; empty for inside a process.
        secure: Whether nobody reads along between them and their node.
        local: Whether they are at the machine of their node.
        number: The number of their connection, in the logs of their node.
    """

    user: UserId
    name: str
    claimed: bool
    lapsed: tuple[str, ...] = ()
    stored: bool = False
    age_seconds: float = -1.0
    address: str = ""
    secure: bool = False
    local: bool = False
    number: int = 0


class PassedOn(Struct, frozen=True, array_like=True):
    """A watched table that has moved.

    Attributes:
        table: The table.
        node: The node that serves it now.
        watcher: As whom it is watched, encoded: links know nothing of tables.
    """

    table: str
    node: str
    watcher: bytes


class LinkFault(Exception):
    """Why a link cannot be read any further."""


class Frame(NamedTuple):
    """One frame."""

    kind: int
    content: bytes


_HEAD: Final = struct.Struct(">IB")
_NUMBER: Final = struct.Struct(">I")
_NUMBERED: Final = struct.Struct(">IBI")
_COUNT: Final = struct.Struct(">H")
MOST_LINES: Final = 2_000
"""Lines that get a notice in one frame."""

S = TypeVar("S", bound=Struct)
_encode = msgspec.msgpack.encode


def write_frame(kind: int, *contents: bytes) -> bytes:
    """Return the bytes of a frame."""
    content = b"".join(contents)
    return _HEAD.pack(len(content), kind) + content


def write_numbered(kind: int, number: int, content: bytes) -> bytes:
    """Return the bytes of a frame about a line or a request."""
    return _NUMBERED.pack(len(content) + _NUMBER.size, kind, number) + content


def write_struct(kind: int, content: Struct) -> bytes:
    """Return the bytes of a frame that holds a struct."""
    return write_frame(kind, _encode(content))


def write_of_line(kind: int, line: int, content: Introduction | PassedOn) -> bytes:
    """Return the bytes of a frame that tells something of a line."""
    return write_numbered(kind, line, _encode(content))


def write_notice(lines: Sequence[int], notice: bytes) -> bytes:
    """Return the bytes of a frame with a notice to some lines, at most `MOST_LINES`."""
    count = len(lines)
    size = _COUNT.size + count * _NUMBER.size + len(notice)
    return struct.pack(f">IBH{count}I", size, Kind.NOTICE, count, *lines) + notice


def read_numbered(content: bytes) -> tuple[int, bytes]:
    """Return the number in the content of a frame, and the rest. Raises LinkFault."""
    try:
        return _NUMBER.unpack_from(content)[0], content[_NUMBER.size :]
    except struct.error as error:
        raise LinkFault("a frame lacks its number") from error


def read_notice(content: bytes) -> tuple[tuple[int, ...], bytes]:
    """Return the lines that get a notice, and the notice. Raises LinkFault."""
    try:
        (count,) = _COUNT.unpack_from(content)
        lines = struct.unpack_from(f">{count}I", content, _COUNT.size)
    except struct.error as error:
        raise LinkFault("a notice is cut off") from error
    return lines, content[_COUNT.size + count * _NUMBER.size :]


def read_struct(kind: type[S], content: bytes) -> S:
    """Return the struct that a frame holds. Raises LinkFault."""
    try:
        return msgspec.msgpack.decode(content, type=kind)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise LinkFault(f"{kind.__name__}: {error}") from error


class FrameReader:
    """Cuts a stream into frames."""

    def __init__(self) -> None:
        self._rest = b""

    def read_frames(self, data: bytes) -> Iterator[Frame]:
        """Yield the frames that are whole with the next bytes of the stream. Raises LinkFault.

        All of them must be read before the next bytes come.
        """
        if self._rest:
            data = self._rest + data
            self._rest = b""
        start, size, head = 0, len(data), _HEAD.size
        while size - start >= head:
            length, kind = _HEAD.unpack_from(data, start)
            if length > MOST_BYTES or kind > Kind.RESUME:
                raise LinkFault("these bytes are no frame of a link")
            end = start + head + length
            if end > size:
                break
            yield Frame(kind, data[start + head : end])
            start = end
        self._rest = data[start:]
