"""Admission: private tables, passwords, invitations, and kicked users."""

import pytest

from scoville_server.tables.actions.enter import MOST_ADMITTED, Enter, Invite, refuse_entry
from scoville_server.tables.actions.join import Join
from scoville_server.tables.actions.kick import Kick
from scoville_server.tables.actions.leave import Leave
from scoville_server.tables.actions.start import Start
from scoville_server.tables.model.action import Refused
from scoville_server.tables.model.table import Table
from scoville_server.tables.state_machine import decide
from scoville_shared.protocol.messages import TableSettings
from tests.support.tables import NOON, after, join, open_table, refusal, who

PRIVATE = TableSettings(private=True)


def admitted(name: str) -> Enter:
    return Enter(user=who(name))


def invites(host: str, guest: str) -> Invite:
    return Invite(user=who(host), guest=who(guest), name=guest)


def kicked(table: Table, name: str, reason: str = "") -> Table:
    return after(table, Kick(user=who("Anna"), whom=who(name), name=name, reason=reason))


def test_anybody_sits_down_at_a_table_without_a_door() -> None:
    table = open_table()
    assert table.admits_user(who("Zoe"))
    assert after(table, admitted("Zoe")) is table, "there is nothing to open"
    assert after(table, join("Zoe")).names[0] == "Zoe"


def test_a_private_table_is_invisible_without_its_code() -> None:
    table = open_table(settings=PRIVATE)
    assert not table.admits_user(who("Zoe"))
    assert refusal(table, join("Zoe")) == "unknown_table"
    assert after(table, admitted("Zoe"), join("Zoe")).seat_of(who("Zoe")) == 0


def test_a_locked_table_wants_its_password_once() -> None:
    table = open_table(password=b"a salted hash")
    assert table.locked
    assert refusal(table, join("Zoe")) == "wrong_password"
    let_in = after(table, admitted("Zoe"), join("Zoe"), Leave(user=who("Zoe")))
    assert after(let_in, join("Zoe")).seat_of(who("Zoe")) == 0


def test_the_door_of_ones_own_table_is_open() -> None:
    assert after(open_table(settings=PRIVATE, password=b"hash"), join("Anna")).host == 0


def test_a_user_who_sits_there_invites() -> None:
    table = after(open_table(settings=PRIVATE), join("Anna"))
    assert refusal(table, invites("Zoe", "Ben")) == "not_seated"
    table = after(table, invites("Anna", "Ben"), join("Ben"), invites("Ben", "Cleo"))
    assert table.admits_user(who("Cleo"))
    assert after(table, invites("Ben", "Cleo")) is table
    assert not table.admits_user(who("Zoe"))


@pytest.mark.parametrize("door", [{"settings": PRIVATE}, {"password": b"hash"}])
def test_a_seat_that_is_kept_needs_no_door(door: dict[str, object]) -> None:
    table = after(open_table(2, **door), join("Anna"), invites("Anna", "Ben"), join("Ben"))
    table = after(table, Start(user=who("Anna"), strength="random"), Leave(user=who("Ben")))
    assert table.admits_user(who("Ben"))
    assert after(table, join("Ben")).seat_of(who("Ben")) == 1


def test_a_kicked_user_learns_why_and_stays_away() -> None:
    table = kicked(
        after(open_table(settings=PRIVATE), join("Anna"), invites("Anna", "Ben"), join("Ben")), "Ben", "rude"
    )
    assert not table.admits_user(who("Ben"))
    for command in (join("Ben"), admitted("Ben")):
        answer = decide(table, command, NOON)
        assert isinstance(answer, Refused)
        assert (answer.code, answer.data) == ("kicked", {"reason": "rude"})
    assert refusal(table, invites("Anna", "Ben")) == "kicked"
    assert refuse_entry(table, who("Ben")) == decide(table, join("Ben"), NOON)


def test_a_door_is_opened_for_so_many() -> None:
    table = after(open_table(settings=PRIVATE), *(admitted(f"guest {n}") for n in range(MOST_ADMITTED)))
    assert refusal(table, admitted("one more")) == "too_many"
    assert after(table, admitted("guest 7")) is table
    assert after(table, join("guest 7")).names[0] == "guest 7"


def test_admission_follows_the_opening_record() -> None:
    table = open_table(settings=PRIVATE, admitted=(who("Ben"),), watch_refusal={who("Cleo"): "rude"})
    assert table.admits_user(who("Ben"))
    assert refusal(table, Join(user=who("Cleo"), name="Cleo")) == "kicked"
