"""Output of the command: sentences on standard output, errors on standard error with an exit status."""

import os
import sys
from collections.abc import Callable
from typing import Final, NoReturn, TypeVar

from scoville_shared.errors import ScovilleError

T = TypeVar("T")

USAGE: Final = 2
"""Exit status of wrong usage."""

FAILED: Final = 1
"""Exit status of anything else that cannot be done."""


def say(text: str) -> None:
    """Print a line; a closed standard output is ignored."""
    try:
        sys.stdout.write(text + "\n")
        sys.stdout.flush()
    except BrokenPipeError:
        sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115 - until the process ends


def give_up(sentence: str, status: int) -> NoReturn:
    """Print an error and exit."""
    sys.stderr.write(sentence + "\n")
    raise SystemExit(status)


def or_give_up(action: Callable[[], T]) -> T:
    """Return the result of an action, or exit with the sentence of its error."""
    try:
        return action()
    except ScovilleError as error:
        give_up(error.message, FAILED)


def count(number: int, noun: str) -> str:
    """Write a number with its noun, such as `2 tables`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
