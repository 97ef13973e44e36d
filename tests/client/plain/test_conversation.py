"""Line mode in this process: each command answers in sentences."""

import io
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from scoville_client.i18n.language import set_language
from scoville_client.plain.command_table import COMMANDS, ONE_KEY, SYNONYMS
from scoville_client.plain.main import obey_lines
from scoville_client.session.commands.command import ANYWHERE
from scoville_client.session.commands.registry import find_command
from scoville_client.session.start_options import Start
from scoville_client.settings.file import FILE_VARIABLE
from scoville_client.settings.preferences import MEMORIES
from scoville_shared.engine.dice import Dice
from scoville_shared.games.registry import load_game
from scoville_shared.ids import Seat
from tests.support.listener import Listener

PRACTICE = Start(kind="practice", seed=bytes(32), name="Anna")


async def conversation(start: Start, *typed: str) -> tuple[int, list[str]]:
    """Type these lines, then end the input; returns the exit status and the output."""
    said: list[str] = []
    status = await obey_lines(start, io.StringIO("".join(f"{line}\n" for line in typed)), said.append)
    return status, said


OPENING_TURN = (
    "Your turn. For 3 peppers, 75 is closest. Free, by peppers: 7, 38, 20. "
    "Costs 1: 92. Costs 2: 75, 66, 60. Costs 3: 61."
)
"""Every card once: the hand is not listed before it."""


async def test_practice_deals_at_once_and_says_what_can_be_played() -> None:
    status, said = await conversation(PRACTICE)
    assert status == 0
    assert "You are Anna. Type ? for help." in said
    assert "The game starts: Anna, Bot Ada, Bot Emmy, Bot Alan." in said
    assert OPENING_TURN in said


async def test_the_state_is_shown_on_demand() -> None:
    _, said = await conversation(PRACTICE, "hand", "moves", "table", "scores", "who", "log")
    assert said.count("Your hand, with peppers: 7 (3), 20 (1), 38 (1), 60 (2).") == 2
    assert said.count("Also in this hand: 61 (3), 66 (2), 75 (2), 92 (1).") == 2
    assert said.count("The circle, clockwise: 1, 82 (target), 43, 100, 51, 79.") == 2
    assert "Seat 1: Anna, you, host." in said
    assert "Seat 2: Bot Ada, sensible bot." in said
    assert said.count("The game starts: Anna, Bot Ada, Bot Emmy, Bot Alan.") == 2


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("50", "You do not hold the 50; choose a card from your hand."),
        ("9", "You do not hold the 9; choose a card from your hand."),
        ("999", "You do not hold the 999; choose a card from your hand."),
        ("take it back", "At this table a choice is final."),
        ("dance", "dance is neither a command nor a move. Type moves or help."),
    ],
)
async def test_an_invalid_move_is_answered_once_and_briefly(typed: str, sentence: str) -> None:
    _, said = await conversation(PRACTICE, typed)
    assert said.count(sentence) == 1
    assert len([line for line in said if line.startswith("Your turn.")]) == 1


async def test_moves_without_numbers_are_numbered_and_can_be_typed_so() -> None:
    anna = Listener(Start(kind="practice", game="no_thanks", seed=bytes(32), name="Anna"))
    await anna.hear(r"^Your turn\. You can play: 1 take the card, 2 no thanks \(pay a chip\)\.$")
    anna.type("2")
    await anna.hear("^Anna(, .+)? declines? the ")
    await anna.hear(r"^Your turn\.")
    anna.type("1")
    await anna.hear("^Anna takes the ")
    await anna.end()


async def test_unchanged_list_of_moves_is_read_once() -> None:
    anna = Listener(Start(kind="practice", game="no_thanks", seed=bytes(32), name="Anna"))
    await anna.hear(r"^Your turn\. You can play: 1 take")
    anna.type("2")
    await anna.hear("^Anna(, .+)? declines? the ")
    await anna.hear(r"^Your turn\. Card \d+ with [^.]+\. You have \d+ chips\.$")
    anna.type("moves")
    await anna.hear(r"^Your turn\. You can play: 1 take")
    await anna.end()


