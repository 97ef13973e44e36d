"""Every registered game has golden files for each size of table and each option, and still plays them the same."""

import pytest

from scoville_laws.golden import missing_options, missing_sizes, write_golden
from scoville_shared.games.registry import list_slugs, load_game
from tests.golden.files import golden_files, golden_texts, name_of

ALL_FILES = [path for slug in list_slugs() for path in golden_files(slug)]


@pytest.mark.parametrize("path", ALL_FILES, ids=name_of)
def test_a_golden_game_is_played_and_logged_as_before(path):
    text = path.read_text(encoding="utf-8")
    assert write_golden(text) == text, "if the change is meant, run scripts/golden and look at the difference"


@pytest.mark.parametrize("slug", list_slugs())
def test_every_size_of_table_has_a_golden_game(slug):
    assert missing_sizes(load_game(slug), golden_texts(slug)) == [], f"add the missing ones to tests/golden/{slug}"


@pytest.mark.parametrize("slug", list_slugs())
def test_every_option_has_a_golden_game_that_uses_it(slug):
    missing = missing_options(load_game(slug), golden_texts(slug))
    assert missing == [], f"add games that use the missing options to tests/golden/{slug}"
