"""Commitments of nonces: requested, revealed, and a void start when one is missing."""

import pytest

from scoville_server.tables.actions.kick import Kick
from scoville_server.tables.actions.leave import Leave
from scoville_server.tables.actions.ready import Ready
from scoville_server.tables.actions.restart import Restart
from scoville_server.tables.actions.start import REVEAL_MS, AutoStart, Reveal, Start
from scoville_server.tables.actions.void_start import REDRAW_MS
from scoville_server.tables.archive.export import export_game
from scoville_server.tables.model.table import Table
from scoville_shared.engine.dice import nonce_hash
from scoville_shared.protocol.messages import Left, NoncesRequested, Started, StartVoided, TableSettings
from scoville_shared.replay import read_game, verify_game
from tests.support.tables import (
    any_game,
    carry_out,
    join_as,
    join_drawn,
    new_table,
    play_out,
    refusal_of,
    reveal_as,
    user_of,
)

START = Start(user=user_of("Anna"), strength="random")
LATE = REVEAL_MS / 1000


def seated(*names: str, seats: int = 2, settings: TableSettings | None = None) -> Table:
    """Seat players who have each committed to their name as nonce; Zoe commits to none."""
    table = new_table(seats=seats, settings=settings)
    return carry_out(table, *(join_as(n) if n == "Zoe" else join_drawn(table, n, n.encode()) for n in names))


def last_event(table: Table) -> object:
    return table.recorded_events[-1].event


def test_a_start_requests_the_nonces_and_publishes_all_hashes() -> None:
    table = carry_out(seated("Anna", "Zoe", seats=3), START)
    hashes = [nonce_hash("t1", b"Anna").hex(), None, None]
    assert last_event(table) == NoncesRequested(seq=3, nonce_hashes=hashes, starts_in_ms=REVEAL_MS)
    assert (table.status, table.state) == ("waiting", None)
    assert carry_out(table, START) is table, "a second start changes nothing"


def test_the_last_reveal_deals() -> None:
    table = carry_out(seated("Anna", "Ben", seats=3), START, reveal_as("Ben", b"Ben"))
    assert table.status == "waiting"
    assert table.unrevealed_seats == [0]
    assert carry_out(table, reveal_as("Ben", b"Ben")) is table
    dealt = carry_out(table, reveal_as("Anna", b"Anna"))
    started = last_event(dealt)
    assert isinstance(started, Started)
    assert started.nonces == [b"Anna".hex(), b"Ben".hex(), None]
    assert started.missing == []
    lines = export_game(play_out(dealt))
    assert isinstance(lines, list)
    assert verify_game(read_game(lines), any_game).verified


def test_no_nonce_is_published_before_the_deal() -> None:
    table = carry_out(seated("Anna", "Ben"), START, reveal_as("Ben", b"Ben"))
    assert b"Ben".hex() not in str([recorded.event for recorded in table.recorded_events])


def test_a_game_without_nonces_starts_at_once() -> None:
    assert carry_out(seated("Zoe", seats=2), Start(user=user_of("Zoe"), strength="random")).status == "playing"


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (reveal_as("Anna", b"another"), "wrong_nonce"),
        (reveal_as("Cleo", b"Cleo"), "not_seated"),
        (join_as("Cleo"), "already_started"),
        (Ready(user=user_of("Anna"), ready=True), "already_started"),
    ],
)
def test_commands_refused_while_nonces_are_revealed(command: Reveal, code: str) -> None:
    assert refusal_of(carry_out(seated("Anna", "Ben", seats=3), START), command) == code


def test_a_nonce_is_refused_before_it_is_requested() -> None:
    assert refusal_of(seated("Anna", "Ben"), reveal_as("Anna", b"Anna")) == "not_requested"


def test_a_hash_counts_until_the_nonces_are_requested() -> None:
    table = carry_out(seated("Anna", "Ben"), START)
    assert carry_out(table, join_drawn(table, "Anna", b"better")) is table


def test_a_missing_nonce_voids_the_start_of_a_rated_game() -> None:
    table = carry_out(seated("Anna", "Ben"), Ready(user=user_of("Ben"), ready=True), START, reveal_as("Anna", b"Anna"))
    assert carry_out(table, AutoStart(), seconds=LATE - 1) is table
    void = carry_out(table, AutoStart(), seconds=LATE)
    assert last_event(void) == StartVoided(seq=table.seq + 1, missing=[1], reason="missing")
    assert (void.status, void.revealing, void.ready) == ("waiting", None, frozenset())
    assert [(seat_state.nonce_hash, seat_state.nonce) for seat_state in void.seats] == [(b"", b"")] * 2


