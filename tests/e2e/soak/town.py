"""All people of a soak together: they live, then finish what they have begun, and then nothing may be left over."""

import asyncio
from collections.abc import AsyncIterator, Callable
from random import Random
from typing import Any

from tests.e2e.soak.habits import live
from tests.e2e.soak.ledger import Ledger
from tests.e2e.soak.lines import LineBroken
from tests.e2e.soak.person import Notes, Person
from tests.e2e.soak.players import Player
from tests.support.process import ServerProcess

SETTINGS = """\
grace_seconds = 3
unseated_seconds = 15
idle_seconds = 30
host_idle_seconds = 10
finished_seconds = 10
rematch_seconds = 5
bot_fill_seconds = 2
guests = 400

[accounts]
tokens = 4
tokens_total = 1000

[chat]
lobby = 50
table = 20
whispers = 10

[games]
files = 100
"""
"""A server's day in ten minutes: waits of minutes take seconds, and what is kept reaches its bounds within minutes, so
that memory which grows later is a leak."""

PATIENCE = 60.0
"""Seconds without a move anywhere after which nothing comes to an end any more, however busy the machine is."""

ROUNDS = 10
"""How often somebody goes round their tables before they look for others."""
PACE = 0.1
"""Seconds between two rounds."""

Days = Callable[[Random], AsyncIterator[None]]


def actions(number: int) -> Days:
    """Let everybody do so many things, one right after the other."""

    async def days(_: Random) -> AsyncIterator[None]:
        for _number in range(number):
            yield

    return days


def minutes(number: float, think: float = 1.0) -> Days:
    """Let everybody do something now and then, every `think` seconds on average."""

    async def days(luck: Random) -> AsyncIterator[None]:
        loop = asyncio.get_running_loop()
        end = loop.time() + 60 * number
        while loop.time() < end:
            yield
            await asyncio.sleep(luck.expovariate(1 / think))

    return days


class Town:
    """So many people at a server, every tenth of them at a real client."""

    def __init__(self, server: ServerProcess, people: int, seed: int) -> None:
        self.ledger = Ledger()
        self._notes = Notes(server.port, seed, self.ledger)
        clients = max(1, people // 10)
        self._people = [Person(number, self._notes) for number in range(people - clients)]
        self._players = [Player(number, server.port, seed, self.ledger) for number in range(clients)]

    async def live(self, days: Days) -> None:
        """Let everybody come and live; afterwards all tables are finished, and nobody is stuck."""
        async with asyncio.TaskGroup() as lives:
            for user in self._people:
                lives.create_task(self._life(user, days))
            for player in self._players:
                lives.create_task(_career(player, days))
        self.ledger.times_count = False
        await self._finish()

    async def _life(self, user: Person, days: Days) -> None:
        await user.come()
        async for _ in days(user.luck):
            try:
                await live(user)
            except (LineBroken, TimeoutError) as broken:
                said = [notice for name, notice in user.line.notices if name == "bye"]
                self.ledger.faults.append(f"{user.name} lost the line or an answer: {broken} {said}")
                await user.come()

    async def _finish(self) -> None:
        ends = [_finish(user) for user in self._people] + [player.finish() for player in self._players]
        ending = asyncio.gather(*ends)
        moves = -1
        while not ending.done() and self.ledger.moves > moves:
            moves = self.ledger.moves
            await asyncio.wait((ending,), timeout=PATIENCE)
        if not ending.done():
            ending.cancel()
            await self._tell_of_the_stuck()
        else:
            await ending
        for player in self._players:
            await player.go()
        for user in self._people:
            await user.line.hang_up()

    async def _tell_of_the_stuck(self) -> None:
        for user in self._people:
            for info in await _mine(user):
                self.ledger.faults.append(f"{user.name} is stuck: {info}")
        tables = [player.session.table for player in self._players]
        stuck = [at.info for at in tables if at is not None and at.result is None]
        self.ledger.faults += [f"a client is stuck: {info}" for info in stuck]


async def _career(player: Player, days: Days) -> None:
    await player.come()
    async for _ in days(player.luck):
        await player.live()


async def _mine(user: Person) -> list[dict[str, Any]]:
    """The tables where somebody has a seat, and a game to play or to wait for."""
    tables = (await user.ask("table.list"))["tables"]
    return [info for info in tables if info["yours"] is not None and info["status"] != "finished"]


async def _finish(user: Person) -> None:
    """Play every game to its end, at all tables in turn, and wait at no table any more."""
    while mine := await _mine(user):
        for _ in range(ROUNDS):
            for info in mine:
                user.table, user.seat, user.since = info["table"], info["yours"], 0
                await _go_on(user, info)
            await asyncio.sleep(PACE)


async def _go_on(user: Person, info: dict[str, Any]) -> None:
    """Do the next thing at a table; where a bot stood in it gets up for that."""
    if info["status"] == "waiting":
        await user.try_to("table.leave", table=info["table"])
    elif info["seats"][info["yours"]]["kind"] == "bot":
        await user.sit(info["table"])
    else:
        shot = await user.look()
        if shot is not None and shot["info"]["paused"]:
            await user.try_to("table.resume", table=info["table"])
        elif shot is not None:
            await user.move(shot)
