"""Types of command-line arguments, each made from a parser whose ValueError has a sentence for the user."""

from argparse import ArgumentTypeError
from collections.abc import Callable, Container, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from scoville_client.i18n.language import is_language, list_languages, tr
from scoville_client.settings.preferences import LONGEST_NAME

T = TypeVar("T")
LONGEST_STEP = 60.0
"""Seconds that a step of a replay stays at most."""


def check_argument(parse: Callable[[str], T]) -> Callable[[str], T]:
    """Wrap a parser so that argparse shows the sentence of its ValueError."""

    def read(text: str) -> T:
        try:
            return parse(text)
        except ValueError as error:
            raise ArgumentTypeError(str(error)) from error

    return read


def whole_number(least: int, most: int) -> Callable[[str], int]:
    """Return the type of numbers from `least` to `most`."""

    @check_argument
    def read(text: str) -> int:
        if not (_is_number(text) and least <= int(text) <= most):
            raise ValueError(
                tr("{text} is not a number from {least} to {most}.", text=repr(text), least=least, most=most)
            )
        return int(text)

    return read


class LanguageChoices(Container[str], Iterable[str]):
    """The codes of languages that can be chosen, those of installed packages among them; read when needed."""

    def __contains__(self, code: object) -> bool:
        return isinstance(code, str) and is_language(code)

    def __iter__(self) -> Iterator[str]:
        return iter(list_languages())


@check_argument
def user_name(text: str) -> str:
    """Return a name of at most `LONGEST_NAME` characters."""
    if len(text) > LONGEST_NAME:
        sentence = tr("{text} is too long; a name can have at most {n} characters.", text=repr(text), n=LONGEST_NAME)
        raise ValueError(sentence)
    return text


@check_argument
def parse_players(text: str) -> int:
    """Return a number of players; each game checks its own bounds."""
    if not _is_number(text):
        raise ValueError(tr("{text} is not a number of players; give a whole number such as 4.", text=repr(text)))
    return int(text)


@check_argument
def move_number(text: str) -> int:
    """Return the number of a move, 0 for the position before the first one."""
    if not _is_number(text):
        raise ValueError(tr("{text} is not the number of a move; give a whole number such as 12.", text=repr(text)))
    return int(text)


@check_argument
def parse_seconds(text: str) -> float:
    """Return seconds above 0, up to `LONGEST_STEP`."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value <= LONGEST_STEP:
        sentence = tr(
            "{text} is not a duration; enter seconds, more than 0 and at most {most}.",
            text=repr(text),
            most=LONGEST_STEP,
        )
        raise ValueError(sentence)
    return value


@check_argument
def parse_peppers(text: str) -> dict[str, dict[str, Any]]:
    """Return the peppers of cards 1 to 100 from a file, by game and option."""
    from scoville_client.transport.in_process import read_host_option

    return read_host_option("peppers", Path(text))


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()
