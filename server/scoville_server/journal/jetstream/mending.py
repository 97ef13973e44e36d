"""Tables that the engine has lost messages of, and that a node or another replica still has whole."""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from typing import Final

import msgspec

from scoville_server.events import Damage, ReportDamage
from scoville_server.journal.base import JournalError
from scoville_server.journal.jetstream.engine import MOST_IN_BATCH, Engine, NoAnswer, Outgoing
from scoville_server.journal.jetstream.fenced_writer import FencedWriter
from scoville_server.journal.jetstream.insistence import Insistence
from scoville_server.journal.jetstream.messages import (
    TABLES,
    Chain,
    TableMark,
    make_table_message,
    subject_of_table,
    table_of,
)
from scoville_server.journal.jetstream.mirror import Mirror
from scoville_shared.ids import TableId

_READS: Final = 8
"""How often a table is read until a whole copy is found: chance decides which of the replicas answers."""


async def read_chain(engine: Engine, insistence: Insistence, table: TableId) -> Chain | None:
    """Read a table as one replica has it now; None for one that is not there. Raises JournalError."""
    return (await read_chains(engine, insistence, [table])).get(table)


async def read_chains(engine: Engine, insistence: Insistence, tables: Collection[TableId]) -> dict[TableId, Chain]:
    """Read tables as one replica has each of them now, without those that are not there. Raises JournalError.

    One look finds what all of them must have: it is a write, which waits for the disks of the engine.
    """
    until = insistence.deadline()
    last = await insistence.read_last([*map(subject_of_table, tables)], until)
    reads = [
        _read_up_to(engine, insistence, table, found.sequence, until)
        for table in tables
        if (found := last.get(subject_of_table(table))) is not None and found.payload
    ]
    return {chain.table: chain for chain in await asyncio.gather(*reads) if chain is not None}


async def _read_up_to(
    engine: Engine, insistence: Insistence, table: TableId, newest: int, until: float
) -> Chain | None:
    """Read a table with at least the message of a sequence; None if it was deleted meanwhile. Raises JournalError."""
    subject = subject_of_table(table)
    while True:
        chain = Chain(table)
        try:
            async for message in engine.read_from(1, subject):
                if message.payload:
                    chain.take_message(message.sequence, message.payload)
                else:
                    chain = Chain(table)
        except NoAnswer:
            await insistence.wait_to_retry(until)
            continue
        if chain.mark.sequence >= newest:
            return chain
        # A replica that is behind is asked again.
        await insistence.wait_to_retry(until)
        last = (await insistence.read_last([subject], until)).get(subject)
        if last is None or not last.payload:
            return None
        newest = last.sequence


_LOOKED_AT_ONCE: Final = 100
"""Tables that are read together when a hole is looked for."""


