"""The first minutes, and the next visit: the welcome before the first game, and servers that are remembered."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from scoville_client.i18n.game_text import game_tagline
from scoville_client.settings.file import SettingsFile
from scoville_client.tui.screens.dialogs.join import JoinDialog
from scoville_client.tui.screens.start.welcome import WelcomeDialog
from tests.support.live_server import open_live_server
from tests.support.screens import NARROW, WIDE, at_the_screen, start_practice


@pytest.mark.parametrize("size", [NARROW, WIDE])
async def test_the_very_first_start_says_the_aims(tmp_path: Path, size: tuple[int, int]) -> None:
    start = replace(start_practice(), welcome=True)
    async with at_the_screen(start, size=size, settings=SettingsFile(tmp_path / "settings.toml")) as player:
        await player.until(lambda: isinstance(player.app.screen, WelcomeDialog))
        for title in ("Dicht dran", "No Thanks!", "Chilli Chase"):
            await player.sees(title)
        await player.press("enter")
        await player.until(lambda: player.where == "play")
    async with at_the_screen(start, size=size, settings=SettingsFile(tmp_path / "settings.toml")) as player:
        await player.until(lambda: player.where == "play")


@pytest.mark.parametrize("language", ["en", "de", "fr"])
@pytest.mark.parametrize("size", [(46, 19), (60, 20), (80, 24)])
async def test_no_aim_is_cut_off(tmp_path: Path, size: tuple[int, int], language: str) -> None:
    settings = SettingsFile(tmp_path / "settings.toml")
    settings.preferences = replace(settings.preferences, language=language)
    async with at_the_screen(replace(start_practice(), welcome=True), size=size, settings=settings) as player:
        await player.until(lambda: isinstance(player.app.screen, WelcomeDialog))
        shown = " ".join(player.text.replace("│", " ").split())
        for game in ("dicht_dran", "no_thanks", "chilli_chase"):
            assert game_tagline(game) in shown
        assert "!:" not in shown


async def test_a_tall_welcome_shows_a_picture_of_each_game(tmp_path: Path) -> None:
    settings = SettingsFile(tmp_path / "settings.toml")
    async with at_the_screen(replace(start_practice(), welcome=True), size=(120, 40), settings=settings) as player:
        await player.until(lambda: isinstance(player.app.screen, WelcomeDialog))
        for drawn in ("│40 │  │74 │", "▼ total", "│ 27 ││ 28 ││ 29 │"):
            await player.sees(drawn)


async def test_guided_rounds_may_come_first(tmp_path: Path) -> None:
    async with at_the_screen(
        replace(start_practice(), welcome=True), settings=SettingsFile(tmp_path / "settings.toml")
    ) as player:
        await player.until(lambda: isinstance(player.app.screen, WelcomeDialog))
        await player.press("g")
        await player.until(lambda: player.where == "tutorial")


async def test_the_last_server_and_name_are_remembered(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    async with open_live_server() as server:
        async with at_the_screen(server.start, settings=SettingsFile(file)) as player:
            await player.until(lambda: player.where == "lobby")
            name = player.app.session.name
        menu = replace(server.start, kind="menu", host="", name="", searching=True)
        async with at_the_screen(menu, settings=SettingsFile(file)) as player:
            await player.sees("▸    Join again")
            await player.press("j")
            assert isinstance(player.app.screen, JoinDialog)
            assert name in player.text
            await player.press("escape", "enter")
            await player.until(lambda: player.where == "lobby")
            assert player.app.session.name == name
