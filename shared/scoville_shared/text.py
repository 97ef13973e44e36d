"""Cleaning of text from others: one line of letters, digits and signs, without anything that acts on a terminal.

Whatever could move a cursor, turn the writing direction, hide, or take a width on which terminals disagree is gone
from it. The letters of all scripts stay.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator

LONGEST_NAME = 24
"""Most characters of a name: five of them fit into one row of a table; the protocol takes no longer ones."""

_MOST_MARKS = 2
"""Accents of one kind on one letter: what living languages need, too few to climb into the line above."""

_UNSEEN = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0")
"""Invisible characters whose Unicode category is that of letters, marks or signs."""

_PLAIN = re.compile("[ -~\\u00a1-\\u00ac\\u00ae-\\u00ff\\u2010-\\u2027\\u2190-\\u21ff\\u2212\\u2500-\\u25ff]*")
"""Characters with which every board is drawn: letters and signs without marks, lines and blocks, all of them
visible."""

_PICTURES = 0x1F000
"""From here on signs are pictures, two cells wide on one terminal and one on another."""
_ASIAN = "\u2c00"
"""From here on signs that are wide are so everywhere; before it they are pictures."""


def clean_text(text: str) -> str:
    r"""Make one line of a text. Cleaning it again changes nothing; what is left of nothing but disturbance is empty.

    >>> clean_text(" Anna\t plays\u202e")
    'Anna plays'
    """
    if not (text.isascii() and text.isprintable()):
        shown = unicodedata.normalize("NFC", "".join(map(_show_char, text)))
        # Composed again: where a mark too many is gone, a letter and the next one may form a single character.
        text = unicodedata.normalize("NFC", "".join(_few_marks(shown)))
    return " ".join(text.split())


def is_clean(text: str) -> bool:
    """Whether a text may be shown as it is: printable ASCII, or what `clean` does not change."""
    return (text.isascii() and text.isprintable()) or clean_text(text) == text


def visible_line(line: str) -> str:
    """Leave out of a line of output all that acts or hides; blanks of every width and the client's own signs stay.

    A second line of defence, where text leaves for a terminal: what others wrote was cleaned before.
    """
    if _PLAIN.fullmatch(line):
        return line
    return "".join(_few_marks("".join(char for char in line if _is_seen(char))))


def without_signs(text: str) -> str:
    """Leave pictures and other signs out, for what has to stay short."""
    return "".join(char for char in text if unicodedata.category(char) != "So")


def clean_name(name: str) -> str:
    """Clean the name of a user: no pictures or signs, no variants of letters, at most `LONGEST_NAME` characters."""
    return clean_text(without_signs(unicodedata.normalize("NFKC", name)))[:LONGEST_NAME].rstrip()


def _is_seen(char: str) -> bool:
    category = unicodedata.category(char)
    return (category[0] in "LMNPS" and category != "Me" and char not in _UNSEEN) or category == "Zs"


def _show_char(char: str) -> str:
    """Show a character as itself, as a space, as its name, or not at all."""
    category = unicodedata.category(char)
    if char.isspace():
        return " "
    if category[0] not in "LMNPS" or category == "Me" or char in _UNSEEN or _selects_a_variant(char):
        return ""
    return _in_words(char) if category[0] == "S" and _is_picture(char) else char


def _selects_a_variant(char: str) -> bool:
    return "\ufe00" <= char <= "\ufe0f" or "\U000e0100" <= char <= "\U000e01ef"


def _is_picture(char: str) -> bool:
    return ord(char) >= _PICTURES or (char < _ASIAN and unicodedata.east_asian_width(char) == "W")


def _in_words(char: str) -> str:
    """Name a picture, so that it reads the same in every font and aloud; a shade of skin alone is none."""
    name = unicodedata.name(char).lower()
    if name.startswith("regional indicator"):
        return name[-1].upper()
    return "" if name.startswith("emoji modifier") else f":{name}:"


def _few_marks(text: str) -> Iterator[str]:
    """Leave out the marks that are too many for their letter, and those that have none."""
    marks: Counter[str] = Counter()
    bare = True
    for char in text:
        kind = _mark_char(char)
        if not kind:
            marks.clear()
            bare = char == " "
        marks[kind] += 1
        if not kind or (not bare and marks[kind] <= _MOST_MARKS):
            yield char


def _mark_char(char: str) -> str:
    """Return the category of a combining mark, empty for other characters; Hangul medials and finals count as marks."""
    if "\u1161" <= char <= "\u11ff" or "\ud7b0" <= char <= "\ud7ff":
        return "Mn"
    category = unicodedata.category(char)
    return category if category[0] == "M" else ""
