"""A server with faulty games beside healthy ones: tables of all of them, and users who only play the healthy ones."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

from scoville_client.arena.match import log_in
from scoville_client.transport.base import Link, LinkError
from scoville_client.transport.tcp import TcpLink
from scoville_runtime.clock import SYSTEM
from scoville_shared.errors import ScovilleError
from scoville_shared.protocol.messages import (
    CreateReply,
    CreateRequest,
    JoinRequest,
    LeaveRequest,
    MovesReply,
    MovesRequest,
    PingRequest,
    PlayRequest,
    PollRequest,
    StartRequest,
    TableSettingsParams,
    TableSnapshot,
)

_QUICK = TableSettingsParams(bot_pace_ms=0)
_MOVES = 4
"""Moves that are tried at a faulty table."""
_LOOK_SECONDS = 0.02


class Evening(NamedTuple):
    """What users of healthy tables have noticed.

    Attributes:
        moves: The moves that they made at healthy tables.
        refused: Why requests of theirs were refused, or not answered; none may be.
        longest: The longest wait for an answer, in seconds.
        faulty: How many tables of faulty games were tried.
    """

    moves: int
    refused: tuple[str, ...]
    longest: float
    faulty: int


async def connect_user(port: int, name: str) -> Link:
    """Connect a user."""
    return await log_in(TcpLink("127.0.0.1", port), name)


async def open_table(user: Link, game: str, seats: int) -> str:
    """Open a table, and start with bots in the other seats; returns the table."""
    made = await user.call(CreateRequest(game=game, seat_count=seats, settings=_QUICK))
    assert isinstance(made, CreateReply)
    await user.call(JoinRequest(table=made.info.table))
    await user.call(StartRequest(table=made.info.table))
    return made.info.table


async def try_faulty_game(port: int, game: str) -> None:
    """Play at a table of a faulty game as far as that is possible, and look at it as a spectator."""
    user = await connect_user(port, f"Try {game}"[:24])
    with suppress(ScovilleError, LinkError, TimeoutError):
        table = await open_table(user, game, 2)
        watcher = await connect_user(port, f"See {game}"[:24])
        with suppress(ScovilleError):
            await watcher.call(PollRequest(table=table, sentence_language="de"))
        for _ in range(_MOVES):
            shot = await user.call(PollRequest(table=table))
            assert isinstance(shot, TableSnapshot)
            with suppress(ScovilleError):
                await user.call(PlayRequest(table=table, move={"stones": 9}))
            await user.call(PlayRequest(table=table, move={"stones": 1}))
        await watcher.close()
    with suppress(LinkError):
        await user.close()


async def play_beside(port: int, games: Sequence[str], faulty: Sequence[str]) -> Evening:
    """Play at a table of each healthy game while users try all faulty ones; returns what was noticed."""
    over = asyncio.Event()
    users = [asyncio.create_task(_play_on(port, game, over)) for game in games]
    pinging = asyncio.create_task(_ping_on(port, over))
    for game in faulty:
        await try_faulty_game(port, game)
    over.set()
    played = await asyncio.gather(*users)
    waits = [await pinging, *(each.longest for each in played)]
    refused = tuple(why for each in played for why in each.refused)
    return Evening(sum(each.moves for each in played), refused, max(waits), len(faulty))


async def _play_on(port: int, game: str, over: asyncio.Event) -> Evening:
    """Play games one after the other, the first legal move at each turn."""
    user, moves, refused, longest = await connect_user(port, f"Play {game}"[:24]), 0, list[str](), 0.0
    table = await open_table(user, game, 3)
    while not over.is_set():
        began = SYSTEM.seconds()
        try:
            shot = await user.call(PollRequest(table=table))
            assert isinstance(shot, TableSnapshot)
            if shot.info.status == "finished":
                await user.call(LeaveRequest(table=table))
                table = await open_table(user, game, 3)
            elif shot.seat in shot.pending:
                legal = await user.call(MovesRequest(table=table))
                assert isinstance(legal, MovesReply)
                await user.call(PlayRequest(table=table, move=legal.moves[0]))
                moves += 1
        except (ScovilleError, LinkError) as error:
            refused.append(f"{game}: {error}")
        longest = max(longest, SYSTEM.seconds() - began)
        await asyncio.sleep(_LOOK_SECONDS)
    await user.close()
    return Evening(moves, tuple(refused), longest, 0)


async def _ping_on(port: int, over: asyncio.Event) -> float:
    """Send pings until the evening is over; returns the longest wait for an answer."""
    user, longest = await connect_user(port, "Pinger"), 0.0
    while not over.is_set():
        began = SYSTEM.seconds()
        await user.call(PingRequest(payload="hot"))
        longest = max(longest, SYSTEM.seconds() - began)
        await asyncio.sleep(_LOOK_SECONDS)
    await user.close()
    return longest
