"""Welcome of a newcomer in line mode: the aims of the games, and the choice between guided rounds and a game."""

from pathlib import Path

import pytest

from scoville_client.plain.input.stdin import LineReader
from scoville_client.session.start_options import Start
from scoville_client.settings.file import FILE_VARIABLE
from tests.client.plain.test_conversation import conversation

FIRST = Start(kind="practice", welcome=True, seed=bytes(32), name="Anna")
OFFER = "Type 1 for two guided rounds of Dicht dran, or 2 to play against bots."
BEGUN = "The game starts: Anna, Bot Ada, Bot Emmy, Bot Alan."


@pytest.fixture(autouse=True)
def begin_as_newcomer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Begin at a terminal, with new settings."""
    monkeypatch.setenv(FILE_VARIABLE, str(tmp_path / "settings.toml"))
    monkeypatch.setattr(LineReader, "is_terminal", True)


@pytest.mark.parametrize("typed", ["", "2"])
async def test_the_first_start_says_the_aims_and_then_plays(typed: str) -> None:
    _, said = await conversation(FIRST, typed)
    assert said[0] == "Welcome! These games are played here:"
    assert {line.split(":")[0] for line in said[1:4]} == {"Chilli Chase", "Dicht dran", "No Thanks!"}
    assert said.index(OFFER) < said.index(BEGUN)
    assert not any(line.endswith("Type rules for the rules.") for line in said), "the aim was said a moment ago"


async def test_a_newcomer_takes_the_guided_rounds() -> None:
    _, said = await conversation(FIRST, "1", "")
    assert "Dicht dran, two guided rounds. Type quit to end them." in said
    assert BEGUN not in said


async def test_another_command_is_answered_and_the_offer_stays() -> None:
    _, said = await conversation(FIRST, "nonsense", "2")
    assert "There is no command 'nonsense' here. Type ? for help." in said
    assert BEGUN in said


async def test_the_second_start_plays_at_once() -> None:
    await conversation(FIRST, "2")
    _, said = await conversation(FIRST)
    assert OFFER not in said
    assert BEGUN in said


async def test_lines_of_a_script_are_no_answer_to_the_welcome(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LineReader, "is_terminal", False)
    _, said = await conversation(FIRST, "hand")
    assert OFFER not in said
    assert BEGUN in said
