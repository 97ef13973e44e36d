"""What the house does on the side is done before it closes, and nothing that fails in it keeps the house open."""

import asyncio

import pytest

from scoville_server.app.chores import Chores
from scoville_shared.errors import Code, ScovilleError


async def _refused() -> None:
    await asyncio.sleep(0)
    raise ScovilleError(Code.UNKNOWN_TABLE, "That table is gone.")


async def _failed() -> None:
    await asyncio.sleep(0)
    raise ZeroDivisionError


async def test_a_refusal_under_way_keeps_nobody_from_closing_and_reaches_who_asked() -> None:
    chores, written = Chores(), asyncio.Event()

    async def write() -> None:
        for _ in range(5):
            await asyncio.sleep(0)
        written.set()

    asked = chores.do(_refused())
    chores.write(write())
    await chores.finish()
    assert written.is_set()
    with pytest.raises(ScovilleError, match="That table is gone"):
        await asked


async def test_a_fault_of_ours_is_logged_when_the_house_closes(caplog: pytest.LogCaptureFixture) -> None:
    chores = Chores()
    chores.do(_failed())
    await chores.finish()
    [record] = caplog.records
    assert record.exc_info is not None
    assert record.exc_info[0] is ZeroDivisionError


async def test_what_has_just_ended_is_not_waited_for_for_ever() -> None:
    """Python 3.12 and later do not let the loop turn for tasks that are done: whoever waits for them must."""
    chores = Chores()
    task = chores.do(_refused())
    for _ in range(2):
        await asyncio.sleep(0)
    assert task.done()
    await chores.finish()
    with pytest.raises(ScovilleError):
        await task
