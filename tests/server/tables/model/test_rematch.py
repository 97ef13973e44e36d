"""After a game: a rematch with the same players, or a closed table."""

from functools import reduce

import pytest

from scoville_server.tables.actions.close import Close
from scoville_server.tables.actions.enter import Enter
from scoville_server.tables.actions.kick import Kick
from scoville_server.tables.actions.leave import Leave
from scoville_server.tables.actions.rematch import Rematch
from scoville_server.tables.actions.restart import Restart
from scoville_server.tables.actions.start import Start
from scoville_server.tables.archive.export import export_game
from scoville_server.tables.factory import rematch_records
from scoville_server.tables.model.table import Table
from scoville_server.tables.state_machine import evolve, restore_table
from scoville_shared.ids import TableId
from scoville_shared.protocol.messages import Closed, CountdownStarted, RematchOpened, TableSettings
from scoville_shared.replay import read_game, verify_game
from tests.support.tables import (
    NOON,
    SEED,
    any_game,
    carry_out,
    join_as,
    latest_event,
    open_table,
    play_out,
    records_of,
    refusal_of,
    start_table,
    user_of,
)

NEXT = TableId("t2")
OTHER_SEED = bytes(32)


def again(name: str, table: str = NEXT) -> Rematch:
    return Rematch(user=user_of(name), table=TableId(table))


def next_table(table: Table, requester: str = "Anna") -> Table:
    return restore_table(rematch_records(table, user_of(requester), NEXT, OTHER_SEED, "brave-otter", NOON), any_game)


def game_of(seats: int, *names: str, settings: TableSettings | None = None) -> Table:
    table = carry_out(
        open_table(seats, settings=settings), *(Enter(user=user_of(name)) for name in names), *map(join_as, names)
    )
    return play_out(carry_out(table, Start(user=user_of(names[0]), strength="random")))


def test_the_first_rematch_request_names_the_table() -> None:
    table = game_of(2, "Anna", "Ben")
    assert table.next is None
    moved = carry_out(table, again("Ben"))
    assert (moved.next, latest_event(moved)) == (NEXT, RematchOpened(seq=moved.seq, rematch=NEXT, by="Ben"))
    assert carry_out(moved, again("Anna", "t3")) is moved


def test_only_former_players_rematch_after_the_end() -> None:
    assert refusal_of(game_of(2, "Anna", "Ben"), again("Zoe")) == "not_seated"
    assert refusal_of(start_table("Anna", "Ben"), again("Anna")) == "not_finished"
    left = carry_out(game_of(2, "Anna", "Ben"), Leave(user=user_of("Ben")))
    assert carry_out(left, again("Ben")).next == NEXT


def test_everybody_finds_their_seat_at_the_next_table() -> None:
    table = carry_out(game_of(4, "Anna", "Ben", "Cleo"), Leave(user=user_of("Anna")))
    rematch_records = next_table(table, "Ben")
    assert rematch_records.names == ["", "Ben", "Cleo", ""]
    assert (rematch_records.host, table.host) == (1, 1)
    assert (rematch_records.status, rematch_records.opened.before, rematch_records.opened.code) == (
        "waiting",
        "t1",
        "brave-otter",
    )
    assert rematch_records.opened.options == table.opened.options
    assert rematch_records.opened.seed == OTHER_SEED
    assert next_table(table, "Anna").names == ["Anna", "Ben", "Cleo", ""]


def test_the_next_table_admits_the_same_users() -> None:
    table = game_of(3, "Anna", "Ben", "Cleo", settings=TableSettings(private=True))
    table = carry_out(table, Enter(user=user_of("Zoe")), Leave(user=user_of("Ben")))
    table = carry_out(table, Kick(user=user_of("Anna"), whom=user_of("Cleo"), name="Cleo", reason="rude"))
    rematch_records = next_table(table)
    assert [rematch_records.admits_user(user_of(name)) for name in ("Anna", "Ben", "Zoe", "Cleo", "Yuri")] == [
        True
    ] * 3 + [False] * 2
    assert refusal_of(rematch_records, join_as("Cleo")) == "kicked"


