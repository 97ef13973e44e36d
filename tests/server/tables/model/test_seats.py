"""Seats, the host, and the right to start."""

from typing import Literal

import pytest

from scoville_server.tables.actions.condense import condense_table
from scoville_server.tables.actions.join import Join
from scoville_server.tables.actions.leave import Leave
from scoville_server.tables.actions.pause import ResumeDeserted
from scoville_server.tables.actions.play import Play
from scoville_server.tables.actions.start import OF_THE_TABLE, Start
from scoville_server.tables.model.table import Table
from scoville_server.tables.state_machine import restore_table
from scoville_server.tables.watching.project import legal_moves
from scoville_shared.ids import Seat
from scoville_shared.protocol.messages import Joined, Left, Started, TableSettings
from tests.support.tables import (
    NOON,
    any_game,
    carry_out,
    join_as,
    join_drawn,
    new_table,
    play_first,
    refusal_of,
    reveal_as,
    start_table,
    user_of,
)


def kinds(table: Table) -> list[str]:
    return [seat_state.info.kind for seat_state in table.seats]


def test_the_first_to_sit_is_the_host() -> None:
    table = carry_out(new_table(), join_as("Ben", seat=2), join_as("Anna"))
    assert table.names == ["Anna", "", "Ben"]
    assert table.host == 2


def test_a_named_seat_is_given_when_it_is_free() -> None:
    table = carry_out(new_table(), join_as("Anna", seat=1))
    assert table.seat_of(user_of("Anna")) == 1
    assert refusal_of(table, join_as("Ben", seat=1)) == "seat_taken"
    assert refusal_of(table, join_as("Ben", seat=3)) == "bad_seats"


def test_sitting_twice_changes_nothing() -> None:
    table = carry_out(new_table(), join_as("Anna"))
    assert carry_out(table, join_as("Anna")) is table
    assert carry_out(table, join_as("Anna", seat=0)) is table
    assert refusal_of(table, join_as("Anna", seat=2)) == "seat_taken"


def test_a_full_table_takes_nobody() -> None:
    table = carry_out(new_table(seats=2), join_as("Anna"), join_as("Ben"))
    assert refusal_of(table, join_as("Cleo")) == "table_full"


def test_only_the_host_starts_and_only_once() -> None:
    table = carry_out(new_table(), join_as("Anna"), join_as("Ben"))
    assert refusal_of(table, Start(user=user_of("Cleo"), strength="random")) == "not_seated"
    assert refusal_of(table, Start(user=user_of("Ben"), strength="random")) == "not_host"
    started = carry_out(table, Start(user=user_of("Anna"), strength="random"))
    assert refusal_of(started, Start(user=user_of("Anna"), strength="random")) == "already_started"
    assert refusal_of(started, join_as("Cleo")) == "already_started"


def test_bots_with_names_of_their_own_fill_the_open_seats() -> None:
    table = carry_out(new_table(seats=4), join_as("Bot Ada", seat=1), Start(user=user_of("Bot Ada"), strength="greedy"))
    assert kinds(table) == ["bot", "human", "bot", "bot"]
    assert len(set(table.names)) == 4
    assert table.strength == "random", "this toy has no bots of its own"


def test_bots_have_the_tables_level_by_default() -> None:
    settings = TableSettings(bot_level="easy")

    def level(strength: str) -> str:
        table = carry_out(new_table("dicht_dran", 3, settings=settings), join_as("Anna"))
        return carry_out(table, Start(user=user_of("Anna"), strength=strength)).strength

    assert [level(OF_THE_TABLE), level("sensible"), level("greedy")] == ["easy", "sensible", "sensible"]


def test_the_start_shows_nonces_and_pending_seats() -> None:
    empty = new_table(seats=3)
    table = carry_out(empty, join_drawn(empty, "Anna", b"\x01\x02"), Join(user=user_of("Ben"), name="Ben"))
    begun = carry_out(table, Start(user=user_of("Anna"), strength="random"), reveal_as("Anna", b"\x01\x02"))
    started = begun.recorded_events[-1].event
    assert isinstance(started, Started)
    assert started.nonces == ["0102", None, None]
    assert started.pending == [0, 1, 2]


def test_nonces_determine_the_deal() -> None:
    def dealt(nonce: bytes) -> object:
        joined = carry_out(new_table(), join_drawn(new_table(), "Anna", nonce))
        return carry_out(joined, Start(user=user_of("Anna"), strength="random"), reveal_as("Anna", nonce)).state

    assert dealt(b"a") == dealt(b"a")
    assert dealt(b"a") != dealt(b"b")


def test_a_leaving_host_hands_over_clockwise() -> None:
    table = carry_out(new_table(seats=4), join_as("Anna", seat=2), join_as("Ben", seat=1), join_as("Cleo", seat=0))
    left = carry_out(table, Leave(user=user_of("Anna")))
    assert left.host == 0
    assert left.recorded_events[-1].event == Left(seq=4, seat=2, name="Anna", host=0)


def test_leaving_a_waiting_table_frees_the_seat() -> None:
    table = carry_out(new_table(seats=2), join_as("Anna"), join_as("Ben"), Leave(user=user_of("Anna")), join_as("Cleo"))
    assert table.names == ["Cleo", "Ben"]


