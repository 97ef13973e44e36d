"""Writes of the serving node of a cluster, over an engine that fails in a way that nobody has foreseen."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, cast

import pytest

from scoville_runtime.clock import Clock
from scoville_server.journal.base import Deposed, JournalError
from scoville_server.journal.figures import JournalFigures
from scoville_server.journal.jetstream.engine import Engine, Incoming, InFlight, NotKept, Outgoing
from scoville_server.journal.jetstream.fenced_writer import EpochFences, FencedWriter, WriteGate
from scoville_server.journal.jetstream.insistence import Insistence
from scoville_server.journal.jetstream.messages import EPOCH, LANES, subject_of_lane
from scoville_server.limits.live import as_live
from scoville_shared.errors import Code
from tests.support.clock import FakeClock


class FailingEngine:
    """Fails as often as it has `faults`, and then keeps every batch."""

    def __init__(self, *faults: Exception) -> None:
        self.faults = [*faults]

    @property
    def most_bytes(self) -> int:
        return 10

    async def publish_batch(self, messages: Sequence[Outgoing]) -> list[int]:
        if self.faults:
            raise self.faults.pop(0)
        return [*range(1, len(messages) + 1)]


async def test_write_that_is_too_large_is_refused_alone() -> None:
    clock = FakeClock().clock
    figures = JournalFigures(as_live(10))
    engine = cast("Engine", FailingEngine())
    writer = FencedWriter(engine, Insistence(engine, clock), WriteGate(figures, 10, clock), {}, lambda: None)
    writer.begin_epoch(1)
    before, large, after = [writer.post_job([Outgoing(f"row.{n}", b"x" * size)]) for n, size in enumerate((1, 11, 1))]
    with pytest.raises(JournalError, match="11 bytes is more than the engine takes"):
        await large
    assert [await before, await after] == [[2], [3]]
    assert figures.waiting == 0


async def test_writes_are_answered_whatever_the_engine_raises(caplog: pytest.LogCaptureFixture) -> None:
    clock = FakeClock().clock
    figures = JournalFigures(as_live(10))
    engine = cast("Engine", FailingEngine(RuntimeError("unforeseen")))
    deposed: list[Any] = []
    gate = WriteGate(figures, 10, clock)
    writer = FencedWriter(engine, Insistence(engine, clock), gate, {}, lambda: deposed.append(None))
    writer.begin_epoch(1)
    doubtful = [writer.post_job([Outgoing(f"row.{n}", b"x")]) for n in range(2)]
    for answer in doubtful:
        with pytest.raises(JournalError) as refused:
            await answer
        assert refused.value.code == Code.OUTCOME_UNKNOWN
    assert "unforeseen" in caplog.text
    assert (figures.waiting, figures.failed) == (0, 2)
    assert await writer.post_job([Outgoing("row.2", b"x")]) == [2], "later writes go on"
    assert not deposed
    assert figures.waiting == 0


class FollowedEngine(FailingEngine):
    """Another node has taken the next epoch."""

    async def read_last(self, subjects: Sequence[str]) -> dict[str, Incoming]:
        return {EPOCH: Incoming(EPOCH, 2, b"")}


async def write_refused(writer: FencedWriter) -> None:
    with pytest.raises(Deposed):
        await writer.post_job([Outgoing("row.1", b"x")])


@pytest.mark.parametrize(("learn", "reported"), [(FencedWriter.check_epoch, 0), (write_refused, 1)])
async def test_node_that_refuses_writes_reports_it_in_the_next_turn(
    learn: Callable[[FencedWriter], Awaitable[None]], reported: int
) -> None:
    clock = FakeClock().clock
    gate = WriteGate(JournalFigures(as_live(10)), 10, clock)
    engine = cast("Engine", FollowedEngine(NotKept("stale")))
    deposed: list[None] = []
    writer = FencedWriter(engine, Insistence(engine, clock), gate, {}, lambda: deposed.append(None))
    writer.begin_epoch(1)
    await learn(writer)
    for _ in range(3):
        await write_refused(writer)
    assert len(deposed) == reported, "a refusal that is known already takes no turn"
    await asyncio.sleep(0)
    assert len(deposed) == 1


class CrowdedEngine(FailingEngine):
    """Another node writes behind some fences; notes those behind which this one has tried to write."""

    def __init__(self, *busy: str) -> None:
        super().__init__()
        self.busy = {*busy}
        self.guards: list[str] = []

    async def publish_batch(self, messages: Sequence[Outgoing]) -> list[int]:
        self.guards.append(messages[0].guard)
        if messages[0].guard in self.busy:
            raise InFlight("another write with the same condition is under way")
        return await super().publish_batch(messages)


def crowded_writer(engine: CrowdedEngine, clock: Clock, is_known: Callable[[], bool], first: int) -> FencedWriter:
    found = cast("Engine", engine)
    gate = WriteGate(JournalFigures(as_live(10)), 10, clock)
    fences = EpochFences(first, is_known)
    writer = FencedWriter(found, Insistence(found, clock), gate, {}, lambda: None, fences)
    writer.begin_epoch(1, {subject_of_lane(lane): 10 + lane for lane in range(LANES)})
    return writer


async def test_write_goes_on_behind_the_next_fence_and_stays_there() -> None:
    engine = CrowdedEngine("epoch.6", "epoch.7")
    async with FakeClock().passing_when_idle() as clock:
        writer = crowded_writer(engine, clock, lambda: True, first=6)
        for _ in range(2):
            assert await writer.post_job([Outgoing("row.1", b"x")]) == [2]
    assert engine.guards == ["epoch.6", "epoch.7", "epoch.0", "epoch.0"]


async def test_epoch_is_the_only_fence_without_others() -> None:
    engine, known = CrowdedEngine(), [True]
    writer = crowded_writer(engine, FakeClock().clock, lambda: known[0], first=3)
    await writer.post_job([Outgoing("row.1", b"x")])
    known[0] = False
    await writer.post_job([Outgoing("row.1", b"x")])
    assert engine.guards == ["epoch.3", EPOCH]
