"""The commands `scoville demo` and `scoville arena`: games that programs play, in sentences or rated."""

import asyncio
import secrets
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from functools import partial
from pathlib import Path
from typing import Any

from msgspec import Struct

from scoville_client.arena.match import Contestant, Match, Terms, parse_contestants
from scoville_client.arena.series import Series, json_report, list_standings, svg_report, write_report
from scoville_client.cli.exit_status import FAILED, INTERRUPTED, MISUSED, SUCCESS
from scoville_client.i18n.language import tr
from scoville_client.output import complain, write_line
from scoville_client.replays.transcript import Transcript, Write
from scoville_client.session.changes import Change, EventApplied
from scoville_client.session.session import Session
from scoville_client.session.start_options import DEFAULT_GAME, USUAL_PLAYERS
from scoville_client.session.table.fair_deal import fresh_nonce, no_nonce
from scoville_client.session.table.table import AtTable
from scoville_client.transport.base import LinkError
from scoville_client.transport.tcp import TcpLink
from scoville_outside import guard
from scoville_outside.guard import ask_bot
from scoville_shared.bots.base import Bot
from scoville_shared.bots.registry import USUAL, find_bot
from scoville_shared.engine.dice import SEED_BYTES, Dice
from scoville_shared.errors import ScovilleError

# --- scoville demo ----------------------------------------------------------------------------------

LOOPBACK = "127.0.0.1"
NAMES = ("Anna", "Paul", "Max", "Linus", "Marie", "Jonas", "Clara")


class Demo(Struct, frozen=True, kw_only=True):
    """Arguments of the command. A `seed` of 32 bytes makes the game repeatable; `export` is the file to write."""

    game: str = DEFAULT_GAME
    players: int = USUAL_PLAYERS
    options: Mapping[str, Any] = {}
    seed: bytes | None = None
    export: Path | None = None


def run_demo(demo: Demo) -> int:
    """Write the game to stdout; return the exit status."""
    try:
        asyncio.run(perform_demo(demo, write_line))
    except (LinkError, ScovilleError) as error:
        complain(error.message)
        return FAILED
    except OSError as error:
        complain(
            tr("The game could not be written to {file}: {reason}.", file=str(demo.export), reason=str(error.strerror))
        )
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED
    return SUCCESS


async def perform_demo(demo: Demo, write: Write) -> None:
    """Serve, play and narrate a whole game. Raises LinkError, ScovilleError, and OSError of the export."""
    from scoville_client.transport.in_process import serve_in_process

    async with AsyncExitStack() as stack:
        server = await serve_in_process(host=LOOPBACK, port=0, seed=demo.seed)
        stack.push_async_callback(server.close)
        narrator, players = await _sit_down(demo, server.port, stack)
        narrator.begin_writing(write)
        await players[0].session.table_actions.start_game()
        await _play_game(narrator, players)
        if demo.export is not None:
            lines = await players[0].session.table_actions.export_game()
            demo.export.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


async def _sit_down(demo: Demo, port: int, stack: AsyncExitStack) -> tuple["Narrator", list["Player"]]:
    """Seat the players in order: the first creates the table, the narrator watches it."""
    nonce = fresh_nonce if demo.seed is None else no_nonce
    dice = Dice(demo.seed or secrets.token_bytes(SEED_BYTES))
    narrator = Narrator(await _connect_players(Session(), port, "", stack))
    opener = await _connect_players(Session(nonce), port, NAMES[0], stack)
    table = (await opener.lobby.create_table(demo.game, demo.players, demo.options)).table
    players = [Player(opener, dice)]
    for seat in range(1, demo.players):
        name = NAMES[seat] if seat < len(NAMES) else f"Player {seat + 1}"
        players.append(Player(await _connect_players(Session(nonce), port, name, stack), dice))
    for player in players:
        await player.session.join_table(table)
    await narrator.session.watch_table(table)
    return narrator, players


async def _connect_players(session: Session, port: int, name: str, stack: AsyncExitStack) -> Session:
    await session.connect(TcpLink(LOOPBACK, port), name)
    stack.push_async_callback(session.close)
    return session


async def _play_game(narrator: "Narrator", players: list["Player"]) -> None:
    """Let each player move in turn, the lowest seat first, so that the same choices give the same file."""
    at = await narrator.wait_until(lambda at: at.view is not None)
    while at.result is None:
        seq = await players[min(at.pending)].play_turn(at.seq)
        await narrator.wait_until_settled(seq)


class Spectator:
    """A session that can wait for a state of its table."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._changed = asyncio.Event()
        session.subscribe(lambda _: self._changed.set())

    async def wait_until(self, reached: Callable[[AtTable], bool]) -> AtTable:
        """Wait until a condition holds for the table. Raises LinkError when the connection is lost."""
        while self.session.table is None or not reached(self.session.table):
            if self.session.connection.offline:
                raise LinkError("The line to the server is lost.")
            self._changed.clear()
            await self._changed.wait()
        return self.session.table


class Player(Spectator):
    """A program in a seat, which chooses from its View like any client; `dice` is its own randomness."""

    def __init__(self, session: Session, dice: Dice) -> None:
        super().__init__(session)
        self._dice = dice
        self._bot: Bot | None = None
        self._facts: list[Any] = []
        session.subscribe(self._on_change)

    async def play_turn(self, seq: int) -> int:
        """Play a move once event `seq` is known here; return the number of its event."""
        at = await self.wait_until(lambda at: at.seq >= seq)
        assert at.seat is not None, "players have seats"
        bot = self._inform_bot(at)
        chance = self._dice.open_stream(f"demo/{at.seat}/{at.played[at.seat]}")
        return await self.session.play_move(ask_bot(at.game, lambda: bot.choose_move(at.view, chance)))

    def _inform_bot(self, at: AtTable) -> Bot:
        """Return this player's bot after it has observed the facts so far."""
        bot = self._bot or find_bot(at.info.game, USUAL)(at.game)
        for fact in self._facts:
            ask_bot(at.game, partial(bot.observe_fact, fact))
        self._bot, self._facts = bot, []
        return bot

    def _on_change(self, change: Change) -> None:
        if isinstance(change, EventApplied):
            self._facts += change.facts


