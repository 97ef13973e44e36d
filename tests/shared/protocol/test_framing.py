import time
from collections.abc import Iterator
from typing import Any

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoville_shared.errors import Code
from scoville_shared.protocol import outline
from scoville_shared.protocol.framing import Framer
from scoville_shared.protocol.outline import Outline

LIMIT = 64 * 1024

plain = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False) | st.text() | st.binary(),
    lambda inner: st.lists(inner, max_size=20) | st.dictionaries(st.text(max_size=40), inner, max_size=20),
    max_leaves=40,
)


def messages(framer: Framer) -> Iterator[bytes | bytearray]:
    while (run := framer.cut_messages()).number:
        yield from run.list_messages()


def cut(pieces: list[bytes], limit: int = LIMIT) -> tuple[list[bytes], Code | None]:
    framer, frames = Framer(limit), []
    for piece in pieces:
        framer.feed_bytes(piece)
        frames += map(bytes, messages(framer))
        if framer.fault is not None:
            return frames, framer.fault.code
    return frames, None


@given(st.lists(plain.map(msgpack.packb), min_size=1, max_size=8), st.data())
def test_messages_are_cut_alike_however_the_stream_arrives(messages: list[bytes], data: st.DataObject) -> None:
    stream = b"".join(messages)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=10)))
    pieces = [stream[a:b] for a, b in zip([0, *cuts], [*cuts, len(stream)], strict=True)]

    assert cut(pieces) == (messages, None)


def test_messages_are_cut_off_in_portions() -> None:
    framer = Framer(LIMIT)
    framer.feed_bytes(b"\x01" * 100 + b"\x93\x03")
    assert framer.cut_messages() == (b"\x01" * 64, 64)

    framer.feed_bytes(b"\x04\x05\x06")

    assert list(messages(framer)) == [b"\x01"] * 36 + [b"\x93\x03\x04\x05", b"\x06"]
    assert framer.cut_messages() == (b"", 0)


@pytest.mark.parametrize(
    "header",
    [
        pytest.param(b"\xdb\x40\x00\x00\x00", id="text of a gigabyte"),
        pytest.param(b"\xc6\x40\x00\x00\x00", id="bytes of a gigabyte"),
        pytest.param(b"\xc9\x40\x00\x00\x00\x01", id="extension of a gigabyte"),
        pytest.param(b"\xdd\xff\xff\xff\xff", id="array of 2^32 items"),
        pytest.param(b"\xdf\xff\xff\xff\xff", id="map of 2^32 pairs"),
        pytest.param(b"\x94\x00\x01\xa4ping\x91\x81\xa7payload\xdb\x40\x00\x00\x00", id="deep inside a request"),
        pytest.param(b"\xdd\x00\x00\x01\x00" + b"\xda\x7f\xff" + b"a" * 0x7FFF + b"\xda\x7f\xff", id="bit by bit"),
    ],
)
def test_an_oversized_message_is_refused_at_its_header(header: bytes) -> None:
    assert cut([header]) == ([], Code.FRAME_TOO_LARGE)
    assert cut([bytes([byte]) for byte in header]) == ([], Code.FRAME_TOO_LARGE)


def test_a_message_that_is_whole_but_too_large_is_refused() -> None:
    assert cut([msgpack.packb("a" * 90)], limit=100)[1] is None
    assert cut([msgpack.packb("a" * 100)], limit=100)[1] is Code.FRAME_TOO_LARGE


def test_messages_before_the_garbage_are_still_read() -> None:
    assert cut([b"\x01\xc1\x02"]) == ([b"\x01"], Code.BAD_FRAME)


@pytest.mark.parametrize("header", [b"\x91", b"\x81\xa1a"], ids=["arrays", "maps"])
def test_nesting_ten_thousand_deep_is_refused(header: bytes) -> None:
    assert cut([header * 10_000 + b"\xc0"]) == ([], Code.BAD_FRAME)


def test_single_bytes_cost_in_proportion() -> None:
    def cost(length: int) -> float:
        message = msgpack.packb([0] * length)
        began = time.process_time()
        assert cut([bytes([byte]) for byte in message]) == ([message], None)
        return time.process_time() - began

    cost(2_000)

    assert min(cost(32_000) for _ in range(3)) < 64 * min(cost(2_000) for _ in range(3)), "16 times the bytes"


@given(plain)
def test_the_outline_knows_the_length_of_every_message(value: object) -> None:
    message = msgpack.packb(value)
    outline = Outline()

    needed = [outline.least_size(memoryview(message)[:arrived]) for arrived in range(1, len(message) + 1)]

    assert needed == sorted(needed)
    assert needed[-1] == len(message)


def test_unfinished_headers_are_measured_in_portions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Sixty thousand headers in one piece held everybody up for twenty milliseconds."""
    read: list[int] = []

    class Tokens(tuple[tuple[int, int], ...]):
        def __getitem__(self, first: Any) -> Any:
            read.append(first)
            return super().__getitem__(first)

    monkeypatch.setattr(outline, "_TOKENS", Tokens(outline._TOKENS))
    framer = Framer(LIMIT)

    framer.feed_bytes(b"\xdc\xff\x00" + b"\x01" * 60_000)
    assert framer.cut_messages().number == 0

    assert 0 < len(read) <= 100
    assert framer.fault is None
    framer.feed_bytes(b"\xdb\x40\x00\x00\x00" + b"\x01" * 6_000)
    framer.cut_messages()
    assert framer.fault is not None, "what has arrived is too large by itself"


def test_the_outline_continues_where_it_stopped() -> None:
    message = msgpack.packb([[n, "a" * n] for n in range(50)])
    whole, bit_by_bit = Outline(), Outline()

    needed = [bit_by_bit.least_size(memoryview(message)[:-1], 7) for _ in range(100)]

    assert needed[-1] == whole.least_size(memoryview(message)[:-1]) == len(message)


def test_the_outline_knows_every_extension() -> None:
    for length in (1, 2, 4, 8, 16, 3, 300, 70_000):
        message = msgpack.packb(msgpack.ExtType(5, b"x" * length))
        assert Outline().least_size(memoryview(message)) == len(message)
