"""Where an exported game comes from: a file, or what is piped in."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from scoville_client.i18n.language import words
from scoville_shared.errors import ScovilleError
from scoville_shared.replay import ExportedGame, read
from scoville_shared.replay.file import MAX_LINE_CHARS, BrokenFile

PIPED = "-"
"""The name that stands for what is piped in."""

_GZIP = b"\x1f\x8b"


class NoGame(ScovilleError):
    """There is no exported game under this name; the sentence says why."""

    def __init__(self, message: str) -> None:
        super().__init__("no_game", message)


def open_game(name: str) -> ExportedGame:
    """Read the exported game of a file, or of stdin for `-`. Raises NoGame."""
    try:
        if name == PIPED:
            return read(_lines(sys.stdin.buffer))
        with Path(name).open("rb") as file:
            return read(_lines(file))
    except BrokenFile as error:
        raise NoGame(words("{file} is no exported game. {why}", file=titled(name), why=error.message)) from error
    except OSError as error:
        raise NoGame(
            words("{file} cannot be read: {why}.", file=titled(name), why=error.strerror or str(error))
        ) from error
    except ValueError as error:  # a name that no file can have
        raise NoGame(words("{file} cannot be read: {why}.", file=titled(name), why=str(error))) from error


def titled(name: str) -> str:
    """Call a file as a person would."""
    return words("What was piped in") if name == PIPED else name


def _lines(file: BinaryIO) -> Iterator[bytes]:
    """Give the lines, none longer than a reader takes: a device may have no line ends at all."""
    first = True
    while line := file.readline(MAX_LINE_CHARS + 1):
        if first and line.startswith(_GZIP):
            raise BrokenFile(1, "the file is compressed; unpack it with gunzip first")
        first = False
        yield line