async def test_a_notation_game_prompts_with_the_hand() -> None:
    chase = Start(kind="practice", game="chilli_chase", seed=bytes(32), name="Anna")
    _, said = await conversation(chase, "999")
    asked = said.index("Your turn.")
    begun = next(number for number, line in enumerate(said) if line.startswith("Turn 1 of 300"))
    assert said[begun + 1].startswith("The total of the Hot Pile is 5;")
    assert any(line.startswith("Your 2 makes: ") for line in said[begun:asked])
    assert any(line.startswith("Type a formula, such as 5") for line in said[asked:])
    assert said[-1] == "You do not hold a 999; play a card from your hand."


async def test_a_game_with_a_notation_is_played_in_it() -> None:
    chase = Start(kind="practice", game="chilli_chase", seed=bytes(32), name="Anna")
    _, said = await conversation(chase, "9^9^9", "5x2 = 11", "5x2 = 10")
    assert "Use one operation only, with the total and one card." in said
    assert "5 × 2 = 10, not 11." in said
    assert said.index("Anna plays the 2: 5 × 2 = 10.") < said.index("Anna hits their own Chilli Score and has 1 point.")


async def test_tables_open_from_the_lobby_with_their_options() -> None:
    _, said = await conversation(PRACTICE, "leave", "create dicht_dran 3 cycles=1", "who", "leave", "tables", "games")
    assert said.count("You are back in the lobby.") == 2
    assert "Seat 3: free seat." in said
    assert any(line.startswith("Dicht dran, 2 to 5 players. Options: cycles=2") for line in said)
    assert any(
        line.startswith(
            "Bots of Dicht dran: random, easy, casual, sensible, strong, master. "
            "Equally strong with 2 players: easy, casual, sensible"
        )
        for line in said
    )


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("dance", "There is no command 'dance' here. Type ? for help."),
        ("join a b", "Type join and an address or a table code, such as: join 192.0.2.7"),
        ("join [::1", "'[::1' is not an address; write an IPv6 address as [::1] or [::1]:5757."),
        ("practice 9", "The server says: Dicht dran is for 2 to 5 players, not 9."),
        ("practice cycles=many", None),
    ],
)
async def test_impossible_command_is_explained_and_play_continues(typed: str, sentence: str | None) -> None:
    status, said = await conversation(Start(), typed, "?")
    assert status == 0
    assert sentence is None or sentence in said
    assert "quit: Quit Scoville." in said


@pytest.mark.parametrize("context", ANYWHERE)
def test_every_place_can_be_left_and_explains_itself(context: str) -> None:
    assert find_command("quit", context, COMMANDS) is not None  # type: ignore[arg-type]
    assert find_command("?", context, COMMANDS) is not None  # type: ignore[arg-type]


def test_no_name_means_two_commands_at_one_place() -> None:
    meanings = [(name, context) for command in COMMANDS for name in command.names for context in command.contexts]
    assert len(meanings) == len(set(meanings))


async def test_one_key_asks_at_a_table() -> None:
    _, whole = await conversation(PRACTICE, "hand", "scores", "last", "clock", "who")
    _, short = await conversation(PRACTICE, "h", "s", "l", "c", "W")
    assert short == whole
    assert "There is no clock at this table." in whole


async def test_the_clock_is_told_by_name() -> None:
    timed = Start(kind="practice", seed=bytes(32), name="Anna", clock={"move_ms": 90_000})
    _, said = await conversation(timed, "c")
    assert [line for line in said if line.endswith(" left.")] == ["Anna: 1 minute 30 seconds left."]


async def test_other_words_mean_the_same() -> None:
    _, said = await conversation(PRACTICE, "cards", "score", "players", "exit")
    assert said.count("Your hand, with peppers: 7 (3), 20 (1), 38 (1), 60 (2).") == 1
    assert "Seat 1: Anna, you, host." in said
    assert not any("neither a command" in line for line in said)


@pytest.mark.parametrize("words", [SYNONYMS, ONE_KEY])
def test_every_other_word_leads_to_a_command(words: dict[str, str]) -> None:
    for word, command in words.items():
        assert any(find_command(command, context, COMMANDS) is not None for context in ANYWHERE), word
        assert find_command(word, "playing", COMMANDS) is None or word in ONE_KEY, f"{word} is a command already"


