"""While you were away: what has happened on a server since the user was last connected, and what comes next."""

import asyncio
import re
from collections.abc import Awaitable, Iterator
from math import isfinite
from typing import Final, NamedTuple

from scoville_client.i18n.dates_text import KnownDates, NextDate, sort_dates
from scoville_client.i18n.table_text import sort_by_deadline
from scoville_client.session.chat_channels import LOBBY, WHISPERS
from scoville_client.session.daily import FEATURE as DAILY
from scoville_client.session.daily import PUZZLES
from scoville_client.session.identity.careers import FEATURE as CAREERS
from scoville_client.session.session import Session
from scoville_client.session.tournaments import FEATURE as TOURNAMENTS
from scoville_client.transport.base import LinkError
from scoville_runtime.clock import Clock
from scoville_shared.errors import ScovilleError
from scoville_shared.protocol.messages import InvitedNotice, MessageInfo, PastGame, TableInfo

MOST_MESSAGES = 5
"""Messages that are shown, the latest ones."""
_REFUSALS: Final = (ScovilleError, LinkError)
"""Errors after which the lobby opens without the refused data."""


class News(NamedTuple):
    """News since `since_ms` (milliseconds since 1970).

    `turns` are tables that wait for the user elsewhere, the nearest deadline first; `results` and `messages`, which
    name the user or are for them alone, are in the order in which they came.
    """

    since_ms: int
    turns: list[TableInfo]
    invitations: list[InvitedNotice]
    results: list[PastGame]
    messages: list[MessageInfo]

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to tell."""
        return not (self.turns or self.invitations or self.results or self.messages)


async def gather_news(session: Session) -> News | None:
    """Request the news since the user was away; None for newcomers, and on servers that do not say.

    The lobby is watched by then. Raises as `Request` does.
    """
    since_ms = session.connection.away_since_ms
    if since_ms is None:
        return None
    results: list[PastGame] = []
    if "ratings" in session.connection.features:
        recent = (await session.account.request_profile("")).recent
        results = sorted((game for game in recent if game.ended_ms > since_ms), key=lambda game: game.ended_ms)
    lines = [*await session.chat.read_channel(LOBBY), *await session.chat.read_channel(WHISPERS)]
    mine = [line for line in lines if line.at_ms > since_ms and is_for_user(line, session.name)]
    here = None if session.table is None else session.table.id
    turns = [table for table in session.lobby.waiting_for_me if table.table != here]
    return News(
        since_ms,
        sort_by_deadline(turns, session.lobby.deadline_of),
        [each for each in session.lobby.invitations if each.info.table != here],
        results,
        sorted(mine, key=lambda line: line.at_ms)[-MOST_MESSAGES:],
    )


def is_for_user(line: MessageInfo, name: str) -> bool:
    """Whether another user has written a message for the user called `name`: a whisper, or one that names them."""
    if line.name == name:
        return False
    return line.channel == "whisper" or bool(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", line.text, re.IGNORECASE))


def list_next_dates(session: Session, clock: Clock) -> list[NextDate]:
    """Return the user's next dates, the nearest first, as far as the session knows them."""
    now_ms, now, lobby = clock.date_ms(), clock.seconds(), session.lobby
    turns = [(table, lobby.deadline_of(table.table)) for table in lobby.waiting_for_me if table.clock.by_days]
    known = KnownDates(
        [(table, now_ms + int(1000 * (end - now))) for table, end in turns if isfinite(end)],
        [info for info in session.tournaments.listed if info.entered and info.stage in ("announced", "running")],
        [date for date in session.clubs.dates if session.clubs.name_of(date.club)],
        session.daily.newest,
    )
    return sort_dates(known, session.games, now_ms)


async def watch_lobby_with_offers(session: Session) -> None:
    """Request the lobby and, at the same time, the offers.

    That is the daily deal, puzzles, tournaments with the user's dates, and the user's career. Raises as `Request` does
    if the lobby itself is refused.
    """
    of_lobby, *answers = await asyncio.gather(
        session.lobby.watch_lobby(), *_list_requests(session), return_exceptions=True
    )
    if isinstance(of_lobby, BaseException):
        raise of_lobby
    for answer in answers:
        if isinstance(answer, BaseException) and not isinstance(answer, _REFUSALS):
            raise answer


def _list_requests(session: Session) -> Iterator[Awaitable[object]]:
    features = session.connection.features
    if DAILY in features:
        yield session.daily.show_deals()
    if PUZZLES in features:
        yield session.daily.puzzle.show_puzzles()
    if CAREERS in features:
        yield session.account.careers.read_missing([session.name])
    if TOURNAMENTS in features:
        yield _read_tournaments(session)


async def _read_tournaments(session: Session) -> None:
    await session.tournaments.list_tournaments()
    await session.clubs.list_dates()
