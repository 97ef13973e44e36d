"""Condensing of waiting tables, also of older journals without it."""

from scoville_server.tables.model.commands import Join, ListCommentator, Ready
from scoville_server.tables.model.condense import condensed, remade, too_long
from scoville_server.tables.model.evolve import fold
from scoville_server.tables.model.evolving.counts import MOST_EVENTS
from scoville_server.tables.model.records import AnyRecord, Commentator, Joined, Left
from scoville_shared.ids import Seat
from scoville_shared.protocol.messages import TableSettings
from tests.support.tables import NOON, after, any_game, join, new_table, who


def test_a_history_that_was_never_condensed_is_folded_without_keeping_it() -> None:
    table = new_table("heap", 3)
    records: list[AnyRecord] = [table.opened]
    for turn in range(10_000):
        records.append(Joined(at_ms=NOON, seat=Seat(1), user=who("Ben"), name="Ben", nonce_hash=b"%d" % turn))
        records.append(Left(at_ms=NOON, seat=Seat(1)))
    folded = fold(records, any_game)
    assert folded.seq == 20_000
    assert len(folded.recorded_events) <= MOST_EVENTS
    assert folded.recorded_events[-1].event.seq == 20_000
    assert too_long(folded)
    short = condensed(folded, NOON)
    assert remade(folded, short).seq == 20_000
    assert fold(short, any_game) == remade(folded, short)


def test_commentators_and_claimed_names_outlive_condensing() -> None:
    table = new_table("heap", 3, settings=TableSettings(commentary=True))
    table = after(
        table,
        join("Ben"),
        Join(user=who("Anna"), name="Anna", claimed=True),
        ListCommentator(user=who("Zoe"), name="Zoe", claimed=True),
    )
    again = fold(condensed(table, NOON), any_game)
    assert again.commentators == {who("Zoe"): Commentator(name="Zoe", claimed=True)}
    assert again.seats == table.seats
    assert again.seats[1].claimed


def test_few_records_are_left_alone() -> None:
    table = after(new_table("heap", 3), join("Anna"), Ready(user=who("Anna"), ready=True))
    assert not too_long(table)
    assert table.dropped == 0
