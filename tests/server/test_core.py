"""Users connect and disconnect, seats stay; tables are opened within bounds and removed."""

import asyncio
import re
from pathlib import Path

import pytest

from scoville_server.chat.model.chat_limits import ChatLimits
from scoville_server.hello import list_features
from scoville_server.limits.budgets import InvitationLimits
from scoville_server.limits.throttle import Rate
from scoville_server.net.doors.settings import DoorSettings
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_shared.ids import TableId
from scoville_shared.protocol.messages import (
    ClockParams,
    CreateRequest,
    HelloRequest,
    JoinRequest,
    LeaveRequest,
    ListTablesRequest,
    MovesRequest,
    PauseRequest,
    PlayRequest,
    PollRequest,
    PresenceNotice,
    RateLimit,
    ResumeRequest,
    StartRequest,
    UnwatchRequest,
    Warned,
    WatchRequest,
)
from tests.support.core import code_of, connect_user, seat_users
from tests.support.journals import kept_records
from tests.support.server import Caller, GatedJournal, core_of, toy_server, until
from tests.support.wire_page import read_section

# --- users --------------------------------------------------------------------------------------------


async def test_hello_lists_the_games_with_their_options(server: Server) -> None:
    anna = await connect_user(server, "Anna")
    assert [(game.slug, game.options) for game in anna.welcome.games] == [
        ("heap", {"sticks": 9}),
        ("high_card", {"rounds": 3}),
    ]


@pytest.mark.parametrize(("spoken", "code"), [(0, "upgrade_client"), (2, "upgrade_server")])
async def test_another_protocol_learns_who_must_upgrade(server: Server, spoken: int, code: str) -> None:
    assert await code_of(Caller(server), HelloRequest(protocol=spoken)) == code


async def test_hello_names_the_features_and_the_limits_of_the_settings() -> None:
    chat = ChatLimits(messages=(Rate(7, 2.5),))
    settings = Settings(tables_hosted=3, invitations=InvitationLimits(sent=0), chat=chat)
    server = toy_server(settings)
    anna = await connect_user(server, "Anna")
    limits = anna.welcome.limits
    assert (limits.opened_tables, limits.watched_tables, limits.message_bytes) == (3, 64, 65_536)
    assert limits.table_actions == RateLimit(count=60, period_ms=60_000)
    assert limits.chat_messages == [RateLimit(count=7, period_ms=2_500)]
    assert limits.invitations is None
    await server.close()


async def test_without_a_data_folder_it_promises_no_storage(server: Server, tmp_path: Path) -> None:
    assert "storage" not in (await connect_user(server)).welcome.features
    assert "storage" in list_features(Settings(data=tmp_path))


def test_without_a_port_it_promises_no_tls() -> None:
    assert "tls" not in list_features(Settings())
    assert "tls" in list_features(Settings(port=0))


async def test_every_feature_is_documented(tmp_path: Path) -> None:
    rows = re.findall(r"^\| `(\w+)` \|", read_section("Features"), re.MULTILINE)
    settings = Settings(data=tmp_path, port=0, doors=DoorSettings(enabled=True), digests="internet")
    assert list_features(settings) == rows


async def test_a_connection_says_hello_once(server: Server) -> None:
    anna = await connect_user(server)
    assert await code_of(anna, HelloRequest(protocol=1)) == "bad_params"


async def test_names_are_cleaned_and_nobody_shares_one(server: Server) -> None:
    names = [
        (await connect_user(server, name)).welcome.name for name in ("Anna", "anna", "\x1b[31mAnna\u202e", "", " ")
    ]
    assert names[:3] == ["Anna", "anna 2", "[31mAnna"]
    assert len({name.casefold() for name in names}) == 5


async def test_a_token_brings_its_user_back(server: Server) -> None:
    table, (anna, _) = await seat_users(server, "Anna", "Ben")
    await anna.call(WatchRequest(table=table))
    again = await connect_user(server, token=anna.welcome.token)
    assert again.welcome.name == "Anna"
    assert anna.peer.bye is not None
    assert anna.peer.bye.code == "taken_over"
    assert (await again.call(WatchRequest(table=table))).seat == 0
    assert await code_of(anna, LeaveRequest(table=table)) == "taken_over"
    anna.hang_up()
    assert (await again.call(ListTablesRequest())).tables[0].seats[0].connected


async def test_a_token_that_nobody_has_makes_a_new_user(server: Server) -> None:
    anna = await connect_user(server, "Anna", token="made up")
    assert anna.welcome.name == "Anna"
    assert anna.welcome.token != "made up"


async def test_a_lost_connection_is_reported_and_the_seat_kept(server: Server) -> None:
    table, (anna, ben) = await seat_users(server, "Anna", "Ben")
    await ben.call(WatchRequest(table=table))
    anna.hang_up()
    assert ben.peer.heard[-1] == PresenceNotice(table=table, seat=0, connected=False)
    assert not (await ben.call(ListTablesRequest())).tables[0].seats[0].connected
    await connect_user(server, token=anna.welcome.token)
    assert ben.peer.heard[-1] == PresenceNotice(table=table, seat=0, connected=True)
    assert [notice.seat for notice in ben.peer.heard if isinstance(notice, PresenceNotice)] == [0, 0]


