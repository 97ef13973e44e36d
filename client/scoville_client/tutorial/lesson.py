"""Lesson: what the guided rounds of a game are dealt from, and what is pointed at."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from msgspec import Struct

from scoville_client.i18n.language import tr
from scoville_outside.guard import LOAD_SECONDS, run_in_time
from scoville_shared.engine.phrases import Phrase
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.games import registry
from scoville_shared.installed import list_installed

GROUP = "scoville.tutorials"
"""Entry-point group in which other distributions name the lesson of their game, by its slug."""
_PACKAGE = "scoville_client.tutorial.lessons"
MOST_CALLOUTS = 3
"""Callouts of a round at most: more are not read."""


class LessonFailed(ScovilleError):
    """The guided rounds of another package failed; the message names the package."""

    def __init__(self, slug: str, error: BaseException) -> None:
        what = f"{type(error).__name__}: {error}".rstrip(": ")
        sentence = tr(
            "The guided rounds of {game} have failed ({what}). They are from the package {package}.",
            game=slug,
            what=what,
            package=str(registry.package_of(slug)),
        )
        super().__init__(Code.INTERNAL, sentence)


class Callout(Struct, frozen=True):
    """A short text with an arrow.

    `mark` names what it points at, as the game's layout names cells of its canvas; with an empty one it has no arrow.
    """

    mark: str
    text: Phrase


def _holds_never(_: Any) -> bool:
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
    goes_on: Callable[[Any], bool] = _holds_never


def seed_of(number: int) -> bytes:
    """Return the seed of a deal that was found to show the lesson, by its number."""
    return sha256(b"scoville/tutorial/%d" % number).digest()


def games_with_lessons() -> list[str]:
    """Return the slugs of the games that have guided rounds."""
    return [slug for slug in registry.list_slugs() if has_lesson(slug)]


def has_lesson(slug: str) -> bool:
    """Whether a game has guided rounds."""
    # A slug may come from a server or the command line: with a dot it would name, and import, another package.
    return slug.isidentifier() and (find_spec(f"{_PACKAGE}.{slug}") is not None or slug in list_installed(GROUP))


def find_lesson(slug: str) -> Lesson:
    """Return the lesson of a game that has one; loads no other. Raises LessonFailed for one of another package."""
    if find_spec(f"{_PACKAGE}.{slug}") is not None:
        own: Lesson = import_module(f"{_PACKAGE}.{slug}").LESSON
        return own
    entry = list_installed(GROUP)[slug]
    with blame_package(slug):
        lesson: object = run_in_time(entry.load_object, LOAD_SECONDS)
        if not isinstance(lesson, Lesson):
            raise TypeError(f"the entry point names a {type(lesson).__name__}, not a Lesson")
    return lesson


@contextmanager
def blame_package(slug: str) -> Iterator[None]:
    """Raise LessonFailed for exceptions of another package's code; ours is left to raise what it raises."""
    try:
        yield
    except (Exception, SystemExit) as error:
        if registry.is_ours(slug) or isinstance(error, LessonFailed):
            raise
        raise LessonFailed(slug, error) from error
