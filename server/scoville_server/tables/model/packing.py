"""Encoding of a table's records for the journal."""

from collections.abc import Sequence

import msgspec

from scoville_server.tables.model.records import AnyRecord, Condensed, Created


def replace_all(records: Sequence[AnyRecord]) -> bool:
    """Whether the records are a whole condensed table and replace all of its earlier ones."""
    return len(records) > 1 and isinstance(records[0], Created) and isinstance(records[1], Condensed)


_encoder = msgspec.msgpack.Encoder()
_decoder: msgspec.msgpack.Decoder[AnyRecord] = msgspec.msgpack.Decoder(AnyRecord)


def pack(record: AnyRecord) -> bytes:
    """Encode a record as MessagePack."""
    return _encoder.encode(record)


def unpack(data: bytes) -> AnyRecord:
    """Decode a record.

    Raises msgspec.DecodeError for bytes that `pack` did not write.
    """
    return _decoder.decode(data)