async def test_a_bot_plays_while_a_connection_stays_down() -> None:
    server = toy_server(Settings(grace_seconds=0.001))
    table, (anna, ben) = await seat_users(server, "Anna", "Ben")
    await anna.call(StartRequest(table=table))
    await ben.call(WatchRequest(table=table))
    anna.hang_up()
    await until(lambda: "Played" in [type(notice.event).__name__ for notice in ben.peer.events])
    warned, left, moved = (notice.event for notice in ben.peer.events[:3])
    assert (warned.seat, warned.reason) == (0, "absence")
    assert (left.name, left.host) == ("Anna", 1)
    assert (moved.seat, moved.mover) == (0, "bot")
    again = await connect_user(server, token=anna.welcome.token)
    await until(lambda: type(ben.peer.events[-1].event).__name__ == "Joined")
    assert (await again.call(WatchRequest(table=table))).seat == 0
    await server.close()


async def test_a_switched_off_limit_waits_for_ever() -> None:
    server = toy_server(Settings(grace_seconds=0.001))
    anna = await connect_user(server, "Anna")
    forever = await anna.call(CreateRequest(game="heap", seat_count=2, clock=ClockParams(absence_ms=None)))
    await anna.call(JoinRequest(table=forever.info.table))
    anna.hang_up()
    assert core_of(server).seating.absences._absences == {}
    await server.close()


async def test_player_back_in_time_was_only_warned() -> None:
    server = toy_server(Settings(grace_seconds=60))
    table, (anna, ben) = await seat_users(server, "Anna", "Ben")
    await ben.call(WatchRequest(table=table))
    anna.hang_up()
    core = core_of(server)
    ((user, _),) = core.seating.absences._absences
    core.seating.absences._nearly_over(user, TableId(table), 9.5)
    again = await connect_user(server, token=anna.welcome.token)
    assert core.seating.absences._absences == {}
    await until(lambda: bool(ben.peer.events))
    assert [notice.event for notice in ben.peer.events] == [Warned(seq=3, seat=0, reason="absence", acts_in_ms=9_500)]
    assert (await again.call(WatchRequest(table=table))).seat == 0
    await server.close()


async def test_nobody_is_replaced_at_a_paused_table() -> None:
    server = toy_server(Settings(grace_seconds=60))
    table, (anna, ben) = await seat_users(server, "Anna", "Ben")
    await anna.call(StartRequest(table=table))
    for user in (anna, ben):
        await user.call(PauseRequest(table=table))
    assert await code_of(anna, PlayRequest(table=table, move={"card": 1})) == "paused"
    anna.hang_up()
    core = core_of(server)
    ((user, _),) = core.seating.absences._absences
    core.seating.absences.end_all_absences()
    core.seating.hand_seat_to_bot(user, TableId(table), 60)
    assert [*core.seating.absences._absences] == [(user, table)]
    await ben.call(ResumeRequest(table=table))
    assert not (await ben.call(PollRequest(table=table))).info.paused
    assert core.tables.find_table(table).table.seats[0].human
    await server.close()


async def test_a_seat_taken_by_a_lost_connection_is_freed() -> None:
    server = toy_server(Settings(grace_seconds=0.001))
    anna, ben = await connect_user(server, "Anna"), await connect_user(server, "Ben")
    table = await anna.create()
    await ben.call(JoinRequest(table=table))
    params = asyncio.ensure_future(anna.call(JoinRequest(table=table)))
    await asyncio.sleep(0)
    anna.hang_up()
    await params
    await until(
        lambda: (
            [seat_state.name for seat_state in core_of(server).tables.find_table(table).table.seats] == ["Ben", "", ""]
        )
    )
    await server.close()


async def test_more_users_than_the_server_takes_get_a_message() -> None:
    server = toy_server(Settings(guests=2))
    first = await connect_user(server)
    await connect_user(server)
    assert await code_of(Caller(server), HelloRequest(protocol=1)) == "too_many"
    first.hang_up()
    await connect_user(server)
    await server.close()


# --- tables --------------------------------------------------------------------------------------------


async def test_a_table_is_listed_with_its_commitment_before_anybody_sits(server: Server) -> None:
    anna = await connect_user(server, "Anna")
    table = await anna.create("heap", 2)
    (info,) = (await anna.call(ListTablesRequest())).tables
    assert (info.table, info.game, info.options, info.host, info.status) == (
        table,
        "heap",
        {"sticks": 9},
        None,
        "waiting",
    )
    assert len(bytes.fromhex(info.commitment)) == 32


