"""Puzzles in line mode: posed, answered by typed moves, with their reasons, until an empty line."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from scoville_client.plain.commands import puzzles
from scoville_client.puzzles.practice import PracticePuzzles
from scoville_client.session.start_options import Start
from tests.client.plain.test_conversation import conversation
from tests.shared.puzzles.samples import sample_pool, with_pools
from tests.support.listener import listen_as, serve_cheaply


@pytest.fixture(autouse=True)
def practice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[PracticePuzzles]:
    made = PracticePuzzles(tmp_path / "puzzles.json")
    monkeypatch.setattr(puzzles, "users_puzzles", lambda: made)
    with with_pools(sample_pool("no_thanks", 1_500, 1_600), sample_pool("chilli_chase", 1_400)):
        yield made


async def test_puzzles_are_answered_one_after_the_other() -> None:
    _, said = await conversation(Start(name="Mia"), "puzzle no thanks", "dance", "1", "2", "puzzles")
    questions = [line for line in said if "What is the one best move?" in line]
    assert questions == ["No Thanks!, 3 players: you are Mia. What is the one best move?"] * 2
    assert "dance is neither a command nor a move. Type moves or help." in said
    assert "Right, the best move is take the card." in said
    assert "No, the best move is take the card." in said
    assert said.count("It wins more often.") == 2
    assert "take the card: wins 60 %." in said
    assert any(re.fullmatch(r"Your rating: 1\d{3} \(\+\d+\); the puzzle's: 1500\.", line) for line in said)
    assert "No Thanks!: 1 of 2 solved, 2 tried." in said
    assert any(re.fullmatch(r"Your puzzle rating: \d+\?\.", line) for line in said)


async def test_an_empty_line_ends_them_and_log_repeats_the_game() -> None:
    _, said = await conversation(Start(), "puzzle", "log", "", "puzzles")
    assert "An empty line ends this; log repeats the game so far." in said
    assert "No Thanks!: 0 of 2 solved, 0 tried." in said
    assert said[-2].startswith("Your puzzle rating: 1500?")
    assert said.count("You have left the puzzles.") == 1
    assert any("starts" in line for line in said), "the log begins with the start of the game"


async def test_a_move_is_typed_in_the_games_own_notation() -> None:
    _, said = await conversation(Start(), "puzzle chilli chase", "nonsense", "?")
    assert any("Chilli Chase, 3 players" in line for line in said)
    assert len([line for line in said if line.startswith("Your hand: ")]) == 1
    assert not any(line.startswith(("Right", "No,")) for line in said)


async def test_a_game_without_puzzles_is_named() -> None:
    _, said = await conversation(Start(), "puzzle hearts")
    assert any(line.startswith("There are no puzzles of hearts; there are those of Chilli Chase") for line in said)


async def test_all_solved_is_said() -> None:
    _, said = await conversation(Start(), "puzzle no thanks", "1", "1")
    assert "You have solved all of these puzzles." in said


async def test_a_server_says_once_what_there_is_today() -> None:
    async with serve_cheaply() as server, listen_as(server, "Mia") as mia:
        await mia.hear("^There are no tables yet")
        await mia.hear("^Type puzzle daily for the puzzle of the day")
        await mia.ask("tables", "^There are no tables yet")
        assert len([line for line in mia.said if line.startswith("Type puzzle daily")]) == 1
