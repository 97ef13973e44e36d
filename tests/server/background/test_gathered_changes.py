"""Changes of one row: those that wait are written together, and each gets its own result."""

import asyncio
from collections.abc import Callable

import pytest

from scoville_server.background.gathered_changes import GatheredChanges
from scoville_server.background.keyed_locks import KeyedLocks
from tests.support.idle import wait_until_idle


class Rows:
    """Rows of text, written slowly: each write waits for the gate."""

    def __init__(self, **rows: str) -> None:
        self.rows, self.writes, self.tries = rows, 0, 1
        self.gate = asyncio.Event()
        self.error: Exception | None = None
        self.locks = KeyedLocks()
        self.changes = GatheredChanges(self.locks, self._write)

    async def _write(self, key: str, change: Callable[[str], str]) -> tuple[str | None, str | None]:
        before = self.rows.get(key)
        if before is None:
            return None, None
        for _ in range(self.tries):
            after = change(before)
        self.writes += 1
        await self.gate.wait()
        if self.error is not None:
            raise self.error
        self.rows[key] = after
        return before, after

    def add(self, sign: str, key: str = "a") -> "asyncio.Task[tuple[str, str] | None]":
        return asyncio.ensure_future(self.changes.change_row(key, lambda row: row + sign))


def refuse(_: str) -> str:
    raise ValueError("refused")


async def test_a_hundred_users_wait_for_two_writes() -> None:
    rows = Rows(a="")
    first = rows.add("0")
    await wait_until_idle()
    others = [rows.add(str(n % 10)) for n in range(1, 100)]
    rows.gate.set()
    made = await asyncio.gather(first, *others)
    assert rows.writes == 2
    assert rows.rows["a"] == "0123456789" * 10
    assert made[:3] == [("", "0"), ("0", "01"), ("01", "012")]


async def test_a_refused_change_disturbs_no_other() -> None:
    rows = Rows(a="")
    rows.gate.set()
    refused = asyncio.ensure_future(rows.changes.change_row("a", refuse))
    others = [rows.add("x"), rows.add("y")]
    assert await asyncio.gather(*others) == [("", "x"), ("x", "xy")]
    with pytest.raises(ValueError, match="refused"):
        await refused


async def test_a_row_that_is_gone_is_none_for_all() -> None:
    rows = Rows()
    assert await asyncio.gather(rows.add("x"), rows.add("y")) == [None, None]


async def test_all_learn_that_nothing_was_written() -> None:
    rows = Rows(a="")
    rows.error = OSError("no space left")
    rows.gate.set()
    for each in await asyncio.gather(rows.add("x"), rows.add("y"), return_exceptions=True):
        assert each is rows.error
    rows.error = None
    assert await rows.add("z") == ("", "z")


async def test_a_refusal_is_said_although_the_disk_refuses_too() -> None:
    rows = Rows(a="")
    rows.error = OSError("no space left")
    rows.gate.set()
    with pytest.raises(ValueError, match="refused"):
        await rows.changes.change_row("a", refuse)


async def test_change_of_a_lost_caller_is_not_made() -> None:
    rows = Rows(a="")
    one = rows.add("1")
    await wait_until_idle()
    two, three = rows.add("2"), rows.add("3")
    await wait_until_idle()
    two.cancel()
    await wait_until_idle()
    rows.gate.set()
    assert await asyncio.gather(one, three) == [("", "1"), ("1", "13")]


async def test_others_are_written_though_the_first_hangs_up() -> None:
    rows = Rows(a="")
    one, two = rows.add("1"), rows.add("2")
    await wait_until_idle()
    one.cancel()
    await wait_until_idle()
    rows.gate.set()
    assert await two == ("1", "12")
    assert rows.rows["a"] == "12", "it was being written when the first hung up"


async def test_what_is_made_again_counts_once() -> None:
    rows = Rows(a="")
    rows.tries = 2  # another node has written meanwhile
    rows.gate.set()
    assert await asyncio.gather(rows.add("x"), rows.add("y")) == [("", "x"), ("x", "xy")]
    assert rows.rows["a"] == "xy"


async def test_a_row_is_not_written_while_its_lock_is_held() -> None:
    rows = Rows(a="", b="")
    rows.gate.set()
    async with rows.locks.hold_keys(["a"]):
        waiting = rows.add("x")
        assert await rows.add("y", "b") == ("", "y")
        assert rows.writes == 1
    assert await waiting == ("", "x")


async def test_callers_go_on_before_others_have_the_lock() -> None:
    rows, done = Rows(a=""), list[str]()

    async def change() -> None:
        await rows.changes.change_row("a", lambda row: f"{row}x")
        done.append("changed")

    async def wait() -> None:
        async with rows.locks.hold_keys(["a"]):
            done.append("locked")

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(change())
        await wait_until_idle()
        tasks.create_task(wait())
        await wait_until_idle()
        rows.gate.set()
    assert done == ["changed", "locked"]
