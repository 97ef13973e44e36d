"""Synchronization of the current table: each event once, in order, without gaps."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol

from msgspec.structs import replace

from scoville_client.i18n.errors import error_text
from scoville_client.i18n.language import current_language
from scoville_client.session.changes import PlaysBySentences, Publish, RemovedFromTable, Request, TableChanged
from scoville_client.session.link import TEMPORARY
from scoville_client.session.table.sentence_game import SentenceGame
from scoville_client.session.table.table import AtTable
from scoville_client.transport.base import LinkError
from scoville_outside.guard import GameFailed
from scoville_shared.engine.contract import AnyGame
from scoville_shared.engine.phrases import Phrase
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.consistency import fits_seats
from scoville_shared.protocol.messages import (
    AnyTableEvent,
    Closed,
    Empty,
    EventNotice,
    Kicked,
    LookBackReply,
    LookBackRequest,
    PresenceNotice,
    SpectatorsNotice,
    TableSnapshot,
    UnknownEvent,
    UnwatchRequest,
    WatchRequest,
)

MOST_EVENTS = 200_000
"""Events that are received of one table at most; the longest games have some 20,000."""

_MOST_PAGES = 30
"""Pages of past Views that are requested at most; a server gives those of 500 moves in 13."""

OfTable = EventNotice | PresenceNotice | SpectatorsNotice

_SENT_AWAY = Phrase("The host has kicked you from the table.")
_VOTED_OUT = Phrase("The players have voted to kick you from the table.")
_SENT_AWAY_FOR = Phrase("The host has kicked you from the table: {reason}")
_CLOSED = Phrase("The table was closed.")
_CLOSED_FOR = Phrase("The table was closed: {reason}")
_SAID = Phrase("{reason}")

_NOT_ALLOWED = (Code.KICKED, Code.UNKNOWN_TABLE, Code.NO_SPECTATORS)
"""Codes with which a server refuses a table to a user who was at it before."""


class Games(Protocol):
    """The games of a client."""

    def load_game(self, slug: str) -> AnyGame:
        """Load a game for a table. Raises ScovilleError."""

    def note_failure(self, failed: GameFailed) -> None:
        """Note that a package has failed; its game is loaded as one in sentences from now on, or refused."""


class TableSync:
    """Keeps `at`, the current table, up to date with the server's events. Requests raise as `Request` does.

    Args:
        request: Sends requests.
        publish: Publishes changes.
        gave_up: Receives the reason when a gap in the events cannot be closed.
        me: Returns the user's name.
        games: Loads games, and is notified when a package fails.
        now: Returns monotonic seconds.
    """

    def __init__(
        self,
        request: Request,
        publish: Publish,
        gave_up: Callable[[str], None],
        me: Callable[[], str],
        games: Games,
        now: Callable[[], float],
    ) -> None:
        self.at: AtTable | None = None
        self._request = request
        self._publish = publish
        self._gave_up = gave_up
        self._me = me
        self._load, self._note_failure = games.load_game, games.note_failure
        self._now = now
        self._opening: str | None = None
        self._early: list[OfTable] = []
        self._resync: asyncio.Task[None] | None = None

    async def go_to(self, table: str, key: str = "", point_of_view: int | None = None) -> AtTable:
        """Watch another table. The caller publishes it, and then calls `apply_early`."""
        snapshot = await self._open_table(table, 0, key, point_of_view)
        try:
            game = self._load(snapshot.info.game)
            if not isinstance(game, SentenceGame):
                try:
                    at = AtTable(game, snapshot, self._now)
                except GameFailed as failed:
                    self._note_failure(failed)
                    game = self._load(snapshot.info.game)
            if isinstance(game, SentenceGame):
                # Only now it is known which game it is; events since are in the second snapshot.
                snapshot = await self._open_table(table, 0, key, point_of_view, game.language)
                at = AtTable(game, snapshot, self._now)
        except ScovilleError:
            with suppress(ScovilleError, LinkError):  # only the reason matters
                await self._request(UnwatchRequest(table=table), Empty)
            raise
        before, self.at = self.at, at
        at.key = key
        if at.by_sentences is not None and (before is None or before.id != at.id):
            self._publish(PlaysBySentences(at.by_sentences.explain_itself()))
        return at

    async def resume_table(self) -> RemovedFromTable | None:
        """Continue after the last known event, on a new connection.

        Returns the removal from the table, if the user may not be there any more.
        """
        at = self.at
        if at is None:
            return None
        try:
            snapshot = await self._open_again(at, at.seq)
            if at.is_rewound_by(snapshot):  # the first events differ, too
                at.start_over(await self._open_again(at, 0))
            else:
                at.catch_up(snapshot)
        except GameFailed as failed:
            self._go_on_without_package(at, failed)
        except ScovilleError as error:
            return self.leave_refused(at, error)
        return None

    async def look_back(self) -> None:
        """Request the Views of the moves that this client has missed; of those that the server does not give, none."""
        at = self.at
        if at is None or at.missed is None:
            return
        if at.by_sentences is not None:  # no board could show the Views
            at.missed = None
            return
        since: int | None = at.missed.since
        pages = 0
        while since is not None and pages < _MOST_PAGES:
            try:
                since = await self._page_of_past(at, since)
            except ScovilleError as error:
                # A part of the past is better than none; without the first page the user learns why.
                if error.code != Code.SLOW_DOWN or not pages:
                    raise
                break
            pages += 1
        at.missed = None

    async def _page_of_past(self, at: AtTable, since: int) -> int | None:
        """Request some Views after an event; returns the event after which there are more, or None."""
        reply = await self._request(LookBackRequest(table=at.id, since=since), LookBackReply)
        at.add_past(reply.views)
        last = reply.views[-1].seq if reply.views else since
        # Only while there is progress: a server that repeats a page would be asked for all of them.
        return last if reply.latest is not None and last > since else None

    def leave_refused(self, at: AtTable, error: ScovilleError) -> RemovedFromTable | None:
        """Leave a table that cannot be resumed; a finished one stays visible."""
        if error.code in TEMPORARY:
            raise error
        if at.result is not None:
            return None
        self.at = None
        return RemovedFromTable(at.info, self._refusal_phrase(at, error))

    def _refusal_phrase(self, at: AtTable, error: ScovilleError) -> Phrase:
        """Return why a table refuses this user: in the words of the event, if that or the vote before it is known."""
        for notice in self._early:
            if isinstance(notice, EventNotice) and (sent := self._reason_of_removal(at, notice.event)) is not None:
                return sent
        if error.code == Code.KICKED and at.vote is not None and at.vote.against == at.seat:
            return _VOTED_OUT
        return _SAID.with_fields({"reason": error_text(error)})

    def apply_early(self) -> None:
        """Apply the notices that arrived while the table was being opened."""
        early, self._early = self._early, []
        for notice in early:
            self.on_notice(notice)

    def on_notice(self, notice: OfTable) -> None:
        """Apply a notice. It is kept while the table is being opened, and dropped if it is a duplicate."""
        at = self.at
        if notice.table == self._opening:
            self._early.append(notice)
        elif at is not None and notice.table == at.id:
            if isinstance(notice, EventNotice):
                self._apply_event(at, notice)
            elif not isinstance(notice, PresenceNotice) or 0 <= notice.seat < len(at.info.seats):
                at.on_notice(notice)
                self._publish(TableChanged(presence=True))

    def stop_requests(self) -> None:
        if self._resync is not None:
            self._resync.cancel()

    def _apply_event(self, at: AtTable, notice: EventNotice) -> None:
        # A duplicate: the snapshot had it, or a notice overtook the reply.
        if notice.event.seq <= at.seq:
            return
        if notice.event.seq > at.seq + 1 or not fits_seats(notice.event, len(at.info.seats)):
            self._request_again(at)
            return

        # Before the event is applied, which empties the seat that it is about.
        sent = self._reason_of_removal(at, notice.event)
        try:
            change = at.apply_event(notice.event, notice.view, notice.left_ms, notice.sentences)
        except GameFailed as failed:
            self._go_on_without_package(at, failed)
            return
        except ScovilleError as error:
            self._gave_up(error_text(error))
            return

        if isinstance(notice.event, UnknownEvent):
            self._request_again(at)  # for what it has changed
            return
        if sent is not None:
            self.at = None
            self._publish(RemovedFromTable(at.info, sent))
            return
        at.opening.note_event(change)
        self._publish(change)
        if isinstance(notice.event, Kicked) and notice.event.code_changed and not at.key:
            self._request_again(at)  # for the new code, which no event carries

    def _request_again(self, at: AtTable) -> None:
        # At once, not when the task begins: notices that come until then are kept for after the snapshot.
        self._opening, self._early = at.id, []
        self._resync = asyncio.get_running_loop().create_task(self._catch_up(at))

    def _reason_of_removal(self, at: AtTable, event: AnyTableEvent) -> Phrase | None:
        """Return why an event removes this user from the table; None if it does not."""
        match event:
            case Kicked(seat=seat, name=name, voted=True) if seat == at.seat and name == self._me():
                return _VOTED_OUT
            case Kicked(seat=seat, name=name, reason=reason) if seat == at.seat and name == self._me():
                return _SENT_AWAY_FOR.with_fields({"reason": reason}) if reason else _SENT_AWAY
            case Closed(reason=reason) if at.result is None:
                return _CLOSED_FOR.with_fields({"reason": reason}) if reason else _CLOSED
            case _:
                return None

    async def _catch_up(self, at: AtTable) -> None:
        """Close a gap: request everything after the last known event."""
        try:
            snapshot = await self._open_again(at, at.seq)
            self._apply_overtaking(at, snapshot.seq)
            at.catch_up(snapshot, [notice for notice in self._early if isinstance(notice, EventNotice)])
        except GameFailed as failed:
            self._go_on_without_package(at, failed)
        except ScovilleError as error:
            if error.code in _NOT_ALLOWED and (removed := self.leave_refused(at, error)) is not None:
                self._publish(removed)
            else:
                self._gave_up(error_text(error))
        except LinkError as error:
            self._gave_up(error.message)
        else:
            self._publish(TableChanged())
            self.apply_early()

    def _apply_overtaking(self, at: AtTable, latest: int) -> None:
        """Apply live the events that have overtaken a snapshot, up to its `latest` and as far as none is missing."""
        # A server may have events of its own, for each of which a snapshot is requested: that hides no moves.
        for notice in self._early:
            if not isinstance(notice, EventNotice) or notice.event.seq <= at.seq:
                continue
            event, due = notice.event, min(at.seq + 1, latest)
            known = fits_seats(event, len(at.info.seats)) and self._reason_of_removal(at, event) is None
            if event.seq > due or not known:
                return
            change = at.apply_event(event, notice.view, notice.left_ms, notice.sentences)
            if not isinstance(event, UnknownEvent):  # the snapshot has what it has changed
                at.opening.note_event(change)
                self._publish(change)

    async def change_language(self) -> None:
        """Request the sentences of a game that this client does not have in the user's present language."""
        at = self.at
        game = None if at is None else at.by_sentences
        if at is None or game is None or game.language == current_language():
            return
        game.language = current_language()
        at.change_to_sentences(game, await self._open_again(at, 0))
        self._publish(TableChanged())
        self.apply_early()

    def _go_on_without_package(self, at: AtTable, failed: GameFailed) -> None:
        self._note_failure(failed)
        self._resync = asyncio.get_running_loop().create_task(self._change_to_sentences(at))

    async def _change_to_sentences(self, at: AtTable) -> None:
        """Go on by the server's sentences, because the package of the game has failed here."""
        try:
            game = self._load(at.info.game)
            assert isinstance(game, SentenceGame), "a package that has failed is not loaded again"
            snapshot = await self._open_table(at.id, 0, at.key, at.point_of_view, game.language)
        except ScovilleError as error:
            self.at = None
            self._publish(RemovedFromTable(at.info, _SAID.with_fields({"reason": error_text(error)})))
        except LinkError:
            pass  # reconnecting comes to the table again, and to the same failure
        else:
            at.change_to_sentences(game, snapshot)
            self._publish(PlaysBySentences(game.explain_itself()))
            self._publish(TableChanged())
            self.apply_early()

    async def _open_again(self, at: AtTable, since: int) -> TableSnapshot:
        """Watch the current table again, as before."""
        language = None if at.by_sentences is None else at.by_sentences.language
        return await self._open_table(at.id, since, at.key, at.point_of_view, language)

    async def _open_table(
        self, table: str, since: int, key: str = "", point_of_view: int | None = None, language: str | None = None
    ) -> TableSnapshot:
        """Watch a table after event `since`; notices that overtake the reply are kept in `_early`."""
        # Before the request: events come on the same connection and may be read before its reply.
        if self._opening != table:
            self._opening, self._early = table, []
        try:
            request = WatchRequest(
                table=table,
                since=since,
                commentary_key=key or None,
                point_of_view=point_of_view,
                sentence_language=language,
            )
            snapshot = await self._request(request, TableSnapshot)
            while snapshot.latest is not None and snapshot.latest > snapshot.seq:
                request = replace(request, since=snapshot.seq)
                following = await self._request(request, TableSnapshot)
                events = [*snapshot.events, *following.events]
                # A server that makes no progress, or never ends, must not hold the client here.
                if following.seq <= snapshot.seq or len(events) > MOST_EVENTS:
                    break
                snapshot = replace(following, events=events)
            self._check_snapshot(table, snapshot)
            return snapshot
        finally:
            self._opening = None

    def _check_snapshot(self, table: str, snapshot: TableSnapshot) -> None:
        """Raise ScovilleError for a snapshot of another table, or one that contradicts what was received before."""
        at, info = self.at, snapshot.info
        known = at is not None and at.id == table
        if info.table != table or (known and at is not None and (info.game, len(info.seats)) != at.kind):
            raise ScovilleError(Code.BAD_FRAME, "The server sent the snapshot of another table.")
