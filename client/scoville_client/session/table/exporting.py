"""Export of a finished game from the server: page by page, each bounded."""

from collections.abc import Awaitable, Callable

from scoville_client.i18n.language import tr
from scoville_client.session.changes import Request
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.messages import ExportReply, ExportRequest
from scoville_shared.replay.file import MAX_FILE_CHARS, MAX_LINES


async def fetch_export(request: Request, table: str) -> list[str]:
    """Return a finished game as the lines of an exported file.

    Raises as `Request` does, and ScovilleError for pages that do not fit together or are too large.
    """
    return await collect_pages(lambda since: request(ExportRequest(table=table, since=since), ExportReply))


async def collect_pages(request_page: Callable[[int], Awaitable[ExportReply]]) -> list[str]:
    """Return all lines of an exported file; `request_page` requests those after the first ones.

    Raises as `fetch_export` does.
    """
    lines: list[str] = []
    chars = 0
    while True:
        page = await request_page(len(lines))
        lines += page.lines
        chars += sum(map(len, page.lines))
        if len(lines) > min(page.line_count, MAX_LINES) or chars > MAX_FILE_CHARS:
            raise _broken_export(tr("it is too long"))
        if len(lines) == page.line_count:
            return lines
        if not page.lines:
            raise _broken_export(tr("a page is missing"))


def _broken_export(reason: str) -> ScovilleError:
    return ScovilleError(Code.BAD_FRAME, tr("The server sent an export that cannot be used: {reason}.", reason=reason))