@pytest.mark.parametrize(
    ("params", "code"),
    [
        (CreateRequest(game="chess", seat_count=2), "unknown_game"),
        (CreateRequest(game="heap", seat_count=1), "bad_seats"),
        (CreateRequest(game="heap", seat_count=5), "bad_seats"),
        (CreateRequest(game="heap", seat_count=2, options={"stones": 1}), "bad_options"),
        (CreateRequest(game="heap", seat_count=2, options={"sticks": "many"}), "bad_options"),
        (JoinRequest(table="nowhere"), "unknown_table"),
        (PlayRequest(table="nowhere", move={}), "unknown_table"),
    ],
)
async def test_impossible_requests_are_refused_by_code(server: Server, params: object, code: str) -> None:
    assert await code_of(await connect_user(server), params) == code


async def test_tables_and_seats_are_bounded() -> None:
    server = toy_server(Settings(tables=3, tables_hosted=2, tables_seated=1, tables_watched=1))
    anna, ben = await connect_user(server), await connect_user(server)
    first, second = await anna.create(), await anna.create()
    assert await code_of(anna, CreateRequest(game="heap", seat_count=2)) == "too_many"
    await ben.create()
    await ben.call(JoinRequest(table=first))
    assert await code_of(ben, JoinRequest(table=second)) == "too_many"
    await ben.call(WatchRequest(table=first))
    assert await code_of(ben, WatchRequest(table=second)) == "too_many"
    await ben.call(UnwatchRequest(table=first))
    await ben.call(WatchRequest(table=second))
    await server.close()


async def test_seats_at_games_that_are_over_do_not_count() -> None:
    """In an arena games last a minute, and their tables stay for a quarter of an hour."""
    server = toy_server(Settings(tables_seated=1))
    table, (anna, ben) = await seat_users(server, "Anna", "Ben")
    await anna.call(StartRequest(table=table))
    another = await ben.create()
    assert await code_of(anna, JoinRequest(table=another)) == "too_many"
    while (shot := await anna.call(PollRequest(table=table))).info.status == "playing":
        mover = (anna, ben)[shot.pending[0]]
        moves = (await mover.call(MovesRequest(table=table))).moves
        await mover.call(PlayRequest(table=table, move=moves[0]))
    await anna.call(JoinRequest(table=another))
    assert await code_of(anna, JoinRequest(table=await anna.create())) == "too_many"
    await server.close()


async def test_a_full_server_removes_an_unused_table() -> None:
    server = toy_server(Settings(tables=2))
    anna, ben = await connect_user(server), await connect_user(server)
    used, unused = await anna.create(), await anna.create()
    await anna.call(JoinRequest(table=used))
    await ben.call(JoinRequest(table=await ben.create()))
    assert await code_of(ben, JoinRequest(table=unused)) == "unknown_table"
    assert await code_of(ben, CreateRequest(game="heap", seat_count=2)) == "too_many"
    await server.close()


async def test_tables_that_are_gone_are_no_longer_watched() -> None:
    server = toy_server(Settings(tables_watched=1))
    anna = await connect_user(server)
    for _table in range(3):
        table = await anna.create()
        await anna.call(JoinRequest(table=table))
        await anna.call(WatchRequest(table=table))
        await anna.call(LeaveRequest(table=table))
    await server.close()


async def test_a_table_that_all_have_left_is_cleared_away(server: Server) -> None:
    table, (anna, ben) = await seat_users(server, "Anna", "Ben")
    await anna.call(LeaveRequest(table=table))
    await ben.call(LeaveRequest(table=table))
    assert (await anna.call(ListTablesRequest())).tables == []
    core = core_of(server)
    await until(lambda: not core.background._under_way)
    assert await kept_records(core.journal, TableId(table)) == []
    assert await code_of(anna, JoinRequest(table=table)) == "unknown_table"


async def test_a_table_at_which_nobody_ever_sits_is_cleared_away() -> None:
    server = toy_server(Settings(unseated_seconds=0.001))
    anna = await connect_user(server)
    await anna.create()
    core = core_of(server)
    await until(lambda: core.tables.all_tables() == [])
    await server.close()


async def test_nobody_hears_of_a_table_that_is_not_journaled() -> None:
    journal = GatedJournal()
    server = toy_server(journal=journal)
    anna = await connect_user(server)
    journal.gate.clear()
    opening = asyncio.ensure_future(anna.create())
    await journal.asked.wait()
    assert (await anna.call(ListTablesRequest())).tables == []
    journal.gate.set()
    await opening
    assert len((await anna.call(ListTablesRequest())).tables) == 1
    await server.close()


async def test_a_seeded_servers_first_table_is_repeatable() -> None:
    async def opened() -> tuple[str, str]:
        server = toy_server(Settings(seed=b"\x01"))
        anna = await connect_user(server)
        table = await anna.create()
        second = await anna.create()
        (first_info, second_info) = (await anna.call(ListTablesRequest())).tables
        assert first_info.commitment != second_info.commitment
        assert len(table) == len(second) == 12
        await server.close()
        return table, first_info.commitment

    one, other = await opened(), await opened()
    assert one == other
    assert one[0] == "08efa6d47f85"
