"""Players at three nodes whose tables move all the time, by seed: nobody is sent away, or misses an event."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol import messages as m
from tests.cluster.several import SeveralServers
from tests.support import virtual_time
from tests.support.server import Caller

LASTS = 12.0
LATEST = 0.02
"""Most seconds that bytes take on a link, and messages on the bus."""
LONGEST = 0.3
"""Most seconds that an answer takes, a move of the table included."""
EXPECTED = {"not_your_turn", "card_not_held", Code.GAME_OVER}
NODES = "abc"


class Player:
    """A player of one table with one connection, which is never closed."""

    def __init__(self, run: "Run", node: str, name: str) -> None:
        self.run, self.node, self.name = run, node, name
        self.table = ""
        self.since = 0
        self.played: list[int] = []
        self.is_over = False
        self.caller: Caller

    async def come(self) -> None:
        self.caller = await Caller(self.run.servers.servers[self.node]).hello(self.name)

    async def sit_down(self, table: str) -> None:
        self.table = table
        await self.caller.call(m.JoinRequest(table=table))
        self.since = (await self.caller.call(m.WatchRequest(table=table))).seq

    async def call(self, params: m.Params) -> Any:
        """Ask; None for a refusal by the rules."""
        loop = asyncio.get_running_loop()
        began = loop.time()
        try:
            async with asyncio.timeout(LONGEST * 10):
                return await self.caller.call(params)
        except ScovilleError as error:
            if error.code not in EXPECTED:
                self.run.found.append(f"{self.name}: {type(params).__name__}: {error.code} {error.message}")
        except TimeoutError:
            self.run.found.append(f"{self.name}: {type(params).__name__} is not answered")
        finally:
            if loop.time() - began > LONGEST:
                self.run.found.append(f"{self.name}: {type(params).__name__} took {loop.time() - began:.2f} s")
        return None

    def hear(self) -> None:
        """Note what was heard: each event follows the one before it."""
        for notice in self.caller.peer.events:
            if notice.event.seq != self.since + 1:
                self.run.found.append(f"{self.name} hears event {notice.event.seq} after {self.since}")
            self.since = notice.event.seq
            self.is_over = self.is_over or (isinstance(notice.event, m.Played) and not notice.event.pending)
        self.caller.peer.heard.clear()

    async def live(self) -> None:
        loop, chance = asyncio.get_running_loop(), self.run.chance
        while loop.time() < LASTS and not self.is_over:
            self.hear()
            if chance.random() < 0.2:
                await self.call(m.PollRequest(table=self.table, since=self.since, wait_ms=100))
            moves = await self.call(m.MovesRequest(table=self.table))
            if moves and moves.moves:
                reply = await self.call(m.PlayRequest(table=self.table, move=chance.choice(moves.moves)))
                if reply is not None:
                    self.played.append(reply.seq)
            await asyncio.sleep(chance.uniform(0.01, 0.2))


class Run:
    """One run, and what it has found."""

    def __init__(self, seed: int) -> None:
        self.chance = Random(seed)
        self.servers = SeveralServers(NODES)
        self.servers.dialer.seconds = lambda: self.chance.uniform(0, LATEST)
        self.found: list[str] = []
        self.players: list[Player] = []
        self.moved = 0

    async def live(self) -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: self.found.append(f"failed: {context}"))
        await self.servers.start()
        self.servers.wire.quick = self.chance.uniform(0, LATEST)
        tables = [await self._open_table(number) for number in range(2)]
        moving = [asyncio.ensure_future(self._move_table(table)) for table in tables]
        await asyncio.gather(*(player.live() for player in self.players))
        for each in moving:
            each.cancel()
        await asyncio.sleep(3)
        self.found += [*self._find_faults()]

    async def _open_table(self, number: int) -> str:
        players = [Player(self, node, f"Player {number} {node}") for node in NODES]
        self.players += players
        for player in players:
            await player.come()
        made = await players[0].caller.call(m.CreateRequest(game="high_card", seat_count=3, options={"rounds": 10}))
        await asyncio.sleep(0.2)
        for player in players:
            await player.sit_down(made.info.table)
        await players[0].caller.call(m.StartRequest(table=made.info.table))
        return made.info.table

    async def _move_table(self, table: str) -> None:
        while True:
            await asyncio.sleep(self.chance.uniform(0.1, 0.5))
            here = [node for node in NODES if table in self.servers.core(node).tables]
            if len(here) != 1:
                self.found.append(f"{table} is served by {here}")
                return
            to = self.chance.choice([node for node in NODES if node not in here])
            try:
                await self.servers.core(self.chance.choice(NODES)).balance.move_table(table, to)
                self.moved += 1
            except ScovilleError as error:
                self.found.append(f"{table} to {to}: {error.code} {error.message}")

    def _find_faults(self) -> Iterator[str]:
        for player in self.players:
            player.hear()
            owners = [node for node in NODES if player.table in self.servers.core(node).tables]
            if len(owners) != 1:
                yield f"{player.table} is served by {owners}"
                continue
            seq = self.servers.core(owners[0]).tables.find_table(player.table).table.seq
            if player.since != seq:
                yield f"{player.name} has heard {player.since} of {seq} events"
            if player.caller.peer.closed:
                yield f"{player.name} was sent away: {player.caller.peer.bye}"
        twice = Counter((player.table, seq) for player in self.players for seq in player.played)
        yield from (f"a move of table {table} was answered twice: {seq}" for (table, seq), n in twice.items() if n > 1)


def run_seed(seed: int) -> tuple[list[str], int, int]:
    """Return what a run has violated, how many moves players made, and how often tables have moved."""

    async def live() -> tuple[list[str], int, int]:
        run = Run(seed)
        await run.live()
        return run.found, sum(len(player.played) for player in run.players), run.moved

    return virtual_time.run_virtually(live())
