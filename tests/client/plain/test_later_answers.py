"""The coach's answers in line mode: where they are written when the user has gone elsewhere, and how many there are."""

import asyncio
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, cast

import pytest

from scoville_client.plain.later_answers import MOST_PENDING, SLOW_SECONDS, LaterAnswers, Say
from scoville_client.plain.output import TextOutput
from scoville_client.session.table.table import AtTable
from scoville_shared.errors import ScovilleError
from tests.support.clock import FakeClock


class Place:
    """Where the user is, what they hear, and questions that are answered when a test says so."""

    def __init__(self) -> None:
        self.table = self.make_table()
        self.said: list[str] = []
        self.clock = FakeClock()
        self.later = LaterAnswers(TextOutput(self.said.append), lambda: self.table, self.clock.clock)
        self.ready = asyncio.Event()

    @staticmethod
    def make_table() -> AtTable | None:
        return cast("AtTable", SimpleNamespace(seat=0, played=[3]))

    async def review(self, say: Say) -> Sequence[str]:
        say("The coach reviews the game …")
        await self.ready.wait()
        say("{percent} % done.", percent=75)
        return ["Anna: skill."]

    async def answer(self) -> None:
        self.ready.set()
        await asyncio.sleep(0)
        await asyncio.sleep(0)


@pytest.fixture
async def place() -> Place:
    return Place()


async def begin_review(place: Place, **how: Any) -> None:
    place.later.begin_answer(place.review, **how)
    await asyncio.sleep(0)
    assert place.said == ["The coach reviews the game …"]


async def test_a_review_is_offered_at_the_next_table(place: Place) -> None:
    await begin_review(place, lasts=True)
    place.table = place.make_table()
    await place.answer()
    assert place.said[1:] == ["The coach's answer about your earlier game is ready. Type answer to hear it."]
    assert place.later.take_kept() == ["Anna: skill."]
    with pytest.raises(ValueError, match="No answer of the coach is kept"):
        place.later.take_kept()


async def test_a_review_is_said_in_the_lobby(place: Place) -> None:
    await begin_review(place, lasts=True)
    place.table = None
    await place.answer()
    assert place.said[1:] == ["The answer to your question:", "Anna: skill."]


async def test_advice_for_another_table_is_dropped(place: Place) -> None:
    await begin_review(place)
    place.table = place.make_table()
    await place.answer()
    assert place.said[1:] == []


async def test_kept_review_is_written_when_input_ends(place: Place) -> None:
    await begin_review(place, lasts=True)
    place.table = place.make_table()
    place.ready.set()
    await place.later.finish()
    assert place.said[-1] == "Anna: skill."


async def test_a_failed_review_is_said_elsewhere_too(place: Place) -> None:
    async def fail(_: Say) -> Sequence[str]:
        await place.ready.wait()
        raise ScovilleError("no_game", "The game is gone.")

    place.later.begin_answer(fail, lasts=True)
    await asyncio.sleep(0)
    place.table = place.make_table()
    await place.answer()
    assert place.said == ["The game is gone."]


async def test_so_many_questions_wait_at_most(place: Place) -> None:
    for _ in range(MOST_PENDING):
        place.later.begin_answer(place.review)
    with pytest.raises(ValueError, match=f"busy with {MOST_PENDING} questions"):
        place.later.begin_answer(place.review)
    place.ready.set()
    await place.later.finish()
    place.later.begin_answer(place.review)
    place.later.cancel()


async def test_a_long_silence_is_explained_once(place: Place) -> None:
    await begin_review(place)
    place.clock.advance(SLOW_SECONDS)
    place.clock.advance(10 * SLOW_SECONDS)
    assert place.said[1:] == ["The coach still thinks; everything else works meanwhile."]
    await place.answer()
    assert place.said[-1] == "Anna: skill."


async def test_a_quick_answer_is_not_called_slow(place: Place) -> None:
    await begin_review(place)
    await place.answer()
    place.clock.advance(SLOW_SECONDS)
    assert place.said[1:] == ["75 % done.", "Anna: skill."]


async def test_an_answer_that_is_worked_on_comes_by_itself(place: Place) -> None:
    await begin_review(place)
    with pytest.raises(ValueError, match="The coach still works on your question"):
        place.later.take_kept()
    place.later.cancel()
