"""One match: a server with a seed of its own, a table, and each contestant in its seat, on a connection of its own.

Contestants are built-in bots by level, mixes of them, and programs by command.
"""

import asyncio
import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from functools import partial
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from scoville_client.i18n.language import tr
from scoville_client.session.changes import R
from scoville_client.session.table.actions import fetch_export
from scoville_client.transport.base import DeafListener, Link
from scoville_outside import guard
from scoville_runtime.clock import SYSTEM, Clock
from scoville_shared.bots.base import Bot
from scoville_shared.bots.registry import find_contestant, find_level, list_levels, list_references
from scoville_shared.bots.search import SearchBot
from scoville_shared.engine.dice import Dice, Stream
from scoville_shared.errors import ScovilleError
from scoville_shared.protocol.messages import (
    PROTOCOL,
    ClockParams,
    CreateReply,
    CreateRequest,
    Finished,
    HelloRequest,
    JoinRequest,
    Params,
    Played,
    PlayRequest,
    PollRequest,
    Started,
    TableSettingsParams,
    TableSnapshot,
)
from scoville_shared.values import Plain
from scoville_thinking.machines import fastest_machine

LONGEST_LABEL = 20
_MIXES = "+"
"""Stands between the levels of a mix."""


class Contestant(Struct, frozen=True, kw_only=True):
    """A player of the arena: a built-in bot, or the program `command` with arguments.

    `level` is a level, or the name of a reference bot; with several in `mixed`, each match has one of them.
    """

    label: str
    level: str = ""
    mixed: tuple[str, ...] = ()
    command: tuple[str, ...] = ()


def parse_contestants(game: str, specs: Sequence[str]) -> list[Contestant]:
    """Parse the contestants. A name without a space or slash is a level. Raises ValueError with a sentence."""
    made = [_parse_contestant(game, text) for text in specs]
    times = Counter(entrant.label for entrant in made)
    seen: Counter[str] = Counter()
    named = []
    for entrant in made:
        seen[entrant.label] += 1
        label = entrant.label if times[entrant.label] == 1 else f"{entrant.label} {seen[entrant.label]}"
        named.append(replace(entrant, label=label))
    return named


def _parse_contestant(game: str, text: str) -> Contestant:
    if not set(text) & {" ", "/", "\\"}:
        return _make_built_in(game, text)
    try:
        command = tuple(shlex.split(text))
    except ValueError:
        raise ValueError(tr("A quotation mark is missing in the command {command}.", command=text)) from None
    return Contestant(label=_name_program(command), command=command)


def _make_built_in(game: str, text: str) -> Contestant:
    names = [_find_level(game, name) for name in text.split(_MIXES)]
    mixed = tuple(names) if len(names) > 1 else ()
    return Contestant(label=_MIXES.join(names)[:LONGEST_LABEL], level=names[0], mixed=mixed)


def _find_level(game: str, name: str) -> str:
    """Return the level that a name means, or the reference bot."""
    level = name if name in list_references(game) else find_level(game, name)
    if level is None:
        raise ValueError(
            tr(
                "{name} is not a bot of this game; the bots are {known}. To run a program, give its path: ./{name}",
                name=name,
                known=", ".join([*list_levels(game), *list_references(game)]),
            )
        )
    return level


def _name_program(command: Sequence[str]) -> str:
    """Return the name of a program: the last word that is no option, without folder and suffix."""
    name = next((word for word in reversed(command) if not word.startswith("-")), command[0])
    stem = name.replace("\\", "/").rsplit("/", 1)[-1]
    return stem.partition(".")[0][:LONGEST_LABEL] or stem[:LONGEST_LABEL]


WAIT_MS = 8_000
"""Milliseconds that a poll waits; fewer than a call may take."""

PARTING_SECONDS = 2.0
"""Seconds in which a program must end after the game."""


async def log_in(link: Link, name: str) -> Link:
    """Connect and log in. Raises LinkError and ScovilleError."""
    await link.open(DeafListener())
    await link.call(HelloRequest(protocol=PROTOCOL, client="scoville arena", name=name))
    return link


async def poll_table(link: Link, table: str, since: int, wait_ms: int = WAIT_MS) -> TableSnapshot:
    """Poll for events after `since`; without any for a while, return the table as it is."""
    snapshot = await link.call(PollRequest(table=table, since=since, wait_ms=wait_ms))
    assert isinstance(snapshot, TableSnapshot), "a poll is answered with a snapshot"
    return snapshot


