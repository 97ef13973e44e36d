"""Restoring tables from their records after a restart."""

import gc
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from msgspec import MsgspecError

from scoville_server.tables.model.records import Created, Record
from scoville_server.tables.model.table import Table
from scoville_server.tables.record_log import unpack_record
from scoville_server.tables.state_machine import restore_table
from scoville_shared.engine.codec import CodecError
from scoville_shared.engine.contract import AnyGame
from scoville_shared.ids import TableId

_log = logging.getLogger(__name__)

FindGame = Callable[[str], AnyGame]


def restore_tables(stored: Mapping[TableId, Sequence[bytes]], find_game: FindGame) -> list[Table]:
    """Restore the stored tables, oldest first; one that fails is logged, and its records stay as they are."""
    found = (_restore_table(table, records, find_game) for table, records in stored.items())
    return sorted((table for table in found if table is not None), key=lambda table: table.opened.at_ms)


@contextmanager
def pause_garbage_collector() -> Iterator[None]:
    """Pause the garbage collector while tables are read, and exempt them from it later.

    Tables are values without cycles, so reference counts free them. A collection would take as long as the restoring,
    and would stop a server of a thousand tables for half a second now and then.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if enabled:
            gc.enable()


def _restore_table(table: TableId, packed: Sequence[bytes], find_game: FindGame) -> Table | None:
    try:
        records = [*_unpack_records(packed)]
        _check_rules(records[0], find_game)
        return restore_table(records, find_game)
    except Exception as error:  # noqa: BLE001 - whatever is wrong with one table must not keep the others shut
        _log.error("Table %s cannot be reopened; its records stay in the journal: %s", table, error)
        return None


def _unpack_records(packed: Sequence[bytes]) -> Iterator[Record]:
    """Decode a table's records. Raises ValueError, naming the first one that is not a record of this version."""
    for n, data in enumerate(packed, 1):
        try:
            yield unpack_record(data)
        except (MsgspecError, ValueError) as error:
            raise ValueError(f"its record {n} is not a record of this version of Scoville ({error})") from error


def _check_rules(opened: object, find_game: FindGame) -> None:
    """Raise ValueError for other rules, whose moves would make another game today, and for other options."""
    if isinstance(opened, Created):
        game = find_game(opened.game)
        today = game.info.rules_version
        if opened.rules_version != today:
            raise ValueError(
                f"it was started with version {opened.rules_version} of its rules; this server has version {today}"
            )
        try:
            game.codec.options(opened.options)
        except CodecError as error:
            raise ValueError(f"its record 1 has options that {opened.game} does not have ({error})") from error
