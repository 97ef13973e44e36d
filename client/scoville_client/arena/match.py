"""One match: a server of its own with a seed of its own, a table, and everybody in the seat they are given."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from typing import Any

import msgspec
from msgspec import Struct

from scoville_client.arena.contestants import Contestant
from scoville_client.arena.players import PARTING_SECONDS, introduced, news, play_built_in, run_program
from scoville_client.clock import REAL, Clock
from scoville_client.i18n.language import words
from scoville_client.transport.base import Link
from scoville_shared.engine.dice import Dice
from scoville_shared.errors import ScovilleError
from scoville_shared.protocol.messages import (
    ClockParams,
    CreateReply,
    CreateRequest,
    ExportReply,
    ExportRequest,
    Finished,
    Played,
    Started,
    TableSettingsParams,
    TableSnapshot,
)

LOOPBACK = "127.0.0.1"
ARRIVAL_SECONDS = 20.0
"""How long everybody may take to sit down: a program may have much to load."""


class Terms(Struct, frozen=True, kw_only=True):
    """What is played: the game with its options, and the seconds a program has for each move."""

    game: str
    options: Mapping[str, Any] = {}
    seconds: float = 10.0


class Match(Struct, frozen=True, kw_only=True):
    """What came of a match, by seat; `seated` are the entrants' numbers.

    `missed` counts the moves that a bot made instead of them, `lines` are the game's file.
    """

    seated: tuple[int, ...] = ()
    scores: tuple[int, ...]
    places: tuple[int, ...]
    missed: tuple[int, ...]
    lines: tuple[str, ...]


class Unplayed(ScovilleError):
    """A match that did not come about; the sentence says because of whom."""

    def __init__(self, message: str) -> None:
        super().__init__("unplayed", message)


async def play_match(
    terms: Terms, players: Sequence[Contestant], seated: Sequence[int], seed: bytes, clock: Clock = REAL
) -> Match:
    """Play one match: entrant `seated[n]` sits in seat n. The same seed is the same deal.

    Raises, alone or in a group, Unplayed, LinkError and ScovilleError.
    """
    from scoville_client.transport.in_process import LocalLink, serve

    async with AsyncExitStack() as stack:
        server = await serve(host=LOOPBACK, port=0, seed=seed)
        stack.push_async_callback(server.close)

        def line() -> LocalLink:
            link = LocalLink(server, clock)
            stack.push_async_callback(link.close)
            return link

        umpire = await introduced(line(), "Umpire")
        table = await _opened(umpire, terms, len(seated))
        async with asyncio.TaskGroup() as group:
            busy = []
            for seat, number in enumerate(seated):
                entrant = players[number]
                if entrant.command:
                    playing = _run(entrant, server.port, umpire, table, seat)
                else:
                    playing = play_built_in(line(), entrant, table, seat, Dice(seed))
                busy.append(group.create_task(playing))
            result = await _watched(umpire, table, [players[number].label for number in seated], clock)
            await _dismiss(busy, clock)
    return msgspec.structs.replace(result, seated=tuple(seated))


async def _run(entrant: Contestant, port: int, umpire: Link, table: str, seat: int) -> None:
    """Run a program, and say which one it is that cannot be run or has not even sat down."""
    try:
        await run_program(entrant, LOOPBACK, port, table, seat)
    except OSError as error:
        reason = error.strerror or str(error)
        raise Unplayed(words("{name} cannot be run: {reason}.", name=entrant.label, reason=reason)) from error
    snapshot = await news(umpire, table, 0, wait_ms=0)
    if snapshot.info.seats[seat].kind == "open":
        raise Unplayed(words("{name} has ended without sitting down.", name=entrant.label))


async def _dismiss(busy: Sequence[asyncio.Task[None]], clock: Clock) -> None:
    """Let the players end by themselves; who does not is ended."""
    with suppress(TimeoutError):
        async with clock.limit(PARTING_SECONDS):
            await asyncio.wait(busy)
    for player in busy:
        player.cancel()


async def _opened(umpire: Link, terms: Terms, seats: int) -> str:
    """Open a table that starts as soon as all seats are taken, and lets a bot move for who does not."""
    wish = CreateRequest(
        game=terms.game,
        seats=seats,
        options=dict(terms.options),
        clock=ClockParams(move=terms.seconds, absence=terms.seconds),
        settings=TableSettingsParams(start="full", countdown=0, rated=False),
    )
    created = await umpire.call(wish)
    assert isinstance(created, CreateReply), "an opened table is answered with its info"
    return created.info.table


async def _watched(umpire: Link, table: str, names: Sequence[str], clock: Clock) -> Match:
    """Look on until the end; `names` are those of the seats."""
    snapshot = await _begun(umpire, table, names, clock)
    missed = [0] * len(names)
    while True:
        for event in snapshot.events:
            match event:
                case Started():
                    _check_chance(event, names)
                case Played():
                    missed[event.seat] += event.by != "player"
                case Finished():
                    return await _result(umpire, table, event, missed)
        snapshot = await news(umpire, table, snapshot.seq)


async def _begun(umpire: Link, table: str, names: Sequence[str], clock: Clock) -> TableSnapshot:
    """Wait until everybody sits; returns the table with all that has happened there."""
    snapshot = await news(umpire, table, 0)
    try:
        async with clock.limit(ARRIVAL_SECONDS):
            while snapshot.info.status == "waiting":
                snapshot = await news(umpire, table, snapshot.seq)
    except TimeoutError:
        raise Unplayed(_missing(snapshot, names)) from None
    return await news(umpire, table, 0)


def _missing(snapshot: TableSnapshot, names: Sequence[str]) -> str:
    absent = [name for name, seat in zip(names, snapshot.info.seats, strict=True) if seat.kind == "open"]
    return words("{names} did not sit down within {seconds} seconds.", names=", ".join(absent), seconds=ARRIVAL_SECONDS)


def _check_chance(event: Started, names: Sequence[str]) -> None:
    """Refuse a nonce: it would deal other cards to the same seed, and no deal could be played from every seat."""
    for name, nonce in zip(names, event.nonces, strict=True):
        if nonce:
            raise Unplayed(words("{name} gives a nonce: in the arena the deal is the seed's alone.", name=name))


async def _result(umpire: Link, table: str, end: Finished, missed: Sequence[int]) -> Match:
    exported = await umpire.call(ExportRequest(table=table))
    assert isinstance(exported, ExportReply), "an export is answered with lines"
    return Match(scores=tuple(end.scores), places=tuple(end.places), missed=tuple(missed), lines=tuple(exported.lines))
