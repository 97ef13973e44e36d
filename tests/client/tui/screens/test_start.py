"""The start screen: a saved game is watched, a name logs in, the settings open, and everything has room."""

import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from scoville_client.replays.known_games import list_saved_games
from scoville_client.session.my_games import Decisions, GameFolder, Mistake
from scoville_client.session.start_options import Start
from scoville_client.settings.file import SettingsFile
from scoville_client.tui.boards.board import Board
from scoville_client.tui.screens.replay.replay import ReplayScreen
from scoville_client.tui.screens.start.saved_games import MyGamesDialog, choose_saved_game
from scoville_client.tui.screens.start.start import StartScreen
from scoville_client.tui.widgets.menu import Menu
from tests.client.transport.lan.network import Network, with_table
from tests.support.clock import FakeClock
from tests.support.exports import play_exported_game, write_export
from tests.support.live_server import open_live_server
from tests.support.screens import NARROW, WIDE, at_the_screen, start_practice

PASSWORD = "seven habaneros"
sizes = pytest.mark.parametrize("size", [NARROW, WIDE, (120, 40)])


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home and a working folder without games."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path


def a_game(path: Path) -> None:
    write_export(play_exported_game("no_thanks"), path)


@sizes
async def test_everything_has_room(size: tuple[int, int]) -> None:
    async with at_the_screen(size=size, browse=Network(with_table()).browse) as player:
        await player.sees("Anna             No Thanks! 2/4")
        rows = [row.strip() for row in player.text.splitlines() if row.strip()]
        found = next(number for number, row in enumerate(rows) if "No Thanks! 2/4" in row)
        assert rows[found - 1].startswith("j  Join"), "servers are listed where one joins"
        for words in (
            "a card table in the terminal",
            "▸ p  Practise",
            "w  My games",
            "i  Log in",
            "N  Settings",
            "q  Quit",
        ):
            assert words in player.text


async def test_failed_start_offers_the_menu_when_ready() -> None:
    async with at_the_screen() as player:
        page = StartScreen(Start(kind="host"))
        player.app.push_screen(page)
        page.offer_menu()  # the connection has ended before the page has its widgets
        await player.until(lambda: page.is_open and page.query_one(Menu).display)


async def test_late_failure_of_a_start_shows_nothing() -> None:
    async with at_the_screen() as player:
        page = StartScreen(Start(kind="host"))
        await player.app.push_screen(page)
        await player.app.pop_screen()
        page.offer_menu()


async def test_a_saved_game_is_watched(home: Path) -> None:
    a_game(home / "scoville-no_thanks-brave-otter.jsonl")
    (home / "scoville-broken.jsonl").write_text("no game\n")
    async with at_the_screen() as player:
        await player.press("w")
        await player.sees("No Thanks!: ")
        assert "Another file" in player.text
        await player.press("enter")
        await player.until(lambda: isinstance(player.app.screen, ReplayScreen))
        await player.press("escape")
        await player.until(lambda: player.where == "start")


async def test_my_games_are_watched_counted_and_exported(home: Path) -> None:
    folder = home / "data" / "scoville" / "games"
    folder.mkdir(parents=True)
    a_game(folder / "20260101T000000Z-no_thanks-otter-s1.jsonl")
    async with at_the_screen() as player:
        await player.press("w")
        await player.sees(" of 1 won")
        await player.sees("Another file")
        await player.press("x")
        await player.until(lambda: [*home.glob("scoville-*.jsonl")] != [])
        await player.press("enter")
        await player.until(lambda: isinstance(player.app.screen, ReplayScreen))
        await player.sees("Paul")


@sizes
async def test_results_are_a_bar_dots_and_a_course(home: Path, size: tuple[int, int]) -> None:
    keep_mistakes(home, "no_thanks", "dicht_dran")
    async with at_the_screen(size=size) as player:
        await player.press("w")
        await player.sees("latest games")
        rows = player.text.splitlines()
        [title] = [row for row in rows if "of 1 won" in row and "No Thanks!" in row]
        assert set("█░") & set(title)
        dots = [row for row in rows if "latest games" in row]
        assert "● a win  · last place" in dots[0]
        decisions = [row for row in rows if "decisions" in row]
        assert bool(decisions) == (size != NARROW)
        # A single game has no course: a bar would say nothing.
        assert all("each costs" in row and "of the chance to win" in row for row in decisions)
        assert "habit: takes a card too early (2 ×)" in " ".join(player.text.replace("│", " ").split())
        assert "Esc close" in player.text