async def test_the_latest_is_what_came_after_the_own_move() -> None:
    anna = Listener(Start(kind="practice", game="no_thanks", seed=bytes(32), name="Anna"))
    await anna.hear(r"^Your turn\.")
    anna.type("2")
    await anna.hear("^Anna(, .+)? declines? the ")
    await anna.hear(r"^Your turn\.")
    anna.type("l")
    assert (await anna.hear(r"^Anna\b")).string.startswith("Anna")
    await anna.end()


async def test_leaving_a_running_game_says_so() -> None:
    _, said = await conversation(PRACTICE, "leave", "tables")
    at = said.index("You have left a game that is not over; a bot plays for you until you join again.")
    assert said[at + 1] == "You are back in the lobby."
    _, said = await conversation(PRACTICE, "leave", "create dicht_dran 3", "leave")
    assert said.count("You have left a game that is not over; a bot plays for you until you join again.") == 1, (
        "a table that has not begun is no game"
    )


def test_free_cards_are_ordered_where_their_peppers_differ_much() -> None:
    game = load_game("dicht_dran")
    state = game.setup(game.codec.decode_options({}), 4, Dice(bytes(32)))
    view = game.view(state, Seat(0))

    def say_turn(shown: Any) -> list[str]:
        return [phrase.render(["Anna", "Ben", "Cleo", "Dan"]) for phrase in game.text.describe_turn(shown)]

    assert "Free, by peppers: 40, 4, 41, 23, 11, 2." in say_turn(view), "40 and 4 have two more than 11 and 2"
    few = msgspec.structs.replace(view, hand=tuple(card for card in view.hand if card in (23, 41, 92)))
    assert "Free: 41, 23." in say_turn(few), "the closest first"


async def test_the_aim_of_a_game_is_said_once() -> None:
    _, said = await conversation(PRACTICE, "leave", "create dicht dran 3")
    aims = [line for line in said if line.endswith("Type rules for the rules.")]
    assert [aim.split(":")[0] for aim in aims] == ["Dicht dran"]
    assert said.index(aims[0]) < said.index("The game starts: Anna, Bot Ada, Bot Emmy, Bot Alan.")


@pytest.mark.parametrize("cry", ["help me", "What now", "Hilfe"])
async def test_who_does_not_know_what_to_type_is_helped(cry: str) -> None:
    _, said = await conversation(PRACTICE, cry)
    assert "Anything else is a move: type its number or its name." in said


@pytest.mark.parametrize("typed", ["rules Chilli Chase", "rules chilli_chase", "rules no thanks!"])
async def test_rules_are_found_by_the_name_that_people_say(typed: str) -> None:
    _, said = await conversation(Start(), typed)
    assert any(line.endswith(": The aim") for line in said), said


async def test_powers_are_said_in_words() -> None:
    chase = msgspec.structs.replace(PRACTICE, game="chilli_chase")
    _, said = await conversation(chase, "hand")
    assert any(" to the power of " in line for line in said)
    assert not any(" ^ " in line for line in said)


@pytest.mark.parametrize("command", ["games", "tutorial hearts", "puzzle hearts"])
async def test_games_are_named_as_people_say_them(command: str) -> None:
    _, said = await conversation(PRACTICE if command == "games" else Start(), command)
    assert any("Dicht dran" in line for line in said)
    assert not any(slug in line for line in said for slug in ("chilli_chase", "no_thanks", "dicht_dran"))


async def test_settings_are_listed_without_memories(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FILE_VARIABLE, str(tmp_path / "settings.toml"))
    _, said = await conversation(Start(), "settings")
    assert any(line.startswith('language = "auto": Language of all texts') for line in said), "no name of a user"
    assert not [line for line in said if line.startswith(MEMORIES)]


@pytest.mark.parametrize(
    ("language", "term"), [("en", "1 minute a move"), ("de", "1 Minute je Zug"), ("fr", "1 minute par coup")]
)
async def test_durations_are_said_in_words(language: str, term: str) -> None:
    lines = ("leave", f"language {language}", "create clock=60", "lobby", "tables")
    _, said = await conversation(PRACTICE, *lines)
    set_language("en")
    assert any(term in line for line in said), said
    assert not any(re.search(r"\d:\d\d", line) for line in said)
