"""Planning moves by a key: the line that is typed, and why a plan is refused."""

import pytest

from scoville_shared.protocol.messages import DAY_MS
from tests.support.screens import at_the_screen, start_practice


@pytest.mark.parametrize("size", [(46, 19), (80, 24), (120, 40)], ids=str)
async def test_a_plan_is_typed_and_its_faults_are_explained(size: tuple[int, int]) -> None:
    start = start_practice(game="no_thanks", clock={"move_ms": 2 * DAY_MS})
    async with at_the_screen(start, size=size) as anna:
        await anna.until(lambda: anna.where == "play" and anna.app.session.table.my_turn)
        await anna.press("A")
        await anna.sees("Plan your moves")
        await anna.press(*"jump", "enter")
        await anna.sees("not a move")
        assert "jump" in anna.text, "it can be mended"
        await anna.press(*["backspace"] * 4, *"pass", "enter")
        await anna.sees("It is your turn")
        await anna.press("escape")
        await anna.until(lambda: "Plan your moves" not in anna.text)


async def test_only_games_by_correspondence_have_the_key() -> None:
    async with at_the_screen(start_practice(game="no_thanks")) as anna:
        await anna.until(lambda: anna.where == "play" and anna.app.session.table.my_turn)
        await anna.press("A")
        assert "Plan your moves" not in anna.text
