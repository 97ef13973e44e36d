"""Whose words a line has: the client's alone begin its own sentences, and those of others say that they are."""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from typing import Final

from scoville_client.i18n.language import ENGLISH, LANGUAGES, current_language, load_own_catalog, render, tr
from scoville_shared.engine.phrases import Filling, Phrase

FULL = Phrase("Verified: the server dealt as it had committed to, and all that you saw of the game is true.")
"""The verdict on a deal of which everything was seen; all that praise a server begin with its first word."""

NAME_FIELDS: Final = frozenset({"by", "club", "host", "name", "names", "player", "players", "who", "winners"})
"""Fields of sentences that hold names which users have chosen: of users, clubs and tournaments."""

_LETTERS: Final = re.compile(r"[^\W\d_]+")
_PUNCTUATED: Final = re.compile(r"[:;!?…]|\.( |$)")
"""The end of a sentence, or of a part of one."""


def quote_server(text: str) -> str:
    """Return words of a server as a line that says so: bare ones could be any line of the client."""
    return tr("The server says: {text}", text=text)


def mark_foreign(line: str) -> str:
    """Return a line that others have written; where it begins as a verdict does, it says who writes it."""
    return quote_server(line) if _sounds_verified(line) else line


def quote_names(phrase: Phrase) -> Phrase:
    """Return a sentence with quotation marks around names that could be taken for its beginning, or for another one."""
    if NAME_FIELDS.isdisjoint(phrase.fields):
        return phrase
    named = {field: _quote_within(value) for field, value in phrase.fields.items() if field in NAME_FIELDS}
    return phrase._replace(fields={**phrase.fields, **named})


def quote_name(name: str) -> str:
    """Return a name, between quotation marks if sentences of the client begin like it.

    >>> quote_name("Anna"), quote_name("Your turn")
    ('Anna', '“Your turn”')
    """
    return tr("“{name}”", name=name) if _sounds_own(name, current_language()) else name


def _quote_within(value: Filling) -> Filling:
    match value:
        case str():
            return quote_name(value)
        case Phrase():
            return quote_names(value)
        case list() | tuple() if not hasattr(value, "_fields"):  # a seat is a tuple with a field
            return [_quote_within(each) for each in value]
    return value


@lru_cache(maxsize=1_000)
def _sounds_own(name: str, language: str) -> bool:
    """Whether a line that begins with a name could be taken for a sentence of the client in a language."""
    if not name[:1].isalpha() or _PUNCTUATED.search(name):
        return bool(name)
    first, own = _first_word(name), _list_first_words(language)
    if first in own:
        return True
    # A word without an ASCII letter is visibly in another script; names in those need no marks.
    return not first.isascii() and any(map(str.isascii, first)) and any(_looks_like(first, word) for word in own)


@cache
def _list_first_words(language: str) -> frozenset[str]:
    """List the words with which sentences of the client begin, in English and in another language."""
    return frozenset(_first_word(text) for text in _list_texts(language) if _is_sentence(text))


def _list_texts(language: str) -> Iterator[str]:
    # English is the key of every catalog. Its texts have no public name there; `test_own_words` notices another one.
    translated = language if language in LANGUAGES and language != ENGLISH else next(iter({*LANGUAGES} - {ENGLISH}))
    catalog: Mapping[str | tuple[str, int], str] = vars(load_own_catalog(translated))["_catalog"]
    for key, text in catalog.items():
        yield key if isinstance(key, str) else key[0]
        if translated == language:
            yield text


def _is_sentence(text: str) -> bool:
    return text[:1].isupper() and text.rstrip('”"»\u00a0\u202f ')[-1:] in ".!?…:"


def _sounds_verified(line: str) -> bool:
    first = _first_word(line)
    return any(_looks_like(first, _first_word(verdict)) for verdict in (FULL.text, render(FULL)))


def _looks_like(word: str, own: str) -> bool:
    """Whether a word may look like one of ours: a letter that is not ASCII may be drawn like any other one."""
    return len(word) == len(own) and all(
        sign == ours or not sign.isascii() for sign, ours in zip(word, own, strict=True)
    )


def _first_word(line: str) -> str:
    """Return the first word of a line in small letters without accents."""
    plain = "".join(sign for sign in unicodedata.normalize("NFKD", line) if not unicodedata.combining(sign))
    found = _LETTERS.search(plain.casefold())
    return found[0] if found else ""
