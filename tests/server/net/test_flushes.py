"""Flushes of one turn share a call of the event loop, and a crowd takes many turns."""

import asyncio
from collections.abc import Callable
from typing import Any, cast

import pytest

from scoville_server.net.flushes import MOST_BYTES, MOST_FLUSHES, PORTION, FlushQueue


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


def add(queue: FlushQueue, loop: FakeLoop, flush: Callable[[], object], size: int = 10) -> None:
    def counted() -> int:
        flush()
        return size

    queue.add_flush(cast("asyncio.AbstractEventLoop", loop), counted)


def test_flushes_of_a_turn_share_a_call_in_order(loop: FakeLoop) -> None:
    queue, done = FlushQueue(), []
    for number in range(3):
        add(queue, loop, lambda number=number: done.append(number))
    assert (len(loop.calls), done) == (1, [])
    loop.turn()
    assert (loop.calls, done) == ([], [0, 1, 2])


def test_a_flush_added_meanwhile_comes_later(loop: FakeLoop) -> None:
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


def test_many_flushes_take_several_turns(loop: FakeLoop) -> None:
    queue, done = FlushQueue(), []
    for number in range(2 * MOST_FLUSHES + 1):
        add(queue, loop, lambda number=number: done.append(number))
    for turns in (1, 2):
        loop.turn()
        assert done == [*range(turns * MOST_FLUSHES)]
    loop.turn()
    assert (loop.calls, done) == ([], [*range(2 * MOST_FLUSHES + 1)])


def test_large_flushes_take_several_turns(loop: FakeLoop) -> None:
    queue, done = FlushQueue(), []
    for number in range(6):
        add(queue, loop, lambda number=number: done.append(number), MOST_BYTES // 2)
    for turns in (1, 2, 3):
        loop.turn()
        assert done == [*range(2 * turns)]
    assert loop.calls == []


@pytest.fixture
def queue(loop: FakeLoop, monkeypatch: pytest.MonkeyPatch) -> FlushQueue:
    monkeypatch.setattr(asyncio, "get_running_loop", lambda: loop)
    return FlushQueue()


def test_a_few_recipients_are_sent_to_at_once(queue: FlushQueue, loop: FakeLoop) -> None:
    done: list[int] = []
    queue.spread_notices(range(PORTION - 1), done.append)
    assert (done, queue.has_crowds, loop.calls) == ([*range(PORTION - 1)], False, [])


def test_crowds_are_sent_to_in_portions(queue: FlushQueue, loop: FakeLoop) -> None:
    done: list[tuple[str, int]] = []
    queue.spread_notices(range(2 * PORTION), lambda number: done.append(("first", number)))
    queue.spread_notices(range(PORTION), lambda number: done.append(("second", number)))
    numbers = [*range(2 * PORTION), *range(PORTION)]
    expected = [("first" if place < 2 * PORTION else "second", number) for place, number in enumerate(numbers)]
    for portions in (1, 2, 3):
        assert done == expected[: portions * PORTION]
        assert queue.has_crowds
        loop.turn()
    assert (done, queue.has_crowds, loop.calls) == (expected, False, [])


def test_a_portion_waits_until_the_former_one_is_written(queue: FlushQueue, loop: FakeLoop) -> None:
    sent: list[int] = []
    written: list[int] = []

    def send(number: int) -> None:
        sent.append(number)
        add(queue, loop, lambda: written.append(number), MOST_BYTES // 4)

    queue.spread_notices(range(3 * PORTION), send)
    while loop.calls:
        assert len(sent) - len(written) <= PORTION
        loop.turn()
        assert len(written) % 4 == 0
    assert sent == written == [*range(3 * PORTION)]


def test_flushes_of_others_go_on_beside_a_crowd(queue: FlushQueue, loop: FakeLoop) -> None:
    done: list[str] = []
    queue.spread_notices(range(100 * PORTION), lambda _: add(queue, loop, lambda: None))
    add(queue, loop, lambda: done.append("a move"))
    loop.turn()
    assert done == ["a move"]
