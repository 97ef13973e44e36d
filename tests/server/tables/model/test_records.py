"""Records survive packing, and older ones still open a table."""

import json
from pathlib import Path

import pytest

from scoville_server.tables.actions.close import Closed
from scoville_server.tables.actions.countdown import CountdownCancelled, CountdownStarted
from scoville_server.tables.actions.enter import Entered
from scoville_server.tables.actions.join import NonceReplaced
from scoville_server.tables.actions.kick import Kicked
from scoville_server.tables.actions.leave import Left
from scoville_server.tables.actions.ready import ReadyChanged
from scoville_server.tables.actions.rematch import RematchOpened
from scoville_server.tables.actions.transfer_host import HostTransferred
from scoville_server.tables.model.records import Created, Record
from scoville_server.tables.state_machine import RECORD_TYPES, pack_record, restore_table, unpack_record
from scoville_shared.ids import Seat, TableId, UserId
from scoville_shared.protocol.messages import TableSettings
from tests.support.tables import NOON, SEED, any_game

ANNA = UserId("anna")
KEPT = json.loads((Path(__file__).parent / "records_0_1.json").read_text(encoding="utf-8"))
"""Records as version 0.1 wrote them, one of each kind, and those of a whole table: later versions must read them."""


@pytest.mark.parametrize(
    "record",
    [
        Created(
            at_ms=NOON, table=TableId("t2"), game="heap", rules_version=1, options={}, seat_count=2, seed=SEED,
            user=ANNA,
            settings=TableSettings(private=True, start="ready", fill_ms=30_000), code="brave-otter", password=b"hash",
            creator="Anna",
            before=TableId("t1"), dealer=Seat(1), admitted=(ANNA,), watch_refusal={UserId("ben"): "rude"},
        ),
        Entered(at_ms=NOON, user=ANNA),
        NonceReplaced(at_ms=NOON, seat=Seat(1), nonce_hash=b"share"),
        Left(at_ms=NOON, seat=Seat(1), reason="absent"),
        Kicked(at_ms=NOON, user=ANNA, name="Anna", seat=None, reason="rude"),
        HostTransferred(at_ms=NOON, seat=Seat(1), reason="idle"),
        ReadyChanged(at_ms=NOON, seat=Seat(1), ready=True),
        CountdownStarted(at_ms=NOON, until_ms=NOON + 5_000, reason="full"),
        CountdownCancelled(at_ms=NOON),
        RematchOpened(at_ms=NOON, rematch=TableId("t2"), by="Anna"),
        Closed(at_ms=NOON, reason="Good night."),
    ],
    ids=lambda record: type(record).__name__,
)  # fmt: skip
def test_a_record_comes_back_as_it_was(record: Record) -> None:
    assert unpack_record(pack_record(record)) == record


def test_records_of_version_0_1_keep_their_bytes() -> None:
    assert set(KEPT["kinds"]) == {record.__struct_config__.tag for record in RECORD_TYPES}
    for packed in map(bytes.fromhex, KEPT["kinds"].values()):
        assert pack_record(unpack_record(packed)) == packed


def test_a_table_of_version_0_1_is_restored() -> None:
    table = restore_table([unpack_record(bytes.fromhex(packed)) for packed in KEPT["table"]], any_game)
    assert (table.opened.game, table.status, len(table.moves)) == ("heap", "finished", 4)
