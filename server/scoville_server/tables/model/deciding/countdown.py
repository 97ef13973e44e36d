"""The countdown to an automatic start: pure arithmetic in milliseconds over the seats and the table settings."""

from collections.abc import Iterator

from scoville_server.tables.model.records import AnyRecord, CountdownCancelled, CountdownStarted, CountdownWhy
from scoville_server.tables.model.table import Countdown, Table


def changes(table: Table, now_ms: int) -> tuple[AnyRecord, ...]:
    """Return the records that bring a table's countdown up to date."""
    wanted = _wanted(table, now_ms)
    if wanted == table.countdown:
        return ()
    if wanted is None:
        return (CountdownCancelled(at_ms=now_ms),)
    return (CountdownStarted(at_ms=now_ms, until_ms=wanted.until_ms, reason=wanted.reason),)


def _wanted(table: Table, now_ms: int) -> Countdown | None:
    """Find the countdown that ends first."""
    if table.status != "waiting" or table.revealing is not None or table.closed is not None:
        return None
    return min(_due(table, now_ms), key=lambda due: due.until_ms, default=None)


def _due(table: Table, now_ms: int) -> Iterator[Countdown]:
    """List the possible countdowns; one that is already running keeps its end."""
    settings, running = table.opened.settings, table.countdown
    reasons: list[CountdownWhy] = ["full"] if settings.start == "full" and not table.free else []
    if (settings.start == "ready" or settings.hostless) and table.all_ready:
        reasons.append("ready")
    for reason in reasons:
        begun = running if running is not None and running.reason == reason else None
        yield begun or Countdown(now_ms + settings.countdown_ms, reason)
    if settings.fill_ms is not None and table.since_ms is not None:
        yield Countdown(table.since_ms + settings.fill_ms, "fill")
