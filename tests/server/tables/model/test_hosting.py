"""The host: kicks, transfers the role, and is replaced when idle."""

import pytest

from scoville_server.tables.actions.kick import MOST_KICKED, Kick
from scoville_server.tables.actions.leave import Leave
from scoville_server.tables.actions.ready import Ready
from scoville_server.tables.actions.rematch import Rematch
from scoville_server.tables.actions.start import Start
from scoville_server.tables.actions.transfer_host import ReplaceIdleHost, TransferHost
from scoville_server.tables.model.table import Table
from scoville_shared.ids import TableId
from scoville_shared.protocol.messages import HostTransferred, Kicked
from tests.support.tables import (
    carry_out,
    join_as,
    latest_event,
    open_table,
    play_out,
    refusal_of,
    start_table,
    user_of,
)


def kicks(whom: str, by: str = "Anna", reason: str = "") -> Kick:
    return Kick(user=user_of(by), whom=user_of(whom), name=whom, reason=reason)


def idle(minutes: float, *here: str) -> ReplaceIdleHost:
    return ReplaceIdleHost(after_ms=round(minutes * 60_000), here=frozenset(map(user_of, here)))


def seated(*names: str) -> Table:
    return carry_out(open_table(max(3, len(names))), *map(join_as, names))


def test_a_seat_from_which_somebody_was_sent_is_open_again() -> None:
    table = carry_out(seated("Anna", "Ben"), kicks("Ben", reason="not now"))
    assert table.names == ["Anna", "", ""]
    assert latest_event(table) == Kicked(seq=table.seq, seat=1, name="Ben", reason="not now", host=0)
    assert refusal_of(table, join_as("Ben")) == "kicked"
    assert carry_out(table, kicks("Ben")) is table


def test_hosts_kick_no_player_of_a_running_game() -> None:
    table = start_table("Anna", "Ben", "Cleo")
    assert refusal_of(table, kicks("Ben")) == "vote_needed"
    assert refusal_of(carry_out(table, Leave(user=user_of("Ben"))), kicks("Ben")) == "vote_needed"
    assert carry_out(table, kicks("Zoe")).kicked == {user_of("Zoe"): ""}, "a spectator is the host's business"
    assert refusal_of(table, kicks("Zoe", by="Ben")) == "not_host"


def test_after_the_game_the_host_kicks_again() -> None:
    table = carry_out(play_out(start_table("Anna", "Ben")), kicks("Ben"))
    assert latest_event(table) == Kicked(seq=table.seq, seat=1, name="Ben", reason=None, host=0)
    assert refusal_of(table, Rematch(user=user_of("Ben"), table=TableId("t2"))) == "not_seated"
    assert table.voted_out == frozenset(), "it was over"


def test_a_spectator_can_be_kicked() -> None:
    table = carry_out(seated("Anna"), kicks("Zoe"))
    assert latest_event(table) == Kicked(seq=table.seq, seat=None, name="Zoe", reason=None, host=0)
    assert not table.admits_user(user_of("Zoe"))


def test_only_the_host_kicks_and_nobody_themselves() -> None:
    table = seated("Anna", "Ben")
    assert refusal_of(table, kicks("Anna", by="Ben")) == "not_host"
    assert refusal_of(table, kicks("Ben", by="Zoe")) == "not_seated"
    assert refusal_of(table, kicks("Anna")) == "not_allowed"


def test_a_table_kicks_so_many() -> None:
    table = carry_out(seated("Anna"), *(kicks(f"guest {n}") for n in range(MOST_KICKED)))
    assert refusal_of(table, kicks("one more")) == "too_many"


def test_a_host_makes_another_user_the_host() -> None:
    table = carry_out(seated("Anna", "Ben"), TransferHost(user=user_of("Anna"), seat=1))
    assert latest_event(table) == HostTransferred(seq=table.seq, host=1, reason="given")
    assert refusal_of(table, TransferHost(user=user_of("Anna"), seat=0)) == "not_host"
    assert carry_out(table, Start(user=user_of("Ben"), strength="random")).status == "playing"


@pytest.mark.parametrize("seat", [2, 3])
def test_only_a_user_is_made_the_host(seat: int) -> None:
    assert refusal_of(seated("Anna", "Ben"), TransferHost(user=user_of("Anna"), seat=seat)) == "bad_seats"


def test_transfer_to_the_present_host_changes_nothing() -> None:
    table = seated("Anna", "Ben")
    assert carry_out(table, TransferHost(user=user_of("Anna"), seat=0)) is table


def test_an_idle_host_is_replaced_by_a_present_user() -> None:
    table = seated("Anna", "Ben", "Cleo")
    assert carry_out(table, idle(5, "Ben", "Cleo"), seconds=299) is table
    assert carry_out(table, idle(5, "Anna"), seconds=300) is table, "nobody else is here"
    table = carry_out(table, idle(5, "Anna", "Cleo"), seconds=300)
    assert latest_event(table) == HostTransferred(seq=table.seq, host=2, reason="idle")
    assert carry_out(table, idle(5, "Anna", "Ben"), seconds=301) is table, "the new host has time as well"


def test_only_the_hosts_actions_keep_the_host() -> None:
    table = carry_out(seated("Anna"), join_as("Ben"), seconds=200)
    table = carry_out(table, Ready(user=user_of("Ben"), ready=True), seconds=250)
    assert carry_out(table, idle(5, "Ben"), seconds=300).host == 1
    table = carry_out(table, Ready(user=user_of("Anna"), ready=True), seconds=290)
    assert carry_out(table, idle(5, "Ben"), seconds=300).host == 0


def test_to_sit_down_does_not_count_as_doing_something() -> None:
    table = carry_out(seated("Anna"), join_as("Ben"), Leave(user=user_of("Ben")), join_as("Cleo"), seconds=200)
    assert table.acted_ms == seated("Anna").acted_ms
    assert carry_out(table, Ready(user=user_of("Cleo"), ready=True), seconds=210).acted_ms == table.acted_ms + 210_000


def test_the_host_of_a_running_game_is_not_replaced() -> None:
    assert carry_out(start_table("Anna", "Ben"), idle(5, "Ben"), seconds=1_000).host == 0
