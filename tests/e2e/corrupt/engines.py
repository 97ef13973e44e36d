"""Trials with damaged servers of NATS: of the three of a cluster some end, get damaged stores, and start again.

Whichever server a node reads from afterwards, it has every table and every row, or names what it lacks; the checks of
the engine name the server that has lost something; and a node that takes over serves every table.
"""

import asyncio
import json
import shutil
import signal
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple

from scoville_runtime.clock import SYSTEM
from scoville_server.journal.base import START, Change, JournalError, Mark
from scoville_server.journal.jetstream.doubts import find_doubts
from scoville_server.journal.jetstream.engine import Engine, Place
from scoville_server.journal.jetstream.journal import JetStreamJournal
from scoville_server.journal.jetstream.member import ClusterTerms, Member
from scoville_server.journal.jetstream.mirror import Mirror
from scoville_shared.ids import TableId
from tests.e2e.cluster.__main__ import NODES
from tests.e2e.cluster.served import load_cluster
from tests.e2e.corrupt.trial import DAMAGES
from tests.support.nats_server import KEY

_NAME: Final = "scoville"
_BOOKS: Final = ("bans", "chat", "careers")
_TABLES, _APPENDS, _ROWS = 8, 12, 40
_PATIENCE: Final = 30.0
"""Seconds until a server that was started again must have what the others have, or be named."""


class Contents(NamedTuple):
    """The records of all tables, and the values of all rows by book and key."""

    tables: Mapping[str, list[bytes]]
    rows: Mapping[tuple[str, str], bytes]

    def lacking_in(self, truth: "Contents") -> list[str]:
        """Name what is not as it was written, in the words in which it is reported."""
        rows = [row for row, value in truth.rows.items() if self.rows.get(row) != value]
        return [
            *(f"Table {table} " for table, records in truth.tables.items() if self.tables.get(table) != records),
            *(f"The row {key} of the book {book} " for book, key in rows),
        ]


class Unusable(Exception):
    """An engine that was damaged on a majority of its servers, and says so: its host restores a backup."""


class EngineTrials:
    """Three servers of NATS with a journal, of which some are damaged again and again.

    Args:
        cluster: The servers.
        luck: What is written.
        damaged: How many are damaged at once.
    """

    def __init__(self, cluster: Any, luck: Random, damaged: int) -> None:
        self._cluster = cluster
        self._luck = luck
        self._damaged = damaged
        self.truth = Contents({}, {})

    @property
    def _place(self) -> Place:
        addresses = tuple(json.loads(self._cluster.addresses("scoville", NODES)))
        return Place(servers=addresses, name=_NAME, system=tuple(json.loads(self._cluster.addresses("system", NODES))))

    async def fill(self) -> None:
        """Write tables and rows."""
        journal = self._make_journal("a")
        tables: dict[str, list[bytes]] = {}
        rows: dict[tuple[str, str], bytes] = {}
        marks: dict[TableId, Mark] = {}
        await _retry_work(journal.open)
        await journal.take_epoch()
        for n in range(_TABLES * _APPENDS):
            table, record = TableId(f"t{n % _TABLES}"), self._luck.randbytes(self._luck.randrange(20, 200))
            marks[table] = await journal.append(table, [record], marks.get(table, START))
            tables.setdefault(table, []).append(record)
        for n in range(_ROWS):
            place = book, key = self._luck.choice(_BOOKS), f"k{n}"
            rows[place] = self._luck.randbytes(30)
            await journal.write([Change(book, key, rows[place])])
        await journal.close()
        self.truth = Contents(tables, rows)

    async def try_damage(self, seed: int) -> str:
        """Damage servers, and check what is read then; returns what was damaged. Raises AssertionError."""
        luck = Random(seed)
        numbers = luck.sample(range(NODES), self._damaged)
        engines = self._cluster.engines
        for number in numbers:
            engines[number].send(signal.SIGKILL)
        damages: list[str] = []
        for number in numbers:
            await asyncio.to_thread(engines[number].wait, 30)
            store = self._cluster.folder / f"nats{number}" / "store"
            damages.append(f"nats{number}: {damage_store(store, luck)}")
        what = f"seed {seed}, {'; '.join(damages)}"
        for number in numbers:
            engines[number] = self._cluster.start_engine(number)
        lost = await self._wait_until_truthful(what)
        try:
            await self._check_takeover(what)
        except JournalError as error:
            # Without a majority that is whole the engine may say nothing any more, which every node reports.
            if self._damaged * 2 < NODES:
                raise
            raise Unusable(f"{what}: {error.message}") from error
        for number in numbers if lost else ():
            await self._replace(number)
        return f"{what}{', which was told' if lost else ''}"

    async def _wait_until_truthful(self, what: str) -> bool:
        """Wait until every server has everything, or is said to lack something; returns whether one is."""
        until = SYSTEM.seconds() + _PATIENCE
        while True:
            doubts = await self._list_losses()
            lacking = [each for n in range(NODES) for each in await self._read_from_server(n)]
            if doubts or not lacking:
                return bool(doubts)
            assert SYSTEM.seconds() < until, f"{what}: silently lost {lacking[:3]} and {len(lacking) - 1} more"
            await SYSTEM.sleep(0.5)

    async def _list_losses(self) -> list[str]:
        async def find() -> list[str]:
            async with _connect_engine(self._place) as engine:
                return await find_doubts(engine)

        return [doubt for doubt in await _retry_work(find) if "has lost" in doubt]

    async def _read_from_server(self, number: int) -> list[str]:
        """Read everything by way of one server; returns what is neither right nor named."""
        place = Place(servers=(json.loads(self._cluster.addresses("scoville", NODES))[number],), name=_NAME)
        named: list[str] = []

        async def read() -> Contents:
            named.clear()
            async with _connect_engine(place) as engine:
                mirror = Mirror(engine, lambda damage: named.append(damage.reason))
                await mirror.catch_up()
                tables = {table: [*stored.records] for table, stored in mirror.take_tables().items()}
                rows = {(book, key): row.value for book, every in mirror.books().items() for key, row in every}
                named.extend(error.message for error in mirror.take_damage().values())
                return Contents(tables, rows)

        try:
            found = await _retry_work(read)
        except JournalError:
            if self._damaged * 2 < NODES:
                raise
            return []  # a node that reads from it says so, and serves nobody
        wrong = [
            table for table, records in found.tables.items() if records != self.truth.tables[table][: len(records)]
        ]
        assert not wrong, f"altered: {wrong}"
        return [each for each in found.lacking_in(self.truth) if not any(each in sentence for sentence in named)]

    async def _check_takeover(self, what: str) -> None:
        """A node that has read nothing before serves every table, and has every row."""
        journal = self._make_journal("b")
        await _retry_work(journal.open)
        try:
            await _retry_work(journal.take_epoch)
            tables = {table: [*stored.records] for table, stored in (await journal.tables()).tables.items()}
            rows = {(book, key): row.value for book in _BOOKS for key, row in journal._mirror.rows_of(book)}
            lacking = Contents(tables, rows).lacking_in(self.truth)
            assert not lacking, f"{what}: a node that takes over lacks {lacking}"
        finally:
            await journal.close()

    async def _replace(self, number: int) -> None:
        """Do what the doubt advises, after which nothing is missing."""
        engines = self._cluster.engines
        engines[number].send(signal.SIGKILL)
        await asyncio.to_thread(engines[number].wait, 30)
        shutil.rmtree(self._cluster.folder / f"nats{number}" / "store")
        engines[number] = self._cluster.start_engine(number)
        until = SYSTEM.seconds() + _PATIENCE
        while any(f"nats{number} " in loss for loss in await self._list_losses()):
            assert SYSTEM.seconds() < until, f"nats{number} does not copy what it lacks"
            await SYSTEM.sleep(0.5)

    def _make_journal(self, node: str) -> JetStreamJournal:
        return JetStreamJournal(Engine(self._place), ClusterTerms(Member(node, f"{node}.example:7700", KEY), 10_000))


