"""Settings of themes and animations last into the next game and the next run."""

from pathlib import Path

import pytest

from scoville_client.session.start_options import Start
from scoville_client.settings.file import SettingsFile
from scoville_client.settings.preferences import Preferences
from scoville_client.tui.app import ScovilleApp
from scoville_client.tui.boards.storyboard import StoryBoard
from scoville_client.tui.platform import Platform
from scoville_client.tui.themes import LIGHT
from scoville_client.tui.widgets.menu import Menu
from tests.support.live_server import LiveServer
from tests.support.screens import Player, at_the_screen, start_practice


async def in_a_game(player: Player) -> StoryBoard:  # type: ignore[type-arg]
    await player.until(lambda: player.where == "play" and player.app.screen.query(StoryBoard))
    await player.until(lambda: player.app.screen.query_one(StoryBoard).at.my_turn)
    return player.app.screen.query_one(StoryBoard)


async def test_less_motion_lasts_into_the_next_game() -> None:
    async with at_the_screen(start_practice()) as player:
        await in_a_game(player)
        await player.press("m", "escape", "y")
        await player.until(lambda: player.where == "start")
        await player.press("p", "enter")
        assert (await in_a_game(player)).calm


async def test_the_look_lasts_into_the_next_run(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    app = ScovilleApp(Start(), Platform(SettingsFile(file)))
    async with app.run_test() as pilot:
        await pilot.pause()
        await Player(app, pilot).press("T")
    assert SettingsFile(file).preferences == Preferences(theme="light", newcomer=False)
    assert ScovilleApp(Start(), Platform(SettingsFile(file))).theme == LIGHT.name
    assert ScovilleApp(Start()).theme != LIGHT.name


async def test_without_colour_marks_are_never_dimmer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with at_the_screen() as player:
        colours = player.app.theme_variables
        assert colours["primary"] == colours["accent"] == colours["foreground"]
        await player.press("T")
        assert player.app.theme_variables["primary"] == player.app.theme_variables["foreground"]


async def test_lists_have_the_keys_of_vi() -> None:
    async with at_the_screen() as player:
        await player.press("N")
        menu = player.app.screen.query_one(Menu)
        await player.press("j", "j", "k")
        assert menu.index == 1
        await player.press("G")
        assert menu.index == len(menu.items) - 1
        await player.press("g")
        assert menu.index == 0


async def test_lists_that_a_server_answers_have_them_too(live_server: LiveServer) -> None:
    async with at_the_screen(live_server.start) as player:
        await player.until(lambda: player.where == "lobby")
        await player.press("m")
        await player.until(lambda: [menu for menu in player.app.screen.query(Menu) if len(menu.items) > 1])
        menu = player.app.screen.query_one(Menu)
        await player.press("G")
        assert menu.index == len(menu.items) - 1
        await player.press("g", "j", "j", "k")
        assert menu.index == 1


async def test_a_filter_finds_a_setting_and_esc_shows_all_again() -> None:
    async with at_the_screen() as player:
        await player.press("N", "slash", "b", "e", "l", "l")
        await player.sees("/ bell_")
        assert player.app.screen.query_one(Menu).marked == "bell"
        before = player.app.preferences.bell
        await player.press("right")
        await player.until(lambda: player.app.preferences.bell != before)
        await player.press("q")
        await player.sees("/ bellq_")
        await player.press("left", "enter")
        assert player.app.preferences.bell != before, "nothing is marked, so nothing changes"
        await player.press("escape")
        await player.sees("Window title")
        assert player.sees_dialog("SettingsDialog")
        await player.press("end", "home", "pagedown", "pageup")
        assert player.app.screen.query_one(Menu).marked == "language"
