"""Current language of a client. English is the source of every text; the others are catalogs in `locales/`.

Packages of games may bring further languages: their sentences are in that language then, and all others English.
"""

import os
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from contextvars import ContextVar
from functools import cache
from gettext import GNUTranslations, NullTranslations
from pathlib import Path
from typing import TYPE_CHECKING

from scoville_shared.engine.phrases import Filling, Phrase, write_decimal
from scoville_shared.installed import list_installed

if TYPE_CHECKING:
    from scoville_shared.protocol.messages import GameTexts


class InputError(Exception):
    """An error that the user can correct: a typed text, a key, a file."""


ENGLISH = "en"
LANGUAGES: Mapping[str, str] = {ENGLISH: "English", "de": "Deutsch", "fr": "Français"}
"""Scoville's own languages by code, each by its own name."""

OUTSIDE = "scoville.locales"
"""Entry-point group in which packages name the folder of their catalogs, by the slug of their game."""
LOCALES = Path(__file__).parent / "locales"
_LANGUAGE_VARIABLES = ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")
"""Environment variables with the language, in the order of gettext."""


_LETTERS = str.maketrans(
    {
        "ä": "ae",
        "ö": "oe",
        "ü": "ue",
        "ß": "ss",
        "Ä": "Ae",
        "Ö": "Oe",
        "Ü": "Ue",
        "œ": "oe",
        "Œ": "Oe",
        "æ": "ae",
        "\u00a0": " ",
        "\u202f": " ",
        "\u2019": "'",
        "¿": "",
        "¡": "",
        **dict(zip("àâçéèêëîïôùûÀÂÇÉÈÊËÎÏÔÙÛ", "aaceeeeiiouuAACEEEEIIOUU", strict=True)),
    }
)
"""Spelling of letters in ASCII that have more than an accent to lose, and of the usual ones."""
_CODE = re.compile(r"[a-z]{2,3}")
_NO_LANGUAGES = frozenset({"c"})
"""Names of locales that look like the code of a language."""


class Translator:
    """Translates into one language at a time; texts are translated again after a change.

    `plainly` is for ASCII terminals: accented letters are spelled without accents. `described` are the texts of games
    that this client does not have, as the server wrote them in this language.
    """

    def __init__(self) -> None:
        self.code = ENGLISH
        self.catalog = NullTranslations()
        self.plainly = False
        self.described: Mapping[str, GameTexts] = {}

    def set_language(self, code: str) -> None:
        """Switch to another language; one without a catalog has English texts."""
        self.code, self.catalog = code, load_catalog(code)


translator: ContextVar[Translator] = ContextVar("translator", default=Translator())  # noqa: B039 - one for the whole process
"""Speaker of the present context; a process with several clients gives each its own."""


def set_language(code: str) -> None:
    """Switch to the language `code`."""
    translator.get().set_language(code)


def current_language() -> str:
    """Return the code of the current language."""
    return translator.get().code


def is_own_english() -> bool:
    """Whether Scoville's own texts are English now: also in a language that only packages of games have."""
    return written_here(current_language()) == ENGLISH


def set_spelling(*, plainly: bool) -> None:
    """Spell without accents from now on, or with them."""
    translator.get().plainly = plainly


def list_languages() -> Mapping[str, str]:
    """Return the languages by code, each by its own name: Scoville's, then those of installed packages."""
    if not list_installed(OUTSIDE):
        return LANGUAGES
    from scoville_outside.catalogs import list_outside_languages  # nobody else waits for its imports

    return {**LANGUAGES, **list_outside_languages()}


def is_language(code: str) -> bool:
    """Whether a text is the code of a language that can be chosen."""
    return code in LANGUAGES or (_CODE.fullmatch(code) is not None and code in list_languages())


def next_language() -> str:
    """Return the language after the current one, in a circle."""
    codes = list(list_languages())
    here = codes.index(current_language()) if current_language() in codes else 0
    return codes[(here + 1) % len(codes)]


def environment_language(environment: Mapping[str, str] = os.environ) -> str:
    """Return the language of the environment; see `choose_language`."""
    chosen = next((environment[name] for name in _LANGUAGE_VARIABLES if environment.get(name)), "")
    return choose_language(each.partition(".")[0].partition("_")[0].lower() for each in chosen.split(":"))


def choose_language(wanted: Iterable[str]) -> str:
    """Return the first language of a list that Scoville has, else the first one of a package, else the first one.

    Scoville's own texts are English in a language that nothing here has; a server may have its games in it.
    """
    codes = [code for code in wanted if code not in _NO_LANGUAGES]
    ours = next((code for code in codes if code in LANGUAGES), "")
    return ours or next(filter(is_language, codes), "") or next(filter(_CODE.fullmatch, codes), ENGLISH)


def written_here(code: str) -> str:
    """Return the language in which Scoville's own texts are written for readers of a language."""
    return code if code in LANGUAGES else ENGLISH


def tr(text: str, /, **fields: Filling) -> str:
    """Translate a text and fill in its fields, which are named in braces."""
    return render(Phrase(text, fields))


def choose_texts(conditions: Mapping[str, object]) -> list[str]:
    """Return the texts whose conditions hold: what is true of a user, a seat or a table."""
    return [text for text, holds in conditions.items() if holds]


def render(phrase: Phrase, names: Sequence[str] = ()) -> str:
    """Translate a phrase and fill in its fields; seats are called by `names`."""
    return spell_text(phrase.render(names, translator.get().catalog))


def render_count(phrase: Phrase, n: int) -> str:
    """Return a phrase about a number, in the language's form for it."""
    return render(phrase.with_fields({"n": n}, n))


def format_number(value: float, digits: int = 1) -> str:
    """Format a number with `digits` decimals and a minus sign in the current language."""
    # Zero is added to lose the sign of a negative zero: −0.04 would be shown as −0.0.
    return write_decimal(round(value, digits) + 0.0, digits, translator.get().catalog).replace("-", "−")


def with_sign(value: float) -> str:
    """Format a rounded number with a plus or minus sign; zero has none."""
    return f"{'+' if round(value) > 0 else ''}{format_number(value, 0)}"


def spell_text(text: str) -> str:
    """Return a text in the letters that the terminal can show."""
    return without_accents(text) if translator.get().plainly else text


def without_accents(text: str) -> str:
    """Return a text without accents; a letter may become two."""
    spelled = text.translate(_LETTERS)
    return spelled if spelled.isascii() else "".join(map(_without_accent, spelled))


def _without_accent(sign: str) -> str:
    """Return a letter without its accent; other signs, and letters that are none without it, are as they are."""
    if sign.isascii() or not sign.isalpha():
        return sign
    bare = unicodedata.normalize("NFD", sign)[0]
    return bare if bare.isascii() else sign


@cache
def load_catalog(code: str) -> NullTranslations:
    """Load the catalog of a language, with those of other packages behind it; English has none."""
    catalog = load_own_catalog(code)
    if code != ENGLISH and list_installed(OUTSIDE):
        from scoville_outside.catalogs import load_outside_catalogs  # nobody else waits for its imports

        for outside in load_outside_catalogs(list_installed(OUTSIDE), code):
            catalog.add_fallback(outside)
    return catalog


def load_own_catalog(code: str) -> NullTranslations:
    """Load the catalog of a language without those of other packages; Scoville has none of a package's language."""
    if code == ENGLISH or code not in LANGUAGES:
        return NullTranslations()
    with (LOCALES / f"{code}.mo").open("rb") as file:
        return GNUTranslations(file)
