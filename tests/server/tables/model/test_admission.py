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
from tests.support.tables import NOON, carry_out, join_as, open_table, refusal_of, user_of

PRIVATE = TableSettings(private=True)


def admitted(name: str) -> Enter:
    return Enter(user=user_of(name))


def invites(host: str, guest: str) -> Invite:
    return Invite(user=user_of(host), guest=user_of(guest), name=guest)


def kicked(table: Table, name: str, reason: str = "") -> Table:
    return carry_out(table, Kick(user=user_of("Anna"), whom=user_of(name), name=name, reason=reason))


def test_anybody_sits_down_at_a_table_without_a_door() -> None:
    table = open_table()
    assert table.admits_user(user_of("Zoe"))
    assert carry_out(table, admitted("Zoe")) is table, "there is nothing to open"
    assert carry_out(table, join_as("Zoe")).names[0] == "Zoe"


def test_a_private_table_is_invisible_without_its_code() -> None:
    table = open_table(settings=PRIVATE)
    assert not table.admits_user(user_of("Zoe"))
    assert refusal_of(table, join_as("Zoe")) == "unknown_table"
    assert carry_out(table, admitted("Zoe"), join_as("Zoe")).seat_of(user_of("Zoe")) == 0


def test_a_locked_table_wants_its_password_once() -> None:
    table = open_table(password=b"a salted hash")
    assert table.locked
    assert refusal_of(table, join_as("Zoe")) == "wrong_password"
    let_in = carry_out(table, admitted("Zoe"), join_as("Zoe"), Leave(user=user_of("Zoe")))
    assert carry_out(let_in, join_as("Zoe")).seat_of(user_of("Zoe")) == 0


def test_the_door_of_ones_own_table_is_open() -> None:
    assert carry_out(open_table(settings=PRIVATE, password=b"hash"), join_as("Anna")).host == 0


def test_a_user_who_sits_there_invites() -> None:
    table = carry_out(open_table(settings=PRIVATE), join_as("Anna"))
    assert refusal_of(table, invites("Zoe", "Ben")) == "not_seated"
    table = carry_out(table, invites("Anna", "Ben"), join_as("Ben"), invites("Ben", "Cleo"))
    assert table.admits_user(user_of("Cleo"))
    assert carry_out(table, invites("Ben", "Cleo")) is table
    assert not table.admits_user(user_of("Zoe"))


@pytest.mark.parametrize("door", [{"settings": PRIVATE}, {"password": b"hash"}])
def test_a_seat_that_is_kept_needs_no_door(door: dict[str, object]) -> None:
    table = carry_out(open_table(2, **door), join_as("Anna"), invites("Anna", "Ben"), join_as("Ben"))
    table = carry_out(table, Start(user=user_of("Anna"), strength="random"), Leave(user=user_of("Ben")))
    assert table.admits_user(user_of("Ben"))
    assert carry_out(table, join_as("Ben")).seat_of(user_of("Ben")) == 1


def test_a_kicked_user_learns_why_and_stays_away() -> None:
    table = kicked(
        carry_out(open_table(settings=PRIVATE), join_as("Anna"), invites("Anna", "Ben"), join_as("Ben")), "Ben", "rude"
    )
    assert not table.admits_user(user_of("Ben"))
    for command in (join_as("Ben"), admitted("Ben")):
        answer = decide(table, command, NOON)
        assert isinstance(answer, Refused)
        assert (answer.code, answer.data) == ("kicked", {"reason": "rude"})
    assert refusal_of(table, invites("Anna", "Ben")) == "kicked"
    assert refuse_entry(table, user_of("Ben")) == decide(table, join_as("Ben"), NOON)


def test_a_door_is_opened_for_so_many() -> None:
    table = carry_out(open_table(settings=PRIVATE), *(admitted(f"guest {n}") for n in range(MOST_ADMITTED)))
    assert refusal_of(table, admitted("one more")) == "too_many"
    assert carry_out(table, admitted("guest 7")) is table
    assert carry_out(table, join_as("guest 7")).names[0] == "guest 7"


def test_admission_follows_the_opening_record() -> None:
    table = open_table(settings=PRIVATE, admitted=(user_of("Ben"),), watch_refusal={user_of("Cleo"): "rude"})
    assert table.admits_user(user_of("Ben"))
    assert refusal_of(table, Join(user=user_of("Cleo"), name="Cleo")) == "kicked"
