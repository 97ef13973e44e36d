"""The command `scoville replay`: an exported game on the board, as a transcript or as a recording; or resumed."""

from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from scoville_client.cli.exit_status import FAILED, INTERRUPTED, SUCCESS, UNCHECKED
from scoville_client.i18n.language import tr
from scoville_client.output import at_terminal, complain, write_line
from scoville_client.replays.playback import Playback, first_human, opening_of
from scoville_client.replays.reel import NotPlayable, Reel
from scoville_client.replays.source import open_game
from scoville_client.replays.transcript import Transcript
from scoville_client.settings.file import SettingsFile
from scoville_shared.errors import ScovilleError
from scoville_shared.ids import Seat
from scoville_shared.replay import Header, Opening

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
