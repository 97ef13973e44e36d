"""A clock that is wrong for one run ends nothing for good, and is reported."""

import logging

import pytest

from scoville_runtime.clock import Clock
from scoville_server.journal.base import Change
from scoville_server.journal.memory import MemoryJournal
from scoville_server.tables.actions.close import Closed
from scoville_server.trusted_time import TrustedTime
from scoville_shared.ids import TableId
from tests.support.journals import append_records

NOW = 1_760_000_000_000
HOUR, DAY = 3_600_000, 86_400_000


class Hands:
    """A manual clock, whose date can be set; date and monotonic time advance together."""

    def __init__(self, date_ms: int = NOW) -> None:
        self.date_ms, self.seconds = date_ms, 0.0

    def go_on(self, ms: int) -> None:
        self.date_ms += ms
        self.seconds += ms / 1000

    @property
    def time(self) -> TrustedTime:
        return TrustedTime(Clock(lambda: self.date_ms, lambda: self.seconds))


def begun(date_ms: int, newest: int = NOW) -> tuple[Hands, TrustedTime]:
    hands = Hands(date_ms)
    time = hands.time
    time.compare_with(newest)
    return hands, time


@pytest.mark.parametrize("off", [0, 1, HOUR, 2 * DAY])
def test_a_long_stopped_server_believes_its_clock(off: int, caplog: pytest.LogCaptureFixture) -> None:
    hands, time = begun(NOW + off)
    assert (time.now_ms(), time.warning, caplog.text) == (NOW + off, "", "")
    hands.go_on(5 * DAY)
    assert time.now_ms() == NOW + off + 5 * DAY


@pytest.mark.parametrize(("off", "sentence"), [(31 * DAY, "31 days ahead of"), (91 * DAY, "91 days ahead of")])
def test_a_clock_far_ahead_is_doubted_for_a_day(off: int, sentence: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    hands, time = begun(NOW + off)
    assert sentence in time.warning
    assert caplog.text.count(sentence) == 1
    hands.go_on(23 * HOUR)
    assert time.now_ms() == NOW + 23 * HOUR
    assert not time.may_expire()
    assert caplog.text.count(sentence) == 1
    hands.go_on(HOUR)
    assert time.now_ms() == NOW + off + DAY
    assert (time.warning, time.jumped, time.may_expire()) == ("", True, False)


@pytest.mark.parametrize("off", [2 * HOUR, 40 * DAY, NOW])
def test_a_clock_in_the_past_continues_from_the_newest_time(off: int) -> None:
    hands, time = begun(NOW - off)
    assert "behind the newest time" in time.warning
    hands.go_on(HOUR)
    assert time.now_ms() == NOW + HOUR
    hands.date_ms += off
    assert (time.now_ms(), time.warning) == (NOW + HOUR, "")


def test_time_never_goes_back_by_a_small_correction() -> None:
    hands, time = begun(NOW)
    hands.go_on(HOUR)
    assert time.now_ms() == NOW + HOUR
    hands.date_ms -= HOUR // 2
    assert time.now_ms() == NOW + HOUR


def test_a_clock_set_while_running_is_doubted() -> None:
    hands, time = begun(NOW)
    hands.go_on(2 * DAY)
    assert time.may_expire()
    hands.date_ms += 365 * DAY
    assert not time.may_expire()
    assert time.now_ms() == NOW + 2 * DAY
    hands.date_ms -= 365 * DAY
    assert (time.now_ms(), time.warning, time.may_expire()) == (NOW + 2 * DAY, "", True)


def test_nothing_expires_before_the_server_has_run_for_a_day() -> None:
    hands, time = begun(NOW)
    hands.go_on(DAY - 1000)
    assert not time.may_expire()
    hands.go_on(1000)
    assert time.may_expire()


def test_an_empty_journal_knows_no_better() -> None:
    _, time = begun(0, newest=0)
    assert (time.now_ms(), time.warning) == (0, "")


async def test_the_newest_time_ignores_future_ends() -> None:
    journal = MemoryJournal()
    await append_records(journal, TableId("a"), [Closed(at_ms=NOW - 5, reason="."), Closed(at_ms=NOW, reason=".")])
    token = b"\x82\xa7used_ms\x05\xaaexpires_ms\xcf\x00\x00\x7f\xff\xff\xff\xff\xff"
    rows = {"tokens": token, "broken": b"\xff", "odd": b"\x05"}
    await journal.write([Change(book, "key", value) for book, value in rows.items()])
    assert (await journal.open()).newest_ms == NOW
    assert (await MemoryJournal().open()).newest_ms == 0
