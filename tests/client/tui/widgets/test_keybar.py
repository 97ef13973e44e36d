"""The key bar: help and quitting stay visible, whatever a board adds; so does what decides a move."""

import re
from collections.abc import Iterator

import pytest

from scoville_client.i18n.language import LANGUAGES, set_language, tr
from scoville_client.tui.boards.actions import MOVES
from scoville_client.tui.drawing.canvas import edge_of
from scoville_client.tui.widgets.key_bar import KeyBar, keys_of, line_of_keys
from tests.support.screens import at_the_screen

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
def test_help_is_in_sight_and_no_key_lacks_its_word(
    language: str, where: str, more: tuple[tuple[str, str], ...], width: int
) -> None:
    bar = KeyBar(where)
    bar.show_keys(where, *more)
    row = bar.draw(width, 1).line(0)
    assert f"? {tr('help')}" in row, language
    assert re.search(rf" q($| (?!{tr('quit')}))", row) is None, "a letter alone says nothing"
    assert row.split()[0] == more[0][0].split()[0]


def words_at(width: int, disabled: frozenset[str] = frozenset()) -> list[str]:
    bar = KeyBar("play")
    bar.show_keys("play", own=MOVES, disabled=disabled)
    return bar.draw(width, 1).line(0).split()


def test_needs_of_others_show_where_there_is_room() -> None:
    assert {"g", "chat", "r", "rules"} <= set(words_at(80))
    assert {"chat", "react", "players", "pause", "log", "settings"} <= set(words_at(140))
    assert {"react", "rules", "settings"}.isdisjoint(words_at(46))
    assert {"chat", "react"}.isdisjoint(words_at(140, frozenset({"chat", "react"})))


def test_a_key_with_another_word_is_not_counted_twice() -> None:
    bar = KeyBar("play")
    bar.show_keys("play", ("Enter", "answer"), own=MOVES)
    shown = bar.draw(80, 1).line(0)
    assert shown.count("Enter") == 1
    assert "chat" in shown


@pytest.mark.parametrize(("width", "first"), [(46, 1), (75, 1), (76, 2), (80, 2), (200, 2)])
def test_the_keys_begin_where_the_page_begins(width: int, first: int) -> None:
    row = KeyBar("lobby").draw(width, 1).line(0)
    assert len(row) - len(row.lstrip()) == first == edge_of(width)


def test_playing_keys_are_named_before_help_and_quit(language: str) -> None:
    for width in (46, 80):
        bar = KeyBar("play")
        bar.show_keys("play", (tr("↑ ↓"), tr("result")), own=MOVES)
        shown = bar.draw(width, 1).line(0)
        assert f"{tr('Enter')} {tr('play')}" in shown, language
        assert f"? {tr('help')}" in shown, language


@pytest.mark.parametrize("width", range(40, 121, 4))
def test_keys_have_words_except_help_and_quit(language: str, width: int) -> None:
    for context in ("play", "watching", "result", "waiting", "replay", "story"):
        hints = line_of_keys(context, width, MOVES if context == "play" else ())
        assert all(word for key, word in hints if key not in {"?", "q"}), (language, context)


@pytest.mark.parametrize("width", [46, 80, 132, 300])
@pytest.mark.parametrize("context", ["start", "waiting", "guest", "result"])
def test_enter_is_the_first_key_of_a_page(context: str, width: int) -> None:
    assert line_of_keys(context, width)[0][0] == "Enter"


def test_the_log_has_a_key_at_80_columns() -> None:
    bar = KeyBar("play")
    bar.show_keys("play", ("← → 0-9", "card"), own=MOVES, disabled=frozenset({"coach"}))
    shown = bar.draw(80, 1).line(0)
    assert all(hint in shown for hint in ("g chat", "l log", "r rules"))
    assert shown.count("← →") == 1


def test_the_coach_is_named_where_users_may_ask(language: str) -> None:
    bar = KeyBar("play")
    bar.show_keys("play", (tr("← → 0-9"), tr("card")), own=MOVES)
    if language == "en":  # longer words have no room in the smallest window
        assert "h coach" in bar.draw(46, 1).line(0)
    bar.show_unread(1)
    assert f"h {tr('coach')}" in bar.draw(80, 1).line(0)


@pytest.mark.parametrize(
    ("seconds", "width", "shown"),
    [(0.018, 120, "20 ms"), (0.018, 80, ""), (0.4, 80, "500 ms"), (0.8, 46, "1 s"), (2.2, 120, "3 s"), (None, 120, "")],
)
def test_the_delay_of_the_server_stands_at_the_end(seconds: float | None, width: int, shown: str) -> None:
    bar = KeyBar("lobby")
    bar.show_delay(seconds)
    row = bar.draw(width, 1).line(0).rstrip()
    assert row.endswith(shown)
    assert ("◷" in row) == bool(shown)


@pytest.mark.parametrize("width", [46, 80])
def test_the_review_comes_before_the_replay(language: str, width: int) -> None:
    bar = KeyBar("result")
    assert f"h {tr('review')}" in bar.draw(width, 1).line(0), language


async def test_keys_of_a_dialog_have_their_words() -> None:
    """A touch screen shows them as buttons: bare letters said nothing."""
    async with at_the_screen() as player:
        await player.press("question_mark")
        await player.until(lambda: player.sees_dialog("HelpDialog"))
        assert [(action.keys, action.word) for action in keys_of(player.app.screen) if action.word == "rules"] == [
            ("r", "rules")
        ]
        assert all(action.word for action in keys_of(player.app.screen))
