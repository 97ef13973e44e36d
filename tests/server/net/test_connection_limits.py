from pathlib import Path

from scoville_server.net.connection_limits import ConnectionLimits

PAGE = (Path(__file__).parents[3] / "docs" / "protocol.md").read_text(encoding="utf-8")


def test_the_protocol_page_shows_the_limits_that_hold() -> None:
    limits = ConnectionLimits()

    for row in (
        f"| one message to the server | {limits.message_bytes:,} bytes",
        f"| time for `hello` | {limits.hello_seconds:g} seconds",
        f"| {limits.pending_requests}, then `too_many` |",
        f"above {limits.unsent_pause // 1024} KiB",
        f"above {limits.unsent_drop // 1024} KiB",
        f"closes | {limits.closing_seconds:g} seconds",
        f"| {limits.total:,}, then `bye` with `busy` |",
        f"| {limits.per_address:,}, then the same |",
    ):
        assert row in PAGE
