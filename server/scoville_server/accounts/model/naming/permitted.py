"""Which names nobody may have, reserved ones and those that mix scripts to look like another; and free names instead.

Reserved are those of the server, of roles, of seats and of anybody, in the languages of the client, and of bots.
"""

import re
import secrets
import unicodedata
from collections.abc import Callable, Collection, Iterable
from functools import cache, partial
from itertools import count, islice
from typing import Final, Literal

from scoville_server.accounts.model.naming.skeleton import looks_of, scripts_of, skeleton
from scoville_shared.text import LONGEST_NAME

BOTS: Final = ("Ada", "Emmy", "Alan", "Grace", "Kurt", "Sofia", "Blaise", "Hedy", "Niels", "Lise")
"""The bots are called "Bot Ada", and so on."""

_AUTHORITIES: Final = (
    "admin", "administrator", "administration", "moderator", "moderation", "server", "system", "scoville-server",
    "staff", "referee", "umpire", "gamemaster",
    "Administratorin", "Moderatorin", "Serveradmin", "Spielleiter", "Spielleiterin", "Spielleitung",
    "Schiedsrichter", "Schiedsrichterin",
    "administrateur", "administratrice", "modérateur", "modératrice", "modération", "serveur", "système", "arbitre",
)  # fmt: skip
"""Words of authority that no name may contain: a user called so could ask others for passwords."""

_ROLES: Final = (
    "Scoville", "host", "spectator", "commentator", "dealer", "bot", "bots", "root", "mod", "mods", "operator", "sysop",
    "support", "owner", "official", "team", "help", "helpdesk", "game master", "console", "daemon",
    "Gastgeber", "Gastgeberin", "Zuschauer", "Zuschauerin", "Kommentator", "Kommentatorin", "Geber", "Geberin",
    "Betreiber", "Betreiberin", "Verwaltung", "Aufsicht", "Hilfe", "offiziell",
    "hôte", "hôtesse", "spectateur", "spectatrice", "commentateur", "commentatrice", "opérateur", "opératrice",
    "donneur", "donneuse", "propriétaire", "équipe", "aide", "officiel", "robot", "maître du jeu", "meneur de jeu",
)  # fmt: skip
"""No whole name is one of these."""

_ANYBODY: Final = (
    "you", "me", "nobody", "no one", "somebody", "someone", "anybody", "anyone", "everybody", "everyone", "all",
    "du", "ihr", "ich", "niemand", "jemand", "alle", "wir",
    "tu", "toi", "vous", "moi", "nous", "personne", "quelqu'un", "tous", "tout le monde",
)  # fmt: skip
"""What the clients and people call a player who is not named: "You take the card"."""

_PLACES: Final = (
    "seat", "chair", "player", "Platz", "Sitz", "Spieler", "Spielerin", "place", "siège", "joueur", "joueuse",
)  # fmt: skip
"""What the clients call a seat without a name, with a number or without: no name is one of these, as in "Seat 1"."""

_WORDS: Final = re.compile(r"[\W_]+")
_NUMBER: Final = re.compile(r"(?:\d+|(?<=[\W_])[liIoO|]+)[\W_]*$|^[\W_]*\d+")
"""The number of a seat, behind its word or before it; a stroke or a circle of its own is read as one."""


def is_reserved(name: str) -> bool:
    """Return whether a name, or one that looks like it, belongs to the server, a role or a bot."""
    plain = unicodedata.normalize("NFKC", name)
    words = [word for word in _WORDS.split(plain) if word]
    drawn = [{*looks_of(word), *looks_of(_NUMBER.sub("", word) or word)} for word in words]
    whole = {*looks_of(plain), *looks_of(_NUMBER.sub("", plain) or plain)}
    return (
        not whole.isdisjoint(_authorities())
        or not _roles().isdisjoint(looks_of(plain))
        or not whole.isdisjoint(_places())
        or any(not look.isdisjoint(_authorities()) for look in drawn)
        or any(skeleton("bot") in look for look in drawn[:1])
        or any(look.startswith(_bots()) for look in whole)
    )


@cache
def _authorities() -> frozenset[str]:
    return frozenset(map(skeleton, _AUTHORITIES))


@cache
def _roles() -> frozenset[str]:
    return frozenset(map(skeleton, (*_ROLES, *_ANYBODY)))


@cache
def _places() -> frozenset[str]:
    return frozenset(map(skeleton, _PLACES))


