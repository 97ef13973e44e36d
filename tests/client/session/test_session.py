"""The session: requests, replies, and events that arrive once, in order, without gaps."""

import asyncio

import pytest
from msgspec.structs import replace

from scoville_client.session.changes import Connected, EventApplied, TableChanged
from scoville_client.session.session import Session
from scoville_client.transport.base import LinkError
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.games.dicht_dran.facts import Chosen
from scoville_shared.games.dicht_dran.state import Play
from scoville_shared.ids import Seat
from scoville_shared.protocol.messages import (
    HelloRequest,
    LeaveRequest,
    Left,
    Params,
    PlayReply,
    PlayRequest,
    PresenceNotice,
    Reply,
    UnwatchRequest,
    WatchRequest,
)
from tests.support.client import (
    NAMES,
    TABLE,
    Recorder,
    ScriptedLink,
    connect_and_sit,
    make_choice,
    make_snapshot,
    make_start,
)


def log_lines(session: Session) -> list[str]:
    assert session.table is not None
    return [line.phrase.render(NAMES) for line in session.table.log]


async def test_a_greeting_has_the_name_and_the_games() -> None:
    session, link = Session(), ScriptedLink()
    recorder = Recorder(session)
    await session.connect(link)
    assert (session.connection.online, session.name, [game.slug for game in session.games]) == (
        True,
        "Anna",
        ["dicht_dran"],
    )
    assert recorder.heard == [Connected()]


async def test_the_token_brings_me_back() -> None:
    session = Session()
    await session.connect(ScriptedLink())
    again = ScriptedLink()
    await session.connect(again)
    assert [asked.token for asked in again.asked if isinstance(asked, HelloRequest)] == ["secret"]


@pytest.mark.parametrize("code", [Code.UPGRADE_CLIENT, Code.UPGRADE_SERVER])
async def test_a_wrong_version_is_reported_in_the_servers_sentence(code: Code) -> None:
    session, link = Session(), ScriptedLink()
    link.answers[HelloRequest] = ScovilleError(code, "Please install scoville 2.")
    with pytest.raises(LinkError, match=r"^Please install scoville 2\.$"):
        await session.connect(link)
    assert link.closed
    assert session.connection.offline


async def test_an_event_carries_views_before_and_after() -> None:
    link = ScriptedLink()
    session = await connect_and_sit(link)
    recorder = Recorder(session)
    link.emit(make_choice(2, seat=1))
    (happened,) = recorder.of(EventApplied)
    assert happened.facts == (Chosen(Seat(1)),)
    assert happened.before is not None
    assert happened.after is session.table.view  # type: ignore[union-attr]
    assert session.table.pending == {0, 2}  # type: ignore[union-attr]
    assert log_lines(session)[-1] == "Paul has chosen."


async def test_an_event_that_comes_twice_happens_once() -> None:
    link = ScriptedLink()
    session = await connect_and_sit(link)
    link.emit(make_choice(2, seat=1), make_choice(2, seat=1))
    assert log_lines(session).count("Paul has chosen.") == 1


async def test_a_gap_is_closed_by_asking_for_what_is_missing() -> None:
    link = ScriptedLink()
    session = await connect_and_sit(link)
    link.answers[WatchRequest] = lambda asked: make_snapshot(
        make_choice(2, 1), make_choice(3, 2), make_choice(4, 0), since=asked.since
    )
    recorder = Recorder(session)
    link.emit(make_choice(4, seat=0), make_choice(5, seat=1))
    await asyncio.sleep(0)
    assert link.asked[-1] == WatchRequest(table=TABLE, since=1)
    assert log_lines(session)[1:] == [f"{name} has chosen." for name in ("Paul", "Max", "Anna", "Paul")]
    assert recorder.of(TableChanged)
    assert session.table.seq == 5  # type: ignore[union-attr]


async def test_pages_of_many_events_are_fetched_one_after_the_other() -> None:
    link = ScriptedLink()
    session = await connect_and_sit(link)
    events = [make_choice(number, seat=number % 3) for number in range(2, 7)]

    def paged(asked: Params) -> Reply:
        assert isinstance(asked, WatchRequest)
        following = [event for event in events if event.seq > asked.since]
        page, latest = following[:2], 6 if len(following) > 2 else None
        return replace(make_snapshot(*page, since=asked.since), seq=page[-1].seq, latest=latest)

    link.answers[WatchRequest] = paged
    before = len(log_lines(session))
    link.emit(make_choice(6, seat=0))
    await asyncio.sleep(0)
    assert [asked.since for asked in link.asked[-3:] if isinstance(asked, WatchRequest)] == [1, 3, 5]
    assert len(log_lines(session)) == before + 5
    assert session.table.seq == 6  # type: ignore[union-attr]


