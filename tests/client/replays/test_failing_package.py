"""Replays, verification and advice of a game whose package fails: the sentence names it, and nothing is accused."""

from concurrent.futures import Future
from math import inf
from pathlib import Path
from typing import Any

import pytest

from scoville_client.cli.exit_status import UNCHECKED
from scoville_client.cli.exported_games import run_verify
from scoville_client.replays.reel import NotPlayable, Reel
from scoville_client.reviews import advice, coaches
from scoville_client.reviews.coaches import make_coach, thinking_pool
from scoville_outside import guard
from scoville_outside.guard import GameFailed, guard_game
from scoville_shared.coach.base import Coach
from scoville_shared.engine.contract import AnyGame
from scoville_shared.games import registry
from scoville_thinking.pool import Pool, PoolLimits
from tests.support.exports import play_exported_game, write_export

FAILED = r"failed in apply"


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> AnyGame:
    """Let the package of No Thanks! fail in each move."""
    original = registry.load_game("no_thanks")

    def apply(*_: Any) -> None:
        raise KeyError("boom")

    game = guard_game(type("Failing", (type(original),), {"apply": apply})())
    monkeypatch.setattr(guard, "load_game", lambda _: game)
    return game


def test_a_replay_says_which_package_failed(failing: AnyGame) -> None:
    with pytest.raises(NotPlayable, match=FAILED) as raised:
        Reel(play_exported_game("no_thanks"))
    assert raised.value.unchecked, "nothing is known of the file"


def test_verify_does_not_accuse_the_file(failing: AnyGame, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = write_export(play_exported_game("no_thanks"), tmp_path / "game.jsonl")
    assert run_verify([str(file)]) == UNCHECKED
    assert "failed in apply" in capsys.readouterr().err


class RaisingCoach(Coach):
    def make_question(self, *_: Any) -> None:
        raise KeyError("boom")

    make_course_question = explain_move = public_moves = public_decision = write_hint = make_question


def test_a_coach_that_raises_is_named(failing: AnyGame, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coaches, "find_coach", lambda _: RaisingCoach)
    with pytest.raises(GameFailed, match=r"failed in coach\.make_question"):
        make_coach(failing).make_question(None)

    class Somewhere:
        game, view, has_coach = failing, object(), True

    hint = advice.hint_for(Somewhere())  # type: ignore[arg-type]
    assert hint is not None
    assert "failed in coach.write_hint" in hint.render(())


async def test_work_of_a_package_never_runs_in_this_process(failing: AnyGame, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may never end, and nothing could end it in a thread."""
    with pytest.raises(GameFailed, match="failed in coach"):
        coaches.work_here(None, failing)  # type: ignore[arg-type]


async def test_a_coach_that_loops_takes_no_process_from_others(
    failing: AnyGame, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each game of another package has processes of its own, which end within the time of a bot."""
    made: list[PoolLimits] = []

    class FailedPool(Pool):
        def __init__(self, limits: PoolLimits) -> None:
            made.append(limits)
            super().__init__(limits)

        def run_work(self, *_: Any) -> "Future[Any]":
            future: Future[Any] = Future()
            future.set_result(None)
            return future

    monkeypatch.setattr(coaches, "Pool", FailedPool)
    coaches.shared_pool.cache_clear()
    ours = coaches.pool_of(registry.load_game("dicht_dran"))
    theirs = coaches.pool_of(failing)
    assert ours is coaches.shared_pool()
    assert theirs is not ours
    assert theirs is coaches.pool_of(failing)
    assert [limits.most_seconds for limits in made] == [inf, coaches.OUTSIDE_SECONDS]
    with pytest.raises(GameFailed, match="failed in coach"):
        await coaches.think_about(None, "anna", failing)  # type: ignore[arg-type]
    with thinking_pool(failing) as pool:
        assert pool._most_seconds == coaches.OUTSIDE_SECONDS
    coaches.shared_pool.cache_clear()
