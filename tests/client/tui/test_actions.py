"""The registry of keys: nothing twice in one place, everything explained, quitting everywhere."""

import pytest

from scoville_client.tui.actions import ACTIONS, at, line_of_keys

PLACES = sorted({place for action in ACTIONS for place in action.where})


@pytest.mark.parametrize("place", PLACES)
def test_a_key_means_one_thing_in_a_place(place: str) -> None:
    keys = [key for action in at(place) for key in action.keys.split(",")]
    assert len(keys) == len(set(keys))


@pytest.mark.parametrize("place", [place for place in PLACES if place not in {"everywhere", "create", "chat"}])
@pytest.mark.parametrize("width", [44, 78])
def test_the_line_of_keys_fits_and_always_tells_how_to_quit_and_of_the_help(place: str, width: int) -> None:
    pairs = line_of_keys(place, width)
    assert ("q", "quit") in pairs
    assert ("?", "help") in pairs
    assert sum(len(key) + len(word) + 3 for key, word in pairs) - 2 <= width


def test_every_action_is_explained_in_a_sentence() -> None:
    assert all(action.help.endswith(".") for action in ACTIONS)
