"""The key registry: no key twice in one context, an explanation for each, and quitting everywhere."""

import pytest

from scoville_client.tui.actions import _DISPENSABLE, ACTIONS, at, line_of_keys
from scoville_client.tui.boards import find_board
from scoville_client.tui.boards.board import Board
from scoville_client.tui.boards.sentences import SentencesBoard
from scoville_client.tui.screens.table.keys import TOGETHER
from scoville_shared.games.registry import slugs

BOARDS = [*map(find_board, slugs()), SentencesBoard]
PLACES = sorted({place for action in ACTIONS for place in action.contexts})


@pytest.mark.parametrize("place", PLACES)
def test_a_key_means_one_thing_in_a_place(place: str) -> None:
    keys = [key for action in at(place) for key in action.keys.split(",")]
    assert len(keys) == len(set(keys))


@pytest.mark.parametrize("board", BOARDS)
def test_a_game_binds_only_its_own_keys(board: type[Board]) -> None:
    pressed = [action for action in at("play", board.ACTIONS) if action.keys]
    keys = [key for action in pressed for key in action.keys.split(",")]
    assert len(keys) == len(set(keys))
    assert all(hasattr(board, f"action_{action.id}") for action in board.ACTIONS if action.keys)
    bound = {binding.action for binding in board.BINDINGS}
    assert bound >= {action.id for action in board.ACTIONS if action.keys}


@pytest.mark.parametrize("place", [place for place in PLACES if place not in {"everywhere", "create", "chat"}])
@pytest.mark.parametrize("width", [44, 78])
def test_the_key_hints_fit_and_always_show_quit_and_help(place: str, width: int) -> None:
    check_line(line_of_keys(place, width), width)


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("width", [44, 78])
def test_the_line_of_keys_of_every_game_fits(board: type[Board], width: int) -> None:
    check_line(line_of_keys("play", width, board.ACTIONS), width)


def check_line(pairs: list[tuple[str, str]], width: int) -> None:
    assert ("q", "quit") in pairs
    assert ("?", "help") in pairs
    assert sum(len(key) + len(word) + 3 for key, word in pairs) - 2 <= width


def test_every_action_is_explained_in_a_sentence() -> None:
    own = [action for board in BOARDS for action in board.ACTIONS]
    assert all(action.help.endswith(".") for action in (*ACTIONS, *own))


def test_what_the_key_bar_may_leave_out_are_actions() -> None:
    known = {action.id for action in (*ACTIONS, *(own for board in BOARDS for own in board.ACTIONS))}
    assert known.issuperset(_DISPENSABLE)
    assert known.issuperset(TOGETHER)
