"""Current language of a client. English is the source of every text; the others are catalogs in `locales/`."""

import os
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from functools import cache
from gettext import GNUTranslations, NullTranslations
from pathlib import Path

from scoville_shared.engine.phrases import Filling, Phrase, write_decimal
from scoville_shared.installed import list_installed

ENGLISH = "en"
LANGUAGES = {ENGLISH: "English", "de": "Deutsch", "fr": "Français"}
"""Languages by code, each by its own name."""

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
        **dict(zip("àâçéèêëîïôùûÀÂÇÉÈÊËÎÏÔÙÛ", "aaceeeeiiouuAACEEEEIIOUU", strict=True)),
    }
)
"""Spelling of accented letters in ASCII."""


class Translator:
    """Translates into one language at a time; texts are translated again after a change.

    `plainly` is for ASCII terminals: accented letters are spelled without accents.
    """

    def __init__(self) -> None:
        self.code = ENGLISH
        self.catalog = NullTranslations()
        self.plainly = False

    def set_language(self, code: str) -> None:
        """Switch to another of LANGUAGES."""
        self.code, self.catalog = code, load_catalog(code)


translator: ContextVar[Translator] = ContextVar("translator", default=Translator())  # noqa: B039 - one for the whole process
"""Speaker of the present context; a process with several clients gives each its own."""


def set_language(code: str) -> None:
    """Switch to the language `code`."""
    translator.get().set_language(code)


def current_language() -> str:
    """Return the code of the current language."""
    return translator.get().code


def set_spelling(*, plainly: bool) -> None:
    """Spell without accents from now on, or with them."""
    translator.get().plainly = plainly


def next_language() -> str:
    """Return the language after the current one, in a circle."""
    codes = list(LANGUAGES)
    return codes[(codes.index(current_language()) + 1) % len(codes)]


def environment_language(environment: Mapping[str, str] = os.environ) -> str:
    """Return the language of the environment; English if it names none of LANGUAGES."""
    chosen = next((environment[name] for name in _LANGUAGE_VARIABLES if environment.get(name)), "")
    codes = (each.partition(".")[0].partition("_")[0].lower() for each in chosen.split(":"))
    return next((code for code in codes if code in LANGUAGES), ENGLISH)


def tr(text: str, /, **fields: Filling) -> str:
    """Translate a text and fill in its fields, which are named in braces."""
    return render(Phrase(text, fields))


def render(phrase: Phrase, names: Sequence[str] = ()) -> str:
    """Translate a phrase and fill in its fields; seats are called by `names`."""
    return spell_text(phrase.render(names, translator.get().catalog))


def format_number(value: float, digits: int = 1) -> str:
    """Format a number with `digits` decimals and a minus sign in the current language."""
    return write_decimal(round(value, digits) + 0.0, digits, translator.get().catalog).replace("-", "−")


def with_sign(value: float) -> str:
    """Format a rounded number with a plus or minus sign; zero has none."""
    return f"{'+' if round(value) > 0 else ''}{format_number(value, 0)}"


def spell_text(text: str) -> str:
    """Return a text in the letters that the terminal can show."""
    return without_accents(text) if translator.get().plainly else text


def without_accents(text: str) -> str:
    """Return a text without accents; a letter may become two."""
    return text.translate(_LETTERS)


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
    """Load the catalog of a language without those of other packages."""
    if code == ENGLISH:
        return NullTranslations()
    with (LOCALES / f"{code}.mo").open("rb") as file:
        return GNUTranslations(file)
