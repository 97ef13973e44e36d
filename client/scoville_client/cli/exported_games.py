"""The commands `scoville verify`, `replay` and `review`: exported games checked, shown or resumed, and reviewed."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Final

from msgspec import Struct

from scoville_client.cli.exit_status import FAILED, INTERRUPTED, SUCCESS, UNCHECKED
from scoville_client.i18n.clock_text import day_and_time
from scoville_client.i18n.errors import error_text
from scoville_client.i18n.language import render_count, tr
from scoville_client.output import at_terminal, complain, write_line
from scoville_client.replays.playback import Playback, first_human, opening_of
from scoville_client.replays.reel import NotPlayable, Reel, finding_text
from scoville_client.replays.source import NoGame, open_game, source_title
from scoville_client.replays.transcript import Transcript
from scoville_client.reviews.coaches import do_all, show_progress, thinking_pool
from scoville_client.reviews.decisions import keep_decisions
from scoville_client.reviews.plan import plan_review
from scoville_client.reviews.reports import json_report, svg_report, text_report
from scoville_client.reviews.review import Review, assemble_review
from scoville_client.session.daily import users_notes
from scoville_client.settings.file import SettingsFile
from scoville_outside import guard
from scoville_outside.guard import GameFailed
from scoville_shared.bots.counted import DAILY, SharedDeal, find_other_answers
from scoville_shared.engine.phrases import Phrase
from scoville_shared.errors import ScovilleError
from scoville_shared.ids import Seat
from scoville_shared.replay import ExportedGame, Header, Opening, Verdict, is_signed_game, verify_game

# --- scoville verify --------------------------------------------------------------------------------

_OK, _WRONG, _MISSING = Phrase("ok"), Phrase("failed"), Phrase("not checked")
_MOVES = Phrase("{n} move", many="{n} moves")


def run_verify(names: Iterable[str]) -> int:
    """Check each game; return SUCCESS only if all of them are complete and correct, FAILED if any is not."""
    statuses = [_check_game(name, write_line, complain) for name in names]
    return FAILED if FAILED in statuses else max(statuses, default=SUCCESS)


def report_verdict(name: str, exported: ExportedGame, verdict: Verdict) -> Iterator[str]:
    """Return the result of the check of one game."""
    yield f"{source_title(name)}: {_summarize_verdict(verdict)} {describe_game(exported)}"
    for finding in verdict.findings:
        check = _OK if finding.held else _MISSING if finding.unchecked else _WRONG
        yield "  " + tr("{check}: {what}", check=check, what=finding_text(finding, exported))
    yield from check_bots(exported, verdict)
    yield from compare_notes(exported)
    yield "  " + tr("Commitment: {commitment}", commitment=exported.header.commitment)
    if exported.digest:
        yield "  " + tr("Signed result: {digest}", digest=exported.digest.hex())
    if not is_signed_game(exported):
        yield "  " + tr("The file is not signed: it does not prove which server dealt.")
    yield "  " + tr("Times and names come from the file and cannot be checked.")


def check_bots(exported: ExportedGame, verdict: Verdict) -> Iterator[str]:
    """Check the bots of a daily deal, whose answers are a pure function of deal, seat and history."""
    header = exported.header
    levels = tuple("" if seat.kind == "human" else seat.level or "" for seat in header.seats)
    if not header.table.startswith(DAILY) or verdict.unchecked or levels.count("") != 1:
        return
    deal = SharedDeal(header.table, bytes.fromhex(header.server_seed), header.game, header.options, levels)
    moves = [(Seat(line.seat), line.move) for line in exported.moves]
    try:
        other = next(find_other_answers(deal, moves), None)
    except ValueError:  # an illegal move, which the verdict names
        return
    check, what = (
        (_OK, tr("Every bot answered as this version of Scoville does."))
        if other is None
        else (_MISSING, tr("The bots of this version of Scoville answer otherwise, first at move {n}.", n=other))
    )
    yield "  " + tr("{check}: {what}", check=check, what=what)


def compare_notes(exported: ExportedGame) -> Iterator[str]:
    """Say since when this computer knows the commitment to a daily deal, which has to be before its day."""
    header = exported.header
    if not header.table.startswith(DAILY):
        return
    try:
        seen_ms = users_notes().first_seen_ms(header.commitment)
        begins_ms = 1000 * int(datetime.fromisoformat(f"{header.table.removeprefix(DAILY)[:10]}T00:00Z").timestamp())
    except (OSError, ValueError):  # without a home folder, or with a name that is no day's
        seen_ms = begins_ms = None
    if seen_ms is None or begins_ms is None:
        check, what = (
            _MISSING,
            tr("This computer has not noted the commitment: compare it with a player whose computer has."),
        )
    elif seen_ms < begins_ms:
        check, what = _OK, tr("This computer has known the commitment since {time}.", time=day_and_time(seen_ms))
    else:
        check = _MISSING
        what = tr(
            "This computer first saw the commitment at {time}, when the day had begun.", time=day_and_time(seen_ms)
        )
    yield "  " + tr("{check}: {what}", check=check, what=what)


def describe_game(exported: ExportedGame) -> str:
    """Return which game was played, when and by whom."""
    header = exported.header
    return tr(
        "{game}, table {table}, {day}, {moves}: {names}.",
        game=header.game,
        table=header.table,
        day=f"{header.started:%Y-%m-%d}",
        moves=render_count(_MOVES, len(exported.moves)),
        names=[sitter.name for sitter in header.seats],
    )


def _summarize_verdict(verdict: Verdict) -> str:
    if verdict.verified:
        return tr("verified.")
    if verdict.unchecked:
        return tr("cannot be checked here: the game or this version of its rules is not installed.")
    return tr("correct so far, but not finished.") if verdict.unfinished else tr("NOT verified.")


def _check_game(name: str, write: Callable[[str], object], complain: Callable[[str], object]) -> int:
    try:
        exported = open_game(name)
    except NoGame as error:
        complain(error.message)
        return FAILED
    try:
        verdict = verify_game(exported, guard.load_game)
    except GameFailed as failed:
        complain(error_text(failed))
        return UNCHECKED
    for line in report_verdict(name, exported, verdict):
        write(line)
    return UNCHECKED if verdict.unchecked else SUCCESS if verdict.verified else FAILED


# --- scoville replay --------------------------------------------------------------------------------

PACE = 1.3
"""Seconds per step of a recording."""

SPECTATOR = "0"


class ReplayArguments(Struct, frozen=True, kw_only=True):
    """Arguments of the command: the game, the point of view (see `seat_of`), the first move and the form."""

    game: str
    seat: str = ""
    move: int = 0
    text: bool = False
    cast: Path | None = None
    pace: float = PACE
    settings: SettingsFile = SettingsFile(None)


def run_replay(arguments: ReplayArguments) -> int:
    """Show a game; return the exit status."""
    try:
        playback = open_playback(arguments)
        return _show_game(arguments, playback)
    except NotPlayable as error:
        complain(error.message)
        return UNCHECKED if error.unchecked else FAILED
    except ScovilleError as error:
        complain(error.message)
    except OSError as error:
        why = error.strerror or str(error)
        complain(tr("The recording could not be saved in {file}: {why}.", file=str(arguments.cast), why=why))
    except KeyboardInterrupt:
        return INTERRUPTED
    return FAILED


def open_continuation(name: str, move: int, seat: str) -> Opening:
    """Open the game that practice continues, by default in the seat of the first human. Raises ScovilleError."""
    exported = open_game(name)
    mine = seat_of(seat, exported.header) if seat else first_human(exported.header)
    if mine is None:
        raise ScovilleError("no_seat", tr("Spectators cannot resume a game: choose a seat from 1."))
    return opening_of(exported, move, mine)


def open_playback(arguments: ReplayArguments) -> Playback:
    """Open a game at the requested move and point of view. Raises ScovilleError."""
    reel = Reel(open_game(arguments.game))
    if arguments.move > reel.moves:
        raise ScovilleError(
            "no_move", tr("There is no move {move}; the last one is {last}.", move=arguments.move, last=reel.moves)
        )
    seat = (
        seat_of(arguments.seat, reel.header) if arguments.seat else None if arguments.text else first_human(reel.header)
    )
    return Playback(reel, seat, arguments.move)


def seat_of(wanted: str, header: Header) -> Seat | None:
    """Return the seat of a player's name or a number from 1; None for "0", a spectator. Raises ScovilleError."""
    names = [sitter.name for sitter in header.seats]
    if wanted == SPECTATOR:
        return None
    if wanted in names:
        return Seat(names.index(wanted))
    if wanted.isascii() and wanted.isdigit() and 1 <= int(wanted) <= len(names):
        return Seat(int(wanted) - 1)
    known = [f"{number} ({name})" for number, name in enumerate(names, 1)]
    raise ScovilleError(
        "no_seat",
        tr("There is no seat {seat} at this table; the seats are {known}.", seat=repr(wanted), known=known),
    )


