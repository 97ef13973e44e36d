"""A fourth game from other distributions: it is registered, verified, played and drawn without an edit of the core."""

import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from scoville_client.rules import rules_pages
from scoville_client.session.start_options import Start
from scoville_client.tui.boards import _load_guarded, find_board
from scoville_client.tui.boards.sentences import SentencesBoard
from scoville_client.tui.screens.table.table import TableScreen
from scoville_shared.bots import registry as bots
from scoville_shared.games import registry
from scoville_shared.installed import forget_installed
from tests.e2e.fourth_game import BOARD, GAME, GOLDEN
from tests.golden import test_golden
from tests.support.line_mode import LineMode
from tests.support.screens import at_the_screen, start_practice
from tests.support.tree import ROOT

TURN_OR_END = r"^Your turn\. You can play: (take \d)|^(The game is over\. )"
LOOK_UPS = (bots.list_levels, bots.find_bot, rules_pages, _load_guarded)


@pytest.fixture
def fourth_game(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Add the game to the path of distributions, for this process and all child processes."""
    _install(monkeypatch, GAME)
    yield
    _forget_found_packages()


@pytest.fixture
def fourth_board(fourth_game: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Add its board, too."""
    _install(monkeypatch, BOARD)


def _install(monkeypatch: pytest.MonkeyPatch, distribution: Path) -> None:
    monkeypatch.syspath_prepend(str(distribution))
    monkeypatch.setenv("PYTHONPATH", str(distribution), prepend=os.pathsep)
    _forget_found_packages()


def _forget_found_packages() -> None:
    forget_installed()
    registry.forget_loaded()
    for look_up in LOOK_UPS:
        look_up.cache_clear()


def test_it_is_found_with_bot_and_rules_without_board(fourth_game: None) -> None:
    assert registry.list_slugs() == ["chilli_chase", "dicht_dran", "last_stick", "no_thanks"]
    assert registry.load_game("last_stick").info.title == "Last Stick"
    assert bots.find_bot("last_stick", "sensible").__module__ == "last_stick.bot"
    assert [page.title for page in rules_pages("last_stick", "de")] == ["The aim"]
    assert find_board("last_stick") is SentencesBoard


def test_without_its_folder_on_the_path_nobody_knows_it() -> None:
    assert "last_stick" not in registry.list_slugs()


def test_it_keeps_the_laws_and_its_golden_games(fourth_game: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCOVILLE_GOLDEN", str(GOLDEN))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/laws", "tests/golden"]
    judged = subprocess.run([*command, "-k", "last_stick"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert judged.returncode == 0, judged.stdout
    assert " passed" in judged.stdout


def test_a_game_without_golden_games_is_reported(fourth_game: None) -> None:
    with pytest.raises(AssertionError, match="add the missing ones to tests/golden/last_stick"):
        test_golden.test_every_size_of_table_has_a_golden_game("last_stick")


def test_two_users_play_it_over_a_server_in_line_mode(fourth_game: None) -> None:
    hosted = ("host", "last_stick", "--plain", "--port", "0", "--players", "3", "--name", "Anna")
    with LineMode(*hosted, "--option", "sticks=9") as anna:
        port = anna.hear(r"scoville join .*:(\d+)").group(1)
        with LineMode("join", f"localhost:{port}", "--plain", "--name", "Paul") as paul:
            paul.hear(r"^1\. (last_stick|Last Stick), waiting: Anna, 2 seats free")
            paul.type("join 1")
            anna.hear("^Paul takes seat 2")
            anna.type("start")
            for user in (anna, paul):
                user.hear("^9 sticks lie in the heap")
            _play_out(anna, paul)
            paul.type("rules")
            paul.hear("^Last Stick: The aim")
            paul.type("quit")
            assert paul.end() == 0
        anna.type("quit")
        assert anna.end() == 0
        assert [line for line in anna.said if line.startswith("The heap is gone. The bonuses are Anna ")]


def test_users_without_the_package_play_and_watch_by_its_sentences(fourth_game: None) -> None:
    without = {"PYTHONPATH": ""}
    hosted = ("host", "last_stick", "--plain", "--port", "0", "--players", "3", "--name", "Anna")
    with LineMode(*hosted, "--option", "sticks=9") as anna:
        port = anna.hear(r"scoville join .*:(\d+)").group(1)
        join = ("join", f"localhost:{port}", "--plain", "--name")
        with (
            LineMode(*join, "Paul") as paul,
            LineMode(*join, "Zoe", environment=without) as zoe,
            LineMode(*join, "Willy", environment={**without, "LANGUAGE": "de"}) as willy,
        ):
            paul.hear(r"^1\. Last Stick, waiting")
            paul.type("join 1")
            anna.hear("^Paul takes seat 2")
            zoe.hear(r"^1\. Last Stick, waiting")
            zoe.type("join 1")
            zoe.hear(r"^This client does not have the game Last Stick\. It comes in the package last-stick 1\.0")
            anna.hear("^Zoe takes seat 3")
            willy.hear(r"^1\. Last Stick")
            willy.type("watch 1")
            willy.hear("^Dieser Client hat das Spiel Last Stick nicht")
            anna.type("start")
            for user in (anna, paul, zoe, willy):
                user.hear("^9 sticks lie in the heap")
            _play_out(anna, paul, zoe)
            zoe.hear("^Not verified: that needs the rules of the game")
            willy.hear("^Das Spiel ist zu Ende")
            assert "Your secret bonus is" not in "".join(willy.said), "a spectator is sent a spectator's sentences"
            assert any("Your secret bonus is" in line for line in zoe.said)
            bonuses = next(line for line in zoe.said if line.startswith("The heap is gone. The bonuses are Anna "))
            zoe.type("coach")
            zoe.hear(r"^There is no coach for Last Stick\.")
            for user in (paul, zoe, willy):
                user.type("quit")
                assert user.end() == 0
            assert bonuses in paul.said


def _play_out(*users: LineMode) -> None:
    """Let each player take one stick in turn; each waits separately, since the first player is random."""
    with ThreadPoolExecutor(len(users)) as listening:
        list(listening.map(_play_when_asked, users))


def _play_when_asked(user: LineMode) -> None:
    while move := user.hear(TURN_OR_END).group(1):
        user.type(move)


async def test_it_is_played_on_the_screen_in_its_sentences(fourth_game: None) -> None:
    assert await _played_on_screen(start_practice(game="last_stick", players=2)) == "SentencesBoard"


async def test_a_board_from_yet_another_folder_draws_it(fourth_board: None) -> None:
    assert await _played_on_screen(start_practice(game="last_stick", players=2), "||||||||") == "LastStickBoard"


async def _played_on_screen(start: Start, drawn: str = "sticks lie in the heap.") -> str:
    """Press Enter until the game is over; returns the name of the board's class."""
    async with at_the_screen(start) as player:
        await player.until(lambda: player.where == "play")
        await player.sees(drawn)
        screen = player.app.screen
        assert isinstance(screen, TableScreen)
        board = type(screen._board).__name__
        for _ in range(12):
            await player.until(lambda: player.where == "result" or screen.at.my_turn)
            if player.where == "result":
                break
            played = screen.at.played
            await player.press("enter")
            await player.until(lambda played=played: player.where == "result" or screen.at.played != played)
        await player.sees("The game is over.")
        return board
