"""Help of the line mode: commands for beginners first, the others by subject, each with an explanation."""

import pytest

from scoville_client.i18n.language import LANGUAGES, set_language
from scoville_client.plain.command_table import COMMANDS, FIRST, GROUPS
from scoville_client.session.commands.registry import find_command
from scoville_client.session.start_options import Start
from tests.client.plain.test_conversation import PRACTICE, conversation


@pytest.mark.parametrize("context", FIRST)
def test_the_ten_first_commands_all_work_there(context: str) -> None:
    first = FIRST[context]  # type: ignore[index]
    assert len(first) <= 10
    assert all(find_command(name, context, COMMANDS) is not None for name in first)  # type: ignore[arg-type]


def test_every_command_is_in_one_group() -> None:
    grouped = [command for group in GROUPS for command in group.commands]
    assert sorted(map(id, grouped)) == sorted(map(id, COMMANDS))


async def test_help_begins_with_what_newcomers_need() -> None:
    _, said = await conversation(PRACTICE, "leave", "?")
    asked = said.index("You are back in the lobby.")
    helped = said[asked + 1 :]
    assert helped[0] == "quick [GAME]: Take a seat at a waiting table; bots soon fill the rest."
    assert "Chat: whisper, chat, ignore, unignore, ignored." in helped
    assert "Tables: enter, watch, leave, next, invitations, games, quiet." in helped
    assert "Type help and a command for details, such as: help my games" in helped[-2:]


async def test_in_game_help_explains_that_moves_need_no_command() -> None:
    _, said = await conversation(PRACTICE, "help")
    helped = said[said.index("moves: List your legal moves.") :]
    assert "Anything else is a move: type its number or its name." in helped


@pytest.mark.parametrize("command", sorted({name for command in COMMANDS for name in command.names}))
async def test_each_command_explains_itself_anywhere(command: str) -> None:
    _, said = await conversation(Start(), f"help {command}")
    assert any(command in line.partition(":")[0] for line in said[1:])


async def test_help_on_a_command_names_where_it_works() -> None:
    _, said = await conversation(Start(), "help create")
    assert said[1].startswith("create [GAME] [PLAYERS]")
    assert said[2] == "This command does not work here."
    assert any(line.startswith("private: only players with the code can join.") for line in said)


@pytest.mark.parametrize("code", LANGUAGES)
async def test_help_speaks_every_language(code: str) -> None:
    set_language(code)
    _, said = await conversation(PRACTICE, "leave", "help", "help create", "help admin")
    english = [line for line in said if "Open a table and take a seat." in line]
    assert bool(english) == (code == "en")


async def test_help_of_another_word_explains_the_command_it_means() -> None:
    _, said = await conversation(PRACTICE, "help Hint")
    assert any(line.startswith("coach: ") for line in said)
    assert not any("There is no command" in line for line in said)
