"""Names that nobody may have: reserved ones, and those that look like another (UTS #39); and free names instead.

Reserved are those of the server, of roles, of seats and of anybody, in the languages of the client, and of bots. Names
with a common skeleton look alike, by the security data of Unicode.
"""

import re
import secrets
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cache, lru_cache, partial
from itertools import count, islice
from pathlib import Path
from typing import Final, Literal

from scoville_shared.text import LONGEST_NAME


@cache
def load_prototypes() -> dict[int, str]:
    """Return the prototype of every character that has another one, as a table for `str.translate`; "" if invisible."""
    return {
        point: "" if name == "-" else "".join(chr(int(part, 16)) for part in name.split())
        for name, ranges in _read_lines("confusables.txt")
        for points in ranges
        for point in points
    }


def scripts_of(char: str) -> frozenset[str] | None:
    """Return the scripts (ISO 15924 codes) of an allowed character, an empty set if it fits beside all.

    None for a restricted character: it belongs to no living language, or is a variant of another.
    """
    starts, ranges = _list_allowed()
    points, names = ranges[bisect_right(starts, ord(char)) - 1]
    return names if ord(char) in points else None


@cache
def _list_allowed() -> tuple[list[int], list[tuple[range, frozenset[str]]]]:
    """Return the ranges of allowed characters in order, with their scripts, and where each begins."""
    found = [
        (points, frozenset(name.split()) - {"-"}) for name, ranges in _read_lines("scripts.txt") for points in ranges
    ]
    found.sort(key=lambda each: each[0].start)
    return [points.start for points, _ in found], found


def _read_lines(file: str) -> Iterator[tuple[str, list[range]]]:
    text = Path(__file__).with_name(file).read_text(encoding="utf-8")
    for line in text.splitlines():
        if not line.startswith("#"):
            name, _, points = line.partition(" =")
            yield name, [_parse_points(part) for part in points.split()]


def _parse_points(written: str) -> range:
    first, _, last = written.partition("-")
    return range(int(first, 16), int(last or first, 16) + 1)


_STROKES: Final = {"0": "o", "1": "l", "|": "l", "i": "l", "m": "rn", "w": "vv"}
"""The prototypes of ASCII after case is ignored: I, l and 1 are one stroke, and so is i as the small form of I.

Unicode's data have `rn` for m, and nothing for w, which two v resemble as closely.
"""

_DRAWN_AS_D: Final = re.compile("c[lI1|]")
"""Strokes that resemble a small d: a small c and a stroke. A capital C does not, so Clara is not Dara, though clara
is."""

_ESSENTIAL_MARKS: Final = frozenset({0, 6, 7, 8, 9})
"""Combining classes of marks that make another letter: vowel signs, nuktas, voiced kana. Accents have higher ones.

Class 1 are overlays: a short stroke through the last letter is hardly seen.
"""


def reduce_to_skeleton(text: str) -> str:
    """Reduce a text to its look for a hasty reader, whatever its case: without spaces, accents and signs.

    It is the skeleton of UTS #39, and beyond that equates what differs in case, accents and punctuation alone.
    A skeleton is its own skeleton. A text of signs alone keeps them.

    >>> reduce_to_skeleton("Änna 1") == reduce_to_skeleton("annal")
    True
    """
    if text.isascii():
        reduced = text.translate(_ascii_looks())
    else:
        reduced = unicodedata.normalize("NFD", unicodedata.normalize("NFKD", text).translate(_SKELETONS))
    return reduced or unicodedata.normalize("NFKC", text)


_LOOKS_KEPT: Final = 4_096
"""Names whose looks are kept: each hello asks for those of one name a dozen times."""


# Decision 041: up to four looks and no transitive relation, which would equate Hans and Nans by the Greek eta.
@lru_cache(_LOOKS_KEPT)
def looks_of(name: str) -> tuple[str, ...]:
    """Return the skeletons of a name: as it is written, in another case, and as it is shown if it runs to the left.

    Two names look alike if they have one of them in common. In scripts other than Latin a letter and its other case
    resemble different Latin letters. Small letters that resemble a d together add a variant.
    """
    if name.isascii():
        return tuple(dict.fromkeys((reduce_to_skeleton(name), reduce_to_skeleton(_DRAWN_AS_D.sub("d", name)))))
    shown = unicodedata.normalize("NFKC", name)
    variants = [shown, shown.casefold(), _DRAWN_AS_D.sub("d", _without_accents(shown))]
    if any(unicodedata.bidirectional(char) in {"R", "AL"} for char in shown):
        variants.append(shown[::-1])
    return tuple(dict.fromkeys(map(reduce_to_skeleton, variants)))