def test_shares_of_the_chance_are_given_once_more() -> None:
    rematch_records = next_table(game_of(2, "Anna", "Ben"))
    assert [seat_state.nonce_hash for seat_state in rematch_records.seats] == [b"", b""]
    assert [
        seat_state.nonce_hash for seat_state in carry_out(rematch_records, join_as("Ben", nonce_hash=b"new")).seats
    ] == [
        b"",
        b"new",
    ]


def test_a_default_rematch_belongs_to_its_requester() -> None:
    opened = next_table(game_of(2, "Anna", "Ben"), "Ben").opened
    assert (opened.user, opened.creator) == (user_of("Ben"), "Ben")
    mine = carry_out(
        open_table(2, creator="Anna"), join_as("Anna"), join_as("Ben"), Start(user=user_of("Anna"), strength="random")
    )
    assert next_table(play_out(mine), "Ben").opened.creator == "Anna"


def test_a_full_rematch_counts_down() -> None:
    table = next_table(game_of(2, "Anna", "Ben", settings=TableSettings(start="full", countdown_ms=5000)))
    begun = carry_out(table, Restart())
    assert latest_event(begun) == CountdownStarted(seq=begun.seq, starts_in_ms=5_000, reason="full")


def test_the_rotated_deal_of_chilli_chase_is_recorded() -> None:
    def begun(table: Table) -> Table:
        return carry_out(table, Start(user=user_of("Anna"), strength="greedy"))

    first = begun(carry_out(open_table(3, "chilli_chase"), join_as("Anna"), join_as("Ben")))
    second = begun(next_table(play_out(first)))
    assert second.state.board.dealer == (first.state.board.dealer + 1) % 3
    lines = export_game(play_out(second))
    assert isinstance(lines, list)
    exported = read_game(lines)
    assert exported.header.dealer == second.state.board.dealer
    assert verify_game(exported).verified


@pytest.mark.parametrize("table", [open_table(2), start_table("Anna", "Ben"), game_of(2, "Anna", "Ben")])
def test_a_closed_table_says_why(table: Table) -> None:
    closed = carry_out(table, Close(reason="Good night."))
    assert (closed.closed, latest_event(closed)) == ("Good night.", Closed(seq=closed.seq, reason="Good night."))
    assert (closed.is_over, closed.pending, closed.bots_due) == (True, [], [])
    assert refusal_of(closed, join_as("Zoe")) == "unknown_table"
    assert carry_out(closed, Close(reason="Again.")) is closed


def test_an_exported_game_reveals_nothing_of_doors() -> None:
    table = open_table(2, password=b"a salted hash", code="brave-otter", creator="Anna")
    table = carry_out(
        table, Enter(user=user_of("person-zoe")), join_as("Anna"), Start(user=user_of("Anna"), strength="random")
    )
    table = play_out(
        carry_out(table, Kick(user=user_of("Anna"), whom=user_of("person-yuri"), name="Yuri", reason="rude"))
    )
    lines = export_game(carry_out(table, again("Anna"), Close(reason="Good night.")))
    assert isinstance(lines, list)
    for secret in ("salted", "otter", "user", "Yuri", "rude", "t2", "Good night"):
        assert secret not in "".join(lines)


def test_records_of_a_life_fold_into_its_table() -> None:
    table = open_table(2, settings=TableSettings(private=True))
    records = [table.opened]
    for command in (
        Enter(user=user_of("Ben")),
        join_as("Anna"),
        join_as("Ben", nonce_hash=b"b"),
        join_as("Ben", nonce_hash=b"c"),
    ):
        made = records_of(table, command)
        records, table = [*records, *made], reduce(evolve, made, table)
    assert restore_table(records, any_game) == table
    assert [seat_state.nonce_hash for seat_state in table.seats] == [b"", b"c"]
    assert table.opened.seed == SEED
