"""What there is to do on a server, requested before the lobby opens, so that its first picture is whole."""

import asyncio
from collections.abc import Awaitable, Iterator
from typing import Final

from scoville_client.session.daily import FEATURE as DAILY
from scoville_client.session.daily import PUZZLES
from scoville_client.session.identity.careers import FEATURE as CAREERS
from scoville_client.session.session import Session
from scoville_client.session.tournaments import FEATURE as TOURNAMENTS
from scoville_client.transport.base import LinkError
from scoville_shared.errors import ScovilleError

_REFUSALS: Final = (ScovilleError, LinkError)
"""Answers after which the lobby opens without what they refuse."""


async def watch_lobby_with_offers(session: Session) -> None:
    """Request the lobby and, at the same time, what there is to do.

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
