"""Practice that was left goes on where it was: same hands, same bots, same clock."""

from pathlib import Path
from typing import Any

import pytest

from scoville_client.cli.program_games import Spectator
from scoville_client.replays.unfinished_games import continue_game, list_unfinished
from scoville_client.session.hosting import Running, begin_session, session_for
from scoville_client.session.session import Session
from scoville_client.session.start_options import Start, practice_folder
from scoville_client.session.table.table import AtTable
from scoville_server.tables import unfinished
from scoville_shared.errors import ScovilleError
from tests.support.exports import SHORT

GAME = Start(kind="practice", game="no_thanks", players=3, name="Anna", seed=bytes(32))


def waits_for_me(at: AtTable) -> bool:
    """Whether everybody else has decided what can be decided now."""
    return at.result is not None or (at.my_turn and {*at.pending} == {at.seat})


async def begin(start: Start) -> tuple[Session, Running, AtTable]:
    session = session_for(start)
    running = await begin_session(session, start)
    at = await Spectator(session).wait_until(waits_for_me)
    return session, running, at


async def play(session: Session, moves: int) -> AtTable:
    """Play so many moves, and return the table at the next turn."""
    player = Spectator(session)
    at = session.current_table
    for _ in range(moves):
        await session.play_move(next(iter(at.game.moves(at.view))))
        at = await player.wait_until(waits_for_me)
    return at


def facts(at: AtTable) -> dict[str, Any]:
    info = at.info
    levels = [seat.level for seat in info.seats]
    return {"view": at.view, "names": at.names, "levels": levels, "clock": info.clock, "settings": info.settings}


@pytest.mark.parametrize("slug", SHORT)
async def test_a_game_goes_on_as_it_was_left(slug: str) -> None:
    terms = {"clock": {"move_ms": 90_000}, "settings": {"bot_levels": [None, "easy", "random"], "coach": True}}
    session, running, _ = await begin(
        Start(kind="practice", game=slug, players=3, name="Anna", seed=bytes(32), **terms)  # type: ignore[arg-type]
    )
    left = facts(await play(session, 2))
    await running.close()
    [kept] = list_unfinished()
    session, running, at = await begin(continue_game(kept.path, Start()))
    assert facts(at) == left
    assert at.seat == 0
    await play(session, 1)
    await running.close()
    assert [file.path for file in list_unfinished()] == [kept.path], "it is kept in the same place"


async def test_nothing_is_kept_before_the_first_decision() -> None:
    _, running, _ = await begin(GAME)
    await running.close()
    assert list_unfinished() == []


async def test_a_game_that_is_over_is_not_continued() -> None:
    session, running, at = await begin(GAME)
    while at.result is None:
        at = await play(session, 1)
        assert (list_unfinished() == []) == (at.result is not None)
    await running.close()


async def test_a_line_that_was_written_in_part_is_passed_over() -> None:
    session, running, _ = await begin(GAME)
    await play(session, 2)
    [kept] = list_unfinished()
    await running.close()
    whole = kept.path.read_bytes()
    kept.path.write_bytes(whole[:-7])
    start = continue_game(kept.path, Start())
    assert start.opening is not None
    assert start.opening.moves == whole.count(b"\n") - 2


@pytest.mark.parametrize("content", [b"", b"{}\n", b"no game\n"])
async def test_a_damaged_file_is_refused_with_a_sentence(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    path.write_bytes(content)
    with pytest.raises(ScovilleError, match="Line 1"):
        continue_game(path, Start())


async def test_the_oldest_games_go_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unfinished, "MOST", 2)
    for number in range(3):
        start = Start(kind="practice", game="no_thanks", players=3, name="Anna", seed=bytes([number]))
        session, running, _ = await begin(start)
        await play(session, 1)
        await running.close()
    assert len(list_unfinished()) == 2


async def test_a_folder_that_cannot_be_made_stops_no_game() -> None:
    practice_folder().parent.mkdir(parents=True)
    practice_folder().write_text("a file is in the way")
    session, running, _ = await begin(GAME)
    await play(session, 2)
    await running.close()
    assert list_unfinished() == []