async def test_my_games_are_deleted_by_the_second_key(home: Path) -> None:
    folder = home / "data" / "scoville" / "games"
    folder.mkdir(parents=True)
    game = folder / "20260101T000000Z-no_thanks-otter-s0.jsonl"
    a_game(game)
    async with at_the_screen() as player:
        await player.press("w")
        await player.sees("Another file")
        await player.press("d")
        await player.sees("again to delete")
        assert game.exists()
        await player.press("d")
        await player.until(lambda: not game.exists())


async def test_a_game_that_is_chosen_and_then_deleted_ends_nothing(home: Path) -> None:
    folder = home / "data" / "scoville" / "games"
    folder.mkdir(parents=True)
    a_game(game := folder / "20260101T000000Z-no_thanks-otter-s0.jsonl")

    async def ask_user(dialog: MyGamesDialog) -> str:
        dialog.games = []
        return str(game)

    shell = SimpleNamespace(clock=FakeClock().clock, ask_user=ask_user)
    assert await choose_saved_game(shell) is None  # type: ignore[arg-type]


def keep_mistakes(home: Path, *games: str) -> list[Path]:
    """Keep games with two mistakes of seat 0 each, the first moves of that seat that had an alternative."""
    folder = home / "data" / "scoville" / "games"
    folder.mkdir(parents=True)
    paths = []
    for day, game in enumerate(games, 1):
        path = folder / f"202601{day:02}T000000Z-{game}-otter-s0.jsonl"
        write_export(play_exported_game(game), path)
        own = [number for number, line in enumerate(play_exported_game(game).moves, 1) if line.seat == 0][:2]
        made = [Mistake(position, "takes a card too early", 0.1 / position) for position in own]
        GameFolder(folder).write_decisions(path, Decisions(made=9, loss=0.2, mistakes=made))
        paths.append(path)
    return paths


@sizes
async def test_the_users_mistakes_are_made_again(home: Path, size: tuple[int, int]) -> None:
    [path] = keep_mistakes(home, "no_thanks")
    async with at_the_screen(size=size) as player:
        await player.press("w")
        await player.sees("m my mistakes")
        await player.press("m")
        for number in (1, 2):
            await player.sees(f"mistake {number} of 2")
            await player.press("c")
            await player.until(lambda: player.sees_dialog("PickDialog"))
            await player.press("enter")
            await player.until(lambda: player.sees_dialog("ExplanationDialog"))
            await player.until(lambda: "costs" in player.text or "right, no move" in player.text)
            await player.press("escape")
        await player.until(lambda: player.where == "start")
        await player.sees("all of your mistakes")
    kept = GameFolder(path.parent).read_decisions(path)
    assert kept is not None
    assert len(kept.mistakes) == 2


async def test_who_has_no_mistakes_is_told_where_they_come_from(home: Path) -> None:
    folder = home / "data" / "scoville" / "games"
    folder.mkdir(parents=True)
    a_game(folder / "20260101T000000Z-no_thanks-otter-s0.jsonl")
    async with at_the_screen() as player:
        await player.press("w")
        await player.sees("Another file")
        assert "my mistakes" not in player.text
        await player.press("m")
        await player.sees("There are no mistakes")


async def test_without_saved_games_a_readable_file_is_requested(home: Path) -> None:
    a_game(home / "elsewhere")
    async with at_the_screen() as player:
        await player.press("w")
        await player.until(lambda: player.sees_dialog("PromptDialog"))
        await player.press(*"nowhere", "enter")
        await player.sees("nowhere cannot be read")
        await player.press(*["backspace"] * 7, *"~/elsewhere", "enter")
        await player.until(lambda: isinstance(player.app.screen, ReplayScreen))


def test_games_of_a_hosted_server_are_found_the_newest_first(home: Path) -> None:
    kept = home / "data" / "scoville" / "hosted" / "generations" / "2" / "games"
    kept.mkdir(parents=True)
    for name in ("quick-fox.jsonl", "brave-otter.jsonl"):
        a_game(kept / name)
    a_game(home / "scoville-no_thanks-old.jsonl")
    os.utime(home / "scoville-no_thanks-old.jsonl", (1, 1))
    os.utime(kept / "quick-fox.jsonl", (9, 9))
    os.utime(kept / "brave-otter.jsonl", (5, 5))
    assert [game.path.stem for game in list_saved_games()] == ["quick-fox", "brave-otter", "scoville-no_thanks-old"]
    assert list_saved_games()[0].header.game == "no_thanks"


