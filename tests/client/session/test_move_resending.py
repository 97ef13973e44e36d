"""Moves on their way when the connection is lost: sent again where needed, and played once."""

import asyncio

import pytest
from msgspec.structs import replace

from scoville_client.session.changes import ConnectionDown
from scoville_client.session.session import Session
from scoville_client.transport.base import LinkError
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.messages import (
    HelloRequest,
    Params,
    PlayReply,
    PlayRequest,
    Reply,
    WatchRequest,
)
from tests.support.client import (
    HurriedClock,
    Recorder,
    ScriptedLink,
    connect_and_sit,
    list_outage_sentences,
    list_requests,
    make_choice,
    make_snapshot,
)
from tests.support.server import until


async def pick(link: ScriptedLink, session: Session) -> asyncio.Task[int]:
    """Play a move whose reply is lost with the connection."""
    first = [*session.table.legal_moves()][0]  # type: ignore[union-attr] # noqa: RUF015

    def swallowed(_: Params) -> Reply:
        link.answers[PlayRequest] = PlayReply(seq=7)
        link.fail()
        raise LinkError("gone")

    link.answers[PlayRequest] = swallowed
    return asyncio.ensure_future(session.play_move(first))


async def test_a_move_that_the_server_has_is_not_sent_again() -> None:
    link = ScriptedLink()
    session = await connect_and_sit(link)
    link.answers[WatchRequest] = lambda params: make_snapshot(make_choice(2, 0), since=params.since)
    assert await (await pick(link, session)) == 2
    assert len(list_requests(link, PlayRequest)) == 1


async def test_a_move_that_the_server_has_not_is_sent_again() -> None:
    link = ScriptedLink()
    session = await connect_and_sit(link)
    assert await (await pick(link, session)) == 7
    first, second = list_requests(link, PlayRequest)
    assert first == second


async def test_a_doubled_move_counts_once() -> None:
    link = ScriptedLink()
    session = await connect_and_sit(link)
    picking = await pick(link, session)
    await until(lambda: session.connection.reconnecting)

    def late(_: Params) -> Reply:
        link.emit(make_choice(2, seat=0))
        raise ScovilleError(Code.STALE_MOVE, "You made 1.")

    link.answers[PlayRequest] = late
    assert await picking == 2


async def test_a_move_that_a_bot_made_meanwhile_is_not_mine() -> None:
    link = ScriptedLink()
    session = await connect_and_sit(link)
    by_bot = replace(make_choice(2, seat=0), mover="bot")
    link.answers[WatchRequest] = lambda params: make_snapshot(by_bot, since=params.since)
    with pytest.raises(ScovilleError, match="A bot played for you"):
        await (await pick(link, session))


async def test_one_move_waits_for_the_connection() -> None:
    link = ScriptedLink()
    session = await connect_and_sit(link)
    link.answers[PlayRequest] = PlayReply(seq=2)
    link.unreachable = "Nobody answers."
    link.fail()
    first, second, *_ = session.table.legal_moves()  # type: ignore[union-attr]
    picking = asyncio.ensure_future(session.play_move(first))
    await asyncio.sleep(0)
    with pytest.raises(LinkError, match=r"^Your move is waiting for the connection to example:5757\.$"):
        await session.play_move(second)
    link.unreachable = ""
    assert await picking == 2
    assert len(list_requests(link, PlayRequest)) == 1


async def test_a_waiting_move_is_reported_with_each_attempt() -> None:
    link, clock = ScriptedLink(), HurriedClock()
    session = await connect_and_sit(link, clock)
    recorder = Recorder(session)
    link.answers[PlayRequest] = PlayReply(seq=2)
    link.unreachable = "Nobody answers."
    link.fail()
    await until(lambda: len(recorder.of(ConnectionDown)) == 2)
    silent = recorder.of(ConnectionDown)[-1]
    picking = asyncio.ensure_future(session.play_move(session.table.legal_moves()[0]))  # type: ignore[union-attr]
    await until(lambda: recorder.of(ConnectionDown)[-1].tries > silent.tries)
    downs = recorder.of(ConnectionDown)
    first = next(number for number, down in enumerate(downs) if down.move_waits)
    assert (downs[first].tries, downs[first - 1].move_waits) == (downs[first - 1].tries, False)
    assert all(down.move_waits for down in downs[first:])
    assert (
        list_outage_sentences(recorder)[first]
        == f"{list_outage_sentences(recorder)[first - 1]} Your move is saved and will be sent after reconnecting."
    )
    link.unreachable = ""
    await picking
    link.unreachable = "Nobody answers."
    link.fail()
    failures = len(recorder.of(ConnectionDown))
    await until(lambda: len(recorder.of(ConnectionDown)) > failures)
    assert not recorder.of(ConnectionDown)[-1].move_waits
    await session.close()


async def test_a_move_fails_when_the_connection_ends_for_good() -> None:
    link = ScriptedLink()
    session = await connect_and_sit(link)
    link.answers[HelloRequest] = ScovilleError(Code.UPGRADE_CLIENT, "Please install scoville 2.")
    with pytest.raises(LinkError, match=r"Please install scoville 2\."):
        await (await pick(link, session))
