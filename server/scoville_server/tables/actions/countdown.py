"""The countdown to an automatic start: pure arithmetic in milliseconds over the seats and the table settings."""

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from scoville_server.tables.model.action import Action, Records, with_event
from scoville_server.tables.model.records import Record
from scoville_server.tables.model.table import Countdown, CountdownWhy, Table
from scoville_shared.protocol import messages as m


class CountdownStarted(Record, frozen=True, kw_only=True, tag="countdown_started"):
    """A countdown to `until_ms` started; it replaces an earlier one."""

    until_ms: int
    reason: CountdownWhy


class CountdownCancelled(Record, frozen=True, kw_only=True, tag="countdown_cancelled"):
    """The countdown was cancelled."""


def update_countdown(table: Table, now_ms: int) -> Records:
    """Return the records that bring a table's countdown up to date."""
    wanted = _choose_countdown(table, now_ms)
    if wanted == table.countdown:
        return ()
    if wanted is None:
        return (CountdownCancelled(at_ms=now_ms),)
    return (CountdownStarted(at_ms=now_ms, until_ms=wanted.until_ms, reason=wanted.reason),)


def _choose_countdown(table: Table, now_ms: int) -> Countdown | None:
    """Find the countdown that ends first."""
    if table.status != "waiting" or table.revealing is not None or table.closed is not None:
        return None
    return min(_possible_countdowns(table, now_ms), key=lambda countdown: countdown.until_ms, default=None)


def _possible_countdowns(table: Table, now_ms: int) -> Iterator[Countdown]:
    """List the possible countdowns; one that is already running keeps its end."""
    settings, running = table.opened.settings, table.countdown
    reasons: list[CountdownWhy] = ["full"] if settings.start == "full" and not table.free_seats else []
    if (settings.start == "ready" or settings.hostless) and table.all_ready:
        reasons.append("ready")
    for reason in reasons:
        begun = running if running is not None and running.reason == reason else None
        yield begun or Countdown(now_ms + settings.countdown_ms, reason)
    if settings.fill_ms is not None and table.since_ms is not None:
        yield Countdown(table.since_ms + settings.fill_ms, "fill")


def _evolve_countdown_started(table: Table, record: CountdownStarted) -> Table:
    starts_in_ms = max(0, record.until_ms - record.at_ms)
    after = replace(table, countdown=Countdown(record.until_ms, record.reason))
    return with_event(after, m.CountdownStarted(seq=table.seq + 1, starts_in_ms=starts_in_ms, reason=record.reason))


def _evolve_countdown_cancelled(table: Table, _: CountdownCancelled) -> Table:
    assert table.countdown is not None, "only a countdown that runs is cancelled"
    return with_event(replace(table, countdown=None), m.CountdownCancelled(seq=table.seq + 1))


ACTION: Final = Action(
    evolvers={CountdownStarted: _evolve_countdown_started, CountdownCancelled: _evolve_countdown_cancelled}
)
