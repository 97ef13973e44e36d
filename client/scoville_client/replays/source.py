"""Input of exported games: files and stdin."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from scoville_client.i18n.language import tr
from scoville_shared.errors import ScovilleError
from scoville_shared.replay import ExportedGame, read_game
from scoville_shared.replay.file import MAX_LINE_CHARS, BrokenFile

PIPED = "-"
"""File name of stdin."""

_GZIP = b"\x1f\x8b"


class NoGame(ScovilleError):
    """There is no exported game under this name; the text says why."""

    def __init__(self, message: str) -> None:
        super().__init__("no_game", message)


def open_game(name: str) -> ExportedGame:
    """Read an exported game from a file, or from stdin for `-`. Raises NoGame."""
    try:
        if name == PIPED:
            return read_game(_read_lines(sys.stdin.buffer))
        with Path(name).expanduser().open("rb") as file:
            return read_game(_read_lines(file))
    except BrokenFile as error:
        raise NoGame(tr("{file} is not an exported game. {why}", file=source_title(name), why=error.message)) from error
    except OSError as error:
        raise NoGame(
            tr("{file} cannot be read: {why}.", file=source_title(name), why=error.strerror or str(error))
        ) from error
    except (RuntimeError, ValueError) as error:  # ~ of an unknown user, or a name that no file can have
        raise NoGame(tr("{file} cannot be read: {why}.", file=source_title(name), why=str(error))) from error


def source_title(name: str) -> str:
    """Return the name of a file for sentences."""
    return tr("The standard input") if name == PIPED else name


def _read_lines(file: BinaryIO) -> Iterator[bytes]:
    """Yield lines, each cut at the longest that a reader accepts: a device may have no line ends at all."""
    first = True
    while line := file.readline(MAX_LINE_CHARS + 1):
        if first and line.startswith(_GZIP):
            raise BrokenFile(1, "the file is compressed; unpack it with gunzip first")
        first = False
        yield line
