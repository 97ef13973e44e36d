"""Group commit: concurrent writes share a commit, and a single one does not wait."""

import asyncio
from collections.abc import Callable, Iterable
from pathlib import Path
from threading import Event
from typing import Any, cast

import pytest

from scoville_server.journal.store import Store
from scoville_server.journal.writer import ENOUGH, GATHER_PER_WRITE, GATHER_SECONDS, LONELY_COMMITS, TOGETHER, Writer

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


class FakeAlarm:
    """A timer that `ring` ends."""

    def __init__(self, seconds: float, callback: Callable[[], Any]) -> None:
        self.seconds, self._callback = seconds, callback
        self.cancelled = False

    def cancel(self) -> None:
        self.cancelled = True

    def ring(self) -> None:
        assert not self.cancelled
        self._callback()


class FakeJournal:
    """A writer over fakes; `alarms` are those that the writer has set, and `ringing` lets them end at once."""

    def __init__(self) -> None:
        self.store = FakeStore()
        self.alarms: list[FakeAlarm] = []
        self.ringing = True
        self.writer = Writer(cast("Store", self.store), 1000, call_later=self._call_later)

    def _call_later(self, seconds: float, callback: Callable[[], Any]) -> FakeAlarm:
        self.alarms.append(FakeAlarm(seconds, callback))
        if self.ringing:
            asyncio.get_running_loop().call_soon(self.alarms[-1].ring)
        return self.alarms[-1]

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
    await journal.writer.close()


async def test_a_single_write_is_committed_at_once(journal: FakeJournal) -> None:
    for number in range(3 * LONELY_COMMITS):
        await journal.post(str(number))
    assert journal.alarms == []
    assert [len(commit) for commit in journal.store.commits] == [1] * (3 * LONELY_COMMITS)


async def test_where_several_write_a_write_waits_for_others_to_share_its_commit(journal: FakeJournal) -> None:
    await journal.together("a", "b")
    journal.ringing = False
    early, late = journal.post("early"), journal.post("late")
    assert 0 < journal.alarms[-1].seconds < GATHER_SECONDS
    journal.alarms[-1].ring()
    assert await asyncio.gather(early, late) == ["early", "late"]
    assert journal.store.commits[-1] == ["early", "late"]


async def test_the_more_writes_commits_have_the_longer_it_waits_up_to_a_bound(journal: FakeJournal) -> None:
    waits: list[float] = []
    for size in (2, 2, 3, 3, 9, 9, 25, 25, 25):
        await journal.together(*(str(number) for number in range(size)))
        journal.alarms.clear()
        await journal.post("one more")
        waits += [alarm.seconds for alarm in journal.alarms]
    assert len(waits) == 9
    assert waits == sorted(waits)
    assert GATHER_PER_WRITE <= waits[0] < 2 * GATHER_PER_WRITE
    assert waits[-1] == GATHER_SECONDS
    for number in range(LONELY_COMMITS - 1):
        await journal.post(str(number))
    assert journal.alarms[-1].seconds < GATHER_SECONDS


async def test_where_enough_writes_wait_no_others_are_waited_for(journal: FakeJournal) -> None:
    await journal.together("a", "b")
    journal.ringing = False
    waiting = [journal.post(str(number)) for number in range(ENOUGH)]
    assert journal.alarms[-1].cancelled
    await asyncio.gather(*waiting)
    assert len(journal.store.commits[-1]) == ENOUGH


async def test_a_commit_under_way_gathers_the_writes_of_the_next_one(journal: FakeJournal) -> None:
    await journal.together(*(str(number) for number in range(ENOUGH)))
    assert [len(commit) for commit in journal.store.commits] == [1, ENOUGH]
    assert journal.alarms == []


async def test_a_commit_holds_no_more_than_fit_together(journal: FakeJournal) -> None:
    await journal.together(*(str(number) for number in range(TOGETHER + 1)))
    assert [len(commit) for commit in journal.store.commits] == [1, TOGETHER, 1]


async def test_gathering_ends_after_some_commits_of_a_single_write(journal: FakeJournal) -> None:
    await journal.together("a", "b")
    journal.alarms.clear()
    for number in range(3 * LONELY_COMMITS):
        await journal.post(str(number))
    assert len(journal.alarms) == LONELY_COMMITS


async def test_a_writer_that_is_closed_writes_what_waits_and_gathers_no_more(journal: FakeJournal) -> None:
    await journal.together("a", "b")
    journal.ringing = False
    early, late = journal.post("early"), journal.post("late")
    closing = asyncio.ensure_future(journal.writer.close())
    assert await asyncio.gather(early, late, closing) == ["early", "late", None]
    assert journal.store.commits[-1] == ["early", "late"]
    assert journal.alarms[-1].cancelled


async def test_a_writer_that_is_closed_during_a_commit_writes_what_waits(journal: FakeJournal) -> None:
    journal.store.begun.clear()
    journal.store.gate.clear()
    first = journal.post("first")
    assert await asyncio.to_thread(journal.store.begun.wait, SECONDS)
    late = journal.post("late")
    closing = asyncio.ensure_future(journal.writer.close())
    await asyncio.sleep(0)
    journal.store.gate.set()
    assert await asyncio.gather(first, late, closing) == ["first", "late", None]
    assert journal.store.commits == [["first"], ["late"]]