def write_transcript(playback: Playback, write: Callable[[str], object]) -> None:
    """Write the game as lines, from the present position on."""
    transcript = Transcript(write)
    transcript.begin_game(playback.at)
    while (change := playback.step_forward()) is not None:
        transcript.event_applied(playback.at, change)


def _show_game(arguments: ReplayArguments, playback: Playback) -> int:
    if arguments.text:
        write_transcript(playback, write_line)
    elif arguments.cast is not None:
        from scoville_client.tui.asciicast import record_replay

        with arguments.cast.open("a", encoding="utf-8") as file:  # refused before the recording, which takes seconds
            recording = record_replay(playback, arguments.pace)
            if file.seekable():
                file.truncate(0)
            file.write(recording)
    else:
        return _show_on_board(arguments, playback)
    for sentence in playback.reel.doubts:
        complain(sentence)
    return SUCCESS if playback.reel.verdict.verified else FAILED


def _show_on_board(arguments: ReplayArguments, playback: Playback) -> int:
    if not at_terminal():
        complain(tr("The board needs a terminal, and this is not one: add --text for a transcript, or --cast OUT."))
        return FAILED
    from scoville_client.tui.app import run_replay as run_app

    return run_app(playback, arguments.pace, arguments.settings)


# --- scoville review --------------------------------------------------------------------------------

