"""Thinking beside the event loop: answers, patience, and the end."""

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest

from scoville_runtime.clock import Clock
from scoville_server.background.thinking import Asker, Thinking
from scoville_server.limits.thinking_limits import ThinkingLimits
from scoville_shared.bots.search import Thought
from scoville_shared.bots.turn import BotTurn
from tests.server.tables.actors import Watch

ASKER = Asker("network", "address", "anna", "t1")


class Coin(NamedTuple):
    """A question whose second move is better."""

    moves: tuple[str, ...] = ("first", "second")
    ways: int = 1
    needed_errors: float = 2.0

    def compare_moves(self, machine: Any, playouts: int, rng: Any, sums: Any) -> None:
        for place, worth in enumerate((0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0)):
            sums[place] += worth * playouts


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.fixture
async def thinking(watch: Watch) -> AsyncIterator[Thinking]:
    thinking = Thinking(Clock(call_later=watch.later))
    yield thinking
    thinking.close()


async def test_an_answer_comes_back_to_the_event_loop(thinking: Thinking) -> None:
    answer: asyncio.Future[Thought | None] = asyncio.get_running_loop().create_future()
    thinking.ask_pool(ASKER, Coin(), 1_000, 1, answer.set_result)
    assert not answer.done()
    thought = await answer
    assert thought is not None
    assert (thought.move, thought.cut) == ("second", False)


async def test_a_late_request_gets_no_answer(thinking: Thinking, watch: Watch) -> None:
    answers: list[Thought | None] = []
    thinking.ask_pool(ASKER, Coin(), 1_000, 1, answers.append)
    await watch.go_on(ThinkingLimits().patience_seconds)
    assert answers == [None]
    last: asyncio.Future[Thought | None] = asyncio.get_running_loop().create_future()
    thinking.ask_pool(ASKER, Coin(), 1_000, 1, last.set_result)
    await last
    assert answers == [None]


async def test_bot_of_a_package_has_its_whole_thinking_time(
    thinking: Thinking, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its bot has no rule of thumb, and a cold process may take longer to start than ours are waited for."""
    never: Future[Any] = Future()
    pool = SimpleNamespace(run_work=lambda *_: never, close=lambda: None)
    monkeypatch.setattr(thinking, "_new_pool", lambda *_, **__: pool)
    answers: list[Thought | None] = []
    thinking.ask_pool(ASKER, BotTurn("counting", "sensible", [], {}, bytes(32), 10.0), 0, 0, answers.append)
    await watch.go_on(ThinkingLimits().patience_seconds + 1)
    assert answers == []
    await watch.go_on(10.0)
    assert answers == [None]


async def test_nobody_waits_for_a_server_that_has_ended(thinking: Thinking) -> None:
    answer: asyncio.Future[Thought | None] = asyncio.get_running_loop().create_future()
    thinking.ask_pool(ASKER, Coin(), 1_000, 1, answer.set_result)
    thinking.close()
    await answer
