"""No file of the core names a game: a game is found by its entry points, its board by the game's name."""

import re

from scoville_shared.games import registry
from tests.support.tree import ROOT

HOMES = (
    "shared/scoville_shared/games/{slug}/",
    "shared/scoville_shared/bots/{slug}/",
    "shared/scoville_shared/solvers/{slug}/",
    "shared/scoville_shared/coach/{slug}/",
    "shared/scoville_pettingzoo/{slug}.py",
    "client/scoville_client/tui/boards/{slug}/",
    "client/scoville_client/rules/{slug}/",
    "client/scoville_client/tutorial/lessons/{slug}.py",
)
"""Where a game's own files are."""
ALLOWED = {
    "client/scoville_client/session/start_options.py": "the game that is played when nobody names one",
}
TEXTS = {".py", ".tcss", ".toml", ".md", ".json"}
"""Catalogs of translations are left out: they hold the games' own sentences."""


def test_no_file_of_the_core_names_a_game() -> None:
    games = [registry.load_game(slug).info for slug in registry.list_slugs()]
    naming = {
        path
        for path, text in core_files()
        for info in games
        if not path.startswith(tuple(home.format(slug=info.slug) for home in HOMES))
        and re.search(f"{info.slug}|{re.escape(info.title)}", text, re.IGNORECASE)
    }
    assert sorted(naming) == sorted(ALLOWED)


def test_an_exception_names_one_game_once() -> None:
    for path in ALLOWED:
        text = (ROOT / path).read_text(encoding="utf-8")
        assert sum(text.count(slug) for slug in registry.list_slugs()) == 1, path


def core_files() -> list[tuple[str, str]]:
    """Read the hand-written files of the three packages."""
    found = [
        path
        for part in ("client", "server", "shared")
        for path in sorted((ROOT / part).rglob("*"))
        if path.is_file() and path.suffix in TEXTS
    ]
    assert len(found) > 300
    return [(path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")) for path in found]
