"""Catalogs of other packages: files `de.po` and `fr.po`, read as they are, from the group `scoville.locales`.

A sentence that Scoville itself has is translated by Scoville: a package adds sentences, it replaces none.
"""

import ast
import logging
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from gettext import GNUTranslations, NullTranslations
from pathlib import Path
from typing import Final, NamedTuple

from scoville_shared.installed import Extension, list_installed

OUTSIDE: Final = "scoville.locales"
"""Entry-point group in which packages name the folder of their catalogs, by the slug of their game."""
_OWN: Final = Extension("scoville_client.i18n.locales")
PLURALS: Final[Mapping[str, Callable[[int], int]]] = {"de": lambda n: int(n != 1), "fr": lambda n: int(n > 1)}
"""Which form of a plural a number takes, by language."""

_LOG = logging.getLogger(__name__)
_PART = re.compile(r'(msgid|msgid_plural|msgstr|msgctxt)(?:\[(\d)\])?\s+(".*")$')


class Entry(NamedTuple):
    """A sentence with its plural, if it has one, and its translations: one, or one for each form of the plural."""

    one: str
    many: str | None
    translations: tuple[str, ...]


class PoCatalog(NullTranslations):
    """A catalog of a .po file. Sentences without a translation are those of the next catalog."""

    def __init__(self, code: str, entries: Iterator[Entry]) -> None:
        super().__init__()
        self._info = {"language": code}
        self._plural = PLURALS[code]
        self._entries = {entry.one: entry.translations for entry in entries if entry.one and all(entry.translations)}

    def gettext(self, message: str) -> str:
        found = self._entries.get(message)
        return super().gettext(message) if found is None else found[0]

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        found, form = self._entries.get(msgid1, ()), self._plural(n)
        return found[form] if form < len(found) else super().ngettext(msgid1, msgid2, n)


def written_language(code: str) -> str:
    """Return the language in which sentences are written that are requested in `code`: English if there is none."""
    return code if code in PLURALS else "en"


@cache
def load_all_catalogs(code: str) -> NullTranslations:
    """Load the catalog of Scoville, with those of packages behind it; an unknown language has the source texts.

    For a reader beside the client. The catalogs are data of the same distribution, so nothing of the client is loaded.
    """
    folder = _OWN.locate_folder()
    if code not in PLURALS or folder is None:
        return NullTranslations()
    with (folder / f"{code}.mo").open("rb") as file:
        catalog = GNUTranslations(file)
    for outside in load_outside_catalogs(list_installed(OUTSIDE), code):
        catalog.add_fallback(outside)
    return catalog


def load_outside_catalogs(installed: Mapping[str, Extension], code: str) -> Iterator[PoCatalog]:
    """Load the catalogs of a language that packages bring. One that cannot be read is left out, and logged."""
    for slug, entry in sorted(installed.items()):
        folder = entry.locate_folder()
        file = None if folder is None else folder / f"{code}.po"
        if file is not None and file.is_file():
            try:
                yield PoCatalog(code, read_entries(file))
            except (OSError, ValueError, SyntaxError) as error:
                _LOG.warning("The catalog %s of %s (%s) cannot be read: %s", file.name, slug, entry.package, error)


def read_entries(file: Path) -> Iterator[Entry]:
    """Read the entries of a .po file, without fuzzy and obsolete ones. Raises ValueError for a line that is none."""
    for paragraph in re.split(r"\n\s*\n", file.read_text(encoding="utf-8").replace("\r\n", "\n")):
        entry = _read_entry(paragraph, file.name)
        if entry is not None:
            yield entry


def _read_entry(paragraph: str, name: str) -> Entry | None:
    parts: dict[tuple[str, int], str] = {}
    key, is_fuzzy = ("", 0), False
    for line in map(str.strip, paragraph.splitlines()):
        if line.startswith("#") or not line:
            is_fuzzy |= line.startswith("#,") and "fuzzy" in line
        elif (found := _PART.match(line)) is not None:
            key = found[1], int(found[2] or 0)
            parts[key] = _read_string(found[3], name)
        elif line.startswith('"') and parts:
            parts[key] += _read_string(line, name)
        else:
            raise ValueError(f"{name} has the line {line[:40]!r}")
    if is_fuzzy or ("msgid", 0) not in parts or any(kind == "msgctxt" for kind, _ in parts):
        return None
    forms = tuple(parts[key] for key in sorted(parts) if key[0] == "msgstr")
    return Entry(parts["msgid", 0], parts.get(("msgid_plural", 0)), forms)


def _read_string(text: str, name: str) -> str:
    value: object = ast.literal_eval(text)
    if not isinstance(value, str):
        raise ValueError(f"{name} has the text {text[:40]}")
    return value


def append_entries(file: Path, entries: list[tuple[str, str | None]]) -> None:
    """Add sentences without a translation to a .po file; makes the file if there is none."""
    head = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n'
    text = file.read_text(encoding="utf-8").rstrip("\n") + "\n" if file.exists() else head
    for one, many in entries:
        text += f"\nmsgid {_quote(one)}\n"
        text += 'msgstr ""\n' if many is None else f'msgid_plural {_quote(many)}\nmsgstr[0] ""\nmsgstr[1] ""\n'
    file.write_text(text, encoding="utf-8")


def _quote(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
