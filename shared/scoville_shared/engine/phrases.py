"""Translatable sentences: an English source text with named fields, and the values of the fields.

Rendering never raises: values may come from a server that is newer, broken or hostile, and texts from a catalog that
is out of date. A screen that stops because of one sentence is worse than one odd sentence.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from gettext import NullTranslations
from math import floor, isfinite
from string import Formatter
from typing import NamedTuple, Union

from scoville_shared.ids import Seat

_ENGLISH = NullTranslations()

_DEEPEST = 16
"""Deepest nesting of phrases, lists and mappings; our own need three levels."""
_MOST_BITS = 4096
"""Longest whole number that is written out: Python refuses to write numbers of more than 4,300 digits."""
_CUT, _UNKNOWN, _NOTHING, _MINUS = "…", "?", "–", "−"
_DECIMALS = 3
_COMMA_LANGUAGES = frozenset({"de", "fr"})
"""Languages that separate decimals by a comma."""
_COUNT_BY_WHOLE_PART = frozenset({"fr"})
"""Languages in which 1.5 takes the singular: the whole part decides (CLDR plural rules)."""

_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters, characters that change the writing direction, and those that no encoding can carry."""
_BLANKS = "\t\n\r\u2028\u2029"
_FIELD = re.compile(r"\{(\w+)\}")
_ELIDING_LANGUAGES = frozenset({"fr"})
"""Languages in which words before a vowel lose theirs."""
_ELIDED_FIELD = re.compile(r"\b([dD]|[qQ]u)e (\{(\w+)\})")
_VOWEL = re.compile("[aeiouàâæéèêëîïôœùûü]", re.IGNORECASE)
"""First letters before which names elide; before h and y only some do."""
_BAD_TEXT = (LookupError, ValueError, TypeError, AttributeError)
"""Errors of `str.format_map` for a text whose fields do not fit."""


class Who(NamedTuple):
    """A seat inside a phrase; rendered as the name of the player who sits there."""

    seat: Seat


Filling = Union[int, float, str, None, Who, "Phrase", Sequence["Filling"], Mapping[str, "Filling"]]
"""A field's value; the items of a sequence are joined by commas."""

Fields = Mapping[str, Filling]


class Phrase(NamedTuple):
    """One sentence, or part of one, not yet in any language.

    `text` is the English source and the key of its translation. With `many` it is the singular of a pair,
    chosen by `number`. Fields are named in braces: `Phrase("{who} takes {card}", {"who": Who(seat), "card": 67})`.

    >>> taken = Phrase("{who} takes {n} chip.", {"who": Who(Seat(1)), "n": 2}, many="{who} takes {n} chips.", number=2)
    >>> taken.render(["Anna", "Ben"])
    'Ben takes 2 chips.'
    """

    text: str
    fields: Mapping[str, Filling] = {}
    many: str | None = None
    number: float = 1

    def with_fields(self, fields: Fields, number: float = 1) -> "Phrase":
        """Fill the fields of a sentence from a table of sentences."""
        return self._replace(fields=fields, number=number)

    def render(self, names: Sequence[str], catalog: NullTranslations = _ENGLISH) -> str:
        """Return the sentence in the language of `catalog`, with the seats' `names`.

        A translation whose fields differ from its source's is replaced by the source; a field without a value stays
        visible in its braces.
        """
        return _Writer(names, catalog).write_phrase(self, _DEEPEST)


def write_signed(number: int) -> str:
    """Write a whole number with the minus of arithmetic, as fields of phrases have it; typed ones have a hyphen.

    >>> write_signed(-12)
    '−12'
    """
    return str(number).replace("-", _MINUS)


def write_decimal(value: float, digits: int, catalog: NullTranslations = _ENGLISH) -> str:
    """Format a number with `digits` decimals and the decimal separator of `catalog`'s language."""
    if not isfinite(value):
        return _UNKNOWN
    written = f"{value:.{digits}f}"
    return written.replace(".", ",") if _language_of(catalog) in _COMMA_LANGUAGES else written


