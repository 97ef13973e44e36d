"""Texts to read beside what is shown."""

import pytest

from scoville_client.i18n.language import set_language
from scoville_client.rules import rules_pages
from scoville_client.tui.drawing.canvas import Canvas
from scoville_client.tui.drawing.reading import DRAWING, draw_rules, wrap_page
from tests.client.tui.boards.seen import GAMES


@pytest.mark.parametrize("language", ["en", "de", "fr"])
@pytest.mark.parametrize("slug", GAMES)
def test_a_drawing_is_whole_or_left_out(slug: str, language: str) -> None:
    pages = rules_pages(slug, language)
    for width in (22, 25, 44, 66):
        rows = [row for page in pages for row in wrap_page(page, width)]
        drawn = [text for style, text in rows if style == DRAWING]
        assert max(map(len, drawn), default=0) <= width
    assert drawn, "there is one in the widest column"


def test_a_column_ends_between_items_rather_than_empty() -> None:
    canvas = Canvas(50, 18)
    draw_rules(canvas, (0, 0, 50, 18), "dicht_dran")
    rows = str(canvas).splitlines()
    assert rows[-1].strip() or rows[-2].strip(), "an item more would have had room"
    assert any(row.startswith("· ") for row in rows)


@pytest.mark.parametrize("slug", GAMES)
def test_rules_end_with_no_sentence_that_announces_more(slug: str) -> None:
    for height in range(6, 60):
        canvas = Canvas(44, height)
        draw_rules(canvas, (0, 0, 44, height), slug)
        rows = [row.rstrip() for row in str(canvas).splitlines() if row.strip()]
        assert not rows or not rows[-1].endswith(":"), height


@pytest.mark.parametrize("language", ["en", "de", "fr"])
@pytest.mark.parametrize("slug", GAMES)
def test_a_low_area_has_rules_all_the_same(slug: str, language: str) -> None:
    set_language(language)
    try:
        for width, height in ((94, 7), (94, 10), (43, 8), (114, 16), (200, 7)):
            canvas = Canvas(width, height)
            draw_rules(canvas, (0, 0, width, height), slug)
            assert sum(bool(row.strip()) for row in str(canvas).splitlines()) >= 3, (width, height)
    finally:
        set_language("en")


def test_what_follows_a_drawing_is_beside_it() -> None:
    canvas = Canvas(66, 30)
    draw_rules(canvas, (0, 0, 66, 30), "dicht_dran")
    row = next(row for row in str(canvas).splitlines() if "target" in row and "gap" in row)
    assert "· A hundred cards" in row
