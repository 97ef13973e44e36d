"""The same deal by master: equal cards, equal answers each time, and where the user's way parts from master's."""

from concurrent.futures import Future
from functools import partial
from typing import Any

import pytest
from msgspec.structs import replace

from scoville_client.plain.commands import my_games
from scoville_client.replays.known_games import KnownGame
from scoville_client.replays.reel import Reel
from scoville_client.reviews import coaches
from scoville_client.reviews.same_deal import SameDeal, has_master, play_same_deal, same_deal_sentences
from scoville_client.session.start_options import Start
from scoville_client.tui.screens.replay.replay import ReplayScreen
from scoville_shared.bots import counted
from scoville_shared.errors import ScovilleError
from scoville_shared.ids import Seat
from tests.client.plain.test_conversation import conversation
from tests.client.replays.test_replay_screen import replaying
from tests.support.exports import SHORT, lines_of, play_exported_game
from tests.support.machines import make_quick_machine

PAUL = Seat(1)


class HerePool:
    """A pool that does its work at once."""

    def run_work(self, work: Any, asker: tuple[str, ...]) -> "Future[Any]":
        done: Future[Any] = Future()
        done.set_result(work.run(make_quick_machine()))
        return done


@pytest.fixture(autouse=True)
def few_playouts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coaches, "shared_pool", lambda *_: HerePool())
    monkeypatch.setattr(counted, "COUNTED_PLAYOUTS", 8)


async def by_master(reel: Reel, seat: Seat = PAUL) -> SameDeal:
    reported: list[int] = []
    same = await play_same_deal(reel, seat, "test", reported.append)
    assert reported == [*range(1, same.master.moves + 1)]
    return same


def decisions(reel: Reel, seat: Seat, end: int) -> list[Any]:
    """Return the moves of a seat up to a position."""
    lines = [moment.line for moment in reel.moments[: end + 1]]
    return [line.move for line in lines if line is not None and line.seat == seat]


@pytest.mark.parametrize("slug", SHORT)
async def test_master_plays_the_same_cards_to_the_end(slug: str) -> None:
    reel = Reel(play_exported_game(slug))
    same = await by_master(reel)
    assert same.master.moments[0].state == reel.moments[0].state
    assert same.master.ending is not None
    assert not same.master.doubts
    assert [sitter.name for sitter in same.master.header.seats] == ["Anna", "Master", "Max"]
    if same.parted is not None:
        mine, its = same.parted
        assert decisions(reel, PAUL, mine) == decisions(same.master, PAUL, its)
        assert decisions(reel, PAUL, mine + 1) != decisions(same.master, PAUL, its + 1)


async def test_same_deal_has_the_same_answer() -> None:
    reel = Reel(play_exported_game("no_thanks"))
    first, second = await by_master(reel), await by_master(reel)
    assert first.master.moments[-1].state == second.master.moments[-1].state
    again = await by_master(first.master)
    assert again.parted is None
    assert "Master decides each time as you did." in [*same_deal_sentences(again)]


async def test_only_finished_games_with_a_master_are_played_again() -> None:
    game = play_exported_game("no_thanks")
    running = Reel(replace(game, moves=game.moves[:9], outcome=None))
    assert not has_master(running)
    with pytest.raises(ScovilleError, match="level master"):
        await by_master(running)


@pytest.mark.parametrize("size", [(80, 24), (46, 19)])
async def test_replay_key_shows_masters_game(size: tuple[int, int]) -> None:
    async with replaying(play_exported_game("no_thanks"), size, seat=PAUL) as viewer:
        await viewer.press("M")
        await viewer.sees("The same deal by master")
        await viewer.sees("Your ways part at move")
        same = await by_master(viewer.playback.reel)
        await viewer.press("enter")
        await viewer.sees("master's game")
        shown = viewer.app.screen
        assert isinstance(shown, ReplayScreen)
        assert same.parted is not None
        assert (shown.playback.seat, shown.playback.position) == (PAUL, same.parted[1])
        assert "verified" not in viewer.text, "nobody has played this game"


async def test_line_mode_says_what_master_makes_of_a_deal(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    path = tmp_path / "scoville-game.jsonl"
    path.write_text("".join(f"{line}\n" for line in lines_of(play_exported_game("no_thanks"))))
    game = KnownGame(path, play_exported_game("no_thanks").header, 0)
    monkeypatch.setattr(my_games, "users_games", partial(lambda: None))
    monkeypatch.setattr(my_games, "list_finished_games", lambda _: [game])
    _, said = await conversation(Start(), "master 1")
    assert said[1] == "Master plays the same deal …"
    assert said[2].startswith("Master: rank ")
    assert said[3].startswith("Anna: rank ")
