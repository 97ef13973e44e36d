"""Flushes of one turn share a call of the event loop."""

import asyncio
from collections.abc import Callable
from typing import Any, cast

import pytest

from scoville_server.net.flushes import FlushQueue


class FakeLoop:
    """Keeps the calls of its next turn."""

    def __init__(self) -> None:
        self.calls: list[tuple[Callable[..., object], Any]] = []

    def call_soon(self, function: Callable[..., object], *arguments: Any) -> None:
        self.calls.append((function, arguments))

    def turn(self) -> None:
        calls, self.calls = self.calls, []
        for function, arguments in calls:
            function(*arguments)


@pytest.fixture
def loop() -> Any:
    return FakeLoop()


def add(queue: FlushQueue, loop: FakeLoop, flush: Callable[[], object]) -> None:
    queue.add(cast("asyncio.AbstractEventLoop", loop), flush)


def test_all_flushes_of_a_turn_share_one_call_and_keep_their_order(loop: FakeLoop) -> None:
    queue, done = FlushQueue(), []
    for number in range(3):
        add(queue, loop, lambda number=number: done.append(number))
    assert (len(loop.calls), done) == (1, [])
    loop.turn()
    assert (loop.calls, done) == ([], [0, 1, 2])


def test_a_flush_that_is_added_meanwhile_comes_in_a_later_turn(loop: FakeLoop) -> None:
    queue, done = FlushQueue(), []
    add(queue, loop, lambda: add(queue, loop, lambda: done.append("later")))
    loop.turn()
    assert (len(loop.calls), done) == (1, [])
    loop.turn()
    assert done == ["later"]


def test_a_flush_that_fails_takes_no_other_along(loop: FakeLoop) -> None:
    def fail() -> None:
        raise OSError("the connection is gone")

    queue, done = FlushQueue(), []
    for flush in (fail, lambda: done.append("second")):
        add(queue, loop, flush)
    with pytest.raises(OSError, match="gone"):
        loop.turn()
    loop.turn()
    assert (loop.calls, done) == ([], ["second"])
