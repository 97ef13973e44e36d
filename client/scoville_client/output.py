"""Lines on stdout, whatever becomes of it."""

import codecs
import io
import os
import sys

from scoville_client.i18n.language import without_accents

_PLAIN = {"−": "-", "×": "x", "÷": "/", "–": "-", "…": "...", "√": "root ", "\u202f": " "}
_ERRORS = "scoville.plain"
_HARMLESS = dict.fromkeys((*range(32), *range(127, 160)), "?")
"""Control characters, in names that others chose: a terminal would obey them."""


_ascii = False


def write_ascii(*, only: bool) -> None:
    """Write ASCII characters only from now on, whatever the stream can carry; or whatever it can carry again."""
    global _ascii  # noqa: PLW0603 - stdout is the process's as well
    _ascii = only


def write_line(line: str) -> None:
    """Write one line at once. Signs that the stream cannot carry get plain ones; once nobody reads, lines vanish.

    Control characters become question marks.
    """
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors != _ERRORS:
        codecs.register_error(_ERRORS, _plainly)
        sys.stdout.reconfigure(errors=_ERRORS)
    try:
        sys.stdout.write(f"{_written(line)}\n")
        sys.stdout.flush()
    except BrokenPipeError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def _written(line: str) -> str:
    line = line.translate(_HARMLESS)
    return "".join(sign if sign.isascii() else _plain(sign) for sign in line) if _ascii else line


def complain(sentence: str) -> None:
    """Write one sentence to stderr, without control characters."""
    sys.stderr.write(f"{_written(sentence)}\n")


def _plainly(error: UnicodeError) -> tuple[str, int]:
    """Stand in for what an encoding lacks."""
    assert isinstance(error, UnicodeEncodeError), "lines are only written here"
    return "".join(map(_plain, error.object[error.start : error.end])), error.end


def _plain(sign: str) -> str:
    plain = _PLAIN.get(sign) or without_accents(sign)
    return plain if plain.isascii() else "?"
