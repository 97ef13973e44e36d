"""The key registry: no key twice in one context, an explanation for each, and quitting everywhere."""

from typing import Any

import pytest

from scoville_client.replays.playback import Playback
from scoville_client.replays.reel import Reel
from scoville_client.session.start_options import Start
from scoville_client.tui.actions import ACTIONS, list_actions
from scoville_client.tui.boards import find_board
from scoville_client.tui.boards.board import Board
from scoville_client.tui.boards.sentences import SentencesBoard
from scoville_client.tui.screens.base import BaseScreen
from scoville_client.tui.screens.replay.replay import ReplayScreen
from scoville_client.tui.widgets.key_bar import _DISPENSABLE, line_of_keys
from scoville_shared.games.registry import list_slugs
from tests.support.exports import play_exported_game
from tests.support.live_server import LiveServer
from tests.support.screens import at_the_screen, start_practice

BOARDS: list[type[Board]] = [*map(find_board, list_slugs()), SentencesBoard]
PLACES = sorted({place for action in ACTIONS for place in action.contexts})


@pytest.mark.parametrize("place", PLACES)
def test_a_key_means_one_thing_in_a_place(place: str) -> None:
    keys = [key for action in list_actions(place) for key in action.keys.split(",")]
    assert len(keys) == len(set(keys))


@pytest.mark.parametrize("board", BOARDS)
def test_a_game_binds_only_its_own_keys(board: type[Board]) -> None:
    pressed = [action for action in list_actions("play", board.ACTIONS) if action.keys]
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
    assert all(action.explain().endswith(".") for action in (*ACTIONS, *own))


def test_what_the_key_bar_may_leave_out_are_actions() -> None:
    known = {action.id for action in (*ACTIONS, *(own for board in BOARDS for own in board.ACTIONS))}
    assert known.issuperset(_DISPENSABLE)


def keys_without_action(screen: BaseScreen[Any]) -> set[str]:
    """Return the actions that keys of a screen are bound to, and that it does not know."""
    bound = {str(binding.action) for each in screen._bindings.key_to_bindings.values() for binding in each}
    wanted = {action.removeprefix("do('").removesuffix("')") for action in bound if action.startswith("do(")}
    assert len(wanted) > 3
    return wanted - set(screen.key_actions())


@pytest.mark.parametrize(
    "start", [start_practice(), Start(kind="tutorial"), "lobby"], ids=["table", "tutorial", "lobby"]
)
async def test_every_key_of_a_page_does_something(start: Start | str, live_server: LiveServer) -> None:
    async with at_the_screen(live_server.start if isinstance(start, str) else start) as player:
        await player.until(lambda: len(player.app.page_stack.pages) == 2 and player.app.up_to_date)
        for page in player.app.page_stack.pages:
            assert keys_without_action(page) == set()


async def test_every_key_of_replay_and_chat_acts(live_server: LiveServer) -> None:
    async with at_the_screen(live_server.start) as player:
        await player.until(lambda: player.where == "lobby")
        await player.press("g")
        await player.until(lambda: player.sees_dialog("ChatPanel"))
        assert isinstance(player.app.screen, BaseScreen)
        assert keys_without_action(player.app.screen) == set()
        replay = ReplayScreen(Playback(Reel(play_exported_game("no_thanks")), None), 0)
        assert keys_without_action(replay) == set()
