"""The user's own games in line mode: listed, read, reviewed, saved, deleted, and mistakes made again."""

import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from scoville_client.plain.app import LineModeApp
from scoville_client.plain.commands import coach, my_games
from scoville_client.replays.reel import Reel
from scoville_client.reviews import coaches, decisions
from scoville_client.reviews.review import Review
from scoville_client.session.commands.command import Misuse
from scoville_client.session.my_games import Decisions, GameFolder, Mistake
from scoville_client.session.start_options import Start
from scoville_shared.ids import Seat
from tests.client.plain.test_conversation import conversation
from tests.client.reviews.test_decisions import reviewed
from tests.support.exports import lines_of, play_exported_game
from tests.support.listener import listen_as, serve_cheaply
from tests.support.machines import InstantPool

NONE_YET = "You have not finished a game here yet. Type practice for one against bots."


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> GameFolder:
    """An empty folder of the user's games; each game is kept a day after the one before."""
    days = iter(range(100))
    made = GameFolder(tmp_path / "games", lambda: next(days) * 86_400_000)
    for module in (decisions, my_games):
        monkeypatch.setattr(module, "users_games", lambda: made)
    monkeypatch.setattr(coaches, "shared_pool", lambda *_: InstantPool())
    working = tmp_path / "working"
    working.mkdir()
    monkeypatch.chdir(working)
    monkeypatch.setenv("HOME", str(working))
    return made


def keep_games(folder: GameFolder, number: int) -> None:
    """Keep a game, and others that only their first line tells apart: the same one twice is listed once."""
    lines, header = lines_of(play_exported_game("no_thanks")), play_exported_game("no_thanks").header
    for table in range(number):
        first = lines[0].replace(header.table, f"{header.table[:-2]}{table:02}") if table else lines[0]
        folder.keep_game([first, *lines[1:]], "no_thanks", f"table-{table}" if table else header.table, Seat(1))


async def test_without_games_each_command_says_how_to_get_one(folder: GameFolder) -> None:
    for command in ("my games", "review 1", "coach 1", "save 1", "delete 1"):
        _, said = await conversation(Start(), command)
        assert NONE_YET in said
    _, said = await conversation(Start(), "my mistakes")
    assert "There are no mistakes to retry: type coach and the number of a game first." in said
    assert not folder.list_games()


async def test_nine_games_are_listed_at_a_time_with_results(folder: GameFolder) -> None:
    keep_games(folder, 11)
    _, said = await conversation(Start(), "my games", "my games 10", "my games 99", "review 12", "coach")
    assert re.fullmatch(r"No Thanks!: you won \d+ of 11\.", said[1])
    assert re.fullmatch(r"Your latest ranks: (\d, ){4}\d\.", said[2])
    assert [line.split(".")[0] for line in said[3:12]] == [*"123456789"]
    assert re.fullmatch(r"1\. No Thanks!, rank \d of \d: .+; \d{4}-\d\d-\d\d \d\d:\d\d", said[3])
    assert said[12] == "Type my games 10 for the next ones, of 11."
    assert [line.split(".")[0] for line in said[13:16]] == ["10", "11", "11"]
    assert said[16] == "There is no game 12; you have 11."
    assert said[17] == "The number of a game is missing; type my games for the list. Type coach NUMBER"


async def test_a_game_is_read_in_parts_from_the_users_seat(folder: GameFolder) -> None:
    keep_games(folder, 1)
    _, parts = await conversation(Start(), "review 1", "review 1", "review 1 1")
    marks = [line for line in parts if line.startswith("Lines ")]
    total = marks[0].split()[-1]
    assert marks == [f"Lines 1 to 20 of {total}", f"Lines 21 to 40 of {total}", f"Lines 1 to 20 of {total}"]
    _, whole = await conversation(Start(), "review 1 all")
    assert f"Lines 1 to {total[:-1]} of {total}" in whole
    assert parts[1:21] == whole[1:21]