async def play_built_in(link: Link, entrant: Contestant, table: str, seat: int, dice: Dice) -> None:
    """Play a whole match for a built-in bot, through the protocol. Raises LinkError and ScovilleError."""
    await log_in(link, entrant.label)
    await link.call(JoinRequest(table=table, seat=seat))
    snapshot = await poll_table(link, table, 0)
    slug = snapshot.info.game
    bot = _find_bot(slug, entrant, seat, dice)(guard.load_game(slug))
    while snapshot.info.status != "finished":
        _show_facts(bot, snapshot)
        if seat in snapshot.pending:
            await link.call(PlayRequest(table=table, move=_decide_move(bot, snapshot, seat, dice)))
        snapshot = await poll_table(link, table, snapshot.seq)


def _find_bot(slug: str, entrant: Contestant, seat: int, dice: Dice) -> type[Bot]:
    """Find the bot of a contestant; of a mix, the seed of the match draws one."""
    names = entrant.mixed or (entrant.level,)
    found = find_contestant(slug, names[dice.open_stream(f"arena/{seat}/mix").draw_below(len(names))])
    assert found is not None, "contestants were checked"
    return found


def _show_facts(bot: Bot, snapshot: TableSnapshot) -> None:
    for event in snapshot.events:
        if isinstance(event, Played):
            for fact in event.facts:
                guard.ask_bot(bot.game, partial(bot.observe_fact, bot.game.codec.decode_fact(fact)))


def _decide_move(bot: Bot, snapshot: TableSnapshot, seat: int, dice: Dice) -> Plain:
    assert snapshot.view is not None, "a running game has a View"
    chance = dice.open_stream(f"arena/{seat}/{snapshot.move_counts[seat]}")
    view = bot.game.codec.decode_view(snapshot.view)
    return bot.game.codec.encode_plain(guard.ask_bot(bot.game, lambda: _choose_move(bot, view, chance)))


def _choose_move(bot: Bot, view: Any, chance: Stream) -> Any:
    """Let a bot choose; one that searches has the fastest machine, and all its playouts."""
    return (
        bot.choose_by(fastest_machine(), view, chance) if isinstance(bot, SearchBot) else bot.choose_move(view, chance)
    )


async def run_program(entrant: Contestant, host: str, port: int, table: str, seat: int) -> None:
    """Run a program until the match is over, with the arguments HOST PORT TABLE SEAT. Raises OSError."""
    program = await asyncio.create_subprocess_exec(
        *entrant.command,
        host,
        str(port),
        table,
        str(seat),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
    )
    try:
        await program.wait()
    finally:
        # Also when the match was given up: no program outlives it.
        if program.returncode is None:
            program.kill()
            await program.wait()


LOOPBACK = "127.0.0.1"
ARRIVAL_SECONDS = 20.0
"""Seconds in which all contestants must take their seats: a program may load for long."""


class Terms(Struct, frozen=True, kw_only=True):
    """Conditions of a match: the game with its options, and the seconds per move."""

    game: str
    options: Mapping[str, Any] = {}
    seconds: float = 10.0


class Match(Struct, frozen=True, kw_only=True):
    """Result of a match, by seat; `seated` are the numbers of the contestants.

    `missed` counts the moves that a bot made for them, `lines` are the lines of the game's file.
    """

    seated: tuple[int, ...] = ()
    scores: tuple[int, ...]
    places: tuple[int, ...]
    missed: tuple[int, ...]
    lines: tuple[str, ...]


class Unplayed(ScovilleError):
    """A match that could not be played; the text names the contestant."""

    def __init__(self, message: str) -> None:
        super().__init__("unplayed", message)


async def play_match(
    terms: Terms, players: Sequence[Contestant], seated: Sequence[int], seed: bytes, clock: Clock = SYSTEM
) -> Match:
    """Play one match, with contestant `seated[n]` in seat n. The same seed gives the same deal.

    Raises, alone or in a group, Unplayed, LinkError and ScovilleError.
    """
    from scoville_client.transport.in_process import LocalLink, serve_in_process

    async with AsyncExitStack() as stack:
        # A server for each match, since its seed decides the deal; programs reach it by a port of this machine alone.
        server = await serve_in_process(host=LOOPBACK, port=0, seed=seed)
        stack.push_async_callback(server.close)

        def line() -> LocalLink:
            link = LocalLink(server, clock)
            stack.push_async_callback(link.close)
            return link

        umpire = await log_in(line(), "Umpire")
        table = await _open_table(umpire, terms, len(seated))
        async with asyncio.TaskGroup() as group:
            busy = []
            for seat, number in enumerate(seated):
                entrant = players[number]
                if entrant.command:
                    playing = _run_until_over(entrant, server.port, umpire, table, seat)
                else:
                    playing = play_built_in(line(), entrant, table, seat, Dice(seed))
                busy.append(group.create_task(playing))
            result = await _watch_match(umpire, table, [players[number].label for number in seated], clock)
            await _dismiss_players(busy, clock)
    return msgspec.structs.replace(result, seated=tuple(seated))


