"""The row of keys of a touch screen has what works on the page that is shown."""

from itertools import chain

from scoville_client.doors.web.door import key_row
from scoville_client.i18n.language import set_language
from scoville_client.tui.actions import ACTIONS, list_actions
from scoville_client.tui.widgets.key_bar import KeyBar

FIXED = {"up", "down", "left", "right", "enter", "escape", "tab"}
TYPED = {""}
"""Numbers: what they choose can be tapped."""


def test_the_lobby_has_a_button_for_each_of_its_keys() -> None:
    row = key_row(KeyBar("lobby").actions)
    assert [key.key for key in row[:3]] == ["c", "s", "j"]
    assert {"?": "help", "q": "quit", "m": "account", "L": "language"}.items() <= {
        key.send: key.word for key in row
    }.items()


def test_key_row_begins_with_the_bar_without_repeats() -> None:
    row = [key.send for key in key_row(KeyBar("waiting").actions)]
    assert len(row) == len({*row})
    assert row.index("i") < row.index("x")


def test_every_key_is_a_button_or_in_every_row() -> None:
    contexts = {*chain.from_iterable(action.contexts for action in ACTIONS)} - {"everywhere"}
    for context in contexts:
        sent = len(key_row(list_actions(context)))
        keys = {action.keys.partition(",")[0] for action in list_actions(context)}
        assert sent == len(keys - FIXED - TYPED), context


def test_words_are_in_the_user_s_language() -> None:
    set_language("de")
    assert "Hilfe" in {key.word for key in key_row(KeyBar("lobby").actions)}
