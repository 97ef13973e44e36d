"""A user's finished games are kept within bounds, listed, and counted."""

from pathlib import Path

import pytest

from scoville_client.cli.program_games import Spectator
from scoville_client.session import my_games
from scoville_client.session.hosting import begin_session, session_for
from scoville_client.session.my_games import GameFolder, group_by_game, users_games
from scoville_client.session.start_options import Start
from scoville_shared.ids import Seat
from tests.support.exports import lines_of, play_exported_game
from tests.support.idle import eventually

DAY_MS = 86_400_000


class Days:
    """A clock that goes on by a day with each call."""

    def __init__(self) -> None:
        self.day = 0

    def __call__(self) -> int:
        self.day += 1
        return self.day * DAY_MS


def keep_games(folder: GameFolder, number: int, game: str = "no_thanks") -> list[str]:
    lines = lines_of(play_exported_game(game))
    for table in range(number):
        folder.keep_game(lines, game, f"table-{table}", Seat(0))
    return lines


def tables(folder: GameFolder) -> list[str]:
    return [game.path.name.removesuffix("-s0.jsonl").rpartition("-")[2] for game in folder.list_games()]


async def test_a_game_is_kept_when_it_has_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    start = Start(kind="practice", game="no_thanks", players=3, name="Anna", seed=bytes(32))
    session = session_for(start)
    running = await begin_session(session, start)
    player = Spectator(session)
    at = await player.wait_until(lambda at: at.view is not None)
    while at.result is None:
        await session.play_move(next(iter(at.game.moves(at.view))))
        at = await player.wait_until(lambda at: at.my_turn or at.result is not None)
    await eventually(lambda: users_games().list_games() != [])
    await running.close()
    [game] = users_games().list_games()
    assert (game.header.table, game.seat, game.place) == (at.id, at.seat, at.result.places[at.seat or 0])


def test_games_are_listed_the_newest_first(tmp_path: Path) -> None:
    folder = GameFolder(tmp_path / "games", Days())
    lines = keep_games(folder, 3)
    games = folder.list_games()
    assert tables(folder) == ["2", "1", "0"]
    assert games[0].path.read_text().splitlines() == lines
    assert games[0].place in (1, 2, 3)
    assert games[0].header.game == "no_thanks"


def test_a_game_is_kept_once(tmp_path: Path) -> None:
    folder = GameFolder(tmp_path, Days())
    keep_games(folder, 1)
    keep_games(folder, 1)
    assert len(folder.list_games()) == 1


def test_the_oldest_games_go_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(my_games, "MOST_GAMES", 3)
    folder = GameFolder(tmp_path, Days())
    keep_games(folder, 5)
    assert tables(folder) == ["4", "3", "2"]


def test_the_space_of_the_games_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = GameFolder(tmp_path, Days())
    keep_games(folder, 1)
    monkeypatch.setattr(my_games, "MOST_BYTES", 2 * folder.list_games()[0].path.stat().st_size)
    keep_games(folder, 4)
    assert len(folder.list_games()) == 2


def test_a_hostile_server_chooses_no_folder_and_no_size(tmp_path: Path) -> None:
    folder = GameFolder(tmp_path / "games", Days())
    folder.keep_game(["{}"], "../../etc", "~/.ssh/x" * 9, Seat(0))
    folder.keep_game(["x" * 2**20], "no_thanks", "large", Seat(0))
    assert [path.parent for path in tmp_path.rglob("*.jsonl")] == [tmp_path / "games"]
    assert folder.list_games() == []


def test_a_user_without_a_home_keeps_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def find_no_home(*_: object, **__: object) -> Path:
        raise RuntimeError("could not determine the home directory")

    monkeypatch.setattr("platformdirs.user_data_path", find_no_home)
    with pytest.raises(OSError, match="home directory"):
        users_games()


def test_a_game_without_the_users_seat_is_passed_over(tmp_path: Path) -> None:
    folder = GameFolder(tmp_path, Days())
    folder.keep_game(lines_of(play_exported_game("no_thanks")), "no_thanks", "otter", Seat(3))
    assert folder.list_games() == []


def test_other_files_are_passed_over(tmp_path: Path) -> None:
    folder = GameFolder(tmp_path, Days())
    (tmp_path / "20260101T000000Z-no_thanks-x-s0.jsonl").write_text("no game")
    (tmp_path / "20260101T000000Z-no_thanks-y-s0.jsonl").mkdir()
    (tmp_path / "notes.txt").write_text("mine")
    keep_games(folder, 1)
    assert len(folder.list_games()) == 1
    assert GameFolder(tmp_path / "missing").list_games() == []


def test_results_are_counted_by_game(tmp_path: Path) -> None:
    folder = GameFolder(tmp_path, Days())
    keep_games(folder, 2)
    keep_games(folder, 1, "dicht_dran")
    grouped = group_by_game(folder.list_games())
    assert [(slug, len(games)) for slug, games in grouped.items()] == [("no_thanks", 2), ("dicht_dran", 1)]
    first = folder.list_games()[-1]
    assert first.outcome is not None
    assert grouped["no_thanks"][0].place == first.outcome.places[0]
