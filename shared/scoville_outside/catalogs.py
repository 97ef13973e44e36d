"""Catalogs of other packages: files such as `de.po`, read as they are, from the group `scoville.locales`.

A sentence that Scoville itself has is translated by Scoville: a package adds sentences, it replaces none. A package may
have languages that Scoville does not: its own sentences are in that language then, and Scoville's are English.
"""

import ast
import logging
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from gettext import GNUTranslations, NullTranslations, c2py
from pathlib import Path
from typing import Final, NamedTuple

from scoville_shared.installed import Extension, list_installed

OUTSIDE: Final = "scoville.locales"
"""Entry-point group in which packages name the folder of their catalogs, by the slug of their game."""
_OWN: Final = Extension("scoville_client.i18n.locales")
_OURS: Final = ("de", "fr")
"""Languages of Scoville's own catalogs."""
_ENGLISH: Final = "en"
_TWO_FORMS: Final[Mapping[str, str]] = {"fr": "nplurals=2; plural=(n > 1);"}
"""Plural rules of catalogs that state none, where they are not `_USUAL_FORMS`."""
_USUAL_FORMS: Final = "nplurals=2; plural=(n != 1);"

_LONGEST_NAME: Final = 24

_LOG = logging.getLogger(__name__)
_CODE = re.compile(r"[a-z]{2,3}")
_FORMS = re.compile(r"nplurals\s*=\s*([1-9])\s*;\s*plural\s*=\s*([^;]+);?\s*")
_PART = re.compile(r'(msgid|msgid_plural|msgstr|msgctxt)(?:\[(\d)\])?\s+(".*")$')


class Entry(NamedTuple):
    """A sentence with its plural, if it has one, and its translations: one, or one for each form of the plural."""

    one: str
    many: str | None
    translations: tuple[str, ...]


class PluralForms(NamedTuple):
    """How many forms a plural has in a language, and which one a number takes."""

    forms: int
    choose: Callable[[int], int]


class PoCatalog(NullTranslations):
    """A catalog of a .po file. Sentences without a translation are those of the next catalog.

    Raises ValueError for a plural rule that cannot be read.
    """

    def __init__(self, code: str, entries: Iterable[Entry]) -> None:
        super().__init__()
        every = list(entries)
        self._info = {"language": code}
        self._plural = find_plural_forms(code, every).choose
        # Complete ones alone: an empty form would be shown as an empty sentence.
        self._entries = {entry.one: entry.translations for entry in every if entry.one and all(entry.translations)}

    def gettext(self, message: str) -> str:
        found = self._entries.get(message)
        return super().gettext(message) if found is None else found[0]

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        found, form = self._entries.get(msgid1, ()), self._plural(n)
        return found[form] if form < len(found) else super().ngettext(msgid1, msgid2, n)


def find_plural_forms(code: str, entries: Iterable[Entry]) -> PluralForms:
    """Return the plural rule of a catalog: that of its header, else the usual one. Raises ValueError."""
    usual = _TWO_FORMS.get(code, _USUAL_FORMS)
    rule = read_header(entries).get("plural-forms", usual)
    found = _FORMS.fullmatch(rule)
    if found is None:
        raise ValueError(f"the plural rule {rule!r} is not of the form {usual!r}")
    return PluralForms(int(found[1]), c2py(found[2]))


def read_header(entries: Iterable[Entry]) -> Mapping[str, str]:
    """Return the fields of a catalog's header by their names in small letters: the translation of the empty text."""
    header = next((entry.translations[0] for entry in entries if not entry.one and entry.translations), "")
    pairs = (line.partition(":") for line in header.splitlines())
    return {name.strip().lower(): value.strip() for name, _, value in pairs if value.strip()}


@cache
def list_outside_languages() -> Mapping[str, str]:
    """Return the languages that packages bring beside Scoville's, by code, each by its own name.

    The name is the field X-Language-Name of a catalog's header, else the code. Unreadable catalogs are left out.
    """
    found: dict[str, str] = {}
    for entry in list_installed(OUTSIDE).values():
        folder = entry.locate_folder()
        for file in [] if folder is None else sorted(folder.glob("*.po")):
            code = file.stem
            if _CODE.fullmatch(code) and code not in (*_OURS, _ENGLISH) and found.get(code, code) == code:
                # A damaged catalog: its language is not offered.
                with suppress(OSError, ValueError, SyntaxError):
                    found[code] = read_header(read_entries(file)).get("x-language-name", code)[:_LONGEST_NAME]
    return dict(sorted(found.items()))


def written_language(code: str) -> str:
    """Return the language in which sentences are written that are requested in `code`: English if there is none."""
    return code if code in _OURS or code in list_outside_languages() else _ENGLISH


@cache
def load_all_catalogs(code: str) -> NullTranslations:
    """Load the catalog of Scoville, with those of packages behind it; an unknown language has the source texts.

    For a reader beside the client. The catalogs are data of the same distribution, so nothing of the client is loaded.
    """
    folder = _OWN.locate_folder()
    if written_language(code) != code:
        return NullTranslations()
    catalog = NullTranslations()
    if code in _OURS and folder is not None:
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
    # With a context the same text means something else, and no sentence is looked up by one.
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
    text = file.read_text(encoding="utf-8").strip() if file.exists() else ""
    text = f"{text}\n" if text else _write_header(file.stem)
    forms = find_plural_forms(file.stem, read_entries(file)).forms if file.exists() else 2
    for one, many in entries:
        text += f"\nmsgid {_quote_text(one)}\n"
        text += 'msgstr ""\n' if many is None else f"msgid_plural {_quote_text(many)}\n{_list_forms(forms)}"
    file.write_text(text, encoding="utf-8")


def _write_header(code: str) -> str:
    """Return the header of a new catalog, with the fields that its author may have to change."""
    lines = ["Content-Type: text/plain; charset=UTF-8", f"Language: {code}"]
    lines.append(f"Plural-Forms: {_TWO_FORMS.get(code, _USUAL_FORMS)}")
    if code not in _OURS:
        lines.append(f"X-Language-Name: {code}")
    return 'msgid ""\nmsgstr ""\n' + "".join(f'"{line}\\n"\n' for line in lines)


def _list_forms(count: int) -> str:
    return "".join(f'msgstr[{form}] ""\n' for form in range(count))


def _quote_text(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
