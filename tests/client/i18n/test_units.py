"""Numbers with units: in every text of the three languages they stay in one row, and no part of a number is shown."""

import re

import pytest

from scoville_client.i18n.language import LANGUAGES
from scoville_client.i18n.wrapping import wrap_lines
from scoville_client.rules import games_with_rules, rules_pages
from scoville_client.tui.drawing.canvas import fit_text
from tests.client.i18n.catalogs import read

FIELD = re.compile(r"\{\w+\}")
MEASURE = re.compile(r"\d (?:h|s|ms|min|%|[KMG]i?B|[KMG]o)(?!\w)")
NARROW, WIDE = 12, 40


def texts_of(language: str) -> list[str]:
    """Return all texts of a language that have a number with a unit, every field filled in with 36."""
    catalog = "de" if language == "en" else language
    strings = [message.id if language == "en" else message.string for message in read(catalog) if message.id]
    texts = [text for each in strings for text in ((each,) if isinstance(each, str) else each)]
    pages = [page for game in games_with_rules() for page in rules_pages(game, language)]
    texts += [block.text for page in pages for block in page.blocks if block.kind != "drawing"]
    return [text for each in texts if MEASURE.search(text := FIELD.sub("36", each))]


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_row_ends_between_a_number_and_its_unit(language: str) -> None:
    texts = texts_of(language)
    assert len(texts) > 20
    for text in texts:
        measures = MEASURE.findall(text)
        for width in range(NARROW, WIDE):
            rows = [*wrap_lines(text, width)]
            assert [found for row in rows for found in MEASURE.findall(row)] == measures, rows


def test_no_part_of_a_number_is_shown() -> None:
    assert fit_text("play · 36 h left", 10).rstrip() == "play · 36…"
    assert fit_text("play · 36 h left", 9).rstrip() == "play · …"
    assert fit_text("1,234 points", 4).rstrip() == "…"
    assert fit_text("at 20:30", 7).rstrip() == "at …"
    assert fit_text("seat 12", 7) == "seat 12"


@pytest.mark.parametrize(
    "text", ["Won peppers open: no", "Gewonnene Schoten offen: nein", "Piments visibles\u202f: non"]
)
def test_short_value_stays_with_the_end_of_its_name(text: str) -> None:
    for width in range(NARROW + 2, len(text)):
        assert ":" in [*wrap_lines(text, width)][-1], width
