"""Lesson: what the guided rounds of a game are dealt from, and what is pointed at."""

from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from msgspec import Struct

from scoville_shared.engine.phrases import Phrase
from scoville_shared.games import registry

_PACKAGE = "scoville_client.tutorial.lessons"
MOST_CALLOUTS = 3
"""Callouts of a round at most: more are not read."""


class Callout(Struct, frozen=True):
    """A short text with an arrow. `mark` names what it points at, as the game's layout names cells of its canvas."""

    mark: str
    text: Phrase


def _never(_: Any) -> bool:
    return False


class Lesson(Struct, frozen=True, kw_only=True):
    """The guided rounds of one game.

    Attributes:
        seed: 32 bytes that the deal, and what the bots do, follow from.
        options: Options of the game.
        bots: Names of the bots; the user has the first seat.
        choices: The mark of the choices, which no callout covers.
        goes_on: Whether the user's round goes on after a move, by the View after it.
        callouts: Returns what to point at, from the View and the number of rounds that are over.
    """

    seed: bytes
    options: Mapping[str, Any]
    bots: Sequence[str]
    choices: str
    callouts: Callable[[Any, int], Sequence[Callout]]
    goes_on: Callable[[Any], bool] = _never


def seed_of(number: int) -> bytes:
    """Return the seed of a deal that was found to show what matters, by its number."""
    return sha256(b"scoville/tutorial/%d" % number).digest()


def games_with_lessons() -> list[str]:
    """Return the slugs of the games that have guided rounds."""
    return [slug for slug in registry.list_slugs() if has_lesson(slug)]


def has_lesson(slug: str) -> bool:
    """Whether a game has guided rounds."""
    return slug.isidentifier() and find_spec(f"{_PACKAGE}.{slug}") is not None


def find_lesson(slug: str) -> Lesson:
    """Return the lesson of a game that has one; loads no other."""
    lesson: Lesson = import_module(f"{_PACKAGE}.{slug}").LESSON
    return lesson
