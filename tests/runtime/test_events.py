"""Events: what sinks receive, what quotas let through, and how lines look."""

import json
import logging
import random
import re
from collections import Counter

import pytest

from scoville_runtime.events import SECURITY, SUMMARY_SECONDS, USUAL, Event, EventLog, Events, kind_of
from scoville_runtime.log_setup import LineFormatter
from scoville_server.events import GameEnd, Hello, Refusal, WrongLogin
from tests.support.clock import FakeClock

A, B = "192.0.2.1:5000", "[2001:db8::7]:50412"


@pytest.fixture
def lines(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level(logging.INFO, "scoville.events")
    return caplog


def written(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records]


def refusal(address: str, code: str = "slow_down") -> Refusal:
    return Refusal(code=code, method="table.create", address=address, connection=1)


def wrong_login(address: str) -> WrongLogin:
    return WrongLogin(code="wrong_login", method="account.log_in", address=address, connection=2)


class CountingSink:
    """A sink that counts, as metrics do."""

    def __init__(self) -> None:
        self.counted: Counter[str] = Counter()
        self.closed = False

    def take_event(self, event: Event) -> None:
        self.counted[kind_of(event)] += 1

    def close_sink(self) -> None:
        self.closed = True


class FailingSink(CountingSink):
    """A sink with a bug."""

    def take_event(self, event: Event) -> None:
        raise RuntimeError(kind_of(event))


# --- sinks ------------------------------------------------------------------------------------------------------


def test_sinks_count_before_any_quota(lines: pytest.LogCaptureFixture) -> None:
    counter = CountingSink()
    events = Events(EventLog(FakeClock().server))
    events.add_sink(counter)
    for _ in range(10_000):
        events.report_event(refusal(A))
    events.close_sinks()
    assert counter.counted == {"refusal": 10_000}
    assert counter.closed
    assert len(written(lines)) == USUAL.network_lines + 1


def test_a_failing_sink_disturbs_nobody() -> None:
    counter = CountingSink()
    Events(FailingSink(), counter).report_event(refusal(A))
    assert counter.counted == {"refusal": 1}


# --- quotas -----------------------------------------------------------------------------------------------------


def test_refusals_hide_no_wrong_login(lines: pytest.LogCaptureFixture) -> None:
    clock = FakeClock()
    log = EventLog(clock.server)
    for n in range(10_000):
        log.take_event(refusal(A))
        if n % 2_000 == 0:
            log.take_event(wrong_login(B))
    assert sum(line.startswith("wrong_login") for line in written(lines)) == 5
    clock.advance(SUMMARY_SECONDS)
    assert written(lines)[-1] == ("suppressed kind=refusal code=slow_down count=9980 networks=1 network=192.0.2.1")
    assert SUMMARY_SECONDS < 10


@pytest.mark.parametrize("make", [refusal, wrong_login])
@pytest.mark.parametrize("spread", ["203.0.{high}.{low}:80", "[2001:db8:{n:x}::1]:80"])
def test_three_hundred_networks_hide_no_wrong_login(
    make: "type[refusal]", spread: str, lines: pytest.LogCaptureFixture
) -> None:
    clock, chance = FakeClock(), random.Random(7)
    log = EventLog(clock.server)
    for second in range(60):
        for _ in range(400):
            n = chance.randrange(300)
            log.take_event(make(spread.format(n=n + 1, high=n // 256, low=n % 256)))
        if second % 10 == 3:
            log.take_event(wrong_login("198.51.100.9:77"))
        clock.advance(1)
    assert sum("198.51.100.9" in line for line in written(lines)) == 6
    log.close_sink()
    check_nothing_uncounted(lines, 24_006)


def check_nothing_uncounted(lines: pytest.LogCaptureFixture, reported: int) -> None:
    """Every event was written, or is in the count of a summary."""
    summaries = [line for line in written(lines) if line.startswith("suppressed")]
    counted = sum(int(re.findall(r"count=(\d+)", line)[0]) for line in summaries)
    assert len(written(lines)) - len(summaries) + counted == reported


@pytest.mark.parametrize("make", [refusal, wrong_login])
def test_no_crowd_of_networks_fills_a_disk(make: "type[refusal]", lines: pytest.LogCaptureFixture) -> None:
    clock = FakeClock()
    log = EventLog(clock.server)
    quota = SECURITY if make is wrong_login else USUAL
    for second in range(200):
        for n in range(100):
            log.take_event(make(f"[2001:{second:x}:{n:x}::1]:80"))  # each from a network of its own
        clock.advance(1)
    log.close_sink()
    assert len(written(lines)) <= quota.lines + 200 * quota.rate + 200 / SUMMARY_SECONDS + 1
    check_nothing_uncounted(lines, 20_000)


def test_a_quiet_network_gets_its_quota_back(lines: pytest.LogCaptureFixture) -> None:
    clock = FakeClock()
    log = EventLog(clock.server)
    for _ in range(3):
        for _ in range(50):
            log.take_event(refusal(A))
        clock.advance(3_600)
    assert sum(line.startswith("refusal") for line in written(lines)) == 3 * USUAL.network_lines


def test_closing_counts_what_was_suppressed(lines: pytest.LogCaptureFixture) -> None:
    clock = FakeClock()
    log = EventLog(clock.server)
    for _ in range(25):
        log.take_event(refusal(A, "busy"))
    log.close_sink()
    assert written(lines)[-1].startswith("suppressed kind=refusal code=busy count=5")
    assert not clock.alarms, "a closed log leaves no timer"


# --- lines ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Anna", "user=Anna"),
        ("A B", 'user="A B"'),
        ("x\nINFO: hello user=admin", r'user="x\nINFO: hello user=admin"'),
        ('"', r'user="\""'),
        ("a=b", 'user="a=b"'),
        ("\u202eevil\u2028", r'user="\u202eevil\u2028"'),
        ("\x1b[31m", r'user="\u001b[31m"'),
        ("\u00e4", r'user="\u00e4"'),
    ],
)
def test_no_value_can_forge_a_line(name: str, shown: str, lines: pytest.LogCaptureFixture) -> None:
    EventLog().take_event(Hello(address=A, connection=1, user=name, claimed=False))
    assert written(lines) == [f"hello address={A} connection=1 {shown} claimed=false"]


def records(lines: pytest.LogCaptureFixture) -> list[logging.LogRecord]:
    EventLog().take_event(GameEnd(table="t1", game="heap", result="finished", moves=7))
    logging.getLogger("scoville.events").warning("A \n sentence")
    try:
        raise ValueError("a\nwrong_login address=192.0.2.1:1")
    except ValueError:
        logging.getLogger("scoville_server").exception("failed")
    return lines.records


def test_as_json_every_record_is_an_object(lines: pytest.LogCaptureFixture) -> None:
    form = LineFormatter("json", "server")
    event, sentence, fault = [json.loads(form.format(record)) for record in records(lines)]
    assert event.items() >= {"event": "game_end", "table": "t1", "moves": 7, "level": "info"}.items()
    assert sentence.items() >= {"event": "message", "message": "A \n sentence", "program": "server"}.items()
    assert "ValueError" in fault["exception"]
    assert all(isinstance(each["time"], float) for each in (event, sentence, fault))


def test_as_text_every_line_has_its_time(lines: pytest.LogCaptureFixture) -> None:
    form = LineFormatter("text", "server")
    event, sentence, fault = [form.format(record) for record in records(lines)]
    start = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z %s server\[\d+\]: "
    assert re.fullmatch(start % "info" + "game_end table=t1 game=heap result=finished moves=7", event)
    assert re.fullmatch(start % "warning" + r"message A \\n sentence", sentence)
    assert all(line.startswith("    ") for line in fault.splitlines()[1:])


def test_the_journal_gets_priorities(lines: pytest.LogCaptureFixture) -> None:
    form = LineFormatter("text", "server", journal=True)
    event, sentence, fault = [form.format(record) for record in records(lines)]
    assert event.startswith("<6>game_end table=t1")
    assert sentence.startswith("<4>message A ")
    assert all(line.startswith("<3>") for line in fault.splitlines())