def _without_accents(text: str) -> str:
    return "".join(char for char in unicodedata.normalize("NFD", text) if not _is_accent(char))


def is_same_name(one: str, other: str) -> bool:
    """Return whether two names are the same but for their case."""
    return fold_name(one) == fold_name(other)


def fold_name(name: str) -> str:
    """Return a name without regard to case and compatibility variants."""
    return unicodedata.normalize("NFKC", name).casefold()


class _Skeletons(dict[int, str]):
    """The skeletons of single characters, for `str.translate`; each is computed once."""

    def __missing__(self, point: int) -> str:
        before, reduced = "", chr(point)
        while reduced != before:
            before, reduced = reduced, "".join(map(_look_of, unicodedata.normalize("NFKD", reduced)))
        self[point] = reduced
        return reduced


_SKELETONS: Final = _Skeletons()


def _look_of(char: str) -> str:
    """Apply the prototype and case folding once; empty for a sign or an accent."""
    if char.isascii():  # most names and all reserved words but for their accents: without loading Unicode's data
        return char.translate(_ascii_looks())
    return "" if _is_accent(char) else _by_prototype(char)


def _is_accent(char: str) -> bool:
    return unicodedata.combining(char) not in _ESSENTIAL_MARKS


def _by_prototype(char: str) -> str:
    drawn = _list_letters().get(char) or load_prototypes().get(ord(char), char)
    counting = filter(_is_visible, unicodedata.normalize("NFKD", drawn.casefold()))
    return "".join(counting).translate(_ascii_looks()) or (char if _is_visible(char) else "")


@cache
def _list_letters() -> dict[str, str]:
    """Return the first letter of every class that has a sign for its prototype, by letter: a sign would be left out."""
    first: dict[str, str] = {}
    found: dict[str, str] = {}
    for point, prototype in sorted(load_prototypes().items()):
        if chr(point).isalnum() and not any(map(_is_visible, prototype)):
            found[chr(point)] = first.setdefault(prototype, chr(point))
    return found


def _is_visible(char: str) -> bool:
    """Return whether a character is a letter, a digit, or a mark that makes another letter."""
    essential = unicodedata.combining(char) in _ESSENTIAL_MARKS
    return char.isalnum() or (essential and unicodedata.category(char)[0] == "M")


@cache
def _ascii_looks() -> dict[int, str]:
    """Return the table of ASCII: small letters, then their prototypes; signs are left out."""
    small = {point: chr(point).lower() for point in range(0x80)}
    return {point: _STROKES.get(char, char if char.isalnum() else "") for point, char in small.items()}


BOTS: Final = ("Ada", "Emmy", "Alan", "Grace", "Kurt", "Sofia", "Blaise", "Hedy", "Niels", "Lise")
"""The bots are called "Bot Ada", and so on."""

_AUTHORITIES: Final = (
    "admin", "administrator", "administration", "moderator", "moderation", "server", "system", "Scoville", "sysadmin",
    "webmaster", "postmaster",
    "admins", "administrators", "moderators", "staff", "referee", "referees", "umpire", "arbiter", "gamemaster",
    "Administratorin", "Administratoren", "Moderatorin", "Moderatoren", "Serveradmin", "Spielleiter", "Spielleiterin",
    "Spielleitung", "Schiedsrichter", "Schiedsrichterin", "Turnierleiter", "Turnierleiterin", "Turnierleitung",
    "administrateur", "administratrice", "administrateurs", "modérateur", "modératrice", "modérateurs", "modération",
    "serveur", "système", "arbitre", "arbitres",
)  # fmt: skip
"""Words of authority that no name may contain: a user called so could ask others for passwords."""

_ROLES: Final = (
    "host", "spectator", "commentator", "dealer", "bot", "bots", "root", "mod", "mods", "operator", "sysop", "security",
    "support", "owner", "official", "team", "help", "helpdesk", "game master", "judge", "director", "console", "daemon",
    "support team", "hosts", "spectators", "commentators", "croupier", "coach",
    "Gastgeber", "Gastgeberin", "Zuschauer", "Zuschauerin", "Kommentator", "Kommentatorin", "Geber", "Geberin",
    "Betreiber", "Betreiberin", "Besitzer", "Besitzerin", "Verwalter", "Verwalterin", "Verwaltung", "Aufsicht", "Hilfe",
    "offiziell", "Mitarbeiter", "Mitarbeiterin", "Personal", "Schiri", "Kartengeber", "Kartengeberin", "Trainer",
    "Sicherheit", "Turnierdirektor", "Turnierdirektorin",
    "hôte", "hôtesse", "spectateur", "spectatrice", "commentateur", "commentatrice", "opérateur", "opératrice",
    "donneur", "donneuse", "croupière", "propriétaire", "équipe", "aide", "officiel", "robot", "maître du jeu",
    "meneur de jeu", "meneur", "personnel", "juge", "directeur", "directrice", "entraîneur", "spectateurs", "hôtes",
    "sécurité",
)  # fmt: skip
"""No whole name is one of these."""

