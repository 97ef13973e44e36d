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
from tests.support.tables import after, finished, join, latest_event, open_table, playing, refusal, who


def kicks(whom: str, by: str = "Anna", reason: str = "") -> Kick:
    return Kick(user=who(by), whom=who(whom), name=whom, reason=reason)


def idle(minutes: float, *here: str) -> ReplaceIdleHost:
    return ReplaceIdleHost(after_ms=round(minutes * 60_000), here=frozenset(map(who, here)))


def seated(*names: str) -> Table:
    return after(open_table(max(3, len(names))), *map(join, names))


def test_a_seat_from_which_somebody_was_sent_is_open_again() -> None:
    table = after(seated("Anna", "Ben"), kicks("Ben", reason="not now"))
    assert table.names == ["Anna", "", ""]
    assert latest_event(table) == Kicked(seq=table.seq, seat=1, name="Ben", reason="not now", host=0)
    assert refusal(table, join("Ben")) == "kicked"
    assert after(table, kicks("Ben")) is table


def test_hosts_kick_no_player_of_a_running_game() -> None:
    table = playing("Anna", "Ben", "Cleo")
    assert refusal(table, kicks("Ben")) == "vote_needed"
    assert refusal(after(table, Leave(user=who("Ben"))), kicks("Ben")) == "vote_needed"
    assert after(table, kicks("Zoe")).kicked == {who("Zoe"): ""}, "a spectator is the host's business"
    assert refusal(table, kicks("Zoe", by="Ben")) == "not_host"


def test_after_the_game_the_host_kicks_again() -> None:
    table = after(finished(playing("Anna", "Ben")), kicks("Ben"))
    assert latest_event(table) == Kicked(seq=table.seq, seat=1, name="Ben", reason=None, host=0)
    assert refusal(table, Rematch(user=who("Ben"), table=TableId("t2"))) == "not_seated"
    assert table.voted_out == frozenset(), "it was over"


def test_a_spectator_can_be_kicked() -> None:
    table = after(seated("Anna"), kicks("Zoe"))
    assert latest_event(table) == Kicked(seq=table.seq, seat=None, name="Zoe", reason=None, host=0)
    assert not table.admits_user(who("Zoe"))


def test_only_the_host_kicks_and_nobody_themselves() -> None:
    table = seated("Anna", "Ben")
    assert refusal(table, kicks("Anna", by="Ben")) == "not_host"
    assert refusal(table, kicks("Ben", by="Zoe")) == "not_seated"
    assert refusal(table, kicks("Anna")) == "not_allowed"


def test_a_table_kicks_so_many() -> None:
    table = after(seated("Anna"), *(kicks(f"guest {n}") for n in range(MOST_KICKED)))
    assert refusal(table, kicks("one more")) == "too_many"


def test_a_host_makes_another_user_the_host() -> None:
    table = after(seated("Anna", "Ben"), TransferHost(user=who("Anna"), seat=1))
    assert latest_event(table) == HostTransferred(seq=table.seq, host=1, reason="given")
    assert refusal(table, TransferHost(user=who("Anna"), seat=0)) == "not_host"
    assert after(table, Start(user=who("Ben"), strength="random")).status == "playing"


@pytest.mark.parametrize("seat", [2, 3])
def test_only_a_user_is_made_the_host(seat: int) -> None:
    assert refusal(seated("Anna", "Ben"), TransferHost(user=who("Anna"), seat=seat)) == "bad_seats"


def test_transfer_to_the_present_host_changes_nothing() -> None:
    table = seated("Anna", "Ben")
    assert after(table, TransferHost(user=who("Anna"), seat=0)) is table


def test_an_idle_host_is_replaced_by_a_present_user() -> None:
    table = seated("Anna", "Ben", "Cleo")
    assert after(table, idle(5, "Ben", "Cleo"), seconds=299) is table
    assert after(table, idle(5, "Anna"), seconds=300) is table, "nobody else is here"
    table = after(table, idle(5, "Anna", "Cleo"), seconds=300)
    assert latest_event(table) == HostTransferred(seq=table.seq, host=2, reason="idle")
    assert after(table, idle(5, "Anna", "Ben"), seconds=301) is table, "the new host has time as well"


def test_only_the_hosts_actions_keep_the_host() -> None:
    table = after(seated("Anna"), join("Ben"), seconds=200)
    table = after(table, Ready(user=who("Ben"), ready=True), seconds=250)
    assert after(table, idle(5, "Ben"), seconds=300).host == 1
    table = after(table, Ready(user=who("Anna"), ready=True), seconds=290)
    assert after(table, idle(5, "Ben"), seconds=300).host == 0


def test_to_sit_down_does_not_count_as_doing_something() -> None:
    table = after(seated("Anna"), join("Ben"), Leave(user=who("Ben")), join("Cleo"), seconds=200)
    assert table.acted_ms == seated("Anna").acted_ms
    assert after(table, Ready(user=who("Cleo"), ready=True), seconds=210).acted_ms == table.acted_ms + 210_000


def test_the_host_of_a_running_game_is_not_replaced() -> None:
    assert after(playing("Anna", "Ben"), idle(5, "Ben"), seconds=1_000).host == 0
