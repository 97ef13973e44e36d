"""Which names nobody may have: reserved ones, and those that mix scripts to look like another."""

import unicodedata
from collections.abc import Iterable
from typing import Final, Literal

from scoville_server.accounts.model.naming.reserved import is_reserved
from scoville_server.accounts.model.naming.unicode_data import scripts_of

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
