"""Spectators on a server: what they see, and that they can do nothing else."""

import pytest

from scoville_server.server import Server
from scoville_server.tables.actions.enter import MOST_COMMENTATORS
from scoville_shared.protocol.messages import (
    METHOD_OF,
    ClaimNameRequest,
    CreateRequest,
    ExportRequest,
    JoinRequest,
    LeaveRequest,
    ListTablesRequest,
    LookBackRequest,
    MovesRequest,
    OfTable,
    PauseRequest,
    PlayRequest,
    PollRequest,
    ResumeRequest,
    SpectatorsNotice,
    StartRequest,
    TableSettingsParams,
    UnwatchRequest,
    WatchRequest,
)
from tests.server.conftest import Start
from tests.server.tables.requests import KINDS, request_about
from tests.support.core import code_of, connect_user
from tests.support.server import Caller, GatedJournal, toy_server, until

LOOKING = {WatchRequest, LookBackRequest, PollRequest, UnwatchRequest}
"""What a spectator may ask of a table, and who is no spectator."""


async def a_game(server: Server, **settings: object) -> tuple[str, str, list[Caller]]:
    """Anna and Ben play; returns the table, the commentators' key, and both users."""
    users = [await connect_user(server, name) for name in ("Anna", "Ben")]
    params = TableSettingsParams(**settings)
    opened = await users[0].call(CreateRequest(game="high_card", seat_count=2, settings=params))
    for user in users:
        await user.call(JoinRequest(table=opened.info.table))
    await users[0].call(StartRequest(table=opened.info.table))
    return opened.info.table, opened.commentary_key, users


def requests(table: str, **fields: str) -> list[OfTable]:
    """Every request about a table, except watching."""
    kinds = [
        kind
        for kind in KINDS
        if issubclass(kind, OfTable) and kind not in LOOKING and METHOD_OF[kind].startswith("table.")
    ]
    return [request_about(kind, table, **fields) for kind in kinds]


async def test_a_spectator_is_refused_whatever_is_asked_of_the_table(server: Server) -> None:
    table, _, _ = await a_game(server)
    zoe = await connect_user(server, "Zoe")
    await zoe.call(WatchRequest(table=table))
    refused = {type(params): await code_of(zoe, params) for params in requests(table)}
    assert {LeaveRequest, StartRequest, PauseRequest, ResumeRequest, PlayRequest, MovesRequest} <= {*refused}
    assert {code for kind, code in refused.items() if kind is not ExportRequest} == {"not_seated"}
    assert refused[ExportRequest] == "not_finished"
    assert await code_of(zoe, JoinRequest(table=table)) == "already_started"


async def test_a_table_without_spectators_refuses_strangers(server: Server) -> None:
    table, _, (anna, _) = await a_game(server, spectating="nobody")
    zoe = await connect_user(server, "Zoe")
    for params in (WatchRequest(table=table), PollRequest(table=table), ExportRequest(table=table)):
        assert await code_of(zoe, params) == "no_spectators"
    assert (await anna.call(WatchRequest(table=table))).seat == 0
    await anna.call(LeaveRequest(table=table))
    assert (await anna.call(PollRequest(table=table))).seat is None, "a bot keeps the seat for Anna"


async def test_in_rounds_a_move_is_seen_after_its_round(server: Server) -> None:
    table, _, users = await a_game(server, spectating="rounds")
    zoe = await connect_user(server, "Zoe")
    begun = await zoe.call(WatchRequest(table=table))
    for user in users:
        assert zoe.peer.events == []
        assert await zoe.call(PollRequest(table=table)) == await zoe.call(PollRequest(table=table))
        await user.call(PlayRequest(table=table, move=(await user.call(MovesRequest(table=table))).moves[0]))
    assert [notice.event.seq for notice in zoe.peer.events] == [begun.seq + 1, begun.seq + 2]


async def test_a_commentator_needs_the_key_of_the_table(server: Server) -> None:
    table, key, (anna, _) = await a_game(server, commentary=True)
    zoe = await connect_user(server, "Zoe")
    assert len(key) == 32
    for wrong in ("", "0" * 32):
        assert await code_of(zoe, WatchRequest(table=table, commentary_key=wrong, point_of_view=1)) == "wrong_key"
    shot = await zoe.call(WatchRequest(table=table, commentary_key=key, point_of_view=1))
    assert (shot.seat, shot.point_of_view) == (None, 1)
    assert len(shot.view["hand"]) == 3
    assert (await zoe.call(PollRequest(table=table, commentary_key=key, point_of_view=0))).view["hand"] != shot.view[
        "hand"
    ]
    assert (await anna.call(WatchRequest(table=table, commentary_key=key, point_of_view=1))).view["seat"] == 0
    assert await code_of(zoe, PlayRequest(table=table, move={"card": shot.view["hand"][0]})) == "not_seated"


