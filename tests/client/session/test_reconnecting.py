"""Reconnecting after a lost connection: same user, same table, every event and every move once."""

import asyncio
from collections.abc import Callable, Iterator
from contextvars import Context
from itertools import islice

import pytest
from msgspec.structs import replace

from scoville_client.session.changes import Connected, ConnectionDown, ConnectionLost, DelayChanged, TableChanged
from scoville_client.session.link import HEARTBEAT_SECONDS, PLAYING_SECONDS, ReconnectWaits
from scoville_client.session.session import Session
from scoville_client.transport.base import LinkError, NoServerAnswers, WrongServer
from scoville_runtime.clock import Clock
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.messages import (
    ByeNotice,
    Empty,
    HelloRequest,
    JoinRequest,
    Params,
    PauseRequest,
    PingRequest,
    Reply,
    TableSnapshot,
    WatchRequest,
)
from tests.support.client import (
    MINE,
    NAMES,
    TABLE,
    HurriedClock,
    Recorder,
    ScriptedLink,
    connect_and_sit,
    list_outage_sentences,
    list_requests,
    make_choice,
    make_info,
    make_snapshot,
    make_welcome,
)
from tests.support.clock import FakeClock
from tests.support.server import until


def refusals(*errors: Exception, then: Reply) -> Callable[[Params], Reply]:
    """Answer with each error once, then with `then`."""
    left: Iterator[Exception] = iter(errors)

    def answer(_: Params) -> Reply:
        error = next(left, None)
        if error is not None:
            raise error
        return then

    return answer


# --- how long it waits ----------------------------------------------------------------------------------


def test_the_waits_double_up_to_a_quarter_of_a_minute() -> None:
    assert list(islice(ReconnectWaits(lambda: 0.0), 8)) == [0.5, 1, 2, 4, 8, 15, 15, 15]


def test_chance_shortens_each_wait_by_up_to_a_half() -> None:
    assert list(islice(ReconnectWaits(lambda: 1.0), 4)) == [0.25, 0.5, 1, 2]


async def test_reconnect_attempts_are_counted_until_one_succeeds() -> None:
    link, clock = ScriptedLink(), HurriedClock()
    session = await connect_and_sit(link, clock)
    recorder = Recorder(session)
    link.unreachable = "Nobody answers."
    link.fail()
    await until(lambda: len(clock.waited) == 7)
    link.unreachable = ""
    await until(lambda: session.connection.online)
    assert clock.waited[:7] == [0.5, 1, 2, 4, 8, 15, 15]
    assert list_outage_sentences(recorder)[2] == "The connection to example:5757 is lost; reconnecting … (3)"
    assert recorder.heard[-2:] == [Connected(again=True), TableChanged()]


@pytest.mark.parametrize(
    ("error", "waits"),
    [(NoServerAnswers, [0.5, 1, 2, 2, 2, 2, 2]), (LinkError, [0.5, 1, 2, 4, 8, 15, 15])],
)
async def test_nodes_that_do_not_answer_are_asked_every_other_second(
    error: type[LinkError], waits: list[float]
) -> None:
    link, clock = ScriptedLink(), HurriedClock()
    session = await connect_and_sit(link, clock)
    link.has_other_nodes, link.failure = True, error
    link.unreachable = "Nobody answers, or all are full."
    link.fail()
    await until(lambda: len(clock.waited) >= 7)
    link.unreachable = ""
    await until(lambda: session.connection.online)
    assert [wait for wait in clock.waited if wait != PLAYING_SECONDS or wait in waits][:7] == waits


def test_nodes_that_are_away_for_long_are_asked_less_often() -> None:
    waits = ReconnectWaits(lambda: 0.0)
    for _ in range(400):
        waits.note_failure(NoServerAnswers(""), has_nodes=True)
        next(waits)
    assert list(islice(waits, 3)) == [8, 15, 15]


async def test_a_server_that_says_that_it_goes_is_waited_for() -> None:
    link = ScriptedLink()
    session = await connect_and_sit(link)
    recorder = Recorder(session)
    link.answers[HelloRequest] = refusals(ScovilleError(Code.SHUTTING_DOWN, "no"), then=link.answers[HelloRequest])  # type: ignore[arg-type]
    link.say(ByeNotice(code="shutting_down", message="The server is shutting down."))
    link.fail()
    await until(lambda: session.connection.online)
    assert list_outage_sentences(recorder) == [
        f"The server is shutting down. Reconnecting … ({tries})" for tries in (1, 2)
    ]