def damage_store(store: Path, luck: Random) -> str:
    """Damage a file of a stream, or remove the index or all of it; returns which and how."""
    files = [path for path in sorted(store.rglob("*")) if path.is_file() and path.stat().st_size]
    ours = [path for path in files if f"/streams/{_NAME}/" in str(path)]
    if luck.random() < 0.1 or not ours:
        # Without a stream: it was emptied by the last trial, and has copied nothing yet.
        shutil.rmtree(store)
        return "everything removed"
    # The messages themselves are what matters most.
    path = luck.choice([each for each in ours for _ in range(8 if each.suffix == ".blk" else 1)])
    data = bytearray(path.read_bytes())
    how = luck.choice(DAMAGES)(data, luck)
    path.write_bytes(data)
    if luck.random() < 0.5:
        # The server rebuilds it from the messages, and has to look at them for that.
        for index in path.parent.parent.rglob("index.db"):
            index.unlink()
    return f"{path.relative_to(store)}: {how}"


@asynccontextmanager
async def _connect_engine(place: Place) -> AsyncIterator[Engine]:
    engine = Engine(place)
    try:
        await engine.connect(makes_stream=False)
        yield engine
    finally:
        await engine.close()


async def _retry_work(work: Callable[[], Any]) -> Any:
    """Do something again while the engine elects a leader."""
    until = SYSTEM.seconds() + _PATIENCE
    while SYSTEM.seconds() < until:
        with suppress(JournalError):
            return await work()
        await SYSTEM.sleep(0.3)
    return await work()


async def try_engines(folder: Path, seed: int, trials: int, damaged: int = 1) -> AsyncIterator[str]:
    """Damage some of three servers again and again; yields what was damaged. Raises AssertionError."""
    cluster = load_cluster().Cluster(folder)
    try:
        cluster.engines.extend(cluster.start_engine(number) for number in range(NODES))
        run = EngineTrials(cluster, Random(seed), damaged)
        await run.fill()
        for number in range(seed, seed + trials):
            try:
                yield await run.try_damage(number)
            except Unusable as error:
                yield f"{error} It is unusable, and says so."
                return
    finally:
        for engine in cluster.engines:
            engine.send(signal.SIGKILL)
        for engine in cluster.engines:
            await asyncio.to_thread(engine.wait, 30)
