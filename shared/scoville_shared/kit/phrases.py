"""Sentences that can be translated: an English source text with named fields, and what fills them."""

from collections.abc import Mapping, Sequence
from gettext import NullTranslations
from typing import NamedTuple, Union

from scoville_shared.ids import Seat

_ENGLISH = NullTranslations()


class Who(NamedTuple):
    """A seat inside a phrase; rendered as the name of whoever sits there."""

    seat: Seat


Filling = Union[int, str, Who, "Phrase", Sequence["Filling"]]
"""What may stand in a field; the items of a sequence are written one after the other, with commas."""

Fields = Mapping[str, Filling]


class Phrase(NamedTuple):
    """One sentence, or part of one, not yet in any language.

    `text` is the English source and the key of its translation. With `many` it is the singular of a pair,
    chosen by `number`. Fields are named in braces: `Phrase("{who} takes {card}", {"who": Who(seat), "card": 67})`.
    """

    text: str
    fields: Mapping[str, Filling] = {}
    many: str | None = None
    number: int = 1

    def of(self, fields: Fields, number: int = 1) -> "Phrase":
        """Fill the fields of a sentence that stands in a table of sentences."""
        return self._replace(fields=fields, number=number)

    def render(self, names: Sequence[str], catalog: NullTranslations = _ENGLISH) -> str:
        """Write the phrase out, with the seats' `names`, in the language of `catalog`."""
        text = catalog.gettext(self.text) if self.many is None else catalog.ngettext(self.text, self.many, self.number)
        return text.format_map({field: _written(value, names, catalog) for field, value in self.fields.items()})


def _written(value: Filling, names: Sequence[str], catalog: NullTranslations) -> str:
    match value:
        case Phrase():
            return value.render(names, catalog)
        case Who(seat):
            return names[seat]
        case str() | int():
            return str(value)
        case _:
            return ", ".join(_written(item, names, catalog) for item in value)
