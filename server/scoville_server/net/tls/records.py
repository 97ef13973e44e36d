"""Bytes that have arrived by TLS, cut into records without decrypting them."""

from typing import Final

RECORD: Final = 2**14
"""Bytes of the longest record without its header."""
HANDSHAKE: Final = 0x16
"""The first byte of TLS: a record of the handshake. No message of the protocol begins with it."""
_HEADER: Final = 5
_VERSION: Final = 3
"""The second byte of every record: the major number of all versions of TLS."""
_TYPES: Final = range(20, 24)
"""First bytes of records: change of cipher, alert, handshake, data."""
_LONGEST: Final = RECORD + 256
"""Bytes of the longest encrypted record without its header."""
_CLEARED_AT: Final = 4 * RECORD
"""Bytes of records that were taken, from which on they are removed: to do it after each would move all others."""


def is_one_record(data: bytes) -> bool:
    """Return whether bytes are a record, no more and no less, as what arrives usually is."""
    return len(data) > _HEADER and len(data) == (data[3] << 8 | data[4]) + _HEADER


def holds_first_record(data: bytes) -> bool:
    """Return whether the first bytes of a connection say how it begins: by plain text, a whole record, or garbage."""
    if not data or data[0] != HANDSHAKE:
        return bool(data)
    if len(data) < _HEADER:
        return len(data) > 1 and data[1] != _VERSION
    size = data[3] << 8 | data[4]
    return data[1] != _VERSION or size > _LONGEST or len(data) >= size + _HEADER


class RecordBuffer:
    """Bytes that are not decrypted yet: part of a record, or more while the connection waits for its turn."""

    __slots__ = ("_at", "_bytes")

    def __init__(self) -> None:
        self._bytes = bytearray()
        self._at = 0

    def __len__(self) -> int:
        return len(self._bytes) - self._at

    def add(self, data: bytes) -> None:
        """Take bytes that arrived."""
        self._bytes += data

    def clear(self) -> None:
        """Forget everything: none of it will be read."""
        self._bytes.clear()
        self._at = 0

    @property
    def may_be_hello(self) -> bool:
        """Whether a connection may begin like this: nothing is computed for anything else."""
        size = int.from_bytes(self._bytes[3:_HEADER])
        return len(self) < 2 or (self._bytes[1] == _VERSION and (len(self) < _HEADER or 0 < size <= RECORD))

    @property
    def next_size(self) -> int:
        """Bytes of the next record; 0 until all of it is there.

        Bytes that cannot be a record count as one: OpenSSL knows how to refuse it.
        """
        data, at, left = self._bytes, self._at, len(self)
        if left < _HEADER:
            return 0
        size = data[at + 3] << 8 | data[at + 4]
        if data[at] not in _TYPES or data[at + 1] != _VERSION or size > _LONGEST:
            return left
        return size + _HEADER if left >= size + _HEADER else 0

    def take_record(self) -> bytearray:
        """Take the next record; empty until all of it is there."""
        begin = self._at
        self._at = end = begin + self.next_size
        record = self._bytes[begin:end]
        if end == len(self._bytes):
            self.clear()
        elif end > _CLEARED_AT:
            del self._bytes[:end]
            self._at = 0
        return record