async def test_a_game_is_reviewed_from_the_users_seat(folder: GameFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Reel] = []

    async def review_of(reel: Reel, _: str, report: Callable[[int, int], None]) -> Review:
        asked.append(reel)
        report(1, 2)
        return reviewed()

    monkeypatch.setattr(coach, "review_of", review_of)
    keep_games(folder, 1)
    _, said = await conversation(Start(), "coach 1")
    assert said[1:4] == ["The coach reviews the game …", "25 % done.", "Your costliest decisions:"]
    assert [reel.header for reel in asked] == [play_exported_game("no_thanks").header]


async def test_the_users_mistakes_are_made_again_until_an_empty_line(folder: GameFolder) -> None:
    keep_games(folder, 1)
    [game] = folder.list_games()
    position = 1 + [line.seat for line in play_exported_game("no_thanks").moves].index(1)
    before = Decisions(made=2, loss=0.1, mistakes=[Mistake(position, "takes a card too early", 0.1)])
    folder.write_decisions(game.path, before)
    _, said = await conversation(Start(), "my mistakes", "dance", "", "my games")
    assert "Mistake 1 of 1: No Thanks!." in said
    assert "What do you play? 1 take the card, 2 no thanks (pay a chip)" in said
    assert "Type one of these: 1 take the card, 2 no thanks (pay a chip)" in said
    assert any(line.startswith("1. No Thanks!") for line in said), "an empty line leads back to the commands"
    _, said = await conversation(Start(), "my mistakes", "quit", "my games")
    assert any(line.startswith("1. No Thanks!") for line in said), "as in the guided rounds, quit ends only these"
    for typed in ("1", "no thanks"):
        folder.write_decisions(game.path, before)
        _, said = await conversation(Start(), "my mistakes", typed)
        [answer] = [line for line in said if re.search("right, no move|of the chance to win", line)]
        assert sum("wins " in line and "score " in line for line in said) in (1, 2)
        kept = folder.read_decisions(game.path)
        assert kept is not None
        assert kept.mistakes[0].solved == ("right" in answer), "a wrong one comes again"


async def test_the_answer_names_a_move_as_it_would_have_been_called(folder: GameFolder) -> None:
    """A name to type says nothing of the table: "3: total + 3" is "2 + 3 = 5" where the total is 2."""
    game = play_exported_game("chilli_chase")
    folder.keep_game(lines_of(game), "chilli_chase", game.header.table, Seat(1))
    [kept] = folder.list_games()
    position = 1 + next(nth for nth, line in enumerate(game.moves) if line.seat == 1 and "card" in line.move)
    before = Decisions(made=2, loss=0.1, mistakes=[Mistake(position, "plays a card too early", 0.1)])
    folder.write_decisions(kept.path, before)
    _, asked = await conversation(Start(), "my mistakes", "")
    offered = next(line for line in asked if line.startswith("What do you play? "))
    typed = offered.removeprefix("What do you play? ").split(", ")[0]
    _, said = await conversation(Start(), "my mistakes", typed)
    [answer] = [line for line in said if re.search("right, no move|of the chance to win", line)]
    assert " = " in answer, answer


async def test_game_is_saved_once_and_deleted_on_confirmation(folder: GameFolder, tmp_path: Path) -> None:
    keep_games(folder, 2)
    newest, older = folder.list_games()
    content = older.path.read_bytes()
    _, said = await conversation(Start(), "save 2", "save 2", "delete 1", "delete 2", "delete 2", "my games")
    [copy] = (tmp_path / "working").glob("scoville-*.jsonl")
    assert copy.read_bytes() == content
    assert f"Game saved as: {copy}" in said
    assert sum("already exists" in line for line in said) == 1
    assert said.count("Type it again to delete this game for good.") == 2, "another game begins anew"
    assert "The game is deleted." in said
    assert [game.path for game in folder.list_games()] == [newest.path]


async def test_games_are_listed_in_a_lobby_as_well(folder: GameFolder) -> None:
    async with serve_cheaply() as server, listen_as(server, "Anna") as anna:
        await anna.ask("my games", r"^You have not finished a game here yet\.$")
        keep_games(folder, 1)
        await anna.ask("my games", r"^1\. No Thanks!")
        await anna.ask("review 1 1", "^Lines 1 to")


def test_a_door_reads_no_folder_of_its_server() -> None:
    with pytest.raises(Misuse, match="No games are kept here"):
        my_games._open_folder(cast("LineModeApp", SimpleNamespace(is_hosted=True)))
