"""What a journal keeps: every record comes back as it was, and those of earlier days still open a table."""

import msgspec
import pytest

from scoville_server.tables.model.evolve import fold
from scoville_server.tables.model.records import (
    Admitted,
    AnyRecord,
    Closed,
    CountdownCancelled,
    CountdownStarted,
    HostChanged,
    Kicked,
    Left,
    NonceGiven,
    Opened,
    ReadyChanged,
    RematchOpened,
    pack,
    unpack,
)
from scoville_shared.ids import Seat, TableId, UserId
from scoville_shared.protocol.messages import Manners
from tests.support.tables import NOON, SEED, any_game

ANNA = UserId("anna")

FIRST_DAYS = [
    {
        "record": "opened", "at_ms": NOON, "table": "t1", "game": "high_card", "rules_version": 1,
        "options": {"rounds": 3}, "seats": 2, "seed": SEED, "person": "anna",
    },
    {"record": "sat_down", "at_ms": NOON, "seat": 0, "person": "anna", "name": "Anna", "nonce": b"n"},
    {"record": "dealt", "at_ms": NOON, "strength": "random", "bots": {1: "Ada"}},
    {"record": "got_up", "at_ms": NOON, "seat": 0},
]  # fmt: skip
"""Records as they were written before a table had manners."""


@pytest.mark.parametrize(
    "record",
    [
        Opened(
            at_ms=NOON, table=TableId("t2"), game="heap", rules_version=1, options={}, seats=2, seed=SEED, person=ANNA,
            manners=Manners(private=True, start="ready", fill=30), code="brave-otter", password=b"hash", opener="Anna",
            before=TableId("t1"), dealer=Seat(1), admitted=(ANNA,), barred={UserId("ben"): "rude"},
        ),
        Admitted(at_ms=NOON, person=ANNA),
        NonceGiven(at_ms=NOON, seat=Seat(1), nonce=b"share"),
        Left(at_ms=NOON, seat=Seat(1), why="absent"),
        Kicked(at_ms=NOON, person=ANNA, name="Anna", seat=None, reason="rude"),
        HostChanged(at_ms=NOON, seat=Seat(1), why="idle"),
        ReadyChanged(at_ms=NOON, seat=Seat(1), ready=True),
        CountdownStarted(at_ms=NOON, until_ms=NOON + 5_000, why="full"),
        CountdownCancelled(at_ms=NOON),
        RematchOpened(at_ms=NOON, table=TableId("t2"), by="Anna"),
        Closed(at_ms=NOON, reason="Good night."),
    ],
    ids=lambda record: type(record).__name__,
)  # fmt: skip
def test_a_record_comes_back_as_it_was(record: AnyRecord) -> None:
    assert unpack(pack(record)) == record


def test_a_journal_from_before_tables_had_manners_still_opens() -> None:
    table = fold([unpack(msgspec.msgpack.encode(record)) for record in FIRST_DAYS], any_game)
    assert table.opened.manners == Manners()
    assert (table.status, table.host, table.nonces) == ("playing", None, [b"n", b""])
    assert table.admits(UserId("zoe"))
    assert not table.locked