_FULL: Final = 100
"""Percent of the usual playouts; what fewer of them say of the user's decisions is not kept."""


def _as_lines(write: Callable[[Review], str]) -> Callable[[Review], Iterator[str]]:
    return lambda review: iter(write(review).splitlines())


FORMATS: Final[Mapping[str, Callable[[Review], Iterator[str]]]] = {
    "text": text_report,
    "json": _as_lines(json_report),
    "svg": _as_lines(svg_report),
}


class ReviewArguments(Struct, frozen=True, kw_only=True):
    """Arguments of the command: the game, the form, and how much of the usual playouts, in percent."""

    game: str
    form: str = "text"
    percent: int = 100


def run_review(arguments: ReviewArguments) -> int:
    """Review a game and write the report; return the exit status."""
    try:
        review = review_game(Reel(open_game(arguments.game)), arguments.percent)
    except NotPlayable as error:
        complain(error.message)
        return UNCHECKED if error.unchecked else FAILED
    except ScovilleError as error:
        complain(error.message)
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED
    for line in FORMATS[arguments.form](review):
        write_line(line)
    return SUCCESS


def review_game(reel: Reel, percent: int = 100) -> Review:
    """Review a game in processes of its own. Raises ScovilleError."""
    planned = plan_review(reel, percent)
    with thinking_pool(reel.game) as pool:
        results = do_all(pool, planned.work, show_progress, reel.game)
    review = assemble_review(reel, planned, results)
    if percent >= _FULL:
        keep_decisions(review)
    return review
