"""Background tasks finish before the server closes, and their failures do not keep it open."""

import asyncio

import pytest

from scoville_server.background.tasks import BackgroundTasks
from scoville_shared.errors import Code, ScovilleError


async def _refused() -> None:
    await asyncio.sleep(0)
    raise ScovilleError(Code.UNKNOWN_TABLE, "That table is gone.")


async def _failed() -> None:
    await asyncio.sleep(0)
    raise ZeroDivisionError


async def test_a_pending_refusal_reaches_its_asker_and_closing_goes_on() -> None:
    background, written = BackgroundTasks(), asyncio.Event()

    async def write() -> None:
        for _ in range(5):
            await asyncio.sleep(0)
        written.set()

    asked = background.start_task(_refused())
    background.write_soon(write())
    await background.finish_tasks()
    assert written.is_set()
    with pytest.raises(ScovilleError, match="That table is gone"):
        await asked


async def test_a_fault_of_ours_is_logged_when_the_server_closes(caplog: pytest.LogCaptureFixture) -> None:
    background = BackgroundTasks()
    background.start_task(_failed())
    await background.finish_tasks()
    [record] = caplog.records
    assert record.exc_info is not None
    assert record.exc_info[0] is ZeroDivisionError


async def test_ended_task_is_not_awaited() -> None:
    """Python 3.12 and later do not let the loop turn for tasks that are done: a function that waits for them must."""
    background = BackgroundTasks()
    task = background.start_task(_refused())
    for _ in range(2):
        await asyncio.sleep(0)
    assert task.done()
    await background.finish_tasks()
    with pytest.raises(ScovilleError):
        await task


async def test_a_write_after_the_end_leaves_no_task() -> None:
    tasks, written = BackgroundTasks(), []

    async def write() -> None:
        written.append(1)

    tasks.write_soon(write())
    await tasks.close()
    tasks.write_soon(write())
    tasks.insist_on_write(write)
    assert asyncio.all_tasks() == {asyncio.current_task()}
    assert written == [1]
