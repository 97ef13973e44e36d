"""An exported game comes in pages; a hostile server's never end, overlap or grow without bound."""

from typing import Any

import pytest

from scoville_client.session.table.actions import fetch_export
from scoville_shared.errors import ScovilleError
from scoville_shared.protocol.messages import ExportReply, ExportRequest
from scoville_shared.replay.file import MAX_FILE_CHARS, MAX_LINES


class Pages:
    """A server that replies with these pages; the last one repeats."""

    def __init__(self, *pages: ExportReply) -> None:
        self.pages = pages
        self.asked: list[int] = []

    async def __call__(self, params: Any, kind: Any) -> Any:
        assert isinstance(params, ExportRequest)
        self.asked.append(params.since)
        return self.pages[min(len(self.asked), len(self.pages)) - 1]


def page(*lines: str, count: int) -> ExportReply:
    return ExportReply(lines=list(lines), line_count=count)


async def test_pages_are_joined() -> None:
    server = Pages(page("a", "b", count=3), page("c", count=3))
    assert await fetch_export(server, "t") == ["a", "b", "c"]
    assert server.asked == [0, 2]


@pytest.mark.parametrize(
    "server",
    [
        Pages(page("a", count=2), page(count=2)),
        Pages(page("a", "b", "c", count=2)),
        Pages(page("a", count=-1)),
        Pages(page(*["x"] * 1_000, count=2**53)),
        Pages(page("x" * 60_000, count=MAX_LINES)),
    ],
)
async def test_impossible_pages_are_a_bounded_error(server: Pages) -> None:
    with pytest.raises(ScovilleError):
        await fetch_export(server, "t")
    assert len(server.asked) <= max(MAX_LINES // 1_000, MAX_FILE_CHARS // 60_000) + 1
