from pathlib import Path

from scoville_server.net.limits import Limits

PAGE = (Path(__file__).parents[3] / "docs" / "protocol.md").read_text(encoding="utf-8")


def test_the_protocol_page_tells_the_limits_that_hold() -> None:
    limits = Limits()

    for told in (
        f"| one message to the server | {limits.frame:,} bytes",
        f"| time for `hello` | {limits.hello_seconds:g} seconds",
        f"| {limits.unanswered}, then `too_many` |",
        f"above {limits.ahead // 1024} KiB",
        f"above {limits.unsent // 1024} KiB",
        f"closes | {limits.farewell_seconds:g} seconds",
        f"| {limits.connections:,}, then `bye` with `busy` |",
        f"| {limits.connections_of_address:,}, then the same |",
    ):
        assert told in PAGE
