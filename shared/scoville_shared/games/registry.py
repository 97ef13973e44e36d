"""The registry of games: those of this distribution, and others in the entry-point group `scoville.games`.

A game of another package is code that somebody else wrote: importing it may raise, exit or offer something that is no
game. Such a package is left out and named; the others are as usual.
"""

import hashlib
import json
import re
from collections.abc import Iterable
from functools import cache, lru_cache, partial
from typing import Final, NamedTuple

import msgspec

from scoville_shared.engine.contract import API_VERSION, AnyGame, Game, Info, Text
from scoville_shared.engine.phrases import Phrase
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import MOST_SEATS
from scoville_shared.installed import OURS, Package, list_conflicts, list_installed

GROUP = "scoville.games"

SLUG: Final = re.compile(r"[a-z][a-z0-9_]{1,31}")
"""The form of a slug: it becomes part of names of files, labels of chance and keys of settings."""


MOST_OPTION_BYTES: Final = 16_384
"""Bytes of the options that a table has by default: each greeting has those of every game."""
LONGEST_WORDS: Final = 300
"""Characters of a label, a help or a tagline, for which screens have a line or two."""


class BrokenGame(ScovilleError):
    """A game that is installed and cannot be used; the message names it, its package and what is wrong with it."""

    def __init__(self, slug: str, package: Package, reason: str) -> None:
        super().__init__(
            Code.UNKNOWN_GAME,
            f"The game {slug} of the package {package} cannot be used: {reason}.",
        )


class Loaded(NamedTuple):
    """A game, or why it cannot be used."""

    game: AnyGame | None
    fault: BrokenGame | None


def list_slugs() -> list[str]:
    """List the slugs of the installed games, sorted, without loading any: some may turn out to be unusable."""
    return sorted(list_installed(GROUP))


def list_usable(among: Iterable[str] | None = None) -> list[str]:
    """List the slugs of the games that can be used, sorted; loads those `among` them, by default all."""
    return [slug for slug in (list_slugs() if among is None else sorted(among)) if _load_cached(slug).game is not None]


def list_faults(among: Iterable[str] | None = None) -> list[str]:
    """Say in one sentence each why a game, or another name of a package, is left out; loads like `list_usable`."""
    names = list_slugs() if among is None else sorted(among)
    broken = [str(fault.message) for fault in (_load_cached(slug).fault for slug in names) if fault is not None]
    return [*map(str, list_conflicts()), *broken]


def load_game(slug: str) -> AnyGame:
    """Load a game by its slug.

    Raises ScovilleError `unknown_game`, which lists the known games, or BrokenGame for one that cannot be used.
    """
    if slug not in list_installed(GROUP):
        known = ", ".join(list_slugs())
        raise ScovilleError(Code.UNKNOWN_GAME, f"There is no game called {slug!r} here; there is {known}.")
    game, fault = _load_cached(slug)
    if game is None:
        assert fault is not None, "what is not there has a reason"
        raise fault
    return game


def package_of(slug: str) -> Package:
    """Return the package that an installed game comes from; ours for one that is not installed."""
    return list_installed(GROUP)[slug].package if slug in list_installed(GROUP) else Package(OURS, "")


def is_ours(slug: str) -> bool:
    """Whether a game belongs to this distribution; also said of one that is not installed."""
    return package_of(slug).name == OURS


def types_digest(game: AnyGame) -> str:
    """Return a digest of a game's types: two programs with the same one understand each other's moves and Views."""
    codec = game.codec
    return _digest_types((codec.options_type, *codec.move_types, codec.view_type, codec.fact_type))


# Several milliseconds for each game, asked by every server that starts, and before each practice game.
@lru_cache(maxsize=64)
def _digest_types(types: tuple[type, ...]) -> str:
    schema = json.dumps(msgspec.json.schema_components(types))
    return hashlib.sha256(schema.encode()).hexdigest()[:16]


def forget_loaded() -> None:
    """Load games again next time: packages have come or gone."""
    _load_cached.cache_clear()


@cache
def _load_cached(slug: str) -> Loaded:
    """Load a game once; a failure is remembered, since half of its modules may have been imported."""
    entry = list_installed(GROUP)[slug]
    try:
        check = partial(_check_game, slug, ours=entry.package.name == OURS)
        return Loaded(entry.load_object(check), None)
    except KeyboardInterrupt:
        raise
    # SystemExit, too: one package must not keep the others from being played.
    except BaseException as error:
        if entry.package.name == OURS:
            raise
        return Loaded(None, BrokenGame(slug, entry.package, f"{type(error).__name__}: {error}".rstrip(": ")))


def _check_game(slug: str, game: object, *, ours: bool) -> AnyGame:
    """Return an object if it is the game of a slug. Raises TypeError and ValueError, and any exception of the game."""
    if not isinstance(game, Game):
        raise TypeError(f"the entry point names a {type(game).__name__}, not an instance of Game")
    info = getattr(game, "info", None)
    if not isinstance(info, Info):
        raise TypeError("its info is not an Info")
    if not ours and info.api_version != API_VERSION:
        raise ValueError(_api_advice(info.api_version))
    if not SLUG.fullmatch(slug):
        raise ValueError("a slug has 2 to 32 small letters, digits and underscores, and begins with a letter")
    _check_info(info, slug)
    # A table may set no options, so each needs a default.
    options = msgspec.msgpack.encode(game.codec.encode_plain(game.codec.decode_options({})))
    if len(options) > MOST_OPTION_BYTES:
        raise ValueError(f"its default options have {len(options):,} bytes; {MOST_OPTION_BYTES:,} are allowed")
    if not ours:
        _check_words(game)
    return game


def _check_info(info: Info, slug: str) -> None:
    """Check a game's part of every greeting: one wrong number would make all of it unreadable. Raises ValueError."""
    if info.slug != slug:
        raise ValueError(f"its info calls it {info.slug!r}, the entry point {slug!r}")
    # Once more through the decoder: a struct that Python code makes is not held to its bounds.
    msgspec.convert(msgspec.structs.asdict(info), Info)
    if not info.title.isprintable() or not info.title.strip():
        raise ValueError(f"its title {info.title!r} cannot be printed")
    for fewest, most in (info.seats, info.official):
        if not 1 <= fewest <= most <= MOST_SEATS:
            raise ValueError(f"it is for {fewest} to {most} players; tables have 1 to {MOST_SEATS} seats")


def _check_words(game: AnyGame) -> None:
    """Check the parts of a game that screens show before it begins. Raises TypeError."""
    text = game.text
    if not isinstance(text, Text):
        raise TypeError("its text is not a Text")
    values = [name for named in text.option_values.values() for name in named.values()]
    words = [*text.option_names.values(), *text.option_help.values(), *values]
    wrong = [word for word in (*words, text.tagline) if not isinstance(word, Phrase | None)]
    if wrong:
        raise TypeError(f"its text has {wrong[0]!r}, which is no Phrase")
    for word in filter(None, (*words, text.tagline)):
        if not 0 < len(word.render(())) <= LONGEST_WORDS:
            raise ValueError(f"its text has {word.text[:40]!r}, which has not 1 to {LONGEST_WORDS} characters")


def _api_advice(stated: int) -> str:
    """Say why a package does not fit this version of Scoville, and what to install."""
    if stated == 0:
        return f"its Info states no version of the API: write api_version={API_VERSION}"
    newer = "Scoville" if stated > API_VERSION else "version of that package"
    return f"it is written for version {stated} of the API, and this is {API_VERSION}: install a newer {newer}"