async def test_a_user_who_hangs_up_is_not_brought_back() -> None:
    link = ScriptedLink()
    session = await connect_and_sit(link)
    link.unreachable = "Nobody answers."
    link.fail()
    await session.close()
    tries = len(link.asked)
    link.unreachable = ""
    for _ in range(20):
        await asyncio.sleep(0)
    assert (session.connection.offline, len(link.asked), link.opened) == (True, tries, 1)


# --- what it comes back to ------------------------------------------------------------------------------


async def test_token_seat_and_last_event_are_shown() -> None:
    link = ScriptedLink()
    session = await connect_and_sit(link)
    link.emit(make_choice(2, seat=1))
    link.answers[WatchRequest] = lambda params: make_snapshot(make_choice(2, 1), make_choice(3, 2), since=params.since)
    link.asked.clear()
    link.fail()
    await until(lambda: session.connection.online)
    hello, joined, watched = link.asked
    assert isinstance(hello, HelloRequest)
    assert isinstance(joined, JoinRequest)
    assert (hello.token, hello.name) == ("secret", "Anna")
    assert joined.table == TABLE
    assert watched == WatchRequest(table=TABLE, since=2)
    assert session.table is not None
    assert [line.phrase.render(NAMES) for line in session.table.log][1:] == ["Paul has chosen.", "Max has chosen."]
    link.emit(make_choice(3, seat=2), make_choice(4, seat=0))
    assert session.table.seq == 4


async def test_events_that_overtake_the_way_back_wait_for_it() -> None:
    link = ScriptedLink()
    session = await connect_and_sit(link)

    def overtaken(_: Params) -> TableSnapshot:
        link.emit(make_choice(2, seat=1), make_choice(3, seat=2))
        return make_snapshot(make_choice(2, 1), since=1)

    link.answers[WatchRequest] = overtaken
    link.fail()
    await until(lambda: session.connection.online)
    assert session.table is not None
    assert session.table.seq == 3


async def test_a_second_cut_while_returning_is_retried() -> None:
    link = ScriptedLink()
    session = await connect_and_sit(link)

    def cut(_: Params) -> Reply:
        link.answers[WatchRequest] = make_snapshot()
        link.fail()
        return make_snapshot()

    link.answers[WatchRequest] = cut
    link.fail()
    await until(lambda: session.connection.online)
    assert link.opened == 3


# --- when there is no way back --------------------------------------------------------------------------


async def lost(session: Session, recorder: Recorder) -> str:
    await until(lambda: bool(recorder.of(ConnectionLost)))
    assert session.connection.offline
    [gone] = recorder.of(ConnectionLost)
    return str(gone.reason)


@pytest.mark.parametrize("code", ["taken_over", "revoked"])
async def test_a_replaced_session_does_not_fight_back(code: str) -> None:
    link = ScriptedLink()
    session = await connect_and_sit(link)
    recorder = Recorder(session)
    link.say(ByeNotice(code=code, message="You connected from somewhere else; this connection is closed."))
    link.fail()
    assert (await lost(session, recorder)).endswith("You connected from somewhere else; this connection is closed.")
    assert (link.opened, recorder.of(ConnectionDown)) == (1, [])


async def test_a_forgetful_server_has_no_seat_for_me() -> None:
    link = ScriptedLink()
    session = await connect_and_sit(link)
    recorder = Recorder(session)
    link.answers[HelloRequest] = make_welcome(name="Anna 2", token="other")
    link.fail()
    sentence = await lost(session, recorder)
    assert sentence == "The server at example:5757 no longer knows you; your seat is lost."
    assert link.closed
    assert len(list_requests(link, JoinRequest)) == 1


async def test_identity_does_not_matter_in_the_lobby() -> None:
    link, clock = ScriptedLink(), HurriedClock()
    session = Session(clock=clock.clock)
    await session.connect(link)
    link.answers[HelloRequest] = make_welcome(name="Anna 2", token="other")
    link.fail()
    await until(lambda: session.connection.online)
    assert (session.name, session.connection.token) == ("Anna 2", "other")


async def test_a_changed_server_version_says_what_to_install() -> None:
    link = ScriptedLink()
    session = await connect_and_sit(link)
    recorder = Recorder(session)
    link.answers[HelloRequest] = ScovilleError(Code.UPGRADE_CLIENT, "Please install scoville 2.")
    link.fail()
    assert await lost(session, recorder) == "Please install scoville 2."


# --- a move on its way ----------------------------------------------------------------------------------


async def test_an_unanswered_heartbeat_is_a_lost_connection() -> None:
    link, first_beat = ScriptedLink(), asyncio.Event()

    async def sleep(seconds: float) -> None:
        await (first_beat if seconds == HEARTBEAT_SECONDS else asyncio.Event()).wait()

    session = Session(clock=Clock(sleep=sleep, chance=lambda: 0.0))
    await session.connect(link)
    link.answers[PingRequest] = LinkError("No answer.")
    first_beat.set()
    await until(lambda: session.connection.reconnecting)
    await session.close()


