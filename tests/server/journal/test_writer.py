"""Group commit: a write waits for nothing but the commit under way, and what comes meanwhile shares the next one."""

import asyncio
from collections.abc import Callable, Iterable
from pathlib import Path
from threading import Event
from typing import Any, cast

import pytest

from scoville_server.journal import sqlite
from scoville_server.journal.base import JournalError
from scoville_server.journal.sqlite import TOGETHER, EarlyWrites, Writer
from scoville_server.journal.store import Store

SECONDS = 10.0
"""How long a test waits for the writer's thread before it fails."""


class FakeStore:
    """Writes by calling them; `commits` holds what each commit returned. A commit waits for the gate."""

    path = Path("journal")

    def __init__(self) -> None:
        self.commits: list[list[Any]] = []
        self.begun, self.gate, self.folded = Event(), Event(), Event()
        self.gate.set()

    def commit_writes(self, writes: Iterable[Callable[[Store], Any]]) -> list[Any]:
        self.begun.set()
        assert self.gate.wait(SECONDS)
        self.commits.append([write(cast("Store", self)) for write in writes])
        return self.commits[-1]

    def fold_log(self) -> None:
        self.folded.set()

    def close(self) -> None: ...


class FakeJournal:
    """A writer over a fake store."""

    def __init__(self) -> None:
        self.store = FakeStore()
        self.writer = Writer(cast("Store", self.store), 1000)

    def post(self, what: str) -> asyncio.Future[str]:
        return self.writer.post_write(lambda _: what)

    async def together(self, *names: str) -> None:
        """Queue several writes behind a commit, so that the next commit includes all."""
        self.store.begun.clear()
        self.store.gate.clear()
        waiting = [self.post("first")]
        assert await asyncio.to_thread(self.store.begun.wait, SECONDS)
        waiting += [self.post(name) for name in names]
        self.store.gate.set()
        await asyncio.gather(*waiting)


@pytest.fixture
async def journal() -> Any:
    journal = FakeJournal()
    yield journal
    journal.store.gate.set()
    await journal.writer.close()


async def test_a_single_write_is_committed_at_once(journal: FakeJournal) -> None:
    for number in range(12):
        await journal.post(str(number))
    assert [len(commit) for commit in journal.store.commits] == [1] * 12


async def test_writes_of_one_turn_of_the_loop_share_a_commit(journal: FakeJournal) -> None:
    early, late = journal.post("early"), journal.post("late")
    assert await asyncio.gather(early, late) == ["early", "late"]
    assert journal.store.commits == [["early", "late"]]


async def test_a_commit_begins_within_two_turns(journal: FakeJournal) -> None:
    """Nothing waits on an idle server: no timer is set."""
    timers = asyncio.get_running_loop().call_later
    asyncio.get_running_loop().call_later = None  # type: ignore[method-assign, assignment]
    try:
        waiting = journal.post("alone")
        await asyncio.sleep(0)
        assert await asyncio.to_thread(journal.store.begun.wait, SECONDS)
    finally:
        asyncio.get_running_loop().call_later = timers  # type: ignore[method-assign]
    assert await waiting == "alone"


async def test_a_commit_gathers_the_next_writes(journal: FakeJournal) -> None:
    await journal.together(*(str(number) for number in range(100)))
    assert [len(commit) for commit in journal.store.commits] == [1, 100]


async def test_a_commit_holds_no_more_than_fit_together(journal: FakeJournal) -> None:
    await journal.together(*(str(number) for number in range(TOGETHER + 1)))
    assert [len(commit) for commit in journal.store.commits] == [1, TOGETHER, 1]


async def test_a_writer_that_is_closed_writes_what_waits(journal: FakeJournal) -> None:
    early, late = journal.post("early"), journal.post("late")
    closing = asyncio.ensure_future(journal.writer.close())
    assert await asyncio.gather(early, late, closing) == ["early", "late", None]
    assert journal.store.commits[-1] == ["early", "late"]


async def test_closing_during_a_commit_writes_the_rest(journal: FakeJournal) -> None:
    first = journal.post("first")
    journal.store.gate.clear()
    assert await asyncio.to_thread(journal.store.begun.wait, SECONDS)
    late = journal.post("late")
    closing = asyncio.ensure_future(journal.writer.close())
    await asyncio.sleep(0)
    journal.store.gate.set()
    assert await asyncio.gather(first, late, closing) == ["first", "late", None]
    assert journal.store.commits == [["first"], ["late"]]


async def test_a_quiet_writer_folds_the_log_into_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "QUIET_SECONDS", 0.001)
    journal = FakeJournal()
    assert await asyncio.to_thread(journal.store.folded.wait, SECONDS)
    assert await journal.post("afterwards") == "afterwards"
    await journal.writer.close()


async def test_early_writes_wait_for_the_writer_in_their_order(journal: FakeJournal) -> None:
    early = EarlyWrites(2)
    waiting = [early.post_write(lambda _: "first"), early.post_write(lambda _: "second")]
    with pytest.raises(JournalError, match="overloaded"):
        await early.post_write(lambda _: "third")
    early.post_to(journal.writer)
    assert [await each for each in waiting] == ["first", "second"]
    assert journal.store.commits == [["first", "second"]]


async def test_early_writes_are_refused_when_the_start_is_given_up() -> None:
    early = EarlyWrites(2)
    waiting = early.post_write(lambda _: "never")
    early.refuse_all()
    for each in (waiting, early.post_write(lambda _: "late")):
        with pytest.raises(JournalError, match="shutting down"):
            await each