async def test_a_user_logs_in_to_a_server_by_name() -> None:
    async with open_live_server() as server:
        await server.marie.account.claim_name(PASSWORD)
        async with at_the_screen(Start()) as player:
            await player.press("i")
            await player.sees("Log in to a server")
            await player.press(*f"127.0.0.1:{server.port}", "enter", "enter")
            await player.sees("Type the name that you have")
            await player.press(*"Marie", "enter")
            await player.until(lambda: player.sees_dialog("FormDialog"))
            await player.press(*(char if char != " " else "space" for char in PASSWORD), "enter")
            await player.sees("you are Marie,")


async def test_a_name_that_nobody_has_claimed_makes_a_guest() -> None:
    async with open_live_server() as server, at_the_screen(Start()) as player:
        await player.press("i", *f"127.0.0.1:{server.port}", "tab", *"Nora", "enter")
        await player.sees("Nobody has claimed the name Nora here.")


@sizes
async def test_practice_is_continued_from_the_start_and_from_my_games(size: tuple[int, int]) -> None:
    async with at_the_screen(start_practice(game="no_thanks", players=3), size=size) as player:
        await player.until(lambda: player.app.screen.query(Board))
        await player.until(lambda: player.app.session.table is not None and player.app.session.table.my_turn)
        await player.press("enter")
        await player.until(lambda: player.app.client.is_kept)
        await player.press("q")
        await player.sees("It is saved")
        await player.press("y")
    for keys in (["c"], ["w", "enter"]):
        async with at_the_screen(size=size) as player:
            await player.sees("▸ c  Continue")
            await player.press(*keys)
            await player.until(lambda: player.app.screen.query(Board))


@pytest.mark.parametrize("played", [False, True])
async def test_a_user_who_has_finished_a_game_is_not_new(home: Path, played: bool) -> None:
    """`scoville practice` begins without this screen, so that its first showing is no first start."""
    if played:
        keep_mistakes(home, "no_thanks")
    async with at_the_screen(settings=SettingsFile(home / "settings.toml")) as player:
        await player.sees("Practise")
        assert ("Press g for two guided rounds" in player.text) == (not played)
        assert ("▸ p" in player.text) == played


@pytest.mark.parametrize("size", [(46, 44), (100, 34), (120, 40), (200, 50), (300, 80)])
async def test_rows_below_the_menu_tell_what_is_played(size: tuple[int, int]) -> None:
    async with at_the_screen(size=size) as player:
        await player.sees("What is played here")
        rows = player.text.splitlines()
        last, first = (next(n for n, row in enumerate(rows) if word in row) for word in ("q  Quit", "What is played"))
        assert last < first
        assert len(rows) == size[1]
        told = "\n".join(rows[first:])
        assert all(subject in told for subject in ("Combine a card", "The closest card", "Take the card"))
        await player.pilot.resize_terminal(80, 24)
        await player.until(lambda: "What is played here" not in player.text and "q  Quit" in player.text)


async def test_nothing_is_told_where_a_command_is_under_way() -> None:
    async with at_the_screen(Start(kind="join", host="127.0.0.1", port=9), size=(120, 40)) as player:
        await player.until(lambda: "Practise" in player.text)
        assert "What is played here" not in player.text


async def test_large_window_shows_a_large_name() -> None:
    async with at_the_screen(size=(80, 24)) as player:
        await player.sees("Practise")
        usual = player.text
        await player.pilot.resize_terminal(200, 70)
        await player.until(lambda: any("█" * 16 in row for row in player.text.splitlines()))
        rows = player.text.splitlines()
        first = next(number for number, row in enumerate(rows) if "Practise" in row)
        assert not rows[first + 1].strip()
        assert "New here?" in rows[first + 2]
        assert rows[first].index("▸") in range(75, 90), "below the middle of the name"
        await player.pilot.resize_terminal(80, 24)
        await player.until(lambda: player.text == usual)