def test_a_deserted_table_can_be_removed() -> None:
    assert not new_table().is_over
    assert carry_out(new_table(), join_as("Anna"), Leave(user=user_of("Anna"))).is_over


def test_a_bot_keeps_a_leavers_seat() -> None:
    table = carry_out(start_table("Anna", "Ben"), Leave(user=user_of("Ben")))
    assert kinds(table) == ["human", "bot"]
    assert table.bots_due == [1]
    assert refusal_of(table, Play(user=user_of("Ben"), move={"card": 1})) == "not_seated"
    assert refusal_of(table, join_as("Cleo")) == "already_started"
    back = carry_out(table, join_as("Ben", seat=0, nonce_hash=b"another"))
    assert kinds(back) == ["human", "human"]
    assert back.nonces == table.nonces
    taken = back.recorded_events[-1].event
    assert isinstance(taken, Joined)
    assert taken.seat == 1


def test_a_game_that_everybody_has_left_continues_among_bots() -> None:
    table = carry_out(
        start_table("Anna", "Ben"), Leave(user=user_of("Anna")), Leave(user=user_of("Ben")), ResumeDeserted()
    )
    assert table.host is None
    assert table.bots_due == [0, 1]
    assert not table.is_over


@pytest.mark.parametrize("card", [None, "sixty-three", 1.5])
def test_malformed_move_is_refused(card: object) -> None:
    table = start_table("Anna", "Ben")
    assert refusal_of(table, Play(user=user_of("Anna"), move={"card": card})) == "bad_move"
    assert refusal_of(table, Play(user=user_of("Anna"), move={"kard": 1})) == "bad_move"


def test_moves_come_to_started_games_from_those_who_sit_there() -> None:
    waiting = carry_out(new_table(), join_as("Anna"))
    assert refusal_of(waiting, Play(user=user_of("Anna"), move={"card": 1})) == "not_started"
    table = start_table("Anna", "Ben")
    assert refusal_of(table, Play(user=user_of("Zoe"), move={"card": 1})) == "not_seated"


def test_a_refused_move_has_the_games_reason() -> None:
    table = start_table("Anna", "Ben")
    assert refusal_of(table, Play(user=user_of("Anna"), move={"card": 99})) == "card_not_held"
    assert refusal_of(carry_out(table, play_first("Anna", table)), play_first("Anna", table)) == "not_your_turn"


def test_a_late_double_of_a_move_is_refused() -> None:
    table = start_table("Anna", "Ben")
    moved = carry_out(table, play_first("Anna", table, nth=0), play_first("Ben", table, nth=0))
    assert refusal_of(moved, play_first("Anna", moved, nth=0)) == "stale_move"
    assert carry_out(moved, play_first("Anna", moved, nth=1)).played == (2, 1)


def test_bots_nobody_has_heard_of_are_refused() -> None:
    table = carry_out(new_table(), join_as("Anna"))
    assert refusal_of(table, Start(user=user_of("Anna"), strength="grandmaster")) == "bad_params"


def test_a_choice_may_offer_to_be_taken_back() -> None:
    table = carry_out(
        new_table("dicht_dran", 3, take_back=True),
        join_as("Anna"),
        join_as("Ben"),
        Start(user=user_of("Anna"), strength="random"),
    )
    chosen = carry_out(table, lay_first_card(table))
    assert legal_moves(chosen, Seat(0)) == [{"take_back": True}]


def lay_first_card(table: Table) -> Play:
    return Play(user=user_of("Anna"), move=legal_moves(table, Seat(0))[0])


def test_nonces_are_accepted_until_the_deal() -> None:
    table = carry_out(new_table(seats=2), join_as("Anna"), join_as("Ben"))
    given = carry_out(table, join_drawn(table, "Ben", b"ben"))
    assert (given.nonces, given.seq) == ([b"", b""], table.seq), "hashes are published when the nonces are requested"
    assert carry_out(given, join_drawn(table, "Ben", b"ben")) is given
    assert carry_out(given, join_as("Ben")) is given, "none is no new one"
    changed = carry_out(given, join_drawn(table, "Ben", b"other"))
    begun = carry_out(changed, Start(user=user_of("Anna"), strength="random"))
    assert carry_out(begun, join_drawn(table, "Ben", b"late")) is begun
    dealt = carry_out(begun, reveal_as("Ben", b"other"))
    started = dealt.recorded_events[-1].event
    assert isinstance(started, Started)
    assert started.nonces == [None, b"other".hex()]
    assert carry_out(dealt, join_drawn(table, "Ben", b"late")) is dealt


@pytest.mark.parametrize("why", ["left", "absent"])
def test_why_somebody_is_gone_is_reported(why: Literal["left", "absent"]) -> None:
    table = carry_out(start_table("Anna", "Ben"), Leave(user=user_of("Ben"), reason=why))
    assert table.recorded_events[-1].event == Left(seq=table.seq, seat=1, name="Ben", host=0, reason=why)


def test_every_record_moves_the_tables_time() -> None:
    table = carry_out(new_table("high_card", 2), join_as("Anna"), join_as("Ben", 1), seconds=7)
    assert table.latest_ms == NOON + 7_000
    again = restore_table(condense_table(table, NOON + 9_000), any_game)
    assert again.latest_ms == NOON + 9_000
