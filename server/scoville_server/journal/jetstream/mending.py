"""Tables that the engine has lost messages of, and that a node or another replica still has whole."""

from typing import Final

import msgspec

from scoville_server.events import Damage, ReportDamage
from scoville_server.journal.base import JournalError
from scoville_server.journal.jetstream.engine import Engine, NoAnswer, Outgoing
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
    subject = subject_of_table(table)
    until = insistence.deadline()
    while True:
        last = (await insistence.read_last([subject], until)).get(subject)
        if last is None or not last.payload:
            return None
        chain = Chain(table)
        try:
            async for message in engine.read_from(1, subject):
                if message.payload:
                    chain.take_message(message.sequence, message.payload)
                else:
                    chain = Chain(table)
        except NoAnswer:
            await insistence.pause(until)
            continue
        # A replica that is behind is asked again.
        if chain.mark.sequence >= last.sequence:
            return chain
        await insistence.pause(until)


class TableMender:
    """Finds the tables of which the engine has lost messages when a node takes over, and writes them afresh.

    What this node has read before is whole, or its seals would not follow each other. To refuse it would cost players a
    game that nothing is wrong with; to serve it as it is would leave a hole below all further moves, for which the next
    node that starts refuses it.
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

    async def mend_tables(self) -> None:
        """Compare all tables with what the leader of the engine has, and mend what differs. Raises JournalError."""
        counts = await self._insistence.insist(lambda: self._engine.count_messages(TABLES))
        chains = self._mirror.chains
        for subject in sorted({*counts, *map(subject_of_table, chains)} - {*self._mirror.deleted}):
            table = table_of(subject)
            assert table is not None, subject
            mine, count = chains.get(table), counts.get(subject, 0)
            if mine is None or mine.fault or mine.messages != count:
                await self._mend_table(table, mine, count)

    async def _mend_table(self, table: TableId, mine: Chain | None, count: int) -> None:
        theirs = await self._find_whole(table, count)
        known = None if mine is None or mine.fault else mine
        if known is None and theirs is None:
            return
        if theirs is not None and (known is None or theirs.mark.records >= known.mark.records):
            self._mirror.take_chain(theirs)
            # Perhaps the former owner has written meanwhile. Else a replica has less than it has acknowledged.
            if theirs.messages < count or mine is None or mine.fault:
                await self._write_afresh(theirs)
        elif known is not None:
            await self._write_afresh(known)

    async def _find_whole(self, table: TableId, count: int) -> Chain | None:
        """Return the table as a replica has it, with as many messages as the leader; else the longest whole copy."""
        best: Chain | None = None
        for _ in range(_READS if self._engine.replicas > 1 else 1):
            found = await read_chain(self._engine, self._insistence, table)
            if found is not None and not found.fault and (best is None or found.mark.records > best.mark.records):
                best = found
            if best is not None and best.messages >= count:
                break
        return best

    async def _write_afresh(self, chain: Chain) -> None:
        """Replace all messages of a table, unless the engine has newer ones than this copy."""
        subject, table = subject_of_table(chain.table), chain.table
        last = (await self._insistence.read_last([subject], self._insistence.deadline())).get(subject)
        sequence = 0 if last is None else last.sequence
        if sequence > chain.mark.sequence:
            return
        message = make_table_message(table, chain.records, TableMark(), afresh=True)
        outgoing = Outgoing(subject, msgspec.msgpack.encode(message), expected=sequence, replaces=True)
        try:
            (kept,) = await self._writer.post_job([outgoing])
        except JournalError as error:
            self._report(f"Table {table} has lost messages in the engine of the cluster. {error.message}")
            return
        chain.take_afresh(message.records, TableMark(kept, len(message.records), message.seal))
        self._report(
            f"Table {table} had lost messages in the engine of the cluster; it was written afresh, and is whole again."
        )

    def _report(self, sentence: str) -> None:
        self._report_damage(Damage(path=self._engine.place.name, reason=sentence))
