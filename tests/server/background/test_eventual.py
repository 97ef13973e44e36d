"""`Eventual`: a result that is passed on in the same turn of the event loop."""

import asyncio
import gc

import pytest

from scoville_server.background.eventual import Eventual, finish_anyway, pass_on, start_awaitable
from tests.support.virtual_time import in_virtual_time


async def test_callbacks_run_as_soon_as_possible() -> None:
    eventual: Eventual[int] = Eventual()
    results: list[int] = []
    eventual.add_done_callback(lambda done: results.append(done.result()))
    assert not eventual.done()
    eventual.set_result(63)
    assert results == [63]
    assert eventual.done()
    assert eventual.exception() is None


async def test_a_callback_that_comes_late_is_called_at_once() -> None:
    eventual: Eventual[int] = Eventual()
    eventual.set_result(63)
    results: list[int] = []
    eventual.add_done_callback(lambda done: results.append(done.result()))
    assert results == [63]


async def test_an_error_is_raised_for_the_reader() -> None:
    eventual: Eventual[int] = Eventual()
    eventual.set_exception(OSError("the disk is full"))
    assert isinstance(eventual.exception(), OSError)
    with pytest.raises(OSError, match="the disk is full"):
        eventual.result()
    with pytest.raises(OSError, match="the disk is full"):
        await eventual


@pytest.mark.parametrize("early", [True, False])
async def test_it_can_be_awaited(early: bool) -> None:
    eventual: Eventual[int] = Eventual()
    reader = asyncio.ensure_future(eventual)
    if not early:
        await asyncio.sleep(0)
    eventual.set_result(63)
    assert await reader == 63


async def test_a_reader_who_has_gone_disturbs_nobody(caplog: pytest.LogCaptureFixture) -> None:
    eventual: Eventual[int] = Eventual()
    reader = asyncio.ensure_future(eventual)
    await asyncio.sleep(0)
    reader.cancel()
    await asyncio.sleep(0)
    eventual.set_result(63)
    assert eventual.result() == 63
    assert caplog.text == ""


async def test_a_cancelled_one_calls_nobody() -> None:
    eventual: Eventual[int] = Eventual()
    results: list[int] = []
    eventual.add_done_callback(lambda done: results.append(done.result()))
    eventual.cancel()
    eventual.set_result(63)
    assert results == []


async def test_a_failing_callback_is_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    eventual: Eventual[int] = Eventual()
    eventual.add_done_callback(lambda done: done.result() // 0)
    eventual.set_result(63)
    assert "ZeroDivisionError" in caplog.text


async def test_any_awaitable_takes_callbacks_once_it_is_begun() -> None:
    async def seven() -> int:
        return 7

    eventual: Eventual[int] = Eventual()
    assert start_awaitable(eventual) is eventual
    assert await start_awaitable(seven()) == 7


async def test_a_future_is_set_unless_its_reader_has_gone() -> None:
    loop = asyncio.get_running_loop()
    stays, gone = loop.create_future(), loop.create_future()
    gone.cancel()
    for future in (stays, gone):
        pass_on(future, 7)
    assert stays.result() == 7
    assert gone.cancelled()


@in_virtual_time
async def test_failure_of_what_nobody_waits_for_any_more_is_forgotten() -> None:
    faults: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: faults.append(context["message"]))

    async def fail() -> None:
        await asyncio.sleep(1)
        raise OSError

    waiting = asyncio.ensure_future(finish_anyway(fail()))
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.sleep(2)
    gc.collect()
    assert faults == []


async def test_caller_who_is_cancelled_ends_nothing() -> None:
    done = asyncio.Event()

    async def work() -> None:
        await asyncio.sleep(0)
        done.set()

    caller = asyncio.ensure_future(finish_anyway(work()))
    await asyncio.sleep(0)
    caller.cancel()
    await done.wait()
    assert caller.cancelled()
