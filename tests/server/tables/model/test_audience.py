"""Who may watch a table, and from which point of view."""

import json

import pytest

from scoville_server.tables.actions.enter import Enter, ListCommentator
from scoville_server.tables.actions.join import Join
from scoville_server.tables.actions.kick import Kick
from scoville_server.tables.actions.leave import Leave
from scoville_server.tables.actions.start import Start
from scoville_server.tables.archive.export import export_to
from scoville_server.tables.model.action import Refused
from scoville_server.tables.model.table import Table
from scoville_server.tables.watching.audience import (
    MOST_NAMED,
    Sight,
    Watcher,
    audience_of,
    commentators_key,
    make_watcher,
    sight_of,
    watch_refusal,
)
from scoville_shared.engine.dice import table_key
from scoville_shared.ids import Seat
from scoville_shared.protocol.messages import TableSettings
from tests.support.tables import (
    SEED,
    carry_out,
    join_as,
    new_table,
    play_first,
    play_out,
    start_table,
    user_of,
    watcher_of,
)

PRIVATE, LOCKED = TableSettings(private=True), b"a salted hash"


def received(table: Table, name: str, key: str = "", point_of_view: int | None = None) -> Watcher | str:
    """Let a user watch; returns the watcher, or the code of the refusal."""
    answer = make_watcher(table, user_of(name), name, key, point_of_view)
    return answer.code if isinstance(answer, Refused) else answer


def with_commentary(**settings: object) -> tuple[Table, str]:
    table = start_table("Anna", "Ben", settings=TableSettings(commentary=True, **settings))
    return table, commentators_key(table.opened)


@pytest.mark.parametrize("spectators", ["anybody", "rounds"])
def test_anybody_may_spectate_where_the_table_says_so(spectators: str) -> None:
    assert received(start_table("Anna", "Ben", settings=TableSettings(spectating=spectators)), "Zoe") == watcher_of(
        "Zoe"
    )


def test_a_table_without_spectators_admits_only_players() -> None:
    table = carry_out(
        start_table("Anna", "Ben", settings=TableSettings(spectating="nobody")), Leave(user=user_of("Ben"))
    )
    assert received(table, "Zoe") == "no_spectators"
    assert received(table, "Anna") == watcher_of("Anna")
    assert received(table, "Ben") == watcher_of("Ben"), "a bot keeps the seat for Ben"


def test_a_private_table_is_invisible_without_admission() -> None:
    table = start_table("Anna", "Ben", settings=PRIVATE)
    assert received(table, "Zoe") == "unknown_table"
    assert received(carry_out(table, Enter(user=user_of("Zoe"))), "Zoe") == watcher_of("Zoe")


def test_a_locked_table_wants_its_password_first() -> None:
    table = start_table("Anna", "Ben", password=LOCKED)
    assert received(table, "Zoe") == "wrong_password"
    assert received(carry_out(table, Enter(user=user_of("Zoe"))), "Zoe") == watcher_of("Zoe")


def test_a_kicked_user_does_not_come_back_to_look() -> None:
    table, key = with_commentary()
    table = carry_out(table, Kick(user=user_of("Anna"), whom=user_of("Zoe"), name="Zoe", reason="too loud"))
    refused = watch_refusal(table, watcher_of("Zoe"))
    assert refused is not None
    assert (refused.code, refused.data) == ("kicked", {"reason": "too loud"})
    assert received(table, "Zoe", key, 0) == "kicked"


def test_players_see_the_present_and_others_rounds() -> None:
    table = carry_out(
        start_table("Anna", "Ben", settings=TableSettings(spectating="rounds")), Leave(user=user_of("Ben"))
    )
    assert sight_of(table, watcher_of("Anna")) == Sight(Seat(0), live=True)
    assert sight_of(table, watcher_of("Ben")) == Sight(None, live=True)
    assert sight_of(table, watcher_of("Zoe")) == Sight(None, live=False)


def test_a_commentator_sees_the_chosen_hand() -> None:
    table, key = with_commentary(spectating="rounds", rounds_behind=3)
    zoe = received(table, "Zoe", key, 1)
    assert isinstance(zoe, Watcher)
    assert sight_of(table, zoe) == Sight(None, live=False), "nobody sees a hand before everybody can read who does"
    table = carry_out(table, ListCommentator(user=user_of("Zoe"), name="Zoe"))
    assert sight_of(table, zoe) == Sight(Seat(1), live=True, is_own=False)
    without_eyes = received(table, "Zoe", key)
    assert isinstance(without_eyes, Watcher)
    assert sight_of(table, without_eyes) == Sight(None, live=True)


