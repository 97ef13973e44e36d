"""The rules pages: each game, each language, every ruling; opened where it fits."""

import re
from pathlib import Path
from string import ascii_lowercase

import pytest
from rich.cells import cell_len

from scoville_client.i18n.language import LANGUAGES
from scoville_client.rules import FIRST_PAGE, games_with_rules, rules_pages
from scoville_client.tui.drawing.reading import wrap_page
from scoville_shared.games import registry
from tests.support.tree import ROOT

RULING = re.compile(r"\b[ABC]\d+\b")
HOME = [
    slug for slug in registry.list_slugs() if type(registry.load_game(slug)).__module__.startswith("scoville_shared.")
]
every_game = pytest.mark.parametrize("game", HOME)
every_language = pytest.mark.parametrize("language", LANGUAGES)


def document(game: str) -> Path:
    return ROOT / "docs/rules" / f"{game.replace('_', '-')}.md"


def rulings(game: str, language: str) -> set[str]:
    return {ruling for page in rules_pages(game, language) for block in page.blocks for ruling in block.rulings}


def test_the_games_that_are_at_home_here_have_rules() -> None:
    assert games_with_rules() == sorted(HOME)


@every_game
@every_language
def test_every_ruling_of_the_document_is_explained(game: str, language: str) -> None:
    assert set(RULING.findall(document(game).read_text(encoding="utf-8"))) == rulings(game, language)


@every_game
@every_language
def test_every_language_has_the_same_pages(game: str, language: str) -> None:
    named = [page.id for page in rules_pages(game, language)]
    assert named == [page.id for page in rules_pages(game, "en")]
    assert len(set(named)) == len(named)
    assert named[0] == FIRST_PAGE
    assert {"setup", "end", "options"} <= set(named)
    for page, english in zip(rules_pages(game, language), rules_pages(game, "en"), strict=True):
        assert [block.kind for block in page.blocks] == [block.kind for block in english.blocks], page.id
        explained = [sorted(ruling for block in each.blocks for ruling in block.rulings) for each in (page, english)]
        assert explained[0] == explained[1], page.id


@every_game
@every_language
def test_rules_show_drawings_first_and_no_ruling_numbers(game: str, language: str) -> None:
    assert not any(RULING.search(block.text) for page in rules_pages(game, language) for block in page.blocks)
    assert "drawing" in [block.kind for block in rules_pages(game, language)[0].blocks][:2]


@every_game
def test_translations_are_no_copies(game: str) -> None:
    for page, german, french in zip(*(rules_pages(game, language) for language in LANGUAGES), strict=True):
        assert len({page.blocks, german.blocks, french.blocks}) == 3


@every_game
@every_language
def test_a_page_is_short_and_is_set_in_any_width(game: str, language: str) -> None:
    for page in rules_pages(game, language):
        rows = [row for _, row in wrap_page(page, 38)]
        assert len(rows) <= 60, page.id
        assert all(cell_len(row) <= 38 for row in rows)
        assert any(letter in "".join(rows) for letter in ascii_lowercase)


def test_a_game_without_rules_has_no_pages() -> None:
    assert rules_pages("high_card", "de") == ()


@every_language
def test_the_example_round_ends_with_two_cards_drawn(language: str) -> None:
    dicht_dran = rules_pages("dicht_dran", language)
    examples = {page.id: [block.text for block in page.blocks if block.kind == "example"] for page in dicht_dran}
    (gap,), (pay,) = examples["gap"], examples["pay"]
    assert all(card in gap for card in ("4", "32", "63", "70"))
    assert "63" in pay
    assert "Max" in pay


def test_french_headings_keep_the_word_partie_for_cycles() -> None:
    assert [page.title for page in rules_pages("dicht_dran", "fr") if "partie" in page.title.casefold()] == []
