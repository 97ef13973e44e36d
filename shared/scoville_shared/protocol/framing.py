"""Framing: finds the ends of MessagePack messages, at a bounded cost in memory and time."""

from collections.abc import Iterator
from typing import NamedTuple, final

from msgpack import OutOfData, Unpacker
from msgpack.exceptions import StackError, UnpackException

from scoville_shared.errors import Code
from scoville_shared.protocol.outline import Outline

_ROOM = 16 * 1024
"""Bytes of buffer that an idle connection may keep; what a burst needed beyond that is freed."""
_FIRST_ROOM = 4 * 1024
"""Bytes of buffer with which a connection begins: most never need more, and what was never touched costs nothing."""
_MOST = 64
"""Most messages that are cut off at a time."""

_HEADERS = 64
"""Most headers of an unfinished message that are read per piece: this is Python, and a message may be all headers."""


Bytes = bytes | bytearray


@final
class Fault(NamedTuple):
    """Why a stream cannot be read any further: nothing after it makes sense, so the connection must be closed."""

    code: Code
    message: str


class Run(NamedTuple):
    """Complete messages in a row: their bytes and their number."""

    data: Bytes
    number: int

    def list_messages(self) -> Iterator[Bytes]:
        """Yield the bytes of each complete message."""
        unpacker, start = Unpacker(max_buffer_size=len(self.data)), 0
        unpacker.feed(self.data)
        for _ in range(self.number):
            unpacker.skip()
            end = unpacker.tell()
            yield self.data[start:end]
            start = end


_NOTHING = Run(b"", 0)


class Framer:
    """Cuts a stream into messages of at most `limit` bytes.

    Holds the unfinished message, and what was fed but not cut yet. Each byte is read a fixed number of times, however
    small the pieces of the stream are.
    """

    __slots__ = ("_base", "_buffer", "_fed", "_limit", "_outline", "_outlined", "_room", "_start", "_unpacker", "fault")

    _unpacker: Unpacker | None
    """None while nothing is unfinished: one costs an idle connection 45 KB of memory, and two microseconds to make."""
    _buffer: Bytes
    _base: int
    """Offset in the stream, as the unpacker counts, at which the buffer begins."""
    _start: int
    """Offset in the buffer at which the next message begins."""
    _fed: int
    """Offset up to which the unpacker has a copy: it gets pieces, because its own buffer never shrinks."""
    _room: int
    """The size of the unpacker's buffer, in bytes; rather too large than too small."""
    _outline: Outline | None
    """Outline of the unfinished message, which begins at the stream's offset `_outlined`."""
    _outlined: int

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self.fault: Fault | None = None
        self._renew_unpacker()

    @property
    def empty(self) -> bool:
        """Whether everything fed was cut off."""
        return self._start == len(self._buffer) and self.fault is None

    def feed_bytes(self, data: bytes) -> None:
        """Add the next bytes of the stream."""
        self._base += self._start
        self._fed -= self._start
        # Nothing is left over, the usual case: the transport's own bytes become the buffer, without a copy.
        if self._start == len(self._buffer):
            self._buffer = data
        else:
            self._grow_buffer(data)
        self._start = 0

    @property
    def buffered_bytes(self) -> int:
        """Bytes of memory that the buffers take, beyond those of an idle connection."""
        return len(self._buffer) + max(0, self._room - _ROOM)

    @property
    def rest(self) -> int:
        """Number of bytes that were fed and not cut off yet."""
        return len(self._buffer) - self._start

    @property
    def rest_bytes(self) -> bytes:
        """Bytes that were fed and not cut off yet."""
        return bytes(memoryview(self._buffer)[self._start :])

    def cut_messages(self) -> Run:
        """Cut off the next complete messages, up to 64 or a little more than 16 KiB of them.

        An empty run means that more bytes are needed or, with `fault`, why no further message can be read.
        """
        first = start = self._start
        size = len(self._buffer)
        if start == size:
            return _NOTHING
        unpacker = self._unpacker = self._unpacker or Unpacker(read_size=_FIRST_ROOM)
        skip, tell, base = unpacker.skip, unpacker.tell, self._base

        # Not all that has come: a run is decoded in one go, and the turn must be able to end behind it.
        stop = min(first + _ROOM, size)
        count = 0
        if self._fed < stop:
            self._feed_more(start)

        try:
            while start < stop and count < _MOST:
                try:
                    skip()
                except OutOfData:
                    if self._fed == size:
                        raise
                    self._feed_more(start)
                else:
                    start = tell() - base
                    count += 1
        except OutOfData:
            self._measure_message(start)
        except (ValueError, UnpackException) as error:
            self.fault = _fault_of(error)
        run = Run(self._buffer[first:start], count)
        self._start = start
        if start == size:
            self._renew_unpacker()

        # A run within the limit holds no message beyond it; only a longer one is looked through.
        return run if len(run.data) <= self._limit else self._check_run(run)

    def _renew_unpacker(self) -> None:
        self._unpacker = None
        self._buffer = b""
        self._base = self._start = self._fed = 0
        self._room = _FIRST_ROOM
        self._outline = None

    def _feed_more(self, start: int) -> None:
        """Copy the next piece to the unpacker, whose next message begins at `start`."""
        assert self._unpacker is not None, "there is one while something is unfinished"
        fed, buffer = self._fed, self._buffer
        end = min(fed + _ROOM, len(buffer))
        # Usually one piece is all of it, and needs no view.
        self._unpacker.feed(memoryview(buffer)[fed:end] if end - fed < len(buffer) else buffer)
        self._fed = end
        if end - start > self._room:
            # The unpacker doubles what it has to hold, and keeps that.
            self._room = 2 * (end - start)

    def _grow_buffer(self, data: bytes) -> None:
        """Extend the buffer in place: a flood of tiny pieces must not copy everything each time."""
        if isinstance(self._buffer, bytearray):
            del self._buffer[: self._start]
        else:
            self._buffer = bytearray(memoryview(self._buffer)[self._start :])
        self._buffer += data

    def _check_run(self, run: Run) -> Run:
        """Return the part of a run before the first message that is too large."""
        passed: list[Bytes] = []
        for message in run.list_messages():
            if len(message) > self._limit:
                self.fault = self._too_large(len(message))
                break
            passed.append(message)
        return Run(b"".join(passed), len(passed))

    def _measure_message(self, start: int) -> None:
        """Fail as soon as the headers of an unfinished message show that it will be too large."""
        if self._outline is None or self._outlined != self._base + start:
            self._outline, self._outlined = Outline(), self._base + start
        least = self._outline.least_size(memoryview(self._buffer)[start:], _HEADERS)
        if least > self._limit:
            self.fault = self._too_large(least)

    def _too_large(self, length: int) -> Fault:
        return Fault(
            Code.FRAME_TOO_LARGE,
            f"A message can have at most {self._limit} bytes here; this one has at least {length}.",
        )


def _fault_of(error: Exception) -> Fault:
    if isinstance(error, StackError):
        return Fault(Code.BAD_FRAME, "A message is nested too deeply.")
    return Fault(Code.BAD_FRAME, "These bytes are not MessagePack.")
