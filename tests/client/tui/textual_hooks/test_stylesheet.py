"""Styles are parsed once, and are those that Textual's own stylesheet finds."""

from collections.abc import Iterator
from typing import Any

import pytest
import textual.css.stylesheet
from textual.css.parse import parse
from textual.css.stylesheet import Stylesheet

from scoville_client.tui.textual_hooks import stylesheet
from tests.support.screens import Player, at_the_screen


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple[str, int]]]:
    """Begin as a new process does; returns the sources that are parsed from then on, each with its rank."""
    sources: list[tuple[str, int]] = []

    def noted(scope: str, css: str, *arguments: Any, **named: Any) -> Any:
        sources.append((css, named["tie_breaker"]))
        return parse(scope, css, *arguments, **named)

    monkeypatch.setattr(textual.css.stylesheet, "parse", noted)
    stylesheet._cache_for.cache_clear()
    yield sources
    stylesheet._cache_for.cache_clear()


def rules(sheet: Stylesheet) -> list[Any]:
    return [(rule.selectors, repr(rule.styles.get_rules()), rule.is_default_rules) for rule in sheet.rules]


def as_textual_parses(player: Player) -> list[Any]:
    plain = Stylesheet(variables=player.app.get_css_variables())
    plain.source = player.app.stylesheet.source.copy()
    plain.parse()
    return rules(plain)


async def test_a_start_parses_each_source_once(parsed: list[tuple[str, int]]) -> None:
    async with at_the_screen() as player:
        await player.sees("Practise")
        sources = {(source.content, source.tie_breaker) for source in player.app.stylesheet.source.values()}
    assert len(sources) > 4
    assert set(parsed) >= sources
    assert len(parsed) == len(set(parsed))


async def test_what_another_app_has_parsed_is_not_parsed_again(parsed: list[tuple[str, int]]) -> None:
    async with at_the_screen() as player:
        await player.sees("Practise")
    parsed.clear()
    async with at_the_screen() as player:
        await player.sees("Practise")
    assert parsed == []


async def test_styles_follow_the_latest_theme() -> None:
    async with at_the_screen() as player:
        await player.sees("Practise")
        for _ in range(3):
            before = rules(player.app.stylesheet)
            assert before == as_textual_parses(player)
            player.app.settings.show_next_theme()
            await player.until(lambda before=before: rules(player.app.stylesheet) != before)  # type: ignore[misc]
