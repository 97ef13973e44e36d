"""Connections cut between a real client and a real server: no seat, move or event is lost."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from itertools import islice
from pathlib import Path

import pytest

from scoville_client.session.changes import ConnectionDown, ConnectionLost
from scoville_client.session.table.log import LogEntry
from scoville_client.transport.tcp import TcpLink
from scoville_runtime.clock import SYSTEM, Clock
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from tests.support.clock import FakeClock
from tests.support.idle import eventually
from tests.support.process import quiet_port
from tests.support.proxy import Proxy
from tests.support.recording_session import RecordingSession

LOCAL = "127.0.0.1"
ANSWER_SECONDS = 10.0
"""Seconds without an answer after which a client takes its connection for dead."""


@pytest.fixture
async def stack() -> AsyncIterator[AsyncExitStack]:
    async with AsyncExitStack() as stack:
        yield stack


async def served(stack: AsyncExitStack, settings: Settings | None = None) -> tuple[Server, Proxy]:
    server = Server(settings or Settings(host=LOCAL, port=0))
    await server.start()
    stack.push_async_callback(server.close)
    return server, await stack.enter_async_context(Proxy(server.port))


async def connect_user(stack: AsyncExitStack, port: int, name: str, clock: Clock = SYSTEM) -> RecordingSession:
    session = RecordingSession()
    stack.push_async_callback(session.close)
    await session.connect(TcpLink(LOCAL, port, ANSWER_SECONDS, clock), name)
    return session


async def at_one_table(anna: RecordingSession, ben: RecordingSession) -> str:
    """A running game of two users, who both have to move."""
    table = (await anna.lobby.create_table("dicht_dran", 2)).table
    await anna.join_table(table)
    await ben.join_table(table)
    await anna.table_actions.start_game()
    for user in (anna, ben):
        await user.until(lambda user=user: user.table.view is not None)  # type: ignore[misc]
    return table


def first_move(user: RecordingSession) -> object:
    assert user.table is not None
    return next(iter(user.table.legal_moves()))


def public_lines(user: RecordingSession) -> list[LogEntry]:
    """The lines of a user's log but for the cards that they alone draw, which chance decides."""
    assert user.table is not None
    return [line for line in user.table.log if line.phrase.text != "{who} draws {cards}."]


async def test_a_cut_within_a_pick_costs_nothing(stack: AsyncExitStack) -> None:
    server, proxy = await served(stack)
    anna, ben = await connect_user(stack, proxy.port, "Anna"), await connect_user(stack, server.port, "Ben")
    await at_one_table(anna, ben)
    assert anna.table is not None
    seat, missed = anna.table.seat, anna.table.seq + 1

    proxy.silence()  # the pick leaves, and nothing comes back
    picking = asyncio.ensure_future(anna.play_move(first_move(anna)))
    await asyncio.sleep(0)
    proxy.cut()
    await ben.play_move(first_move(ben))  # while Anna cannot receive it
    await anna.until(lambda: anna.seconds_away >= 8)
    assert not picking.done()
    assert anna.table.seq < missed
    proxy.mend()

    await picking
    await anna.until(lambda: anna.table.played == (1, 1))  # type: ignore[union-attr]
    await anna.until(lambda: anna.table.seq == ben.table.seq)  # type: ignore[union-attr]
    assert anna.table.seat == seat
    assert anna.seqs == list(range(1, anna.table.seq + 1))
    assert (anna.table.info.seats[0].kind, anna.table.info.seats[0].name) == ("human", "Anna")
    lines, lines_of_ben = public_lines(anna), public_lines(ben)
    assert lines
    assert lines == lines_of_ben[-len(lines) :]


async def test_a_pick_before_the_cut_counts_once(stack: AsyncExitStack) -> None:
    server, proxy = await served(stack)
    anna, ben = await connect_user(stack, proxy.port, "Anna"), await connect_user(stack, server.port, "Ben")
    await at_one_table(anna, ben)
    picking = asyncio.ensure_future(anna.play_move(first_move(anna)))
    await ben.until(lambda: ben.table.played == (1, 0))  # type: ignore[union-attr]
    proxy.cut()  # perhaps before the answer, perhaps behind it
    proxy.mend()
    await picking
    await anna.until(lambda: anna.connection.online and anna.table.played == (1, 0))  # type: ignore[union-attr]
    assert anna.table is not None
    assert anna.table.played == (1, 0)


async def test_a_dead_connection_is_noticed_and_replaced(stack: AsyncExitStack) -> None:
    server, proxy = await served(stack)
    clock = FakeClock()
    anna = await connect_user(stack, proxy.port, "Anna", clock.clock)
    ben = await connect_user(stack, server.port, "Ben")
    table = await at_one_table(anna, ben)
    proxy.silence()  # for the server, the old line still looks alive
    await eventually(lambda: clock.alarms)  # a sign of life is asked for, and waited for
    clock.advance(ANSWER_SECONDS)
    await anna.until(lambda: anna.returns > 0)
    assert anna.table is not None
    assert (anna.table.id, anna.table.seat, anna.connection.online) == (table, 0, True)
    await anna.play_move(first_move(anna))