@cache
def _bots() -> tuple[str, ...]:
    return tuple(skeleton(f"bot {name}") for name in BOTS)


_AUGMENTED: Final = {
    "Hani": {"Hanb", "Jpan", "Kore"}, "Hira": {"Jpan"}, "Kana": {"Jpan"}, "Hang": {"Kore"}, "Bopo": {"Hanb"},
}  # fmt: skip
"""The writing systems of Chinese, Japanese and Korean, which write with several scripts."""

_BESIDE_LATIN: Final = {"Hanb", "Jpan", "Kore"}
"""Writing systems that Latin letters may stand beside."""


_OVERLAY: Final = 1
"""The combining class of marks that are drawn over a letter: strokes, which strike a name out or are not seen."""


def is_restricted(char: str) -> bool:
    """Return whether a character is out of place in a name: an overlay, or neither ASCII nor allowed in identifiers."""
    return not char.isascii() and (scripts_of(char) is None or unicodedata.combining(char) == _OVERLAY)


def mixes_scripts(name: str) -> bool:
    """Return whether a name mixes scripts; Latin may be mixed with Chinese, Japanese and Korean."""
    if name.isascii():
        return False
    sets = [_writing_systems(scripts_of(char) or frozenset()) for char in name]
    used = [systems for systems in sets if systems]
    return not (_in_common(used) or _in_common(systems for systems in used if "Latn" not in systems) & _BESIDE_LATIN)


def mixes_digits(name: str) -> bool:
    """Return whether a name has decimal digits of several scripts."""
    return len({ord(char) - unicodedata.decimal(char) for char in name if char.isdecimal()}) > 1


def _writing_systems(names: frozenset[str]) -> frozenset[str]:
    return names.union(*(_AUGMENTED.get(name, ()) for name in names))


def _in_common(sets: Iterable[frozenset[str]]) -> frozenset[str]:
    """Return the writing systems that fit all; every one does if there is nothing to fit."""
    found = [*sets]
    return frozenset.intersection(*found) if found else frozenset({"Latn", *_BESIDE_LATIN})


Refusal = Literal["reserved", "characters", "scripts"]


def check_permitted(name: str) -> Refusal | None:
    """Return why nobody may have a name (cleaned), or None.

    `reserved` belongs to the server, a role or a bot, or looks like it; `characters` has some that are out of place in
    names; `scripts` mixes letters or digits of several scripts.
    """
    if any(map(is_restricted, name)):
        return "characters"
    if mixes_scripts(name) or mixes_digits(name):
        return "scripts"
    return "reserved" if is_reserved(name) else None


_FRIENDLY = (
    "Paprika", "Cayenne", "Habanero", "Serrano", "Poblano", "Chipotle", "Ancho", "Piquin",
    "Tabasco", "Rocoto", "Aji", "Pimento", "Padron", "Scotch", "Tepin", "Guindilla",
)  # fmt: skip

_HIGHEST, _UNLIKELY = 2**20, 10**9


def free_name(wanted: str, taken: Callable[[str], bool]) -> str:
    """Find a free name for a user who wants `wanted` (cleaned; empty for a random friendly one)."""
    named = partial(_add_number, wanted) if wanted else partial(_in_rounds, _FRIENDLY, "{}")
    return named(_first_free(lambda number: taken(named(number))))


def _first_free(taken: Callable[[int], bool]) -> int:
    """Find a free number that follows a taken one, or 0, by doubling and halving.

    Trying one after the other would make the thousandth guest of a name cost a thousand times as much as the first.
    Where an attacker has taken all the numbers that doubling tries, a random one is found.
    """
    if not taken(0):
        return 0
    low, high = 0, 1
    while taken(high):
        low, high = high, 2 * high if high < _HIGHEST else secrets.randbelow(_UNLIKELY)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if taken(middle) else (low, middle)
    return high


def bot_names(number: int, taken: Collection[str]) -> list[str]:
    """Name bots unlike anybody at the table; always the same for the same table."""
    free = (name for name in map(partial(_in_rounds, BOTS, "Bot {}"), count()) if name not in taken)
    return list(islice(free, number))


def _add_number(name: str, number: int) -> str:
    tail = f" {number + 1}" if number else ""
    return name[: LONGEST_NAME - len(tail)].rstrip() + tail


def _in_rounds(names: tuple[str, ...], form: str, number: int) -> str:
    lap, place = divmod(number, len(names))
    return _add_number(form.format(names[place]), lap)
