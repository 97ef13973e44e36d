"""Requests at the table; a move is played once, even if the connection is lost on the way.

The others are start, pause, kick, vote, host role, invitations, rematch and export.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, cast

from scoville_client.i18n.language import current_language, render, tr
from scoville_client.session.changes import Change, ConnectionDown, Publish, Request
from scoville_client.session.link import ReconnectingLink
from scoville_client.session.new_table.adaptive_bots import AdaptiveBots
from scoville_client.session.table.table import AtTable
from scoville_client.transport.base import LinkError
from scoville_shared.engine.contract import Refusal
from scoville_shared.engine.phrases import Phrase
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.messages import (
    CreateReply,
    Empty,
    ExportReply,
    ExportRequest,
    InviteRequest,
    KickRequest,
    MoveSentence,
    OfTable,
    PlanLineParams,
    PlanReply,
    PlanRequest,
    Played,
    PlayReply,
    PlayRequest,
    ReadMoveReply,
    ReadMoveRequest,
    ReadyRequest,
    RematchRequest,
    ShowPlanRequest,
    StartRequest,
    TableInfo,
    TransferHostRequest,
    VoteRequest,
)
from scoville_shared.protocol.state import ConnectionState
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

    async def request_here(self, kind: type[OfTable]) -> None:
        """Send a request that says nothing but at which table, such as `PauseRequest`."""
        await self._request(kind(table=self._current().id), Empty)

    async def open_rematch(self) -> TableInfo:
        """Open a rematch for the same players, to which each goes by `Session.follow`."""
        at = self._current()
        bots = await self._adaptive_bots.choose_for_rematch(at.info, at.seat)
        info = (await self._request(RematchRequest(table=at.id, bot_levels=bots), CreateReply)).info
        self._adaptive_bots.note_table(info.table, before=at.id)
        self._add_table(info)
        return info

    async def plan_moves(self, lines: Sequence[PlanLineParams], most: int) -> PlanReply:
        """Plan the next moves of this user's seat, up to `most`, and return the plan; no lines forget it."""
        table = self._current().id
        await self._request(PlanRequest(table=table, plan_lines=[*lines], most=most), Empty)
        return await self.show_plan()

    async def show_plan(self) -> PlanReply:
        """Request the plan of this user's seat."""
        return await self._request(ShowPlanRequest(table=self._current().id), PlanReply)

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


_UNREADABLE = (LookupError, TypeError, ValueError, AttributeError)
"""Errors of a game whose text does not know a refusal, or its data."""
_WAITS = Phrase("{sentence} Your move is saved and will be sent after reconnecting.")


class MoveSender:
    """Sends moves over a link. While the link reconnects one move waits, which is published."""

    def __init__(self, link: ReconnectingLink, request: Request, publish: Publish) -> None:
        self._link = link
        self._request = request
        self._publish = publish
        self._waiting = False
        self._down: ConnectionDown | None = None

    def on_connection_change(self, change: Change) -> Change:
        """Note a change of the connection, and return it with a sentence about a waiting move."""
        self._down = change if isinstance(change, ConnectionDown) else None
        return _with_waiting_move(change) if self._waiting else change

    async def send_move(self, at: AtTable, move: Any) -> int:
        """Play a move of the game's own type and return the number of its event.

        Raises ScovilleError with the game's own sentence for an illegal move.
        """
        nth = None if at.seat is None or not at.played else at.played[at.seat]
        plain = at.game.codec.encode_plain(move)
        # Before the request: a sent message counts for the deal's check even if no reply comes.
        at.deal.sent.append(plain)
        try:
            return await self._deliver_move(at, PlayRequest(table=at.id, move=plain, nth=nth))
        except ScovilleError as error:
            raise _in_the_games_words(error, at) from error

    async def _deliver_move(self, at: AtTable, request: PlayRequest) -> int:
        """Deliver a move; it is sent again only if the server does not have it."""
        sent = False
        while True:
            await self._wait_for_link()
            # The events of the new connection say whether the lost request has arrived; only then it is not sent again.
            made = None if request.nth is None else at.own_move(request.nth)
            if made is not None:
                return _own_event(made, sent=sent)
            # Noted before the request: only a loss since then explains a missing reply.
            again, sent, losses = sent, True, self._link.losses
            try:
                seq = (await self._request(request, PlayReply)).seq
                at.deal.accepted[seq] = request.move
                return seq
            except LinkError:
                # Without a number the server cannot tell the same move from a second one, so it is not sent twice.
                if request.nth is None or self._link.losses == losses:
                    raise
            except ScovilleError as error:
                # The first copy has arrived after all; the next round finds the event and returns its number.
                if error.code != Code.STALE_MOVE or not again or at.own_move(request.nth or 0) is None:
                    raise

    async def _wait_for_link(self) -> None:
        """Wait until the link is open. A second move would be made without knowing the result of the first."""
        if self._link.state is ConnectionState.OPEN:
            return
        if self._waiting:
            raise LinkError(tr("Your move is waiting for the connection to {place}.", place=self._link.server_name))
        self._waiting = True
        if self._down is not None:
            self._publish(_with_waiting_move(self._down))
        try:
            await self._link.wait_until_open()
        finally:
            self._waiting = False


def _with_waiting_move(change: Change) -> Change:
    """Add to a lost connection that a move waits for it."""
    if not isinstance(change, ConnectionDown):
        return change
    sentence = _WAITS.with_fields({"sentence": change.sentence})
    return ConnectionDown(sentence, change.tries, move_waits=True, restarting=change.restarting)


def _own_event(made: Played, *, sent: bool) -> int:
    """Return the event number of this user's move. Raises ScovilleError if a bot or the clock made it."""
    if sent and made.mover == "player":
        return made.seq
    raise ScovilleError(Code.STALE_MOVE, tr("A bot played for you in the meantime; look at the table again."))


def _in_the_games_words(error: ScovilleError, at: AtTable) -> ScovilleError:
    """Return a refusal with the game's own sentence, and any other error unchanged."""
    if error.code in set(Code) or at.by_sentences is not None:  # the server has written in the user's language
        return error
    refusal = Refusal(cast("Any", error.code), error.data)
    try:
        sentence = render(at.game.text.describe_refusal(refusal), at.names)
    # Data that this version of the game cannot read: the server's own sentence.
    except _UNREADABLE:
        return error
    return ScovilleError(error.code, sentence, error.data)