def test_the_key_opens_the_door_to_a_commentator() -> None:
    for settings in ({"spectating": "nobody"}, {"private": True}):
        table, key = with_commentary(**settings)
        assert isinstance(received(table, "Zoe", key, 0), Watcher)


@pytest.mark.parametrize("key", ["", "hot", "0" * 32, "ü" * 32])
def test_a_wrong_key_shows_nothing(key: str) -> None:
    table, right = with_commentary()
    assert key != right
    assert received(table, "Zoe", key, 0) == "wrong_key"


def test_a_wrong_key_reveals_nothing_of_a_private_table() -> None:
    table, _ = with_commentary(private=True)
    assert received(table, "Zoe", "hot", 0) == "unknown_table"


def test_without_commentary_there_is_no_key() -> None:
    table = start_table("Anna", "Ben")
    assert commentators_key(table.opened) == ""
    _, key = with_commentary()
    assert received(table, "Zoe", key, 0) == "wrong_key"
    assert received(table, "Zoe", "", 0) == "wrong_key"


def test_missing_seats_have_no_point_of_view() -> None:
    table, key = with_commentary()
    assert received(table, "Zoe", key, 2) == "bad_seats"


def test_players_see_only_their_own_hand() -> None:
    table, key = with_commentary()
    assert received(table, "Anna", key, 1) == watcher_of("Anna")
    commentator = Watcher(user_of("Ben"), "Ben", True, Seat(0))
    assert sight_of(table, commentator) == Sight(Seat(1), live=True)
    gone = carry_out(table, ListCommentator(user=user_of("Ben"), name="Ben"), Leave(user=user_of("Ben")))
    assert sight_of(gone, commentator) == Sight(None, live=True), "the seat is still Ben's"


def test_the_key_is_a_secret_of_its_own() -> None:
    table, key = with_commentary()
    other, _ = with_commentary()
    secrets = (bytes.fromhex(table.opened.commitment), table_key(SEED, table.id, table.nonces), SEED)
    assert len(key) == 32
    assert not any(key in secret.hex() for secret in secrets)
    assert commentators_key(other.opened) == key, "the same table has the same key after a restart"


def test_only_finished_open_games_are_exported() -> None:
    def export(table: Table, name: str) -> str:
        lines = export_to(table, user_of(name), 0, lambda _: "{}")
        return lines.code if isinstance(lines, Refused) else "written"

    closed = start_table("Anna", "Ben", settings=TableSettings(spectating="nobody"))
    assert (export(closed, "Anna"), export(closed, "Zoe")) == ("not_finished", "no_spectators")
    assert (export(play_out(closed), "Anna"), export(play_out(closed), "Zoe")) == ("written", "written")
    private = start_table("Anna", "Ben", settings=PRIVATE)
    assert (export(private, "Zoe"), export(play_out(private), "Zoe")) == ("unknown_table", "unknown_table")
    assert (
        export(carry_out(start_table("Anna", "Ben"), play_first("Anna", start_table("Anna", "Ben"))), "Zoe")
        == "not_finished"
    )


def test_so_many_are_named_and_each_once() -> None:
    crowd = [watcher_of(f"Guest {n}") for n in range(MOST_NAMED + 50)]
    assert audience_of(start_table("Anna", "Ben"), [*crowd[:3], *crowd]).spectators == [
        f"Guest {n}" for n in range(MOST_NAMED)
    ]


def test_an_exported_game_marks_those_who_owned_their_names() -> None:
    table = new_table(seats=2)
    table = carry_out(
        table,
        join_as("Anna"),
        Join(user=user_of("Ben"), name="Ben", claimed=True),
        Start(user=user_of("Anna"), strength="random"),
    )
    lines = export_to(play_out(table), user_of("Anna"), 0, lambda _: "{}")
    assert not isinstance(lines, Refused)
    assert json.loads(lines.lines[0])["seats"] == [
        {"name": "Anna", "kind": "human"},
        {"name": "Ben", "kind": "human", "claimed": True},
    ]