async def test_guesses_at_keys_are_slowed_down(server: Server) -> None:
    table, key, _ = await a_game(server, commentary=True)
    zoe = await connect_user(server, "Zoe")
    guesses = [await code_of(zoe, WatchRequest(table=table, commentary_key=f"{n:032}")) for n in range(30)]
    assert guesses[0] == "wrong_key"
    assert guesses[-1] == "slow_down"
    assert await code_of(zoe, WatchRequest(table=table, commentary_key=key)) == "slow_down"
    assert (await zoe.call(WatchRequest(table=table))).point_of_view is None


async def test_there_is_no_key_unless_it_was_requested(server: Server) -> None:
    _, key, _ = await a_game(server)
    assert key is None


async def test_players_are_notified_of_spectators(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scoville_server.tables.watching.watched_table.AUDIENCE_SECONDS", 0)
    table, key, (anna, _) = await a_game(server, commentary=True)
    await anna.call(WatchRequest(table=table))
    zoe, yves = await connect_user(server, "Zoe"), await connect_user(server, "Yves")
    await zoe.call(WatchRequest(table=table))
    await yves.call(WatchRequest(table=table, commentary_key=key, point_of_view=0))
    notice = SpectatorsNotice(table=table, spectators=["Zoe", "Yves"], commentators=["Yves"])
    await until(lambda: notice in anna.peer.heard)
    assert (await anna.call(ListTablesRequest())).tables[0].spectator_count == 2
    zoe.hang_up()
    alone = SpectatorsNotice(table=table, spectators=["Yves"], commentators=["Yves"])
    await until(lambda: alone in anna.peer.heard)


async def test_table_lists_show_a_turn_to_its_owner_alone(server: Server) -> None:
    table, _, (anna, ben) = await a_game(server)
    zoe = await connect_user(server, "Zoe")
    await anna.call(PlayRequest(table=table, move=(await anna.call(MovesRequest(table=table))).moves[0]))

    async def turn(user: Caller) -> bool:
        (info,) = (await user.call(ListTablesRequest())).tables
        return bool(info.your_turn)

    assert [await turn(user) for user in (anna, ben, zoe)] == [False, True, False]


async def test_only_the_creator_gets_the_commentators_key(
    server: Server,
) -> None:
    table, key, (anna, ben) = await a_game(server, commentary=True)
    zoe = await connect_user(server, "Zoe")
    assert key
    for params in (WatchRequest(table=table), PollRequest(table=table)):
        assert (await anna.call(params)).commentary_key == key
        assert (await ben.call(params)).commentary_key is None
        assert (await zoe.call(params)).commentary_key is None
    commentator = await zoe.call(WatchRequest(table=table, commentary_key=key, point_of_view=0))
    assert commentator.commentary_key is None, "the key is not echoed"


async def test_a_table_without_commentary_has_no_key(server: Server) -> None:
    table, key, (anna, _) = await a_game(server)
    assert key is None
    assert (await anna.call(WatchRequest(table=table))).commentary_key is None


async def test_a_polled_hand_lists_its_reader_for_good(server: Server) -> None:
    table, key, (anna, _) = await a_game(server, commentary=True)
    zoe = await connect_user(server, "Zoe")
    assert (await zoe.call(PollRequest(table=table))).commentators == []
    seen = await zoe.call(PollRequest(table=table, commentary_key=key, point_of_view=1))
    assert len(seen.view["hand"]) == 3
    assert seen.commentators == ["Zoe"]
    zoe.hang_up()
    assert (await anna.call(PollRequest(table=table))).commentators == ["Zoe"]
    notice = SpectatorsNotice(table=table, spectators=[], commentators=["Zoe"])
    await anna.call(WatchRequest(table=table))
    yves = await connect_user(server, "Yves")
    await yves.call(WatchRequest(table=table, commentary_key=key))
    await yves.call(UnwatchRequest(table=table))
    notice = SpectatorsNotice(table=table, spectators=[], commentators=["Zoe", "Yves"])
    await until(lambda: notice in anna.peer.heard)


async def test_a_table_admits_few_commentators_and_names_them(server: Server) -> None:
    table, key, (anna, _) = await a_game(server, commentary=True)
    for number in range(MOST_COMMENTATORS):
        zoe = await connect_user(server, f"Zoe {number}")
        await zoe.call(PollRequest(table=table, commentary_key=key, point_of_view=1))
    yves = await connect_user(server, "Yves")
    for params in (WatchRequest, PollRequest):
        assert await code_of(yves, params(table=table, commentary_key=key, point_of_view=1)) == "too_many"
    await zoe.call(WatchRequest(table=table, commentary_key=key, point_of_view=0))
    assert len((await anna.call(PollRequest(table=table))).commentators) == MOST_COMMENTATORS
    assert yves.peer.events == []


async def test_a_restart_forgets_nobody_who_has_seen_a_hand(start: Start) -> None:
    server = await start()
    table, key, (anna, _) = await a_game(server, commentary=True)
    zoe = await connect_user(server, "Zoe")
    await zoe.call(PollRequest(table=table, commentary_key=key, point_of_view=1))
    again = await start(server)
    anna = await connect_user(again, token=anna.welcome.token)
    assert (await anna.call(PollRequest(table=table))).commentators == ["Zoe"]
    yves = await connect_user(again, "Yves")
    assert (await yves.call(WatchRequest(table=table, commentary_key=key))).commentators == ["Zoe", "Yves"]


async def test_nothing_hidden_is_sent_before_the_journal_has_the_commentator() -> None:
    journal = GatedJournal()
    server = toy_server(journal=journal)
    await server.start()
    table, key, (anna, _) = await a_game(server, commentary=True)
    zoe = await connect_user(server, "Zoe")
    journal.broken = True
    for kind in (WatchRequest, PollRequest):
        assert await code_of(zoe, kind(table=table, commentary_key=key, point_of_view=1)) == "internal"
    assert zoe.peer.events == []
    assert (await anna.call(PollRequest(table=table))).commentators == []
    await server.close()


async def test_spectators_with_claimed_names_are_marked(server: Server) -> None:
    table, key, (anna, _) = await a_game(server, commentary=True)
    guest, zoe = await connect_user(server, "Gus"), await connect_user(server, "Zoe")
    await zoe.call(ClaimNameRequest(password="seven habaneros"))
    await guest.call(WatchRequest(table=table))
    seen = await zoe.call(WatchRequest(table=table, commentary_key=key, point_of_view=0))
    assert (seen.spectators, seen.claimed_spectators) == (["Gus", "Zoe"], [1])
    assert (seen.commentators, seen.claimed_commentators) == (["Zoe"], [0])
    await anna.call(WatchRequest(table=table))
    guest.hang_up()
    notice = SpectatorsNotice(
        table=table, spectators=["Zoe"], commentators=["Zoe"], claimed_spectators=[0], claimed_commentators=[0]
    )
    await until(lambda: notice in anna.peer.heard)


@pytest.mark.parametrize("help_from", ["commentary", "coach"])
async def test_commented_and_coached_tables_are_declared_unrated(server: Server, help_from: str) -> None:
    anna, ben = await connect_user(server, "Anna"), await connect_user(server, "Ben")
    params = TableSettingsParams(**{help_from: True}, rated=True)
    opened = await anna.call(CreateRequest(game="high_card", seat_count=2, settings=params))
    (listed,) = (await ben.call(ListTablesRequest())).tables
    assert opened.info.settings == listed.settings
    assert getattr(listed.settings, help_from)
    assert not listed.settings.rated


async def test_seated_user_is_no_spectator(start: Start) -> None:
    server = await start(spectators=1)
    anna, ben, zoe = [await connect_user(server, name) for name in ("Anna", "Ben", "Zoe")]
    table = await anna.create("high_card", 2)
    await anna.call(WatchRequest(table=table))
    assert await code_of(zoe, WatchRequest(table=table)) == "too_many"
    await anna.call(JoinRequest(table=table))
    await zoe.call(WatchRequest(table=table))
    assert await code_of(ben, WatchRequest(table=table)) == "too_many"
    await zoe.call(JoinRequest(table=table))
    await ben.call(WatchRequest(table=table))