_ANYBODY: Final = (
    "you", "me", "we", "nobody", "no one", "somebody", "someone", "anybody", "anyone", "everybody", "everyone", "all",
    "du", "ihr", "Sie", "ich", "niemand", "jemand", "jeder", "alle", "wir",
    "tu", "toi", "vous", "moi", "je", "nous", "personne", "quelqu'un", "tous", "tout le monde",
)  # fmt: skip
"""Words of clients and people for a player without a name: "You take the card"."""

_PLACES: Final = (
    "seat", "chair", "player", "Platz", "Sitz", "Spieler", "Spielerin", "place", "siège", "joueur", "joueuse",
)  # fmt: skip
"""Words of the clients for a seat without a name, with a number or without: no name is one of these, as in "Seat 1"."""

_LABELS: Final = (
    "announcement", "verified", "not verified", "warning", "error", "notice", "your turn", "system message",
    "Durchsage", "bestätigt", "nicht bestätigt", "Warnung", "Fehler", "Hinweis", "du bist dran", "Systemmeldung",
    "annonce", "vérifié", "non vérifié", "avertissement", "erreur", "à toi de jouer",
)  # fmt: skip
"""Labels before a colon with which the clients speak themselves: no name is one, as in "Announcement: log in"."""

_WORDS: Final = re.compile(r"[\W_]+")
_NUMBER: Final = re.compile(r"(?:\d+|(?<=[\W_])[liIoO|]+)[\W_]*$|^[\W_]*\d+")
"""The number of a seat, behind its word or before it; a stroke or a circle of its own is read as one."""


_ARTICLE: Final = re.compile(r"^(?:(?:the|der|die|das|le|la|les)[\W_]+|l[^\w\s])", re.IGNORECASE)
"""Articles before a role: the host is no other one than host."""


def is_reserved(name: str) -> bool:
    """Return whether a name, or one that looks like it, belongs to the server, a role or a bot."""
    plain = unicodedata.normalize("NFKC", name)
    words = [word for word in _WORDS.split(plain) if word]
    drawn = [{*looks_of(word), *looks_of(_NUMBER.sub("", word) or word)} for word in words]
    whole = {*looks_of(plain), *looks_of(_NUMBER.sub("", plain) or plain)}
    return (
        not whole.isdisjoint(_authority_looks())
        or any(not _role_looks().isdisjoint(looks_of(role)) for role in (plain, _ARTICLE.sub("", plain, count=1)))
        or not whole.isdisjoint(_seat_looks())
        or any(not look.isdisjoint(_authority_looks()) for look in drawn)
        # Bots are called Bot and a name: only a first word takes a user for one of them.
        or any(reduce_to_skeleton("bot") in look for look in drawn[:1])
        # Skeletons have no spaces: this is Bot Ada, BotAda and Bot Ada 2.
        or any(look.startswith(_bot_looks()) for look in whole)
    )


@cache
def _authority_looks() -> frozenset[str]:
    return frozenset(map(reduce_to_skeleton, _AUTHORITIES))


@cache
def _role_looks() -> frozenset[str]:
    return frozenset(map(reduce_to_skeleton, (*_ROLES, *_ANYBODY, *_LABELS)))


@cache
def _seat_looks() -> frozenset[str]:
    return frozenset(map(reduce_to_skeleton, _PLACES))


@cache
def _bot_looks() -> tuple[str, ...]:
    return tuple(reduce_to_skeleton(f"bot {name}") for name in BOTS)


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
    # The digits of a script follow each other, so a digit less its value is the zero of its script.
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
    """Name bots unlike all users at the table; always the same for the same table."""
    free = (name for name in map(partial(_in_rounds, BOTS, "Bot {}"), count()) if name not in taken)
    return list(islice(free, number))


def _add_number(name: str, number: int) -> str:
    tail = f" {number + 1}" if number else ""
    return name[: LONGEST_NAME - len(tail)].rstrip() + tail


def _in_rounds(names: tuple[str, ...], form: str, number: int) -> str:
    lap, place = divmod(number, len(names))
    return _add_number(form.format(names[place]), lap)
