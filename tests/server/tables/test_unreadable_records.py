"""Unreadable records: one sentence with the table and the record, and no other table is affected."""

from collections.abc import Callable
from functools import reduce

import pytest
from msgspec.structs import replace

from scoville_runtime.events import write_event
from scoville_server.journal.base import START, StoredTable
from scoville_server.tables.actions.start import Start
from scoville_server.tables.catalog import GameCatalog
from scoville_server.tables.model.records import Record
from scoville_server.tables.state_machine import evolve, pack_record
from scoville_server.tables.storage import restore_tables
from scoville_shared.ids import TableId
from tests.support.tables import join_as, new_table, records_of, user_of
from tests.support.toys import find_toy


@pytest.mark.parametrize(
    ("n", "spoil"),
    [
        (1, lambda record: record.replace(b"created", b"creased")),
        (1, lambda _: b"\xc1"),
        (2, lambda _: b""),
        (2, lambda _: b"\x92\xa6nobody\x00"),
        (3, lambda record: record[:-1]),
    ],
)
def test_an_undecodable_record_names_table_and_number(
    n: int, spoil: Callable[[bytes], bytes], caplog: pytest.LogCaptureFixture
) -> None:
    good = [pack_record(record) for record in recorded()]
    bad = [spoil(record) if number == n else record for number, record in enumerate(good, 1)]
    stored = {TableId("t1"): StoredTable(good, START), TableId("t2"): StoredTable(bad, START)}
    tables = restore_tables(stored, find_toy, write_event)
    assert [table.id for table in tables] == ["t1"]
    [message] = [record.getMessage() for record in caplog.records]
    assert message.startswith('damage reason="Table t2 cannot be reopened; its records stay in the journal: ')
    assert f"its record {n} " in message
    assert "\n" not in message
    assert all(record.exc_info is None for record in caplog.records)


def recorded() -> list[Record]:
    """The records of a game that has just started."""
    table = new_table(seats=2)
    records: list[Record] = [table.opened]
    for command in (join_as("Anna"), join_as("Ben"), Start(user=user_of("Anna"), strength="random")):
        new = records_of(table, command)
        table = reduce(evolve, new, table)
        records += new
    return records


@pytest.mark.parametrize("turn_limit", [None, 1])
def test_options_of_another_version_are_one_sentence(turn_limit: int | None, caplog: pytest.LogCaptureFixture) -> None:
    game = GameCatalog().find_game("chilli_chase")
    options = {**game.codec.encode_plain(game.codec.decode_options({})), "turn_limit": turn_limit}
    opened = replace(new_table(seats=2).opened, game="chilli_chase", options=options)
    opened = replace(opened, rules_version=game.info.rules_version)
    stored = {TableId("t1"): StoredTable([pack_record(opened)], START)}
    assert restore_tables(stored, GameCatalog().find_game, write_event) == []
    [message] = [record.getMessage() for record in caplog.records]
    assert message.startswith('damage reason="Table t1 cannot be reopened; its records stay in the journal: ')
    assert "\n" not in message
