"""The pool of thinking processes: answers, failures, and its end."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from scoville_shared.bots.registry import find_bot
from scoville_shared.bots.search import SearchBot, answer
from scoville_shared.games.registry import load
from scoville_thinking.machines import machine
from scoville_thinking.messages import Task
from scoville_thinking.pool import WAITING_EACH, Pool
from tests.support.bot_games import decisions

LONG = 60.0


@pytest.fixture
def pool() -> Iterator[Pool]:
    pool = Pool(idle_seconds=LONG)
    yield pool
    pool.close()
    assert not pool.processes


def question() -> Any:
    """Ask for the first move of a game."""
    decision = next(decisions("no_thanks", ["random"] * 4, 3))
    bot = find_bot("no_thanks", "strong")(load("no_thanks"))
    assert isinstance(bot, SearchBot)
    return bot.question(decision.game.view(decision.state, decision.seat))


def test_a_process_answers_as_this_one_would(pool: Pool) -> None:
    task = Task(question(), 2_000, 5, LONG)
    assert pool.ask(task).result() == answer(task.question, 2_000, 5, machine())
    assert pool.processes == 1


class Deadly(NamedTuple):
    """A question that no process survives."""

    moves: tuple[str, ...] = ("a", "b")

    def compare(self, *_: Any) -> None:
        raise SystemExit


def test_a_process_that_dies_gives_no_answer_and_the_next_one_works(pool: Pool) -> None:
    assert pool.ask(Task(Deadly(), 100, 1, LONG)).result() is None
    assert pool.ask(Task(question(), 100, 1, LONG)).result() is not None


def test_a_pool_that_is_too_busy_says_so_at_once(pool: Pool) -> None:
    tasks = [pool.ask(Task(question(), 2_000, 1, LONG)) for _ in range(WAITING_EACH + 1)]
    assert tasks[-1].done()
    assert tasks[-1].result() is None
    assert all(task.result() is not None for task in tasks[:-1])


def test_idle_processes_end_and_start_again_when_needed(pool: Pool) -> None:
    task = Task(question(), 100, 1, LONG)
    first = pool.ask(task).result()
    pool.end_idle()
    assert not pool.processes
    assert pool.ask(task).result() == first


def test_a_closed_pool_gives_no_answers() -> None:
    pool = Pool()
    pool.close()
    assert pool.ask(Task(question(), 100, 1, LONG)).result() is None
