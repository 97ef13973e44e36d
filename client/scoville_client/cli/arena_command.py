"""The command `scoville arena`: a rated series of matches between programs."""

import asyncio
import secrets
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from msgspec import Struct

from scoville_client.arena.match import Contestant, Match, Terms, parse_contestants
from scoville_client.arena.series import Series, json_report, list_standings, svg_report, write_report
from scoville_client.cli.exit_status import FAILED, MISUSED
from scoville_client.i18n.language import tr
from scoville_client.output import complain, write_line
from scoville_client.session.new_table.option_input import SEED_BYTES
from scoville_client.transport.base import LinkError
from scoville_outside import guard
from scoville_shared.errors import ScovilleError


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