async def test_two_clients_of_one_seat_do_not_fight(
    stack: AsyncExitStack,
) -> None:
    server, _ = await served(stack)
    anna, ben = await connect_user(stack, server.port, "Anna"), await connect_user(stack, server.port, "Ben")
    table = await at_one_table(anna, ben)  # a full table
    elsewhere = RecordingSession()
    stack.push_async_callback(elsewhere.close)
    elsewhere.connection.token = anna.connection.token
    await elsewhere.connect(TcpLink(LOCAL, server.port))
    await elsewhere.join_table(table)
    await anna.until(lambda: bool(anna.recorder.of(ConnectionLost)))
    assert anna.recorder.of(ConnectionLost)[0].reason.startswith("You connected from somewhere else")
    assert anna.connection.offline
    assert elsewhere.table is not None
    assert (elsewhere.connection.online, elsewhere.table.seat) == (True, 0)
    await elsewhere.play_move(first_move(elsewhere))


async def test_one_of_simultaneous_joiners_gets_the_seat(
    stack: AsyncExitStack,
) -> None:
    server, _ = await served(stack)
    anna, ben = await connect_user(stack, server.port, "Anna"), await connect_user(stack, server.port, "Ben")
    table = await at_one_table(anna, ben)
    picking = asyncio.ensure_future(anna.play_move(first_move(anna)))  # under way while the line is taken over
    clients = [anna, *(RecordingSession() for _ in range(3))]
    for claim in clients[1:]:
        stack.push_async_callback(claim.close)
        claim.connection.token = anna.connection.token
    await asyncio.gather(
        *(claim.connect(TcpLink(LOCAL, server.port)) for claim in clients[1:]), picking, return_exceptions=True
    )
    await all_but_one_offline(clients)
    (winner,) = (client for client in clients if client.connection.online)
    await winner.join_table(table)
    assert winner.at.seat == 0
    if not winner.at.played[0]:  # the pick was cut off with its line, and came to nobody's ears
        await winner.play_move(first_move(winner))
    await ben.until(lambda: ben.at.played == (1, 0))


async def all_but_one_offline(clients: list[RecordingSession]) -> None:
    """Wait until all clients but one have been taken over."""
    hearing = [
        asyncio.ensure_future(client.until(lambda client=client: client.connection.offline))  # type: ignore[misc]
        for client in clients
    ]
    for heard in islice(asyncio.as_completed(hearing), len(clients) - 1):
        await heard
    for waiting in hearing:
        waiting.cancel()
    await asyncio.gather(*hearing, return_exceptions=True)


async def test_a_returning_player_gets_the_seat_from_the_bot(stack: AsyncExitStack) -> None:
    server, proxy = await served(stack, Settings(host=LOCAL, port=0, grace_seconds=0.01))
    anna, ben = await connect_user(stack, proxy.port, "Anna"), await connect_user(stack, server.port, "Ben")
    await at_one_table(anna, ben)
    proxy.cut()
    await ben.until(lambda: ben.table.played == (1, 0))  # type: ignore[union-attr]
    proxy.mend()
    await anna.until(lambda: anna.connection.online and anna.table.info.seats[0].kind == "human")  # type: ignore[union-attr]
    assert anna.table is not None
    assert anna.table.seat == 0
    assert anna.seqs == list(range(1, anna.table.seq + 1))


async def test_a_server_that_restarts_finds_everybody_in_their_seats_again(
    stack: AsyncExitStack, tmp_path: Path
) -> None:
    port = quiet_port()
    server = Server(Settings(host=LOCAL, port=port, data=tmp_path))
    await server.start()
    anna, ben = await connect_user(stack, server.port, "Anna"), await connect_user(stack, server.port, "Ben")
    table = await at_one_table(anna, ben)
    await anna.play_move(first_move(anna))
    await server.close()
    await ben.until(lambda: bool(ben.recorder.of(ConnectionDown)))
    sentence = ben.recorder.of(ConnectionDown)[0].sentence.render(())
    assert sentence == "The server is shutting down. Reconnecting … (1)"
    await served(stack, Settings(host=LOCAL, port=port, data=tmp_path))
    await ben.until(lambda: ben.connection.online)
    assert ben.table is not None
    assert (ben.table.id, ben.table.seat, ben.table.played) == (table, 1, (1, 0))
    await ben.play_move(first_move(ben))
    await anna.until(lambda: anna.connection.online and anna.table.played == (1, 1))  # type: ignore[union-attr]


async def test_a_server_without_journal_has_no_seat_after_restarts(stack: AsyncExitStack) -> None:
    port = quiet_port()
    server = Server(Settings(host=LOCAL, port=port))
    await server.start()
    anna, ben = await connect_user(stack, port, "Anna"), await connect_user(stack, port, "Ben")
    await at_one_table(anna, ben)
    await server.close()
    await served(stack, Settings(host=LOCAL, port=port))
    await anna.until(lambda: bool(anna.recorder.of(ConnectionLost)))
    assert anna.recorder.of(ConnectionLost)[0].reason == (
        f"The server at {LOCAL}:{port} no longer knows you; your seat is lost."
    )
