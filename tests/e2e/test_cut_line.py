"""Lines that are cut between a real client and a real server: nobody loses a seat, a move or an event by it."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from scoville_client.changes import Connected, LineDown, Lost
from scoville_client.link.tcp import TcpLink
from scoville_client.reconnecting import HEARTBEAT_SECONDS, Clock
from scoville_client.session import Session
from scoville_server.app import Server, Settings
from tests.support.client import Recorder
from tests.support.proxy import Proxy

SCALE = 0.01
"""Real seconds for a second of the tests."""

LOCAL = "127.0.0.1"


async def scaled(seconds: float) -> None:
    await asyncio.sleep(seconds * SCALE)


class Someone(Session):
    """A person at a client whose waits are short, and a test that waits for what they see."""

    def __init__(self) -> None:
        super().__init__(clock=Clock(scaled, lambda: 0.0))
        self.recorder = Recorder(self)
        self._changed = asyncio.Event()
        self.subscribe(lambda _: self._changed.set())

    async def until(self, met: Callable[[], bool]) -> None:
        """Wait until the session is as wished; a change is what wakes it."""
        async with asyncio.timeout(20):
            while not met():
                self._changed.clear()
                await self._changed.wait()

    @property
    def seqs(self) -> list[int]:
        """The numbers of the events that were told, each once."""
        assert self.table is not None
        return sorted({line.seq for line in self.table.log})


@pytest.fixture
async def stack() -> AsyncIterator[AsyncExitStack]:
    async with AsyncExitStack() as stack:
        yield stack


async def served(stack: AsyncExitStack, settings: Settings | None = None) -> tuple[Server, Proxy]:
    server = Server(settings or Settings(host=LOCAL, port=0))
    await server.start()
    stack.push_async_callback(server.close)
    return server, await stack.enter_async_context(Proxy(server.port))


async def someone(stack: AsyncExitStack, port: int, name: str, seconds: float = 10.0) -> Someone:
    session = Someone()
    stack.push_async_callback(session.close)
    await session.connect(TcpLink(LOCAL, port, seconds), name)
    return session


async def at_one_table(anna: Someone, ben: Someone) -> str:
    """A running game of two people, who both owe a move."""
    table = (await anna.create("dicht_dran", 2)).table
    await anna.join(table)
    await ben.join(table)
    await anna.start()
    for person in (anna, ben):
        await person.until(lambda person=person: person.table.view is not None)  # type: ignore[misc]
    return table


def first_move(person: Someone) -> object:
    assert person.table is not None
    return next(iter(person.table.moves()))


async def test_a_line_that_is_cut_in_the_middle_of_a_pick_costs_nothing(stack: AsyncExitStack) -> None:
    server, proxy = await served(stack)
    anna, ben = await someone(stack, proxy.port, "Anna"), await someone(stack, server.port, "Ben")
    await at_one_table(anna, ben)
    assert anna.table is not None
    seat, missed = anna.table.seat, anna.table.seq + 1

    proxy.silence()  # the pick leaves, and nothing comes back
    picking = asyncio.ensure_future(anna.play(first_move(anna)))
    await asyncio.sleep(0)
    proxy.cut()
    await ben.play(first_move(ben))  # while Anna cannot hear of it
    await anna.until(lambda: len(anna.recorder.of(LineDown)) > 4)
    assert not picking.done()
    assert anna.table.seq < missed
    proxy.mend()

    await picking
    await anna.until(lambda: anna.table.played == (1, 1))  # type: ignore[union-attr]
    assert anna.table.seat == seat
    assert anna.seqs == list(range(1, anna.table.seq + 1))
    assert (anna.table.info.seats[0].kind, anna.table.info.seats[0].name) == ("human", "Anna")
    assert [line.phrase for line in anna.table.log].count(anna.table.log[-1].phrase) == 1


async def test_a_pick_that_arrived_before_the_cut_is_not_made_twice(stack: AsyncExitStack) -> None:
    server, proxy = await served(stack)
    anna, ben = await someone(stack, proxy.port, "Anna"), await someone(stack, server.port, "Ben")
    await at_one_table(anna, ben)
    picking = asyncio.ensure_future(anna.play(first_move(anna)))
    await ben.until(lambda: ben.table.played == (1, 0))  # type: ignore[union-attr]
    proxy.cut()  # perhaps before the answer, perhaps behind it
    proxy.mend()
    await picking
    await anna.until(lambda: anna.state == "online" and anna.table.played == (1, 0))  # type: ignore[union-attr]
    assert anna.table is not None
    assert anna.table.played == (1, 0)


async def test_a_line_that_dies_without_a_word_is_noticed_and_replaced(stack: AsyncExitStack) -> None:
    server, proxy = await served(stack)
    anna = await someone(stack, proxy.port, "Anna", seconds=HEARTBEAT_SECONDS * SCALE * 2)
    ben = await someone(stack, server.port, "Ben")
    table = await at_one_table(anna, ben)
    proxy.silence()  # for the server, the old line still looks alive
    await anna.until(lambda: anna.recorder.of(Connected)[1:] == [Connected(again=True)])
    assert anna.table is not None
    assert (anna.table.id, anna.table.seat, anna.state) == (table, 0, "online")
    await anna.play(first_move(anna))


async def test_of_two_clients_that_claim_one_seat_the_later_one_has_it_and_they_do_not_fight(
    stack: AsyncExitStack,
) -> None:
    server, _ = await served(stack)
    anna, ben = await someone(stack, server.port, "Anna"), await someone(stack, server.port, "Ben")
    table = await at_one_table(anna, ben)  # a full table
    elsewhere = Someone()
    stack.push_async_callback(elsewhere.close)
    elsewhere.token = anna.token
    await elsewhere.connect(TcpLink(LOCAL, server.port))
    await elsewhere.join(table)
    await anna.until(lambda: bool(anna.recorder.of(Lost)))
    assert anna.recorder.of(Lost)[0].reason.startswith("You have come in from somewhere else")
    assert anna.state == "offline"
    assert elsewhere.table is not None
    assert (elsewhere.state, elsewhere.table.seat) == ("online", 0)
    await elsewhere.play(first_move(elsewhere))


async def test_who_was_away_so_long_that_a_bot_stood_in_has_the_seat_back_on_return(stack: AsyncExitStack) -> None:
    server, proxy = await served(stack, Settings(host=LOCAL, port=0, grace_seconds=0.01))
    anna, ben = await someone(stack, proxy.port, "Anna"), await someone(stack, server.port, "Ben")
    await at_one_table(anna, ben)
    proxy.cut()
    await ben.until(lambda: ben.table.played == (1, 0))  # type: ignore[union-attr]
    proxy.mend()
    await anna.until(lambda: anna.state == "online" and anna.table.info.seats[0].kind == "human")  # type: ignore[union-attr]
    assert anna.table is not None
    assert anna.table.seat == 0
    assert anna.seqs == list(range(1, anna.table.seq + 1))


async def test_a_server_that_restarts_finds_everybody_in_their_seats_again(
    stack: AsyncExitStack, tmp_path: Path
) -> None:
    server = Server(Settings(host=LOCAL, port=0, data=tmp_path))
    await server.start()
    anna, ben = await someone(stack, server.port, "Anna"), await someone(stack, server.port, "Ben")
    table = await at_one_table(anna, ben)
    await anna.play(first_move(anna))
    port = server.port
    await server.close()
    await ben.until(lambda: bool(ben.recorder.of(LineDown)))
    told = ben.recorder.of(LineDown)[0].sentence.render(())
    assert told == "The server is shutting down. Waiting for it to come back … (1)"
    await served(stack, Settings(host=LOCAL, port=port, data=tmp_path))
    await ben.until(lambda: ben.state == "online")
    assert ben.table is not None
    assert (ben.table.id, ben.table.seat, ben.table.played) == (table, 1, (1, 0))
    await ben.play(first_move(ben))
    await anna.until(lambda: anna.state == "online" and anna.table.played == (1, 1))  # type: ignore[union-attr]


async def test_a_server_that_keeps_nothing_has_no_seat_after_a_restart(stack: AsyncExitStack) -> None:
    server = Server(Settings(host=LOCAL, port=0))
    await server.start()
    anna, ben = await someone(stack, server.port, "Anna"), await someone(stack, server.port, "Ben")
    await at_one_table(anna, ben)
    port = server.port
    await server.close()
    await served(stack, Settings(host=LOCAL, port=port))
    await anna.until(lambda: bool(anna.recorder.of(Lost)))
    assert anna.recorder.of(Lost)[0].reason == (
        f"The server at {LOCAL}:{port} does not know you any more: the seat is lost."
    )
