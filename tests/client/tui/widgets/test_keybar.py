"""The key bar: help and quitting stay visible, whatever a board adds."""

from collections.abc import Iterator

import pytest

from scoville_client.i18n.language import LANGUAGES, set_language
from scoville_client.tui.widgets.key_bar import KeyBar

OFFERS = (
    ("play", (("↑ ↓", "a result"),)),
    ("play", (("0-9", "a new score"), ("k", "keep it"))),
    ("play", (("t", "take"), ("p", "no thanks"), ("Enter", "answer"))),
    ("play", (("t", "a long word for it"), ("p", "a long word for it"), ("Enter", "a long word for it"))),
    ("story", (("Enter", "the next step"), ("Esc", "to skip it all"))),
)


@pytest.fixture(params=LANGUAGES)
def language(request: pytest.FixtureRequest) -> Iterator[str]:
    set_language(request.param)
    yield request.param
    set_language("en")


@pytest.mark.parametrize("width", [40, 46, 52, 60, 80])
@pytest.mark.parametrize(("where", "more"), OFFERS)
def test_help_and_quitting_are_in_sight_at_every_width(
    language: str, where: str, more: tuple[tuple[str, str], ...], width: int
) -> None:
    bar = KeyBar(where)
    bar.show(where, *more)
    keys = bar.draw(width, 1).line(0).split()
    assert {"?", "q"} <= set(keys), language
    assert keys[0] == more[0][0].split()[0]
