"""All users of a soak test: they act, then finish everything, and nothing may be left behind."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from random import Random
from typing import Any

from tests.e2e.soak.habits import do_action
from tests.e2e.soak.ledger import Ledger
from tests.e2e.soak.lines import LineBroken
from tests.e2e.soak.players import Player
from tests.e2e.soak.user import SharedNotes, SoakUser
from tests.support.process import ServerProcess

SETTINGS = """\
grace_seconds = 3
idle_seconds = 30
host_idle_seconds = 10
finished_seconds = 10

bot_fill_seconds = 2
guests = 400

[games]
files = 100
"""
"""A server's day in ten minutes: waits of minutes take seconds, and what is kept reaches its bounds within minutes, so
that memory which grows later is a leak."""

TIMEOUT = 60.0
"""Seconds without a move anywhere after which nothing comes to an end any more, however busy the machine is."""

ENDING = 600.0
"""Seconds for which games may go on after the users have stopped to begin new ones."""

ROUNDS = 10
"""How often somebody goes round their tables before they look for others."""

Days = Callable[[Random], AsyncIterator[None]]


def do_actions(number: int) -> Days:
    """Let all users do a number of actions, one right after the other."""

    async def days(_: Random) -> AsyncIterator[None]:
        for _number in range(number):
            yield

    return days


def act_for_minutes(number: float, think: float = 1.0) -> Days:
    """Let all users act every `think` seconds on average."""

    async def days(luck: Random) -> AsyncIterator[None]:
        loop = asyncio.get_running_loop()
        end = loop.time() + 60 * number
        while loop.time() < end:
            yield
            await asyncio.sleep(luck.expovariate(1 / think))

    return days


class SoakRun:
    """A number of users on one server, every tenth with a real client.

    `moment` is how long, in seconds, they wait where nothing happens before they look again; `report` gets how far
    their ends are.
    """

    def __init__(
        self,
        server: ServerProcess,
        users: int,
        seed: int,
        moment: float = 0.3,
        report: Callable[[str], object] = lambda _: None,
    ) -> None:
        self.ledger = Ledger()
        self._moment = moment
        self._report = report
        self._notes = SharedNotes(server.port, seed, self.ledger)
        clients = max(1, users // 10)
        self._users = [SoakUser(number, self._notes) for number in range(users - clients)]
        self._players = [Player(number, server.port, seed, self.ledger, moment) for number in range(clients)]

    async def live(self, days: Days) -> None:
        """Run all users; afterwards all tables are finished, and nobody is stuck."""
        async with asyncio.TaskGroup() as lives:
            for user in self._users:
                lives.create_task(self._life(user, days))
            for player in self._players:
                lives.create_task(_live_career(player, days))
        self.ledger.times_count = False
        await self._finish()

    async def _life(self, user: SoakUser, days: Days) -> None:
        await user.come()
        async for _ in days(user.luck):
            try:
                await do_action(user)
            except (LineBroken, TimeoutError) as broken:
                said = [notice for name, notice in user.line.notices if name == "bye"]
                self.ledger.faults.append(f"{user.name} lost the line or an answer: {broken} {said}")
                await user.come()

    async def _finish(self) -> None:
        """Let all users finish within `ENDING` seconds, and disconnect."""
        users = {asyncio.ensure_future(self._finishes(user)): user.name for user in self._users}
        clients = {asyncio.ensure_future(player.finish()): player.name for player in self._players}
        ends = users | clients
        loop, moves = asyncio.get_running_loop(), -1
        deadline = loop.time() + ENDING
        while (left := [name for end, name in ends.items() if not end.done()]) and loop.time() < deadline:
            self._report(f"{len(left)} people still end their games; {self.ledger.moves:,} moves")
            if self.ledger.moves == moves:
                break
            moves = self.ledger.moves
            await asyncio.wait(ends, timeout=TIMEOUT)
        if left:
            self.ledger.faults.append(f"{len(left)} people have not ended their games: {', '.join(left[:9])}")
        for end in ends:
            end.cancel()
        ended = await asyncio.gather(*ends, return_exceptions=True)
        self.ledger.faults += [f"in the end: {error!r}" for error in ended if isinstance(error, Exception)]
        await self._name_the_stuck([name for end, name in users.items() if end.cancelled()])
        async with bound_wait(self.ledger, "hanging up"):
            await asyncio.gather(*[player.go() for player in self._players])
            await asyncio.gather(*[user.line.hang_up() for user in self._users])

    async def _finishes(self, user: SoakUser) -> None:
        try:
            await _finish_games(user, self._moment)
        except (LineBroken, TimeoutError) as broken:
            self.ledger.faults.append(f"{user.name} lost the line or an answer in the end: {broken}")

    async def _name_the_stuck(self, names: Sequence[str]) -> None:
        async with bound_wait(self.ledger, "asking who is stuck"):
            for user in self._users:
                if user.name in names and not user.line.closed.is_set():
                    self.ledger.faults += [f"{user.name} is stuck: {info}" for info in await _list_own_tables(user)]
        tables = [player.session.table for player in self._players]
        stuck = [at.info for at in tables if at is not None and at.result is None and not at.notes.closed]
        self.ledger.faults += [f"a client is stuck: {info}" for info in stuck]


@asynccontextmanager
async def bound_wait(ledger: Ledger, what: str) -> AsyncIterator[None]:
    """Turn an exception, or a wait of more than `TIMEOUT` seconds, into a fault."""
    try:
        async with asyncio.timeout(TIMEOUT):
            yield
    except (LineBroken, OSError, TimeoutError) as error:
        ledger.faults.append(f"{what}: {error!r}")


async def _live_career(player: Player, days: Days) -> None:
    await player.come()
    async for _ in days(player.luck):
        await player.live()


async def _list_own_tables(user: SoakUser) -> list[dict[str, Any]]:
    """The tables with a user's seat and an unfinished game."""
    tables = (await user.ask("table.list"))["tables"]
    return [info for info in tables if info["your_seat"] is not None and info["status"] != "finished"]


async def _finish_games(user: SoakUser, moment: float) -> None:
    """Play every game to its end, and leave all waiting tables."""
    while mine := await _list_own_tables(user):
        for _ in range(ROUNDS):
            for info in mine:
                user.table, user.seat, user.since = info["table"], info["your_seat"], 0
                await _go_on(user, info)
            await asyncio.sleep(moment / 3)


async def _go_on(user: SoakUser, info: dict[str, Any]) -> None:
    """Do the next action at a table; a player returns to a seat that a bot took over."""
    if info["status"] == "waiting":
        await user.try_to("table.leave", table=info["table"])
    elif info["seats"][info["your_seat"]]["kind"] == "bot":
        await user.sit(info["table"])
    else:
        shot = await user.look()
        if shot is not None and shot["info"]["paused"]:
            await user.try_to("table.resume", table=info["table"])
        elif shot is not None:
            await user.move(shot)
