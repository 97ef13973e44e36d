"""Group commit: concurrent writes share a commit, and a single one does not wait."""

import asyncio
from collections.abc import Callable, Iterable
from pathlib import Path
from threading import Event
from typing import Any, cast

import pytest

from scoville_server.journal.store import Store
from scoville_server.journal.writer import ENOUGH, GATHER_SECONDS, LONELY_COMMITS, Writer

SECONDS = 10.0
"""How long a test waits for the writer's thread before it fails."""


class FakeStore:
    """Writes by calling them; `commits` holds what each commit returned. A commit waits for the gate."""

    path = Path("journal")

    def __init__(self) -> None:
        self.commits: list[list[Any]] = []
        self.begun, self.gate = Event(), Event()
        self.gate.set()

    def commit(self, writes: Iterable[Callable[[Store], Any]]) -> list[Any]:
        self.begun.set()
        assert self.gate.wait(SECONDS)
        self.commits.append([write(cast("Store", self)) for write in writes])
        return self.commits[-1]

    def close(self) -> None: ...


class FakePause:
    """A pause that lasts until `over` is set."""

    def __init__(self) -> None:
        self.lengths: list[float] = []
        self.begun, self.over = Event(), Event()
        self.over.set()

    def pause(self, seconds: float) -> None:
        self.lengths.append(seconds)
        self.begun.set()
        assert self.over.wait(SECONDS)


class FakeJournal:
    """A writer over fakes."""

    def __init__(self) -> None:
        self.store, self.clock = FakeStore(), FakePause()
        self.writer = Writer(cast("Store", self.store), 1000, pause=self.clock.pause)

    def post(self, what: str) -> asyncio.Future[str]:
        return self.writer.post(lambda _: what)

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
    journal.clock.over.set()
    await journal.writer.close()


async def test_a_single_write_is_committed_at_once(journal: FakeJournal) -> None:
    for number in range(3 * LONELY_COMMITS):
        await journal.post(str(number))
    assert journal.clock.lengths == []
    assert [len(commit) for commit in journal.store.commits] == [1] * (3 * LONELY_COMMITS)


async def test_where_several_write_a_write_waits_for_others_to_share_its_commit(journal: FakeJournal) -> None:
    await journal.together("a", "b")
    journal.clock.begun.clear()
    journal.clock.over.clear()
    early = journal.post("early")
    assert await asyncio.to_thread(journal.clock.begun.wait, SECONDS)
    late = journal.post("late")
    journal.clock.over.set()
    assert await asyncio.gather(early, late) == ["early", "late"]
    assert journal.store.commits[-1] == ["early", "late"]
    assert journal.clock.lengths[-1] == GATHER_SECONDS


async def test_where_enough_writes_wait_no_others_are_waited_for(journal: FakeJournal) -> None:
    await journal.together("a", "b")
    journal.clock.lengths.clear()
    await journal.together(*(str(number) for number in range(ENOUGH + 1)))
    assert journal.clock.lengths == [GATHER_SECONDS]
    assert [len(commit) for commit in journal.store.commits[-2:]] == [1, ENOUGH + 1]


async def test_gathering_ends_after_some_commits_of_a_single_write(journal: FakeJournal) -> None:
    await journal.together("a", "b")
    journal.clock.lengths.clear()
    for number in range(3 * LONELY_COMMITS):
        await journal.post(str(number))
    assert journal.clock.lengths == pytest.approx([GATHER_SECONDS] * LONELY_COMMITS)


async def test_a_writer_that_is_closed_writes_what_waits_and_gathers_no_more(journal: FakeJournal) -> None:
    await journal.together("a", "b")
    journal.clock.begun.clear()
    journal.clock.over.clear()
    early = journal.post("early")
    assert await asyncio.to_thread(journal.clock.begun.wait, SECONDS)
    late = journal.post("late")
    closing = asyncio.ensure_future(journal.writer.close())
    journal.clock.over.set()
    assert await asyncio.gather(early, late, closing) == ["early", "late", None]
    assert journal.store.commits[-1] == ["early", "late"]
