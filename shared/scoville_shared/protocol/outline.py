"""Least size of a MessagePack message, from its beginning alone."""

import sys

_SIZED = {
    0xC4: (1, 0, 0),  # bin 8, 16, 32
    0xC5: (2, 0, 0),
    0xC6: (4, 0, 0),
    0xC7: (1, 1, 0),  # ext 8, 16, 32: one more byte for the type
    0xC8: (2, 1, 0),
    0xC9: (4, 1, 0),
    0xD9: (1, 0, 0),  # str 8, 16, 32
    0xDA: (2, 0, 0),
    0xDB: (4, 0, 0),
    0xDC: (2, 0, 1),  # array 16, 32: one token per item
    0xDD: (4, 0, 1),
    0xDE: (2, 0, 2),  # map 16, 32: two tokens per item, key and value
    0xDF: (4, 0, 2),
}
"""First byte -> (bytes of the size field, bytes to add to the size, tokens per item; 0 if the size is in bytes)."""

_SCALARS = {0xCA: 5, 0xCB: 9, 0xCC: 2, 0xCD: 3, 0xCE: 5, 0xCF: 9, 0xD0: 2, 0xD1: 3, 0xD2: 5, 0xD3: 9}
_FIXEXTS = {0xD4: 3, 0xD5: 4, 0xD6: 6, 0xD7: 10, 0xD8: 18}
_LENGTHS = _SCALARS | _FIXEXTS
"""First byte -> total length of numbers and small extensions."""


MOST_VALUES = 65_536
"""Most values of one message from a server, keys counted: one of a single byte can take a hundred bytes of memory."""


def has_few_values(message: bytes | bytearray) -> bool:
    """Whether a message has at most MOST_VALUES values. Nothing of it is built."""
    if len(message) <= MOST_VALUES:
        return True
    outline = Outline()
    outline.least_size(memoryview(message), MOST_VALUES)
    return outline.complete


class Outline:
    """Reads the headers of one message as they arrive, each once, and adds up its least size."""

    __slots__ = ("_at", "_owed")

    def __init__(self) -> None:
        self._at = 0
        self._owed = 1

    @property
    def complete(self) -> bool:
        """Whether the headers of the whole message were read."""
        return not self._owed

    def least_size(self, message: memoryview, tokens: int = sys.maxsize) -> int:
        """Return the least length, in bytes, of the message that begins with `message` (longer than at the last call).

        Args:
            message: The part that has arrived so far.
            tokens: Most headers that this call reads; the next call continues there.
        """
        arrived, at, owed = len(message), self._at, self._owed
        for _ in range(tokens):
            if not owed or at >= arrived:
                break
            length, items = _TOKENS[message[at]]
            if not length:
                length, items = _read_sized(message, at)
                if not length:
                    break
            at += length
            owed += items - 1
        self._at, self._owed = at, owed
        return max(at + owed, arrived)


def _measure_token(first: int) -> tuple[int, int]:
    """Measure the token with this first byte: its length and how many items follow it; (0, 0) if its header says so."""
    if first in _SIZED:
        return 0, 0
    if 0x80 <= first <= 0x8F:
        return 1, 2 * (first & 0x0F)
    if 0x90 <= first <= 0x9F:
        return 1, first & 0x0F
    if 0xA0 <= first <= 0xBF:
        return 1 + (first & 0x1F), 0
    return _LENGTHS.get(first, 1), 0


_TOKENS = tuple(_measure_token(first) for first in range(256))


def _read_sized(message: memoryview, at: int) -> tuple[int, int]:
    """Measure the token at `at` by its header; (0, 0) if that is cut off."""
    width, more, items = _SIZED[message[at]]
    header = 1 + width
    size = message[at + 1 : at + header]
    if len(size) < width:
        return 0, 0
    count = int.from_bytes(size)
    return (header, count * items) if items else (header + more + count, 0)
