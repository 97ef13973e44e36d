"""Bytes cut into records, however they arrive."""

import random

import pytest

from scoville_server.net.tls.records import RecordBuffer, is_one_record
from tests.support.tls import DATA, plain_record


@pytest.mark.parametrize("size", [1, 7, 1000, 100_000])
def test_records_come_out_whole_and_in_order(size: int) -> None:
    chance = random.Random(size)
    records = [plain_record(chance.randbytes(chance.choice((1, 22, 300, 16_000))), DATA) for _ in range(40)]
    stream, buffer, taken = b"".join(records), RecordBuffer(), []
    for at in range(0, len(stream), size):
        buffer.add(stream[at : at + size])
        while record := buffer.take_record():
            taken.append(bytes(record))
    assert taken == records
    assert len(buffer) == 0
    assert all(map(is_one_record, records))


@pytest.mark.parametrize("wrong", [b"\x94\x00\x00\xa5h", b"\x17\x02\x03\x00\x05", b"\x17\x03\x03\xff\xff"])
def test_bytes_without_a_record_are_passed_on(wrong: bytes) -> None:
    buffer = RecordBuffer()
    buffer.add(plain_record(b"x", DATA) + wrong)
    assert buffer.take_record() == plain_record(b"x", DATA)
    assert buffer.take_record() == wrong
