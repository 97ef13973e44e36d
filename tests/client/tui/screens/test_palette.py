"""The command palette: everything that the page in front can do, found by its name; keys from the settings."""

import pytest
from msgspec.structs import replace

from scoville_client.i18n.language import set_language
from scoville_client.session.start_options import Start
from scoville_client.settings.file import SettingsFile
from scoville_client.tui.app import ScovilleApp
from scoville_client.tui.platform import Platform
from scoville_client.tui.screens.palette import Command, commands_of, find_commands
from tests.support.screens import NARROW, Player, at_the_screen, start_practice

HELP, RULES = Command("h", "h", "help", "Show this help."), Command("r", "r", "rules", "Show the rules of all games.")
THEME = Command("T", "T", "theme", "Switch to the next theme.")


def test_words_are_found_with_letters_left_out_and_then_explanations() -> None:
    commands = [HELP, RULES, THEME]
    assert find_commands(commands, " ") == commands
    assert find_commands(commands, "rls") == [RULES]
    assert find_commands(commands, "GAMES all") == [RULES]
    assert find_commands(commands, "he")[0] in (HELP, THEME)
    assert find_commands(commands, "xyz") == []


async def test_commands_run_and_changed_keys_work() -> None:
    settings = SettingsFile(None)
    settings.preferences = replace(settings.preferences, keys={"theme": "f6", "help": "!"})
    app = ScovilleApp(Start(), Platform(settings))
    async with app.run_test(size=NARROW) as pilot:
        player = Player(app, pilot)
        await player.sees("! help")
        assert {"theme", "help", "rules", "quit"} <= {command.word for command in commands_of(app.screen)}
        await player.press("colon", "t", "h", "e", "m")
        await player.sees("F6")
        await player.press("enter")
        await player.until(lambda: app.preferences.theme == "light")
        await player.press("f6")
        await player.until(lambda: app.preferences.theme == "high-contrast")
        await player.press("T")
        assert app.preferences.theme == "high-contrast"
        set_language("de")
        await player.press("ctrl+p", "d", "o", "w", "n", "escape")
        await player.until(lambda: player.where == "start")
        await player.press("exclamation_mark")
        await player.until(lambda: player.sees_dialog("HelpDialog"))


async def test_themes_and_languages_are_chosen_within_dialogs() -> None:
    async with at_the_screen() as player:
        await player.press("colon", *"light", "enter")
        assert player.app.preferences.theme == "light"
        await player.press("question_mark", "colon")
        await player.sees("Theme: dark")
        await player.press(*"deutsch")
        await player.sees("Language: Deutsch")
        await player.press("enter")
        await player.sees("Tasten")
        assert player.sees_dialog("HelpDialog"), "the dialog is still there"
        await player.press("ctrl+p", *"regeln")
        await player.sees("Regeln")
        await player.press("enter")
        await player.until(lambda: player.sees_dialog("RulesDialog"))


@pytest.mark.parametrize(("typed", "dialog"), [("rules", "RulesDialog"), ("back", "LeaveDialog")])
async def test_the_palette_does_what_a_board_leaves_to_its_screen(typed: str, dialog: str) -> None:
    async with at_the_screen(start_practice(game="no_thanks")) as player:
        await player.until(
            lambda: player.where == "play" and player.app.session.table is not None and player.app.session.table.my_turn
        )
        await player.press(":")
        await player.until(lambda: player.sees_dialog("PaletteDialog"))
        await player.press(*typed, "enter")
        await player.until(lambda: player.sees_dialog(dialog))
