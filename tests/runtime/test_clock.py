"""The clock of both ends: what its waits and timers do, on a manual clock and on the event loop."""

import asyncio
import gc
import threading
import time
from contextvars import ContextVar
from weakref import ref

import pytest

from scoville_runtime.clock import SYSTEM, THREADED, EndingClock
from tests.support.clock import FakeClock
from tests.support.idle import wait_until_idle
from tests.support.virtual_time import in_virtual_time
from tests.support.virtual_time import make_clock as virtual_clock

USER: ContextVar[object] = ContextVar("USER", default=None)


class App:
    """Something large that a context holds."""


@in_virtual_time
async def test_a_timer_calls_back_in_its_own_context() -> None:
    seen = list[object]()
    USER.set("Ada")
    SYSTEM.call_later(3, lambda: seen.append(USER.get()))
    USER.set("Ben")
    await SYSTEM.sleep(4)
    assert seen == ["Ada"]


@in_virtual_time
async def test_a_cancelled_timer_holds_nothing_any_more() -> None:
    app = App()
    held = ref(app)
    token = USER.set(app)
    alarm = SYSTEM.call_later(3600, lambda app=app: app)
    USER.reset(token)
    alarm.cancel()
    del app, token
    gc.collect()
    assert held() is None


@in_virtual_time
async def test_a_cancelled_timer_does_not_call_back() -> None:
    seen = list[str]()
    SYSTEM.call_later(1, lambda: seen.append("cancelled")).cancel()
    SYSTEM.call_later(1, lambda: seen.append("called"))
    await SYSTEM.sleep(2)
    assert seen == ["called"]


async def test_alarms_of_an_ended_owner_do_not_ring() -> None:
    watch, seen = FakeClock(), list[str]()
    app, clock = App(), EndingClock(watch.clock)
    held = ref(app)
    clock.call_later(1, lambda: seen.append("while it ran"))
    clock.call_later(86_400, lambda app=app: seen.append("the next day"))
    clock.call_later(2, lambda: seen.append("cancelled")).cancel()
    watch.advance(3)
    del app
    clock.cancel_alarms()
    gc.collect()
    assert held() is None
    watch.advance(86_400)
    assert seen == ["while it ran"]
    assert watch.alarms == []


async def test_a_limit_ends_its_body_on_time() -> None:
    watch = FakeClock()

    async def wait_for_ever() -> None:
        async with watch.clock.limit(5):
            await asyncio.Event().wait()

    waiting = asyncio.ensure_future(wait_for_ever())
    await wait_until_idle()
    await watch.elapse(4.9)
    assert not waiting.done()
    await watch.elapse(0.2)
    with pytest.raises(TimeoutError):
        await waiting
    assert watch.alarms == []


async def test_a_wait_ends_with_the_first_future_or_its_time() -> None:
    watch = FakeClock()
    for seconds, finishes in ((0.0, True), (5.0, False)):
        future = asyncio.get_running_loop().create_future()
        waiting = asyncio.ensure_future(watch.server.wait(future, seconds=5))
        await wait_until_idle()
        assert not waiting.done()
        if finishes:
            future.set_result(None)
        await watch.elapse(seconds)
        await waiting
        assert (future.done(), watch.alarms) == (finishes, [])


@in_virtual_time
async def test_no_processor_works_in_a_test_by_itself() -> None:
    clock = virtual_clock()
    before = clock.working_seconds()
    await clock.sleep(3)
    assert clock.working_seconds() - before == 3
    assert SYSTEM.working_seconds is time.thread_time


def test_a_threaded_timer_needs_no_event_loop() -> None:
    called = threading.Event()
    THREADED.call_later(0, called.set)
    assert called.wait(60)
    THREADED.call_later(3600, called.set).cancel()
