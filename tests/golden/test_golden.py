"""Every registered game has golden files for each size of table and each option, and still plays them the same."""

import msgspec
import pytest

from scoville_shared.games.registry import list_slugs, load_game
from tests.golden.playthrough import golden_files, name_of, read, write

ALL_FILES = [path for slug in list_slugs() for path in golden_files(slug)]


@pytest.mark.parametrize("path", ALL_FILES, ids=name_of)
def test_a_golden_game_is_played_and_logged_as_before(path):
    text = path.read_text(encoding="utf-8")
    assert write(text) == text, "if the change is meant, run scripts/golden and look at the difference"


@pytest.mark.parametrize("slug", list_slugs())
def test_every_size_of_table_has_a_golden_game(slug):
    fewest, most = load_game(slug).info.seats
    played = {read(path.read_text(encoding="utf-8")).deal.seats for path in golden_files(slug)}
    assert played == set(range(fewest, most + 1)), f"add the missing ones to tests/golden/{slug}"


@pytest.mark.parametrize("slug", list_slugs())
def test_every_option_has_a_golden_game_that_uses_it(slug):
    usual = msgspec.to_builtins(load_game(slug).codec.decode_options({}))
    used = set()
    for path in golden_files(slug):
        options = msgspec.to_builtins(read(path.read_text(encoding="utf-8")).deal.options)
        used |= {name for name in usual if options[name] != usual[name]}
    assert used == set(usual), f"add games that use the missing options to tests/golden/{slug}"
