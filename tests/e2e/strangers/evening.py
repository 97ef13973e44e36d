"""A server with faulty games beside healthy ones: tables of all of them, and users who only play the healthy ones."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
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
        busiest: The most processor time that the server has used during one such wait, in seconds: on a busy machine
            users wait for other processes as well.
        faulty: How many tables of faulty games were tried.
    """

    moves: int
    refused: tuple[str, ...]
    longest: float
    busiest: float
    faulty: int


class Wait(NamedTuple):
    """A wait for an answer: by the clock, and by the processor time of the server, in seconds."""

    seconds: float = 0.0
    used: float = 0.0


class Waits:
    """The longest waits of one user for the answers of a server, whose processor time `read_used` returns."""

    def __init__(self, read_used: Callable[[], float]) -> None:
        self._read_used = read_used
        self.longest = Wait()

    @contextmanager
    def watch(self) -> Iterator[None]:
        """Note how long one answer takes."""
        began, used = SYSTEM.seconds(), self._read_used()
        try:
            yield
        finally:
            wait = Wait(SYSTEM.seconds() - began, self._read_used() - used)
            self.longest = Wait(*map(max, self.longest, wait))


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


async def play_beside(
    port: int, games: Sequence[str], faulty: Sequence[str], read_used: Callable[[], float]
) -> Evening:
    """Play at a table of each healthy game while users try all faulty ones; returns what was noticed."""
    over, waits = asyncio.Event(), Waits(read_used)
    users = [asyncio.create_task(_play_on(port, game, over, waits)) for game in games]
    pinging = asyncio.create_task(_ping_on(port, over, waits))
    for game in faulty:
        await try_faulty_game(port, game)
    over.set()
    played = await asyncio.gather(*users)
    await pinging
    refused = tuple(why for _, refusals in played for why in refusals)
    return Evening(sum(moves for moves, _ in played), refused, *waits.longest, len(faulty))


async def _play_on(port: int, game: str, over: asyncio.Event, waits: Waits) -> tuple[int, list[str]]:
    """Play games one after the other, the first legal move at each turn; returns how many moves, and refusals."""
    user, moves, refused = await connect_user(port, f"Play {game}"[:24]), 0, list[str]()
    table = await open_table(user, game, 3)
    while not over.is_set():
        try:
            with waits.watch():
                shot = await user.call(PollRequest(table=table))
            assert isinstance(shot, TableSnapshot)
            if shot.info.status == "finished":
                await user.call(LeaveRequest(table=table))
                table = await open_table(user, game, 3)
            elif shot.seat in shot.pending:
                with waits.watch():
                    legal = await user.call(MovesRequest(table=table))
                assert isinstance(legal, MovesReply)
                with waits.watch():
                    await user.call(PlayRequest(table=table, move=legal.moves[0]))
                moves += 1
        except (ScovilleError, LinkError) as error:
            refused.append(f"{game}: {error}")
        await asyncio.sleep(_LOOK_SECONDS)
    await user.close()
    return moves, refused


async def _ping_on(port: int, over: asyncio.Event, waits: Waits) -> None:
    """Send pings until the evening is over."""
    user = await connect_user(port, "Pinger")
    while not over.is_set():
        with waits.watch():
            await user.call(PingRequest(payload="hot"))
        await asyncio.sleep(_LOOK_SECONDS)
    await user.close()