async def _run_until_over(entrant: Contestant, port: int, umpire: Link, table: str, seat: int) -> None:
    """Run a program. Raises Unplayed if it cannot be run, or ends before it has taken its seat."""
    try:
        await run_program(entrant, LOOPBACK, port, table, seat)
    except OSError as error:
        reason = error.strerror or str(error)
        raise Unplayed(tr("{name} could not be started: {reason}.", name=entrant.label, reason=reason)) from error
    # A contestant that ends after it has sat down is replaced by a bot after its time, as at any table.
    snapshot = await poll_table(umpire, table, 0, wait_ms=0)
    if snapshot.info.seats[seat].kind == "open":
        raise Unplayed(tr("{name} exited before joining the table.", name=entrant.label))


async def _dismiss_players(busy: Sequence[asyncio.Task[None]], clock: Clock) -> None:
    """Wait for the players to end, and cancel those that do not."""
    # Those that take longer are cancelled below.
    with suppress(TimeoutError):
        async with clock.limit(PARTING_SECONDS):
            await asyncio.wait(busy)
    for player in busy:
        player.cancel()


async def _open_table(umpire: Link, terms: Terms, seats: int) -> str:
    """Create a table that starts when all seats are taken and on which a bot moves after a timeout."""
    # The same for a contestant whose program has crashed: it must not hold up the match.
    limit_ms = round(1000 * terms.seconds) or None
    request = CreateRequest(
        game=terms.game,
        seat_count=seats,
        options=dict(terms.options),
        clock=ClockParams(move_ms=limit_ms, absence_ms=limit_ms),
        settings=TableSettingsParams(start="full", countdown_ms=0, rated=False),
    )
    created = await umpire.call(request)
    assert isinstance(created, CreateReply), "an opened table is answered with its info"
    return created.info.table


async def _watch_match(umpire: Link, table: str, names: Sequence[str], clock: Clock) -> Match:
    """Watch until the end; `names` are those of the seats."""
    snapshot = await _wait_for_start(umpire, table, names, clock)
    missed = [0] * len(names)
    while True:
        for event in snapshot.events:
            match event:
                case Started():
                    _check_chance(event, names)
                case Played():
                    missed[event.seat] += event.mover != "player"
                case Finished():
                    return await _read_result(umpire, table, event, missed)
        snapshot = await poll_table(umpire, table, snapshot.seq)


async def _wait_for_start(umpire: Link, table: str, names: Sequence[str], clock: Clock) -> TableSnapshot:
    """Wait until all contestants have taken their seats; return the table with all its events."""
    snapshot = await poll_table(umpire, table, 0)
    try:
        async with clock.limit(ARRIVAL_SECONDS):
            while snapshot.info.status == "waiting":
                snapshot = await poll_table(umpire, table, snapshot.seq)
    except TimeoutError:
        raise Unplayed(_name_missing(snapshot, names)) from None
    # From the beginning: polls during the wait skipped the event that tells who sent a nonce.
    return await poll_table(umpire, table, 0)


def _name_missing(snapshot: TableSnapshot, names: Sequence[str]) -> str:
    absent = [name for name, seat in zip(names, snapshot.info.seats, strict=True) if seat.kind == "open"]
    return tr("{names} did not join within {seconds} seconds.", names=", ".join(absent), seconds=ARRIVAL_SECONDS)


def _check_chance(event: Started, names: Sequence[str]) -> None:
    """Refuse nonces: they would change the deal of the seed, which must be the same from every seat."""
    for name, nonce in zip(names, event.nonces, strict=True):
        if nonce:
            raise Unplayed(tr("{name} sent a nonce, but in the arena the seed alone decides the deal.", name=name))


async def _read_result(umpire: Link, table: str, end: Finished, missed: Sequence[int]) -> Match:
    async def request(params: Params, kind: type[R]) -> R:
        reply = await umpire.call(params)
        assert isinstance(reply, kind), "a link answers with the reply of the method"
        return reply

    lines = await fetch_export(request, table)
    return Match(scores=tuple(end.scores), places=tuple(end.places), missed=tuple(missed), lines=tuple(lines))
