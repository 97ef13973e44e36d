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
from tests.support.tables import after, any_game, finished, join, join_drawn, new_table, refusal, reveal, who

START = Start(user=who("Anna"), strength="random")
LATE = REVEAL_MS / 1000


def seated(*names: str, seats: int = 2, settings: TableSettings | None = None) -> Table:
    """Seat players who have each committed to their name as nonce; Zoe commits to none."""
    table = new_table(seats=seats, settings=settings)
    return after(table, *(join(n) if n == "Zoe" else join_drawn(table, n, n.encode()) for n in names))


def last_event(table: Table) -> object:
    return table.recorded_events[-1].event


def test_a_start_requests_the_nonces_and_publishes_all_hashes() -> None:
    table = after(seated("Anna", "Zoe", seats=3), START)
    hashes = [nonce_hash("t1", b"Anna").hex(), None, None]
    assert last_event(table) == NoncesRequested(seq=3, nonce_hashes=hashes, starts_in_ms=REVEAL_MS)
    assert (table.status, table.state) == ("waiting", None)
    assert after(table, START) is table, "a second start changes nothing"


def test_the_last_reveal_deals() -> None:
    table = after(seated("Anna", "Ben", seats=3), START, reveal("Ben", b"Ben"))
    assert table.status == "waiting"
    assert table.unrevealed_seats == [0]
    assert after(table, reveal("Ben", b"Ben")) is table
    dealt = after(table, reveal("Anna", b"Anna"))
    started = last_event(dealt)
    assert isinstance(started, Started)
    assert started.nonces == [b"Anna".hex(), b"Ben".hex(), None]
    assert started.missing == []
    lines = export_game(finished(dealt))
    assert isinstance(lines, list)
    assert verify_game(read_game(lines), any_game).verified


def test_no_nonce_is_published_before_the_deal() -> None:
    table = after(seated("Anna", "Ben"), START, reveal("Ben", b"Ben"))
    assert b"Ben".hex() not in str([recorded.event for recorded in table.recorded_events])


def test_a_game_without_nonces_starts_at_once() -> None:
    assert after(seated("Zoe", seats=2), Start(user=who("Zoe"), strength="random")).status == "playing"


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (reveal("Anna", b"another"), "wrong_nonce"),
        (reveal("Cleo", b"Cleo"), "not_seated"),
        (join("Cleo"), "already_started"),
        (Ready(user=who("Anna"), ready=True), "already_started"),
    ],
)
def test_commands_refused_while_nonces_are_revealed(command: Reveal, code: str) -> None:
    assert refusal(after(seated("Anna", "Ben", seats=3), START), command) == code


def test_a_nonce_is_refused_before_it_is_requested() -> None:
    assert refusal(seated("Anna", "Ben"), reveal("Anna", b"Anna")) == "not_requested"


def test_a_hash_counts_until_the_nonces_are_requested() -> None:
    table = after(seated("Anna", "Ben"), START)
    assert after(table, join_drawn(table, "Anna", b"better")) is table


def test_a_missing_nonce_voids_the_start_of_a_rated_game() -> None:
    table = after(seated("Anna", "Ben"), Ready(user=who("Ben"), ready=True), START, reveal("Anna", b"Anna"))
    assert after(table, AutoStart(), seconds=LATE - 1) is table
    void = after(table, AutoStart(), seconds=LATE)
    assert last_event(void) == StartVoided(seq=table.seq + 1, missing=[1], reason="missing")
    assert (void.status, void.revealing, void.ready) == ("waiting", None, frozenset())
    assert [(seat_state.nonce_hash, seat_state.nonce) for seat_state in void.seats] == [(b"", b"")] * 2


def test_after_a_void_start_new_nonces_are_needed() -> None:
    table = after(seated("Anna", "Ben"), START, reveal("Anna", b"Anna"))
    void = after(table, AutoStart(), seconds=LATE)
    assert void.redrawing == {0}, "nobody waits for a seat that withheld its nonce"
    later = LATE + REDRAW_MS / 1000
    assert after(void, START, seconds=later).status == "playing", "but not for ever"
    drawn = after(void, join_drawn(void, "Anna", b"new"), join_drawn(void, "Ben", b"newer"), START, seconds=LATE)
    assert isinstance(last_event(drawn), NoncesRequested)
    dealt = after(drawn, reveal("Anna", b"new"), reveal("Ben", b"newer"), seconds=LATE)
    assert dealt.status == "playing"
    assert refusal(void, START) == "redrawing"


def test_a_user_who_withholds_a_nonce_twice_loses_the_seat() -> None:
    table = after(seated("Anna", "Ben"), START, reveal("Anna", b"Anna"))
    void = after(table, AutoStart(), seconds=LATE)
    again = after(void, join_drawn(void, "Anna", b"a"), join_drawn(void, "Ben", b"b"), START, seconds=LATE)
    again = after(again, reveal("Anna", b"a"), seconds=LATE)
    out = after(again, AutoStart(), seconds=2 * LATE)
    assert last_event(out) == Left(seq=out.seq, seat=1, name="Ben", host=0, reason="absent")
    assert out.names == ["Anna", ""]


@pytest.mark.parametrize(
    ("seats", "settings"), [(3, None), (2, TableSettings(rated=False)), (2, TableSettings(private=True))]
)
def test_other_games_start_without_a_missing_nonce_and_say_so(seats: int, settings: TableSettings | None) -> None:
    table = new_table(seats=seats, settings=settings)
    from scoville_server.tables.actions.enter import Enter

    users = ("Anna", "Ben")
    table = after(table, *(Enter(user=who(name)) for name in users))
    table = after(table, *(join_drawn(table, name, name.encode()) for name in users), START, reveal("Anna", b"Anna"))
    dealt = after(table, AutoStart(), seconds=LATE)
    started = last_event(dealt)
    assert isinstance(started, Started)
    assert started.nonces[:2] == [b"Anna".hex(), None]
    assert started.missing == [1]
    lines = export_game(finished(dealt))
    assert isinstance(lines, list)
    header = read_game(lines).header
    assert header.nonce_hashes[1] == nonce_hash("t1", b"Ben").hex()
    assert verify_game(read_game(lines), any_game).verified


@pytest.mark.parametrize(
    "command",
    [
        Leave(user=who("Ben")),
        Leave(user=who("Ben"), reason="absent"),
        Kick(user=who("Anna"), whom=who("Ben"), name="Ben"),
    ],
)
def test_leaving_during_reveals_voids_the_start(command: Leave | Kick) -> None:
    table = after(seated("Anna", "Ben", seats=3), START)
    gone = after(table, command)
    assert gone.recorded_events[-2].event == StartVoided(seq=table.seq + 1, missing=[1], reason="left")
    assert gone.names == ["Anna", "", ""]
    assert gone.revealing is None


def test_an_automatic_start_requests_the_nonces_too() -> None:
    table = seated("Anna", "Ben", settings=TableSettings(start="full", countdown_ms=1000))
    begun = after(table, AutoStart(), seconds=1)
    assert isinstance(last_event(begun), NoncesRequested)
    assert begun.countdown is None
    assert after(begun, reveal("Anna", b"Anna"), reveal("Ben", b"Ben")).status == "playing"


def test_after_a_restart_there_is_all_the_time_to_reveal() -> None:
    table = after(seated("Anna", "Ben"), START)
    back = after(table, Restart(), seconds=1_000)
    assert after(back, AutoStart(), seconds=1_000 + LATE - 1) is back
    assert after(back, reveal("Anna", b"Anna"), reveal("Ben", b"Ben"), seconds=1_001).status == "playing"
