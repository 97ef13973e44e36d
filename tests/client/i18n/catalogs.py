"""Catalogs: from the sources to the .po files for translators, and to the .mo files that the client reads."""

from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from scoville_client.i18n.language import ENGLISH, LANGUAGES, LOCALES
from tests.client.i18n.sources import texts

TRANSLATED = tuple(code for code in LANGUAGES if code != ENGLISH)
WIDTH = 120
NO_DATE = datetime(2026, 1, 1, tzinfo=UTC)
"""The same in every catalog, so that the same texts make the same files."""


def po_file(code: str) -> Path:
    """Return the path of a language's .po file."""
    return LOCALES / f"{code}.po"


def mo_file(code: str) -> Path:
    """Return the path of a language's .mo file."""
    return LOCALES / f"{code}.mo"


def read(code: str) -> Catalog:
    """Read a language's translations; empty without a file."""
    path = po_file(code)
    catalog = Catalog(locale=code, project="Scoville", fuzzy=False)
    if path.exists():
        with path.open("rb") as file:
            catalog = read_po(file, locale=code)
    catalog.header_comment = f"# Scoville, {LANGUAGES[code]}: see scripts/words."
    catalog.project, catalog.version = "Scoville", ""
    catalog.msgid_bugs_address = catalog.last_translator = catalog.language_team = ""
    catalog.creation_date = catalog.revision_date = NO_DATE
    return catalog


def template() -> Catalog:
    """Collect every text that has to be translated."""
    collected = Catalog(creation_date=NO_DATE, fuzzy=False)
    for text in texts():
        flags = ["python-brace-format"] if "{" in text.one else []
        collected.add(text.key, locations=[(text.file, 1)], flags=flags)
    return collected


def updated(code: str) -> Catalog:
    """Update a language's catalog from the sources: new entries are empty, unused ones are removed."""
    catalog = read(code)
    catalog.update(template(), no_fuzzy_matching=True, update_header_comment=False)
    catalog.obsolete.clear()
    return catalog


def written(catalog: Catalog) -> bytes:
    """Write a catalog as a .po file: by files, without line numbers, which change all the time."""
    out = BytesIO()
    write_po(out, catalog, width=WIDTH, sort_by_file=True, include_lineno=False)
    return out.getvalue()


def compiled(catalog: Catalog) -> bytes:
    """Compile a catalog."""
    out = BytesIO()
    write_mo(out, catalog)
    return out.getvalue()
