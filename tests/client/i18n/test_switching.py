"""The whole interface changes its language while it runs."""

import pytest

from scoville_client.i18n.language import set_language, set_spelling
from scoville_client.rules import rules_pages
from scoville_client.session.start_options import DEFAULT_GAME, Start
from scoville_client.tui.screens.help import HelpDialog, RulesDialog
from scoville_client.tui.terminal import glyphs
from tests.support.screens import NARROW, WIDE, at_the_screen, start_practice

GAMES = {
    "dicht_dran": ("draw pile", "Zugstapel", "talon"),
    "no_thanks": ("No thanks", "Nein danke", "Non merci"),
    "chilli_chase": ("Your turn", "Du bist dran", "À toi"),
}
LANGUAGES = ("en", "de", "fr")
FOOTERS = (("en", "help", "quit"), ("de", "Hilfe", "beenden"), ("fr", "aide", "quitter"))


async def test_the_first_screen_and_its_keys_change_at_once() -> None:
    async with at_the_screen() as player:
        await player.sees("Practise")
        await player.press("L")
        assert "Üben" in player.text
        assert "ein Kartentisch im Terminal" in player.text
        await player.press("L")
        assert "S\u2019exercer" in player.text
        await player.press("L")
        assert "Practise" in player.text


async def test_a_game_changes_with_board_log_and_keys() -> None:
    async with at_the_screen(start_practice()) as player:
        await player.sees("draw pile")
        await player.press("L")
        for words in ("Zugstapel", "Das Spiel beginnt", "Lücke", "passt", "spielen", "beenden"):
            assert words in player.text, words
        for words in ("draw pile", "The game", "fits", " gap "):
            assert words not in player.text, words
        await player.press("f2")
        for words in ("talon", "La partie commence", "espace", "rentre", "jouer", "quitter"):
            assert words in player.text, words


async def test_the_result_and_the_finished_log_change_too() -> None:
    async with at_the_screen(start_practice(options={"cycles": 1})) as player:
        await player.until(lambda: player.where == "play")
        for _ in range(60):
            if player.where == "result":
                break
            await player.press("enter")
        await player.until(lambda: player.where == "result")
        assert "The game is over." in player.text
        await player.press("L")
        assert "Das Spiel ist zu Ende." in player.text


async def test_the_help_changes_where_it_stands() -> None:
    async with at_the_screen() as player:
        await player.press("question_mark")
        assert isinstance(player.app.screen, HelpDialog)
        await player.press("L", "pagedown")
        await player.sees("Tasten")
        await player.sees("Diese Hilfe zeigen.")


async def test_the_rules_open_at_the_fitting_page() -> None:
    async with at_the_screen(start_practice()) as player:
        await player.sees("draw pile")
        await player.press("r")
        assert isinstance(player.app.screen, RulesDialog)
        await player.sees("The aim")
        await player.sees("┣━━")
        await player.press("escape", "r")
        await player.sees("1st action: choose")
        await player.press("L")
        await player.sees("1. Aktion: wählen")
        await player.press("right")
        await player.sees("2. Aktion: das Ziel")
        await player.press("tab")
        await player.sees("No Thanks!")
        await player.press("escape")
        await player.sees("Zugstapel")


async def test_the_rules_are_read_to_the_end_with_one_key() -> None:
    async with at_the_screen(size=NARROW) as player:
        await player.press("r")
        titles = set()
        for _ in range(60):
            titles.add(player.text.splitlines()[3].strip("│ "))
            await player.press("space")
        assert titles == {page.title for page in rules_pages(DEFAULT_GAME, "en")}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
@pytest.mark.parametrize("game", GAMES)
async def test_a_terminal_with_ascii_only_shows_every_language(game: str, size: tuple[int, int], language: str) -> None:
    set_language(language)
    set_spelling(plainly=True)
    async with at_the_screen(start_practice(game=game), size=size) as player:
        await player.until(lambda: player.where == "play")
        table = glyphs.table_of_level("ascii")
        assert table is not None
        shown = player.text.translate(table)
        assert shown.isascii()
        assert shown.count("?") == player.text.count("?")


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
async def test_the_footer_keeps_help_and_words_in_every_language(size: tuple[int, int]) -> None:
    for language, help_word, quit_word in (
        ("en", "help", "quit"),
        ("de", "Hilfe", "beenden"),
        ("fr", "aide", "quitter"),
    ):
        set_language(language)
        async with at_the_screen(start_practice(), size=size) as player:
            await player.until(lambda: player.where == "play")
            await player.sees(f"? {help_word}")
            keys = player.text.splitlines()[-1]
            assert f"? {help_word}" in keys
            # A letter alone says nothing: where its word has no room, the help names it.
            assert f"q {quit_word}" in keys if size == WIDE else "q" not in keys.split() or f"q {quit_word}" in keys


async def test_a_start_says_in_the_spoken_language_what_is_wrong() -> None:
    set_language("fr")
    async with at_the_screen(Start(kind="join", host="127.0.0.1", port=1)) as player:
        await player.sees("Aucun serveur ne répond à 127.0.0.1:1.")