def test_after_a_void_start_new_nonces_are_needed() -> None:
    table = carry_out(seated("Anna", "Ben"), START, reveal_as("Anna", b"Anna"))
    void = carry_out(table, AutoStart(), seconds=LATE)
    assert void.redrawing == {0}, "nobody waits for a seat that withheld its nonce"
    later = LATE + REDRAW_MS / 1000
    assert carry_out(void, START, seconds=later).status == "playing", "but not for ever"
    drawn = carry_out(void, join_drawn(void, "Anna", b"new"), join_drawn(void, "Ben", b"newer"), START, seconds=LATE)
    assert isinstance(last_event(drawn), NoncesRequested)
    dealt = carry_out(drawn, reveal_as("Anna", b"new"), reveal_as("Ben", b"newer"), seconds=LATE)
    assert dealt.status == "playing"
    assert refusal_of(void, START) == "redrawing"


def test_a_user_who_withholds_a_nonce_twice_loses_the_seat() -> None:
    table = carry_out(seated("Anna", "Ben"), START, reveal_as("Anna", b"Anna"))
    void = carry_out(table, AutoStart(), seconds=LATE)
    again = carry_out(void, join_drawn(void, "Anna", b"a"), join_drawn(void, "Ben", b"b"), START, seconds=LATE)
    again = carry_out(again, reveal_as("Anna", b"a"), seconds=LATE)
    out = carry_out(again, AutoStart(), seconds=2 * LATE)
    assert last_event(out) == Left(seq=out.seq, seat=1, name="Ben", host=0, reason="absent")
    assert out.names == ["Anna", ""]


@pytest.mark.parametrize(
    ("seats", "settings"), [(3, None), (2, TableSettings(rated=False)), (2, TableSettings(private=True))]
)
def test_other_games_start_without_a_missing_nonce_and_say_so(seats: int, settings: TableSettings | None) -> None:
    table = new_table(seats=seats, settings=settings)
    from scoville_server.tables.actions.enter import Enter

    users = ("Anna", "Ben")
    table = carry_out(table, *(Enter(user=user_of(name)) for name in users))
    table = carry_out(
        table, *(join_drawn(table, name, name.encode()) for name in users), START, reveal_as("Anna", b"Anna")
    )
    dealt = carry_out(table, AutoStart(), seconds=LATE)
    started = last_event(dealt)
    assert isinstance(started, Started)
    assert started.nonces[:2] == [b"Anna".hex(), None]
    assert started.missing == [1]
    lines = export_game(play_out(dealt))
    assert isinstance(lines, list)
    header = read_game(lines).header
    assert header.nonce_hashes[1] == nonce_hash("t1", b"Ben").hex()
    assert verify_game(read_game(lines), any_game).verified


@pytest.mark.parametrize(
    "command",
    [
        Leave(user=user_of("Ben")),
        Leave(user=user_of("Ben"), reason="absent"),
        Kick(user=user_of("Anna"), whom=user_of("Ben"), name="Ben"),
    ],
)
def test_leaving_during_reveals_voids_the_start(command: Leave | Kick) -> None:
    table = carry_out(seated("Anna", "Ben", seats=3), START)
    gone = carry_out(table, command)
    assert gone.recorded_events[-2].event == StartVoided(seq=table.seq + 1, missing=[1], reason="left")
    assert gone.names == ["Anna", "", ""]
    assert gone.revealing is None


def test_an_automatic_start_requests_the_nonces_too() -> None:
    table = seated("Anna", "Ben", settings=TableSettings(start="full", countdown_ms=1000))
    begun = carry_out(table, AutoStart(), seconds=1)
    assert isinstance(last_event(begun), NoncesRequested)
    assert begun.countdown is None
    assert carry_out(begun, reveal_as("Anna", b"Anna"), reveal_as("Ben", b"Ben")).status == "playing"


def test_after_a_restart_there_is_all_the_time_to_reveal() -> None:
    table = carry_out(seated("Anna", "Ben"), START)
    back = carry_out(table, Restart(), seconds=1_000)
    assert carry_out(back, AutoStart(), seconds=1_000 + LATE - 1) is back
    assert carry_out(back, reveal_as("Anna", b"Anna"), reveal_as("Ben", b"Ben"), seconds=1_001).status == "playing"