class _Writer(NamedTuple):
    """Renders phrases and values, with the seats' `names`, in the language of `catalog`."""

    names: Sequence[str]
    catalog: NullTranslations

    def write_phrase(self, phrase: Phrase, depth: int) -> str:
        fields = {field: self.write_value(value, depth - 1) for field, value in phrase.fields.items()}
        for catalog in (self.catalog, _ENGLISH):
            text = _translated_text(phrase, catalog)
            if not fits_text(text, phrase.text, phrase.many):
                continue
            if _language_of(catalog) in _ELIDING_LANGUAGES:
                text = _elide_text(text, fields)
            try:
                return text.format_map(fields)
            # A faulty translation is shown in English.
            except _BAD_TEXT:
                continue
        return _FIELD.sub(lambda found: fields.get(found[1], found[0]), phrase.text)

    def write_value(self, value: object, depth: int) -> str:
        """Render a value of any type; values nested deeper than `depth` levels are cut."""
        match value:
            case str():
                return _clean_text(value)
            case Who(seat):
                return self._write_name(seat)
            case bool() | int() | float() | None:
                return self._write_number(value)
            case _ if depth <= 0:
                return _CUT
            case Phrase():
                return self.write_phrase(value, depth)
            case Mapping():
                return ", ".join(
                    f"{self.write_value(key, 0)}: {self.write_value(each, depth - 1)}" for key, each in value.items()
                )
            case bytes() | bytearray():
                return value.hex()
            case Iterable():
                return ", ".join(self.write_value(item, depth - 1) for item in value)
        return _clean_text(str(value))

    def _write_number(self, value: float | None) -> str:
        match value:
            case None:
                return _NOTHING
            case bool():
                return self.catalog.gettext("yes" if value else "no")
            case int():
                return write_signed(value) if value.bit_length() <= _MOST_BITS else _CUT
        if not isfinite(value):
            return _UNKNOWN
        # Decimals of a number with four digits before them say nothing that anybody reads.
        if value == floor(value) or abs(value) >= 10**_DECIMALS:
            return self._write_number(round(value))
        written = write_decimal(value, _DECIMALS, self.catalog).rstrip("0").rstrip(".,")
        # -0.0004 is rounded to this.
        return "0" if written == "-0" else written.replace("-", _MINUS)

    def _write_name(self, seat: object) -> str:
        """Return the name of a seat, or its number from 1 if it has none."""
        if not isinstance(seat, int):
            return _UNKNOWN
        return _clean_text(self.names[seat]) if 0 <= seat < len(self.names) else self._write_number(seat + 1)


def _translated_text(phrase: Phrase, catalog: NullTranslations) -> str:
    if not phrase.text:
        return ""  # an empty key is the catalog's header
    if phrase.many is None:
        found = catalog.gettext(phrase.text)
        # Python 3.11.2 does not find a text by itself that the catalog has with its plural.
        return found if found != phrase.text else catalog.ngettext(phrase.text, phrase.text, 1)
    return catalog.ngettext(phrase.text, phrase.many, _count_of(phrase.number, catalog))


def _elide_text(text: str, fields: Mapping[str, str]) -> str:
    """Elide the words before names that begin with a vowel: in French "de Anna" is "d'Anna"."""
    return _ELIDED_FIELD.sub(
        lambda found: f"{found[1]}\u2019{found[2]}" if _VOWEL.match(fields.get(found[3], "")) else found[0], text
    )


def _count_of(number: object, catalog: NullTranslations) -> int:
    """Return a whole number with the plural form of `number`; values that are no numbers take the plural."""
    many = 2
    if isinstance(number, int):
        return abs(number)
    if not isinstance(number, float) or not isfinite(number):
        return many
    whole = floor(abs(number))
    return whole if whole == abs(number) or _language_of(catalog) in _COUNT_BY_WHOLE_PART else many


def _language_of(catalog: NullTranslations) -> str:
    return catalog.info().get("language", "")


@lru_cache(maxsize=4096)
def fits_text(translation: str, text: str, many: str | None) -> bool:
    """Whether a translation has the fields of its source; of a plural pair, at least those that both forms have."""
    sources = [_fields_of(text), _fields_of(text if many is None else many)]
    found = _fields_of(translation)
    return None not in found and frozenset.intersection(*sources) <= found <= frozenset.union(*sources)


def _fields_of(text: str) -> frozenset[str | None]:
    """Return the fields of a text, with None among them if one is more than a name, or the text cannot be parsed."""
    try:
        parts = [(name, spec or conversion) for _, name, spec, conversion in Formatter().parse(text)]
    except ValueError:
        return frozenset({None})
    # A format could ask for a field of a million characters.
    return frozenset(None if form or not name.isidentifier() else name for name, form in parts if name is not None)


def _clean_text(text: str) -> str:
    """Replace unsafe characters: line ends and tabs by spaces, others by question marks."""
    if text.isprintable():
        return text
    return _UNSAFE.sub(lambda found: " " if found[0] in _BLANKS else _UNKNOWN, text)