async def test_the_delay_is_what_pings_take_lately() -> None:
    link, beats, now = ScriptedLink(), asyncio.Semaphore(0), 0.0

    async def sleep(seconds: float) -> None:
        await (beats.acquire() if seconds == HEARTBEAT_SECONDS else asyncio.Event().wait())

    def answer(_: Params) -> Reply:
        nonlocal now
        now += taken.pop(0)
        return Empty()

    taken = [0.015, 0.9, 0.025, 0.045]
    link.answers[PingRequest] = answer
    session = Session(clock=Clock(sleep=sleep, seconds=lambda: now, chance=lambda: 0.0))
    await session.connect(link)
    recorder = Recorder(session)
    assert session.connection.link.delay is None
    for left in range(3, -1, -1):
        beats.release()
        await until(lambda left=left: len(taken) == left and beats.locked())  # type: ignore[misc]
    await until(lambda: session.connection.link.delay == pytest.approx(0.045))
    assert recorder.heard.count(DelayChanged()) == 3, "20, 30 and 50 ms: the one that took long alone says nothing"
    await session.close()


async def test_repeated_losses_after_returning_wait_longer() -> None:
    link, clock = ScriptedLink(), HurriedClock()
    session = await connect_and_sit(link, clock)
    for _ in range(7):
        link.fail()
        await until(lambda: session.connection.online)
    assert clock.waited == [0.5, 1, 2, 4, 8, 15, 15]


async def test_a_long_connection_resets_the_waits() -> None:
    link = ScriptedLink()
    waited: list[float] = []
    beats = asyncio.Semaphore(0)

    async def sleep(seconds: float) -> None:
        if seconds == HEARTBEAT_SECONDS:
            await beats.acquire()
        else:
            waited.append(seconds)

    session = Session(clock=Clock(sleep=sleep, chance=lambda: 0.0))
    await session.connect(link)
    for _ in range(3):
        link.fail()
        await until(lambda: session.connection.online)
    before = len(list_requests(link, PingRequest))
    beats.release()
    await until(lambda: len(list_requests(link, PingRequest)) > before)
    link.fail()
    await until(lambda: session.connection.online)
    assert waited == [0.5, 1, 2, 0.5]


async def test_a_server_that_restarts_is_asked_at_once() -> None:
    link, clock = ScriptedLink(), HurriedClock()
    session = await connect_and_sit(link, clock)
    recorder = Recorder(session)
    link.say(ByeNotice(code="restarting", message="Back at once."))
    link.fail()
    await until(lambda: session.connection.online)
    assert clock.waited[0] <= 0.3
    assert list_outage_sentences(recorder) == ["The server is restarting and will be back in a moment."]


def restart(link: ScriptedLink) -> None:
    link.say(ByeNotice(code="restarting", message="Back at once."))
    link.fail()


async def test_a_request_that_a_restart_interrupts_is_sent_again() -> None:
    link = ScriptedLink()
    session = await connect_and_sit(link)
    lost = iter([True])

    def answer(_: Params) -> Reply:
        if next(lost, False):
            restart(link)
            raise LinkError("The connection is lost.")
        return Empty()

    link.answers[PauseRequest] = answer
    await session.table_actions.request_here(PauseRequest)
    assert len(list_requests(link, PauseRequest)) == 2
    assert session.connection.link.losses == 1


async def test_a_request_during_a_restart_waits_for_its_end() -> None:
    link = ScriptedLink()
    session = await connect_and_sit(link)
    restart(link)
    link.answers[PauseRequest] = lambda _: Empty()
    assert session.connection.reconnecting
    await session.table_actions.request_here(PauseRequest)
    assert session.connection.online


async def test_a_request_waits_no_longer_than_a_restart_takes() -> None:
    link = ScriptedLink()
    session = await connect_and_sit(link)
    link.unreachable = "Nobody answers."
    restart(link)
    with pytest.raises(LinkError):
        await session.table_actions.request_here(PauseRequest)
    await session.close()


async def test_an_interrupted_request_without_a_restart_fails() -> None:
    link = ScriptedLink()
    session = await connect_and_sit(link)

    def answer(_: Params) -> Reply:
        link.fail()
        raise LinkError("The connection is lost.")

    link.answers[PauseRequest] = answer
    with pytest.raises(LinkError):
        await session.table_actions.request_here(PauseRequest)
    assert len(list_requests(link, PauseRequest)) == 1


