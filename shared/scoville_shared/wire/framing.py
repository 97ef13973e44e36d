"""Where one MessagePack message ends and the next begins, at a bounded cost in memory and time."""

from collections.abc import Iterator
from typing import NamedTuple

from msgpack import OutOfData, Unpacker  # type: ignore[import-untyped]
from msgpack.exceptions import StackError, UnpackException  # type: ignore[import-untyped]

from scoville_shared.errors import Code
from scoville_shared.wire.outline import Outline

_ROOM = 16 * 1024
"""Bytes of buffer that an idle connection may keep; what a burst needed beyond that is given back."""


Bytes = bytes | bytearray


class Fault(NamedTuple):
    """Why a stream of bytes can't be read any further: nothing after it makes sense, so the line must go."""

    code: Code
    message: str


class Framer:
    """Cuts a stream into messages of at most `limit` bytes.

    It holds the message that is not finished yet, and what was fed but not asked for. Each byte is looked at a
    fixed number of times, however finely the stream is cut.
    """

    __slots__ = ("_base", "_buffer", "_limit", "_outline", "_start", "_unpacker")

    _buffer: Bytes
    _base: int
    """The stream's offset, as the unpacker counts, at which the buffer begins."""
    _start: int
    """Where in the buffer the next message begins."""
    _outline: Outline | None
    """Of the unfinished message."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._renew()

    def feed(self, data: bytes) -> None:
        """Take the next bytes of the stream."""
        self._base += self._start
        if self._start == len(self._buffer):
            self._buffer = data
        else:
            self._grow(data)
        self._start = 0
        self._unpacker.feed(data)

    def frames(self) -> Iterator[Bytes | Fault]:
        """Cut off the complete messages, one each time it is asked; a Fault is the last thing there is."""
        skip, tell = self._unpacker.skip, self._unpacker.tell
        while self._start < len(self._buffer):
            try:
                skip()
            except OutOfData:
                yield from self._unfinished()
                return
            except (ValueError, UnpackException) as error:
                yield _unreadable(error)
                return
            frame = self._buffer[self._start : tell() - self._base]
            self._start += len(frame)
            self._outline = None
            if len(frame) > self._limit:
                yield self._too_large(len(frame))
                return
            yield frame
        if self._start > _ROOM:
            self._renew()

    def _renew(self) -> None:
        self._unpacker = Unpacker(read_size=_ROOM)
        self._buffer = b""
        self._base = self._start = 0
        self._outline = None

    def _grow(self, data: bytes) -> None:
        """Add to the rest of the buffer in place: a flood of tiny pieces must not copy the whole each time."""
        if isinstance(self._buffer, bytearray):
            del self._buffer[: self._start]
        else:
            self._buffer = bytearray(memoryview(self._buffer)[self._start :])
        self._buffer += data

    def _unfinished(self) -> Iterator[Fault]:
        """Stop waiting for a message as soon as its own headers show that it will be too large."""
        self._outline = self._outline or Outline()
        least = self._outline.least(memoryview(self._buffer)[self._start :])
        if least > self._limit:
            yield self._too_large(least)

    def _too_large(self, length: int) -> Fault:
        return Fault(
            Code.FRAME_TOO_LARGE,
            f"A message may have at most {self._limit} bytes here; this one has at least {length}.",
        )


def _unreadable(error: Exception) -> Fault:
    if isinstance(error, StackError):
        return Fault(Code.BAD_FRAME, "A message is nested too deeply.")
    return Fault(Code.BAD_FRAME, "These bytes are not MessagePack.")