class TableMender:
    """Finds the tables of which the engine has lost messages when a node takes over, and writes them afresh.

    A table that this node has read is whole, or its seals would not follow each other. To refuse it would cost players
    a game that nothing is wrong with; to serve it as it is would leave a hole below all further moves, for which the
    next node that starts refuses it.
    """

    def __init__(
        self,
        engine: Engine,
        insistence: Insistence,
        mirror: Mirror,
        writer: FencedWriter,
        report_damage: ReportDamage,
    ) -> None:
        self._engine = engine
        self._insistence = insistence
        self._mirror = mirror
        self._writer = writer
        self._report_damage = report_damage
        self._holed: set[TableId] = set()
        """The tables that nobody has whole, as far as this node has looked."""
        mirror.ends.find_holes = self.find_holes

    async def read_chains(self, tables: Collection[TableId]) -> dict[TableId, Chain]:
        """Read tables as `read_chains` does, and mend those of which a replica has a whole copy. Raises JournalError.

        Of nodes that all serve none takes an epoch: the one that reads a table to serve it mends it.
        """
        chains = await read_chains(self._engine, self._insistence, tables)
        for table, chain in chains.items():
            self._mirror.ends.note_chain(chain)
            if chain.fault and self._writer.has_epoch:
                mended = await self._mend_table(table)
                chains[table] = mended or chain
        return chains

    async def find_holes(self) -> list[TableId]:
        """Return the tables with fewer messages than this node has read or written, and that nobody has whole.

        Those of which a replica has a whole copy are mended, and their owner reads them back at its next write. Raises
        JournalError.
        """
        if not self._writer.has_epoch:
            return []
        # Before the engine is asked: this node's writes since then may not be counted yet.
        known = {**self._mirror.ends.counts}
        counts = await self._engine.count_messages(TABLES)
        short = {table for table, messages in known.items() if counts.get(subject_of_table(table), 0) < messages}
        suspects, holed = sorted(short | self._holed), set[TableId]()
        for start in range(0, len(suspects), _LOOKED_AT_ONCE):
            portion = suspects[start : start + _LOOKED_AT_ONCE]
            chains = await self.read_chains(portion)
            last = await self._engine.read_last([*map(subject_of_table, portion)])
            holed |= {table for table, chain in chains.items() if chain.fault}
            # A deleted table has left a mark, or this node has deleted it meanwhile.
            gone = {table for table in portion if subject_of_table(table) not in last}
            holed |= gone & self._mirror.ends.counts.keys()
            for table in {*portion} - gone - chains.keys():
                self._mirror.ends.forget_table(table)
        self._holed = holed
        return sorted(holed)

    async def _mend_table(self, table: TableId) -> Chain | None:
        """Write a table afresh from a whole copy of a replica; None if there is none, or it cannot be written now."""
        subject = subject_of_table(table)
        counts = await self._insistence.insist_on_read(lambda: self._engine.count_messages(subject))
        last = (await self._insistence.read_last([subject], self._insistence.deadline())).get(subject)
        chain = await self._find_whole(table, counts.get(subject, 0))
        if chain is None or last is None or chain.mark.sequence != last.sequence:
            return None
        return chain if await self._rewrite_table(chain, last.sequence) else None

    async def mend_tables(self) -> None:
        """Compare all tables with those of the engine's leader, and mend differences. Raises JournalError."""
        counts = await self._insistence.insist_on_read(lambda: self._engine.count_messages(TABLES))
        chains = self._mirror.chains
        different = []
        for subject in sorted({*counts, *map(subject_of_table, chains)} - {*self._mirror.deleted}):
            table = table_of(subject)
            assert table is not None, subject
            mine = chains.get(table)
            if mine is None or mine.fault or mine.messages != counts.get(subject, 0):
                different.append(table)
        for start in range(0, len(different), MOST_IN_BATCH):
            await self._mend_portion(different[start : start + MOST_IN_BATCH], counts)

    async def _mend_portion(self, tables: Sequence[TableId], counts: Mapping[str, int]) -> None:
        """Mend some tables at once: users wait for all of them."""
        subjects = {table: subject_of_table(table) for table in tables}
        last = await self._insistence.read_last([*subjects.values()], self._insistence.deadline())
        writes = []
        for table, subject in subjects.items():
            newest = last[subject].sequence if subject in last else 0
            chain = await self._choose_copy(table, counts.get(subject, 0), newest)
            if chain is not None:
                writes.append(self._rewrite_table(chain, newest))
        await asyncio.gather(*writes)

    async def _choose_copy(self, table: TableId, count: int, newest: int) -> Chain | None:
        """Return the copy to be written afresh; None if the engine has the table whole, or nobody has it."""
        mine = self._mirror.chains.get(table)
        if mine is not None and not mine.fault and newest <= mine.mark.sequence:
            return mine
        theirs = await self._find_whole(table, count)
        if theirs is None:
            return None
        self._mirror.take_chain(theirs)
        # Perhaps the former owner has written meanwhile. Else a replica has less than it has acknowledged.
        is_spoilt = mine is None or bool(mine.fault) or theirs.messages < count
        return theirs if is_spoilt and theirs.mark.sequence == newest else None

    async def _find_whole(self, table: TableId, count: int) -> Chain | None:
        """Return the table as a replica has it, with as many messages as the leader; else the longest whole copy."""
        best: Chain | None = None
        for n in range(_READS if self._engine.replicas > 1 else 1):
            found = await read_chain(self._engine, self._insistence, table)
            if found is not None:
                self._mirror.ends.note_chain(found)
            if found is not None and not found.fault and (best is None or found.mark.records > best.mark.records):
                best = found
            if best is not None and best.messages >= count:
                break
            if n and found is not None and found.messages >= count:
                break  # the leader has the same hole: players wait for the other tables meanwhile
        return best

    async def _rewrite_table(self, chain: Chain, newest: int) -> bool:
        """Replace all messages of a table, unless there is another one than the newest by then; returns whether."""
        table = chain.table
        message = make_table_message(table, chain.records, TableMark(), afresh=True)
        payload = msgspec.msgpack.encode(message)
        outgoing = Outgoing(subject_of_table(table), payload, expected=newest, replaces=True)
        try:
            (kept,) = await self._writer.post_job([outgoing])
        except JournalError as error:
            self._report_mending(f"Table {table} has lost messages in the engine of the cluster. {error.message}")
            return False
        chain.note_replacement(message.records, TableMark(kept, len(message.records), message.seal))
        self._mirror.ends.note_append(table, kept, is_first=True)
        self._report_mending(
            f"Table {table} had lost messages in the engine of the cluster; it was written afresh, and is whole again."
        )
        return True

    def _report_mending(self, sentence: str) -> None:
        self._report_damage(Damage(path=self._engine.place.name, reason=sentence))