def test_the_crowd_of_a_restart_is_spread() -> None:
    assert list(islice(ReconnectWaits(lambda: 1.0, restarting=True), 3)) == [0.3, 0.25, 0.5]


# --- a server of several nodes --------------------------------------------------------------------------


def sent_on(address: str = "") -> ScovilleError:
    return ScovilleError(Code.MOVED, "Another server process serves now.", {"address": address} if address else {})


async def test_client_goes_on_to_the_named_node_without_a_pause() -> None:
    link, clock = ScriptedLink(), HurriedClock()
    session = await connect_and_sit(link, clock)
    clock.waited.clear()
    link.answers[HelloRequest] = refusals(
        *[sent_on("b.example:1")] * 4, then=make_welcome(token="secret", resumed=True)
    )
    link.fail()
    await until(lambda: session.connection.online)
    assert clock.waited == [0.5, 0, 0, 0, 0]


async def test_waits_stay_short_while_nodes_answer() -> None:
    link, clock = ScriptedLink(), HurriedClock()
    session = await connect_and_sit(link, clock)
    clock.waited.clear()
    link.answers[HelloRequest] = refusals(*[sent_on()] * 8, then=make_welcome(token="secret", resumed=True))
    link.fail()
    await until(lambda: session.connection.online)
    assert clock.waited == [0.5, 1, 2, 2, 2, 2, 2, 2, 2]


async def test_node_that_says_goodbye_for_another_is_left() -> None:
    link = ScriptedLink()
    session = await connect_and_sit(link)
    link.say(ByeNotice(code=Code.MOVED, message="Another server process serves now."))
    link.fail()
    await until(lambda: session.connection.online)
    assert link.left_nodes == 1


async def test_players_of_several_nodes_ping_more_often() -> None:
    link, clock = ScriptedLink(), HurriedClock()
    link.has_other_nodes = True
    session = Session(clock=clock.clock)
    await session.connect(link)
    assert PLAYING_SECONDS not in clock.waited
    await session.join_table(TABLE)
    link.fail()
    await until(lambda: PLAYING_SECONDS in clock.waited)
    await session.close()


async def test_nobody_asks_before_the_greeting_is_over() -> None:
    link = ScriptedLink()
    session = await connect_and_sit(link)
    answers: list[object] = []

    async def ask() -> None:
        try:
            await session.table_actions.request_here(PauseRequest)
        except LinkError as error:
            answers.append(error.message)

    waiting: list[asyncio.Task[None]] = []
    say_hello = link.call

    async def call(params: Params) -> Reply:
        if isinstance(params, HelloRequest):
            waiting.append(asyncio.get_running_loop().create_task(ask(), context=Context()))
            await until(lambda: bool(answers))
        return await say_hello(params)

    link.call = call  # type: ignore[method-assign]
    link.fail()
    await until(lambda: session.connection.online)
    assert answers == ["The connection to example:5757 is lost."]
    assert list_requests(link, PauseRequest) == []


# --- the first connection -------------------------------------------------------------------------------


@pytest.mark.parametrize("error", [LinkError("gone"), ScovilleError(Code.BUSY, "behind")])
async def test_next_node_follows_one_lost_at_hello(error: Exception) -> None:
    link, clock = ScriptedLink(), HurriedClock()
    link.has_other_nodes = True
    link.answers[HelloRequest] = refusals(error, error, then=make_welcome())
    session = Session(clock=clock.clock)
    await session.connect(link, "Anna")
    assert session.connection.online
    assert link.opened == 3
    await session.close()


@pytest.mark.parametrize(
    ("error", "has_nodes"),
    [(LinkError("gone"), False), (NoServerAnswers("nobody"), True), (WrongServer("another key"), True)],
)
async def test_final_failure_of_the_first_connection_ends(error: LinkError, has_nodes: bool) -> None:
    link, clock = ScriptedLink(), HurriedClock()
    link.has_other_nodes = has_nodes
    link.answers[HelloRequest] = error
    session = Session(clock=clock.clock)
    with pytest.raises(type(error)):
        await session.connect(link, "Anna")
    assert link.opened == 1


async def test_busy_server_is_awaited_once() -> None:
    link, fake = ScriptedLink(), FakeClock()
    async with fake.passing_when_idle() as clock:
        session = Session(clock=clock)
        await session.connect(link, NAMES[0])
        for number in range(5):
            session.lobby.add_table(replace(make_info(), table=f"{number:012x}", your_seat=MINE))
        assert len(session.lobby.my_tables) == 5
        link.answers[JoinRequest] = ScovilleError(Code.BUSY, "Another node takes it over.")
        began = fake.time
        await session.rejoin_table()
        assert session.table is None
        assert 60 <= fake.time - began < 70
        await session.close()
