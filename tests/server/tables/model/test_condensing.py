"""Condensing of waiting tables, also of older journals without it."""

import msgspec
from msgspec.structs import replace

from scoville_server.tables.actions.condense import MOST_EVENTS, condense_table, has_too_many_records
from scoville_server.tables.actions.enter import FollowMembers, ListCommentator
from scoville_server.tables.actions.join import Join, Joined
from scoville_server.tables.actions.leave import Left
from scoville_server.tables.actions.ready import Ready
from scoville_server.tables.model.records import Record, Reserved
from scoville_server.tables.model.table import Commentator
from scoville_server.tables.state_machine import restore_table
from scoville_shared.ids import Seat, UserId
from scoville_shared.protocol.messages import TableSettings
from tests.support.tables import NOON, any_game, carry_out, join_as, new_table, user_of


def test_an_uncondensed_history_folds_without_memory() -> None:
    table = new_table("heap", 3)
    records: list[Record] = [table.opened]
    for turn in range(10_000):
        records.append(Joined(at_ms=NOON, seat=Seat(1), user=user_of("Ben"), name="Ben", nonce_hash=b"%d" % turn))
        records.append(Left(at_ms=NOON, seat=Seat(1)))
    folded = restore_table(records, any_game)
    assert folded.seq == 20_000
    assert len(folded.recorded_events) <= MOST_EVENTS
    assert folded.recorded_events[-1].event.seq == 20_000
    assert has_too_many_records(folded)
    short = condense_table(folded, NOON)
    assert restore_table(short, any_game).seq == 20_000


def test_commentators_and_claimed_names_outlive_condensing() -> None:
    table = new_table("heap", 3, settings=TableSettings(commentary=True))
    table = carry_out(
        table,
        join_as("Ben"),
        Join(user=user_of("Anna"), name="Anna", claimed=True),
        ListCommentator(user=user_of("Zoe"), name="Zoe", claimed=True),
    )
    again = restore_table(condense_table(table, NOON), any_game)
    assert again.commentators == {user_of("Zoe"): Commentator(name="Zoe", claimed=True)}
    assert again.seats == table.seats
    assert again.seats[1].claimed


def test_few_records_are_left_alone() -> None:
    table = carry_out(new_table("heap", 3), join_as("Anna"), Ready(user=user_of("Anna"), ready=True))
    assert not has_too_many_records(table)
    assert table.dropped == 0


def test_club_members_outlive_condensing() -> None:
    opened = replace(
        new_table("heap", 3, settings=TableSettings(private=True)).opened,
        reserved=Reserved("evening", (user_of("Anna"), user_of("Ben"), UserId(""))),
        admitted=(user_of("Anna"), user_of("Ben")),
    )
    before = restore_table([opened], any_game)
    table = carry_out(before, FollowMembers(members=frozenset({user_of("Anna"), user_of("Carl")})))
    again = restore_table(condense_table(table, NOON), any_game)
    for name, admitted in (("Anna", True), ("Ben", False), ("Carl", True), ("Dora", False)):
        assert table.admits_user(user_of(name)) == again.admits_user(user_of(name)) == admitted, name
    assert (again.members, again.former_members) == ({user_of("Anna"), user_of("Carl")}, {user_of("Ben")})
    assert b"members" not in msgspec.json.encode(condense_table(before, NOON)[1])
