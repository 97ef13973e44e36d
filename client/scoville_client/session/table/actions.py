"""Requests about the table beside its moves: start, pause, kick, vote, host role, invitations, rematch and export."""

from collections.abc import Awaitable, Callable

from scoville_client.i18n.language import current_language, tr
from scoville_client.session.changes import Request
from scoville_client.session.new_table.adaptive_bots import AdaptiveBots
from scoville_client.session.table.table import AtTable
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.messages import (
    CreateReply,
    Empty,
    ExportReply,
    ExportRequest,
    InviteRequest,
    KickRequest,
    MoveSentence,
    PauseRequest,
    ReadMoveReply,
    ReadMoveRequest,
    ReadyRequest,
    RematchRequest,
    ResumeRequest,
    StartRequest,
    TableInfo,
    TransferHostRequest,
    VoteRequest,
)
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


class TableActions:
    """Requests about the current table, or about the one with the given id. Every method raises as `Request` does.

    Args:
        request: Sends requests.
        current: Returns the current table. Raises ScovilleError if there is none.
        wait_for_deal: Returns when the cards of a table are dealt, or its start is void.
        add_table: Adds a table to those of the lobby.
        adaptive_bots: Chooses the bots of rematches.
    """

    def __init__(
        self,
        request: Request,
        current: Callable[[], AtTable],
        wait_for_deal: Callable[[AtTable], Awaitable[None]],
        add_table: Callable[[TableInfo], None],
        adaptive_bots: AdaptiveBots,
    ) -> None:
        self._request = request
        self._current = current
        self._wait_for_deal = wait_for_deal
        self._add_table = add_table
        self._adaptive_bots = adaptive_bots

    async def start_game(self) -> None:
        """Start the game; bots take the open seats. Returns when the cards are dealt, or the start is void."""
        at = self._current()
        await self._request(StartRequest(table=at.id), Empty)
        # The reply says that the start has begun; the deal comes when all nonces are there.
        await self._wait_for_deal(at)

    async def pause_game(self) -> None:
        """Request a pause, or agree to one."""
        await self._request(PauseRequest(table=self._current().id), Empty)

    async def resume_game(self) -> None:
        """End a pause, or withdraw the request for one."""
        await self._request(ResumeRequest(table=self._current().id), Empty)

    async def open_rematch(self) -> TableInfo:
        """Open a rematch for the same players, to which each goes by `Session.follow`."""
        at = self._current()
        bots = await self._adaptive_bots.choose_for_rematch(at.info, at.seat)
        info = (await self._request(RematchRequest(table=at.id, bot_levels=bots), CreateReply)).info
        self._adaptive_bots.note_table(info.table, before=at.id)
        self._add_table(info)
        return info

    async def read_move(self, typed: str) -> MoveSentence | None:
        """Let the server read a move in a game's notation, in words of the user's language."""
        request = ReadMoveRequest(table=self._current().id, typed=typed, sentence_language=current_language())
        return (await self._request(request, ReadMoveReply)).named_move

    async def export_game(self) -> list[str]:
        """Return the finished game as the lines of an exported file."""
        return await fetch_export(self._request, self._current().id)

    async def set_ready(self, table: str, *, ready: bool = True) -> None:
        """Declare this user ready for the game, or not ready."""
        await self._request(ReadyRequest(table=table, ready=ready), Empty)

    async def kick_user(self, table: str, name: str, reason: str = "") -> None:
        """Kick a user from this user's table."""
        await self._request(KickRequest(table=table, name=name, reason=reason or None), Empty)

    async def vote_on_kick(self, table: str, against: int, *, agree: bool = True) -> None:
        """Vote on kicking the player at the seat `against` from the running game; the first vote opens the vote."""
        await self._request(VoteRequest(table=table, against=against, agree=agree), Empty)

    async def transfer_host(self, table: str, seat: int) -> None:
        """Make another player the host."""
        await self._request(TransferHostRequest(table=table, seat=seat), Empty)

    async def invite_user(self, table: str, name: str) -> None:
        """Invite a user to this user's table."""
        await self._request(InviteRequest(table=table, name=name), Empty)
