"""The puzzle screen: a board without a server, one choice, the answer over it, and the next puzzle by one key."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from scoville_client.puzzles import practice
from scoville_client.puzzles.practice import PracticePuzzles
from scoville_client.tui.screens.puzzles.puzzle import PuzzleScreen
from tests.shared.puzzles.samples import sample_pool, with_pools
from tests.support.screens import NARROW, WIDE, at_the_screen


@pytest.fixture(autouse=True)
def puzzles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[PracticePuzzles]:
    made = PracticePuzzles(tmp_path / "puzzles.json")
    monkeypatch.setattr(practice, "users_puzzles", lambda: made)
    with with_pools(sample_pool("no_thanks", 1_500, 1_600)):
        yield made


@pytest.mark.parametrize("size", [NARROW, WIDE])
async def test_a_choice_is_answered_and_enter_goes_on(puzzles: PracticePuzzles, size: tuple[int, int]) -> None:
    async with at_the_screen(size=size) as player:
        await player.press("z")
        await player.until(lambda: player.where == "puzzle")
        await player.sees("one best move")
        first = player.app.page_stack.page
        assert isinstance(first, PuzzleScreen)
        await player.press("t")
        await player.until(lambda: first.answer is not None)
        await player.sees("Right, the best move is")
        assert "often." in player.text
        await player.sees("60 %")
        tried = (await puzzles.read_rating()).attempts
        await player.press("t", "p")
        assert (await puzzles.read_rating()).attempts == tried == 1, "the first choice is the answer"
        await player.press("enter")
        await player.until(lambda: player.app.page_stack.page is not first)
        assert player.where == "puzzle"
        await player.press("escape")
        await player.until(lambda: player.where == "start")


async def test_wrong_choice_shows_the_right_one() -> None:
    async with at_the_screen() as player:
        await player.press("z")
        await player.until(lambda: player.where == "puzzle")
        await player.press("p")
        await player.sees("No, the best move is")
        for _ in range(2):
            before = player.app.page_stack.page
            await player.press("enter")
            await player.until(lambda before=before: player.app.page_stack.page is not before)
            await player.press("t")
            await player.sees("Right, the best move is")
        await player.press("enter")
        await player.until(lambda: player.where == "start")
        await player.sees("You have solved all of these puzzles.")
