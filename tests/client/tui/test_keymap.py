"""Keys from the settings file: shown where the usual ones were, and refused where they would not work."""

import pytest

from scoville_client.settings.checks import BadSettings
from scoville_client.tui.drawing.key_names import key_list, written_key
from scoville_client.tui.keymap import check_keymap, list_names
from scoville_client.tui.widgets.key_bar import line_of_keys


def refusal(**keys: str) -> str:
    with pytest.raises(BadSettings) as refused:
        check_keymap(keys)
    return str(refused.value)


def test_keys_that_work_are_accepted() -> None:
    check_keymap({})
    check_keymap({"log": "f6,z", "help": "!", "chat": "ctrl+g", "play": "enter,v", "decline": "d"})
    check_keymap({"log": "r", "rules": "l"})


def test_what_does_not_work_is_named_with_what_to_do() -> None:
    assert "no action 'logg'" in refusal(logg="y")
    assert "Did you mean log?" in refusal(logg="y")
    assert "no action 'suspend_process'" in refusal(suspend_process="y")
    assert "there is no key 'foo'" in refusal(log="foo")
    assert "there is no key 'hyper+x'" in refusal(log="hyper+x")
    assert "digits are for typing numbers" in refusal(log="4")
    assert "would both have the key r;" in refusal(log="r")
    assert "would both have the key space;" in refusal(play="space")
    assert "everywhere and log would both have the key ctrl+c;" in refusal(log="ctrl+c")


@pytest.mark.parametrize(
    ("keys", "written"),
    [
        ("f6,z", "F6"),
        ("?", "?"),
        ("ctrl+g", "Ctrl+g"),
        ("left", "←"),
        ("escape", "Esc"),
        ("+", "+"),
        ("Y", "Y"),
        (":", ":"),
    ],
)
def test_keys_are_written_as_users_read_them(keys: str, written: str) -> None:
    assert written_key(key_list(keys)[0]) == written


def test_the_footer_shows_the_new_key() -> None:
    assert ("F6", "log") in line_of_keys("play", 200, keys={"log": "f6,z"})
    assert ("l", "log") in line_of_keys("play", 200)


def test_every_action_whose_keys_can_be_changed_is_listed_once() -> None:
    listed = [name for name, _, _ in list_names()]
    assert listed == sorted(set(listed))
    assert {"log", "decline", "palette"} <= {*listed}
    assert "suspend_process" not in listed
