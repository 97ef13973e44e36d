"""The coach at a server's table, in line mode: where the settings allow it, for every player alone, within a quota."""

import asyncio
from concurrent.futures import Future
from contextlib import AsyncExitStack
from typing import Any

import pytest

from scoville_client.reviews import coaches
from scoville_client.session import session
from scoville_client.session.coach_quota import QUESTIONS, CoachQuota
from tests.client.plain.test_quitting import Terminal
from tests.client.plain.test_several_users import users
from tests.support.listener import TIMEOUT, Listener, listen_as, serve_cheaply
from tests.support.machines import InstantPool


@pytest.fixture
def pool(monkeypatch: pytest.MonkeyPatch) -> InstantPool:
    instant = InstantPool()
    monkeypatch.setattr(coaches, "shared_pool", lambda *_: instant)
    return instant


@pytest.fixture
def _quotas_without_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stop the clock of quotas: on a slow machine the first question would be forgotten before the last is asked."""
    monkeypatch.setattr(session, "CoachQuota", lambda _: CoachQuota(lambda: 0.0))


async def sit_down(anna: Listener, ben: Listener, command: str) -> None:
    await anna.ask(command, "^Anna takes seat 1")
    await ben.ask("join 1", "^Ben takes seat 2")
    await anna.ask("start", "^The game starts")


async def test_tables_without_coach_refuse_questions(pool: InstantPool) -> None:
    async with AsyncExitStack() as stack:
        _, (anna, ben) = await users(stack, "Anna", "Ben")
        await sit_down(anna, ben, "create no_thanks 3")
        for command in ("coach", "explain"):
            await anna.ask(command, "^This table does not allow the coach")
        assert pool.asked == []


@pytest.mark.usefixtures("_quotas_without_time")
async def test_tables_with_coach_answer_within_the_quota(pool: InstantPool) -> None:
    async with AsyncExitStack() as stack:
        _, (anna, ben) = await users(stack, "Anna", "Ben")
        await sit_down(anna, ben, "create dicht_dran 3 coach")
        await ben.ask("about", "Players may ask the coach, not rated")
        for player in (anna, ben):
            await player.ask("coach", ": wins .* score")
        assert len({*pool.asked}) == len(pool.asked) == 2, "each asks for themselves"
        await anna.ask("explain nobody", "^No bot of that name has made a move yet that everybody could see")
        await anna.ask("explain", "^No bot has made a move yet that everybody could see")
        await anna.ask(await a_card(anna), "Anna ha(s|ve) chosen")
        await anna.ask("coach", "^You have nothing to decide now")
        await ben.ask(await a_card(ben), " is closest, ")
        await anna.ask("explain", r"^\d+: wins .*Bot Ada played it")
        await anna.hear("^Bot Ada plays at the level sensible: it ")
        asked = 2  # a question without an answer costs nothing
        for _ in range(QUESTIONS - asked):
            anna.type("coach")
        await anna.ask("coach", "^The coach rests: ask again in")
        await ben.ask("explain bot", r"^\d+: wins .*Bot Ada played it")


async def a_card(player: Listener) -> str:
    """Return a card of the player's hand."""
    return (await player.ask("moves", r"You can play: (\d+)")).group(1)


class SlowPool(InstantPool):
    """Has each answer ready, and gives it when a test says so."""

    def __init__(self) -> None:
        super().__init__()
        self._held: list[tuple[Future[Any], Any]] = []

    def run_work(self, work: Any, asker: tuple[str, ...]) -> "Future[Any]":
        held: Future[Any] = Future()
        self._held.append((held, super().run_work(work, asker).result()))
        return held

    def answer(self) -> None:
        """Give the answers to all that was asked."""
        while self._held:
            held, result = self._held.pop()
            held.set_result(result)


@pytest.fixture
def slow_pool(monkeypatch: pytest.MonkeyPatch) -> SlowPool:
    slow = SlowPool()
    monkeypatch.setattr(coaches, "shared_pool", lambda *_: slow)
    return slow


async def test_lines_are_obeyed_while_the_coach_thinks(slow_pool: SlowPool) -> None:
    async with AsyncExitStack() as stack:
        _, (anna, ben) = await users(stack, "Anna", "Ben")
        await sit_down(anna, ben, "create dicht_dran 3 coach")
        await anna.ask("coach", "^The coach thinks")
        await anna.ask("scores", "^Anna: .* points")
        slow_pool.answer()
        await anna.hear("^The answer to your question:$")
        await anna.hear(": wins .* score")
        await ben.ask("coach", "^The coach thinks")
        await ben.ask(await a_card(ben), "Ben ha(s|ve) chosen")
        slow_pool.answer()
        await ben.hear("^The answer about your last decision:$")


async def test_answers_for_a_table_are_dropped_elsewhere(slow_pool: SlowPool) -> None:
    async with AsyncExitStack() as stack:
        _, (anna, ben) = await users(stack, "Anna", "Ben")
        await sit_down(anna, ben, "create dicht_dran 3 coach")
        await anna.ask("coach", "^The coach thinks")
        await anna.ask("lobby", "^You are in the lobby")
        slow_pool.answer()
        await anna.ask("users", "2 users are here")
        assert not any(": wins" in line for line in anna.said)


async def test_quit_does_not_wait_for_the_coach(slow_pool: SlowPool) -> None:
    async with serve_cheaply() as server, listen_as(server, "Anna", Terminal()) as anna:
        await begin_alone(anna)
        await anna.ask("coach", "^The coach thinks")
        anna.type("quit")
        assert await asyncio.wait_for(anna._task, TIMEOUT) == 0
        assert not any(": wins" in line for line in anna.said)


async def test_a_piped_quit_waits_for_the_coach(slow_pool: SlowPool) -> None:
    async with serve_cheaply() as server, listen_as(server, "Anna") as anna:
        await begin_alone(anna)
        await anna.ask("coach", "^The coach thinks")
        await anna.ask("scores", "^Anna: .* points")
        anna.type("quit")
        asyncio.get_running_loop().call_soon(slow_pool.answer)
        assert await asyncio.wait_for(anna._task, TIMEOUT) == 0
        assert any(": wins" in line for line in anna.said)


async def begin_alone(anna: Listener) -> None:
    await anna.ask("create dicht_dran 2 coach", "^Anna takes seat 1")
    await anna.ask("start", "^Your turn")
