"""The coach at a server's table, in line mode: where the settings allow it, for every player alone, within a quota."""

from contextlib import AsyncExitStack

import pytest

from scoville_client.reviews import coaches
from scoville_client.session import session
from scoville_client.session.coach_quota import QUESTIONS, CoachQuota
from tests.client.plain.test_several_users import users
from tests.support.listener import Listener
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
        await anna.ask(await a_card(anna), "^Anna has chosen")
        await anna.ask("coach", "^You have nothing to decide now")
        await ben.ask(await a_card(ben), "^The cards are turned over")
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