class Narrator(Spectator):
    """A spectator who writes what everyone may know, round by round."""

    async def wait_until_settled(self, seq: int) -> None:
        """Wait until event `seq` is known, and who moves next or how the game ended."""
        await self.wait_until(lambda at: at.seq >= seq and bool(at.pending or at.result))

    def begin_writing(self, write: Write) -> None:
        """Start writing."""
        self._transcript = Transcript(write)
        self.session.subscribe(self._on_change)

    def _on_change(self, change: Change) -> None:
        if isinstance(change, EventApplied) and self.session.table is not None:
            self._transcript.event_applied(self.session.table, change)


# --- scoville arena ---------------------------------------------------------------------------------


class ArenaArguments(Struct, frozen=True, kw_only=True):
    """Arguments of the command; `export` is a folder for the games, `json` and `plot` are files for the result."""

    game: str
    players: Sequence[str]
    deals: int
    options: Mapping[str, Any]
    seed: bytes | None
    seconds: float
    jobs: int
    export: Path | None
    json: Path | None = None
    plot: Path | None = None


def run_arena(arguments: ArenaArguments) -> int:
    """Play the series and write the report; return the exit status."""
    try:
        players = _read_contestants(arguments)
    except ValueError as error:
        complain(str(error))
        return MISUSED
    seed = arguments.seed or secrets.token_bytes(SEED_BYTES)
    terms = Terms(game=arguments.game, options=arguments.options, seconds=arguments.seconds)
    series = Series(terms, players, arguments.deals, seed)
    write_line(tr("The deals come from --seed {seed}.", seed=seed.hex()))
    try:
        if arguments.export is not None:
            arguments.export.mkdir(parents=True, exist_ok=True)  # refused before the games are played
        status = _play_series(series, arguments.jobs)
        played = series.list_played()
        if played:
            _write_results(arguments, players, played, seed)
            for row in write_report(list_standings(players, played), len(played), whole=not status):
                write_line(row)
    except OSError as error:
        complain(
            tr(
                "The games could not be written to {folder}: {reason}.",
                folder=str(error.filename),
                reason=str(error.strerror),
            )
        )
        return FAILED
    return status


def _play_series(series: Series, jobs: int) -> int:
    """Play all matches, or as many as can be played; return the exit status."""
    try:
        asyncio.run(series.play_matches(jobs, _show_progress))
    except KeyboardInterrupt:
        complain(tr("The series was stopped."))
        return FAILED
    except (LinkError, ScovilleError, ExceptionGroup) as fault:
        complain(_fault_text(fault))
        return FAILED
    return 0


def _write_results(
    arguments: ArenaArguments, players: Sequence[Contestant], played: Sequence[Sequence[Match]], seed: bytes
) -> None:
    _export_games(arguments.export, played)
    found = list_standings(players, played)
    if arguments.json is not None:
        text = json_report(found, arguments.game, seed.hex(), len(played))
        arguments.json.write_text(text, encoding="utf-8")
    if arguments.plot is not None:
        arguments.plot.write_text(svg_report(found), encoding="utf-8")


def _read_contestants(arguments: ArenaArguments) -> list[Contestant]:
    info = guard.load_game(arguments.game).info
    fewest, most = info.seats
    if not fewest <= len(arguments.players) <= most:
        raise ValueError(
            tr(
                "{title} is for {fewest} to {most} players; name as many bots and programs.",
                title=info.title,
                fewest=fewest,
                most=most,
            )
        )
    return parse_contestants(arguments.game, arguments.players)


def _fault_text(fault: Exception) -> str:
    """Return an error as a sentence; of a group, the first one."""
    while isinstance(fault, ExceptionGroup):
        fault = fault.exceptions[0]
    if isinstance(fault, LinkError | ScovilleError):
        return fault.message
    raise fault


def _show_progress(over: int, of: int) -> None:
    end = "\n" if over == of else ""
    with suppress(OSError):  # a terminal that has vanished
        if sys.stderr is not None and sys.stderr.isatty():
            sys.stderr.write(f"\r{over}/{of}{end}")
            sys.stderr.flush()


def _export_games(folder: Path | None, deals: Sequence[Sequence[Match]]) -> None:
    if folder is None:
        return
    for number, deal in enumerate(deals, 1):
        for turn, match in enumerate(deal, 1):
            path = folder / f"deal-{number:04}-{turn}.jsonl"
            path.write_text("".join(f"{line}\n" for line in match.lines), encoding="utf-8")