async def test_a_gap_that_cannot_be_closed_is_a_lost_connection() -> None:
    link = ScriptedLink()
    session = await connect_and_sit(link)
    link.answers[WatchRequest] = LinkError("The server is gone.")
    link.emit(make_choice(9, seat=0))
    await asyncio.sleep(0)
    assert session.connection.reconnecting
    await session.close()


async def test_an_event_overtaking_the_snapshot_waits() -> None:
    link = ScriptedLink()

    def overtaken(_: Params) -> Reply:
        link.emit(make_start(), make_choice(2, seat=1))
        return make_snapshot()

    link.answers[WatchRequest] = overtaken
    session = await connect_and_sit(link)
    assert log_lines(session) == ["The game starts: Anna, Paul, Max.", "Paul has chosen."]


async def test_a_move_is_sent_with_its_number() -> None:
    link = ScriptedLink()
    session = await connect_and_sit(link)
    link.answers[PlayRequest] = PlayReply(seq=2)
    move = session.table.legal_moves()[0]  # type: ignore[union-attr]
    assert await session.play_move(move) == 2
    assert link.asked[-1] == PlayRequest(table=TABLE, move={"card": move.card}, nth=0)


async def test_a_refused_move_is_answered_in_the_games_own_words() -> None:
    link = ScriptedLink()
    session = await connect_and_sit(link)
    link.answers[PlayRequest] = ScovilleError("not_in_hand", "no", {"card": 99})
    with pytest.raises(ScovilleError) as refused:
        await session.play_move(Play(99))
    assert refused.value.code == "not_in_hand"
    assert "99" in refused.value.message
    assert refused.value.message != "no"


async def test_any_other_refusal_is_the_servers_sentence() -> None:
    link = ScriptedLink()
    session = await connect_and_sit(link)
    link.answers[PlayRequest] = ScovilleError(Code.STALE_MOVE, "You have made that move.")
    with pytest.raises(ScovilleError, match="You have made that move"):
        await session.play_move(Play(99))


async def test_users_without_a_table_are_asked_to_join() -> None:
    session = Session()
    await session.connect(ScriptedLink())
    with pytest.raises(ScovilleError, match="join one first"):
        await session.play_move(Play(99))


async def test_while_disconnected_the_table_stays_visible() -> None:
    link = ScriptedLink()
    session = await connect_and_sit(link)
    at = session.table
    link.fail("The server is gone.")
    assert (session.connection.reconnecting, session.connection.token, session.table) == (True, "secret", at)
    with pytest.raises(LinkError, match=r"^The connection to example:5757 is lost\.$"):
        await session.lobby.refresh_tables()
    with pytest.raises(LinkError):
        await session.leave_table()
    assert session.table is at
    await session.close()


async def test_presence_shows_at_the_seat() -> None:
    link = ScriptedLink()
    session = await connect_and_sit(link)
    link.say(PresenceNotice(table=TABLE, seat=2, connected=False))
    assert [seat.connected for seat in session.table.info.seats] == [True, True, False]  # type: ignore[union-attr]
    assert session.table.marks == ["", "", "(away)"]  # type: ignore[union-attr]


async def test_a_presence_overtaking_its_table_is_kept() -> None:
    link = ScriptedLink()

    def answer(_: WatchRequest) -> Reply:
        link.say(PresenceNotice(table=TABLE, seat=2, connected=False))
        return make_snapshot()

    link.answers[WatchRequest] = answer
    session = await connect_and_sit(link)
    assert session.table.marks == ["", "", "(away)"]  # type: ignore[union-attr]


async def test_a_bot_takes_a_seat_left_in_a_game() -> None:
    link = ScriptedLink()
    session = await connect_and_sit(link)
    link.emit(Left(seq=2, seat=1, name="Paul", host=0))
    assert session.table.info.seats[1].kind == "bot"  # type: ignore[union-attr]
    assert session.table.names[1] == "Paul"  # type: ignore[union-attr]
    assert session.table.marks == ["", "(bot)", ""]  # type: ignore[union-attr]
    assert log_lines(session)[-1] == "Paul leaves: a bot takes over."


async def test_leaving_frees_the_seat_and_ends_the_notices() -> None:
    link = ScriptedLink()
    session = await connect_and_sit(link)
    await session.leave_table()
    assert link.asked[-2:] == [UnwatchRequest(table=TABLE), LeaveRequest(table=TABLE)]
    assert session.table is None
    link.emit(make_choice(2, seat=1))


async def test_former_subscriber_hears_nothing() -> None:
    session, heard = Session(), []
    session.subscribe(heard.append)()
    await session.connect(ScriptedLink())
    assert heard == []
