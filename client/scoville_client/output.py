"""Lines on stdout, whatever becomes of it."""

import codecs
import io
import os
import sys

_PLAIN = {"−": "-", "×": "x", "÷": "/", "–": "-", "…": "...", "√": "root "}
_ERRORS = "scoville.plain"


def write_line(line: str) -> None:
    """Write one line at once. Signs that the stream cannot carry get plain ones; once nobody reads, lines vanish."""
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors != _ERRORS:
        codecs.register_error(_ERRORS, _plainly)
        sys.stdout.reconfigure(errors=_ERRORS)
    try:
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
    except BrokenPipeError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def _plainly(error: UnicodeError) -> tuple[str, int]:
    """Stand in for what an encoding lacks."""
    assert isinstance(error, UnicodeEncodeError), "lines are only written here"
    return "".join(_PLAIN.get(sign, "?") for sign in error.object[error.start : error.end]), error.end
