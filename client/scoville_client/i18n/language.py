"""The language a client speaks. English is the source of every text; the others are catalogs in `locales/`."""

import os
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from functools import cache
from gettext import GNUTranslations, NullTranslations
from pathlib import Path

from scoville_shared.engine.phrases import Filling, Phrase, decimal

ENGLISH = "en"
LANGUAGES = {ENGLISH: "English", "de": "Deutsch", "fr": "Français"}
"""What can be spoken: codes, and what the languages call themselves."""

LOCALES = Path(__file__).parent / "locales"
_WISHES = ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")
"""Where the environment says it, the first that does (as gettext has it)."""


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
"""How the letters of these languages are written without accents."""


class Speaker:
    """Speaks one language at a time; whoever wrote a text with it writes it again after a change.

    `plainly` is for terminals that show ASCII only: letters with accents are spelled without.
    """

    def __init__(self) -> None:
        self.code = ENGLISH
        self.catalog = NullTranslations()
        self.plainly = False

    def speak(self, code: str) -> None:
        """Go over to another one of LANGUAGES."""
        self.code, self.catalog = code, catalog(code)


speaker: ContextVar[Speaker] = ContextVar("speaker", default=Speaker())  # noqa: B039 - one for the whole process
"""Who speaks here; what hosts several clients in one process gives each its own."""


def speak(code: str) -> None:
    """Go over to the language `code`."""
    speaker.get().speak(code)


def spoken() -> str:
    """Say which language is spoken: a code of LANGUAGES."""
    return speaker.get().code


def spell(*, plainly: bool) -> None:
    """Spell without accents from now on, or with them."""
    speaker.get().plainly = plainly


def following() -> str:
    """Name the language that comes after the one that is spoken, round and round."""
    codes = list(LANGUAGES)
    return codes[(codes.index(spoken()) + 1) % len(codes)]


def wanted(environment: Mapping[str, str] = os.environ) -> str:
    """Find the language of the environment; English where it names none that is spoken here."""
    wish = next((environment[name] for name in _WISHES if environment.get(name)), "")
    codes = (each.partition(".")[0].partition("_")[0].lower() for each in wish.split(":"))
    return next((code for code in codes if code in LANGUAGES), ENGLISH)


def words(text: str, /, **fields: Filling) -> str:
    """Say a text in the language that is spoken; its fields are named in braces."""
    return told(Phrase(text, fields))


def told(phrase: Phrase, names: Sequence[str] = ()) -> str:
    """Say a phrase in the language that is spoken, with the seats' `names`."""
    return spelled(phrase.render(names, speaker.get().catalog))


def number(value: float, digits: int = 1) -> str:
    """Write a number with `digits` decimals, separated as the current language does it."""
    return decimal(value, digits, speaker.get().catalog)


def spelled(text: str) -> str:
    """Write a text with the letters that the terminal has."""
    return without_accents(text) if speaker.get().plainly else text


def without_accents(text: str) -> str:
    """Write a text without accents; a letter may become two."""
    return text.translate(_LETTERS)


@cache
def catalog(code: str) -> NullTranslations:
    """Read the catalog of a language; English needs none."""
    if code == ENGLISH:
        return NullTranslations()
    with (LOCALES / f"{code}.mo").open("rb") as file:
        return GNUTranslations(file)
