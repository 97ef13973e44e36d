"""The file of what a node has seen in the engine: how it is written."""

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from scoville_runtime.clock import SYSTEM
from scoville_server.journal.jetstream.engine import Engine
from scoville_server.journal.jetstream.losses import SeenEnds
from scoville_server.journal.jetstream.messages import EPOCH
from scoville_server.journal.jetstream.seen_file import SeenFile


class Copy:
    """An engine with many rows."""

    is_empty = False
    epoch_sequence = 1

    def __init__(self, rows: int) -> None:
        self.rows = [(f"key {number}", (number, number + 2, b"value")) for number in range(rows)]

    def copy_rows(self) -> Any:
        return {"users": self.rows}

    def sequence_of(self, _: str) -> int:
        return 0


async def test_what_a_node_has_seen_is_listed_while_others_run(tmp_path: Path) -> None:
    seen_file = SeenFile(SYSTEM)
    seen_file.folder = tmp_path
    engine = cast("Engine", SimpleNamespace(clock=SYSTEM, made_at="now"))
    ends = SeenEnds(engine, seen_file)
    await ends.find_losses(Copy(0), 0)
    turns = 0

    async def count_turns() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0)
            turns += 1

    counting = asyncio.ensure_future(count_turns())
    await ends.note_seen(Copy(5_000), at_once=True)
    counting.cancel()
    assert turns >= 9, "no more than some hundred rows in a turn"
    seen = seen_file.read_seen()
    assert seen is not None
    assert len(seen.sequences) == 5_001
    assert (seen.sequences[EPOCH], seen.newest) == (1, 5_001)


async def test_disk_that_takes_nothing_is_told_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    seen_file = SeenFile(SYSTEM)
    seen_file.folder = tmp_path / "full"
    for _ in range(3):
        await seen_file.write_seen("now", {})
    assert [record.message.partition(":")[0] for record in caplog.records] == [
        "What this node has seen in the engine cannot be noted"
    ]
    seen_file.folder.mkdir()
    for _ in range(2):
        await seen_file.write_seen("now", {})
    [_, told] = [record.message for record in caplog.records]
    assert told == "What this node has seen in the engine is noted again."
    seen_file.folder = tmp_path / "full again"
    await seen_file.write_seen("now", {})
    assert len(caplog.records) == 3
