"""Pausing and resuming by the same key."""

import pytest

from tests.support.screens import at_the_screen, start_practice

SIZES = [(46, 19), (80, 24), (120, 40), (200, 50)]


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("game", ["dicht_dran", "no_thanks", "chilli_chase"])
async def test_a_pause_names_who_asked_and_how_to_resume(game: str, size: tuple[int, int]) -> None:
    async with at_the_screen(start_practice(game=game), size=size) as anna:
        await anna.until(lambda: anna.where == "play" and anna.app.session.table.my_turn)
        usual = anna.text
        await anna.press("P")
        await anna.until(lambda: "The game is paused." in anna.notices)
        text = anna.notices
        assert "Anna asked for a pause." in text
        assert "Press P to" in text
        assert "P resume" in anna.text.splitlines()[-1]
        assert not {"play", "take", "thanks", "number"} & set(anna.text.splitlines()[-1].split())
        for keys in (["enter", "enter"], ["t"], ["p"], ["down", "enter"], ["1", "enter"], ["space"]):
            await anna.press(*keys)
            assert anna.app.session.table.info.paused
            assert anna.app.session.table.played[0] == 0
            assert "The game is paused." in anna.notices
        await anna.press("P")
        await anna.until(lambda: anna.text.splitlines()[-1] == usual.splitlines()[-1])


async def test_the_same_key_asks_for_a_pause_and_ends_it() -> None:
    async with at_the_screen(start_practice(clock={"move_ms": 600_000})) as anna:
        await anna.until(lambda: anna.where == "play")
        await anna.press("P")
        await anna.until(lambda: "Anna asked for a pause." in anna.notices)
        assert anna.app.session.table.info.paused
        await anna.press("enter")
        assert anna.app.session.table.played[0] == 0
        await anna.press("P")
        await anna.sees("Anna resumes the game.")
        await anna.press("enter")
        await anna.until(lambda: anna.app.session.table.played[0] == 1)
