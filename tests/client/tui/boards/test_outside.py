"""Boards of other packages: one that fails becomes the game's sentences and is named; the client goes on."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from scoville_client.replays.playback import Playback
from scoville_client.replays.reel import Reel
from scoville_client.session.start_options import Start
from scoville_client.tui.app import ReplayPlatform, ScovilleApp
from scoville_client.tui.boards import find_board
from scoville_client.tui.boards.outside import RESERVED
from scoville_client.tui.boards.sentences import SentencesBoard
from scoville_client.tui.screens.replay.replay import ReplayScreen
from scoville_client.tui.screens.table.table import TableScreen
from scoville_outside import guard
from scoville_shared.games import registry
from tests.outside.faulty_games import on_path, write_package
from tests.outside.faulty_games.boards import FAULTS, LATER, add_board
from tests.support.clock import FakeClock
from tests.support.exports import play_exported_game
from tests.support.screens import Player, at_the_screen, start_practice
from tests.support.tree import ROOT

NAMED = "The board of the package counting 1.0 has failed"


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """End endless boards sooner than a client does; the others draw in milliseconds."""
    monkeypatch.setattr(guard, "SCREEN_SECONDS", 0.3)


@pytest.fixture
def installed(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Install the game with the board whose fault the test names."""
    inside, behind = request.param
    write_package(tmp_path, "counting")
    add_board(tmp_path, inside, behind)
    with on_path(monkeypatch, tmp_path):
        yield


def with_faults(faults: dict[str, tuple[str, str]]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("installed", faults.values(), ids=faults.keys(), indirect=True)


def table_of(player: Player) -> TableScreen:
    return next(screen for screen in player.app.screen_stack if isinstance(screen, TableScreen))


async def play_on(player: Player) -> None:
    """Play a move by the sentences, and quit by the key of every game."""
    screen = table_of(player)
    await player.until(lambda: isinstance(screen._board, SentencesBoard))
    await player.until(lambda: screen.at.my_turn)
    played = screen.at.played
    await player.press("enter")
    await player.until(lambda: screen.at.played != played)
    await player.sees("are left.")


@with_faults(FAULTS)
async def test_a_board_that_fails_becomes_sentences_and_is_named(installed: None) -> None:
    async with at_the_screen(start_practice(game="counting", players=2)) as player:
        await player.until(lambda: player.where == "play")
        await player.sees("are left.")
        await player.until(lambda: NAMED in " ".join(player.text.split()) or NAMED in player.notices)
        await play_on(player)


@with_faults(LATER)
async def test_a_board_that_fails_later_becomes_sentences(installed: None) -> None:
    async with at_the_screen(start_practice(game="counting", players=2), pace=1000) as player:
        await player.until(lambda: player.where == "play")
        await player.sees("Strange: ")
        await player.until(lambda: table_of(player).at.my_turn)
        await player.press("b")
        if not isinstance(table_of(player)._board, SentencesBoard):
            await player.press("enter")
        await player.until(lambda: NAMED in " ".join(player.text.split()) or NAMED in player.notices)
        await play_on(player)


@with_faults({"page": ("    @property\n    def page(self):\n        raise ValueError('boom')", "")})
async def test_a_board_that_fails_for_the_rules_becomes_sentences(installed: None) -> None:
    async with at_the_screen(start_practice(game="counting", players=2)) as player:
        await player.until(lambda: player.where == "play")
        await player.sees("Strange: ")
        assert table_of(player).rules
        await player.until(lambda: NAMED in " ".join(player.text.split()) or NAMED in player.notices)


STUBBORN = """
    ACTIONS = (
        Action("play", "enter", "Enter", "play", "Play."),
        Action("leave", "q", "q", "leave", "Go.", priority=True),
        Action("help", "z", "z", "help", "Help."),
        Action("late", "y,question_mark", "y", "late", "Later."),
        Action("nothing", "u", "u", "nothing", "There is no such method."),
        Action("fine", "j", "j", "fine", "All is well."),
    )
    BINDINGS = [*bindings("play", ACTIONS), Binding("l", "late", priority=True)]

    def action_leave(self): self.at.view.hidden
    def action_help(self): self.at.view.hidden
    def action_late(self): self.at.view.hidden
    def action_fine(self): pass
    def action_log(self): pass
    def action_back(self): pass
    def key_r(self, event): event.stop()

    def on_key(self, event):
        event.stop()
        event.prevent_default()
"""


@with_faults({"stubborn": (STUBBORN, "")})
async def test_a_board_cannot_hide_the_keys_of_every_game(installed: None) -> None:
    board = find_board("counting")
    assert [action.id for action in board.ACTIONS] == ["play", "fine"]
    async with at_the_screen(start_practice(game="counting", players=2)) as player:
        await player.until(lambda: player.where == "play")
        await player.sees("Strange: ")
        for names in ("leave", "help", "late", "nothing", "counting 1.0"):
            await player.sees(names)
        await player.press("question_mark")
        await player.until(lambda: player.app.screen is not table_of(player))
        await player.press("escape")
        await player.press("l")
        await player.until(lambda: player.app.screen is not table_of(player))
        await player.press("escape")
        await player.until(lambda: player.app.screen is table_of(player))
        await player.press("q")
        await player.until(lambda: player.app.screen is not table_of(player))


@with_faults({"when drawn": FAULTS["when drawn"], "when made": FAULTS["when made"], "at import": FAULTS["at import"]})
async def test_a_replay_goes_on_in_sentences(installed: None) -> None:
    clock = FakeClock()
    platform = ReplayPlatform(Playback(Reel(play_exported_game("counting")), None), pace=0)
    app = ScovilleApp(Start(), platform, pace=0, clock=clock.clock)
    async with app.run_test(size=(80, 24)) as pilot:
        player = Player(app, pilot, clock)
        await player.sees("are left.")
        screen = app.screen
        assert isinstance(screen, ReplayScreen)
        assert isinstance(screen.board, SentencesBoard)
        await player.press("right", "right", "left", "end")
        await player.until(lambda: screen.playback.position == screen.playback.last)


def test_the_documents_list_the_reserved_keys() -> None:
    text = (ROOT / "docs/adding-a-game.md").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line.startswith("| `") and "` | `" in line]
    rows = dict(line.strip("| ").split(" | ") for line in lines)
    assert rows == {f"`{key}`": f"`{action}`" for key, action in sorted(RESERVED.items())}


def test_our_own_boards_keep_the_same_rule() -> None:
    for slug in registry.list_slugs():
        for action in find_board(slug).ACTIONS:
            assert RESERVED.keys().isdisjoint(action.keys.split(",")), (slug, action.id)
