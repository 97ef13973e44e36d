"""Output of the command: sentences on standard output, errors on standard error with an exit status."""

import io
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final, NoReturn, TypeVar

from scoville_runtime.clock import SYSTEM
from scoville_runtime.log_setup import Format, format_json
from scoville_shared.errors import ScovilleError

T = TypeVar("T")

_STEP: Final = 100
"""Files between two pictures of a progress."""

USAGE: Final = 2
"""Exit status of wrong usage."""

FAILED: Final = 1
"""Exit status of anything else that cannot be done."""

_STANDARD_ERROR: Final = 2

_form: Format = "text"


def open_streams() -> None:
    """Open the standard streams that were closed before the process began, for nothing.

    Otherwise sockets and files would get their numbers, and the event loop ends the process when it closes one of them.
    """
    while (number := os.open(os.devnull, os.O_RDWR)) <= _STANDARD_ERROR:
        pass
    os.close(number)
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: PTH123, SIM115 - until the process ends
    sys.stderr = sys.stderr or sys.stdout


def use_format(form: Format) -> None:
    """Print sentences as text, or as the lines of a log in JSON: `event` is `message` then."""
    global _form  # noqa: PLW0603 - the command's own, like its streams
    _form = form


def _format_line(text: str, level: str) -> str:
    if _form == "text":
        return text
    return format_json(SYSTEM.date_ms() / 1000, level, "server", "message", {"message": text})


def print_result(text: str) -> None:
    """Print the result of a command; exits with a sentence if it cannot be written and somebody wants it."""
    error = _write_line(text)
    if error is not None and not isinstance(error, BrokenPipeError):
        give_up(f"The output could not be written: {error.strerror}.", FAILED)


def print_line(text: str) -> None:
    """Print a line about a running server; a closed output is no error."""
    _write_line(_format_line(text, "notice"))


def _write_line(text: str) -> OSError | None:
    try:
        sys.stdout.write(text + "\n")
        sys.stdout.flush()
    except OSError as error:
        sys.stdout = io.StringIO()
        return error
    return None


def give_up(sentence: str, status: int) -> NoReturn:
    """Print an error and exit; a standard error that takes nothing is ignored."""
    complain(sentence)
    raise SystemExit(status)


def complain(sentence: str) -> None:
    """Print an error; a standard error that takes nothing is ignored."""
    with suppress(OSError):
        sys.stderr.write(_format_line(sentence, "error") + "\n")
        sys.stderr.flush()


def run_or_exit(action: Callable[[], T]) -> T:
    """Return the result of an action, or exit with the sentence of its error."""
    try:
        return action()
    except ScovilleError as error:
        give_up(error.message, FAILED)


def count_noun(number: int, noun: str) -> str:
    """Write a number with its noun, such as `2 tables`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def show_progress(done: int, of: int, noun: str = "files") -> None:
    """Show how much of a long work is done, on a terminal."""
    with suppress(OSError):  # a terminal that has vanished
        if sys.stderr.isatty() and (done == of or done % _STEP == 0):
            sys.stderr.write(f"\r{done}/{of} {noun}" + ("\n" if done == of else ""))
            sys.stderr.flush()


def warn_of_owner(folder: Path) -> None:
    """Tell root of a new data folder that belongs to root, which a server of another user could not read."""
    # Only a hint: a folder that cannot be used is refused elsewhere.
    with suppress(OSError):
        if os.name != "nt" and os.geteuid() == 0 and folder.stat().st_uid == 0:
            sys.stderr.write(f"{folder} belongs to root. If its server runs as another user: chown -R USER {folder}\n")
