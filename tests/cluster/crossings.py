"""Players at three servers whose tables are at any of them, with links that are late, and cut again and again; by seed.

Each player gets the events of a table without a gap, wherever they come back, and what was answered has happened.
"""

import asyncio
from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

from scoville_server.journal.memory import MemoryJournal
from scoville_server.nodes.members import NodeId
from scoville_server.nodes.nodes import join_nodes
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol import messages as m
from tests.cluster.visits import NODES, Air, End
from tests.support import virtual_time
from tests.support.links import WireDialer
from tests.support.server import CHEAP_HASHING, Caller, core_of, toy_shelf

LASTS = 30.0
QUIET = 5.0
"""Seconds of the faults, and after them."""
LATEST = 0.03
"""Most seconds that bytes take on a link."""
PLAYERS = 3
PASSING = {Code.BUSY, Code.OUTCOME_UNKNOWN, Code.TAKEN_OVER, Code.MOVED, Code.UNKNOWN_TABLE}
"""What players may be answered while links are cut, and when they change nodes."""
EXPECTED = PASSING | {"not_your_turn", "card_not_held", Code.STALE_MOVE, Code.GAME_OVER, Code.NOT_STARTED}


class Player:
    """A player of one table, who comes to any node."""

    def __init__(self, run: "Run", table: str, name: str) -> None:
        self.run, self.table, self.name = run, table, name
        self.token = ""
        self.since = 0
        self.caller: Caller | None = None
        self.played: list[int] = []
        """The numbers of the events of answered moves."""
        self.is_over = self.is_watching = False
        self.closed: asyncio.Future[None]

    async def call(self, params: m.Params) -> Any:
        """Ask; None for what may fail at the moment."""
        assert self.caller is not None
        asking = asyncio.ensure_future(self.caller.call(params))
        try:
            # A connection that is closed gets no answer any more.
            await asyncio.wait((asking, self.closed), return_when=asyncio.FIRST_COMPLETED)
            return await asking if asking.done() else asking.cancel() and None
        except ScovilleError as error:
            if error.code not in EXPECTED:
                self.run.found.append(f"{self.name}: {type(params).__name__}: {error.code} {error.message}")
            return None

    async def come(self) -> None:
        caller = self.caller = Caller(self.run.servers[self.run.chance.choice(NODES)])
        self.closed = closed = asyncio.get_running_loop().create_future()
        close = caller.peer.close

        def note_closed(bye: m.ByeNotice | None = None) -> None:
            close(bye)
            if not closed.done():
                closed.set_result(None)

        caller.peer.close = note_closed  # type: ignore[method-assign]
        await caller.hello("" if self.token else self.name, self.token)
        assert caller.welcome is not None
        self.token = caller.welcome.token

    def go(self) -> None:
        if self.caller is not None:
            self.hear()
            self.caller.hang_up()
            self.caller, self.is_watching = None, False

    def hear(self) -> None:
        """Note what was heard: each event follows the one before it."""
        assert self.caller is not None
        for notice in self.caller.peer.events:
            self._note_event(notice.event.seq)
            self.is_over = self.is_over or (isinstance(notice.event, m.Played) and not notice.event.pending)
        self.caller.peer.heard.clear()

    def _note_event(self, seq: int) -> None:
        if seq != self.since + 1:
            self.run.found.append(f"{self.name} hears event {seq} after {self.since}")
        self.since = seq

    async def watch(self) -> bool:
        assert self.caller is not None
        self.caller.peer.heard.clear()
        shown = await self.call(m.WatchRequest(table=self.table, since=self.since))
        if shown is None:
            return False
        for event in shown.events:
            self._note_event(event.seq)
        if shown.seq < self.since:
            self.run.found.append(f"{self.name} knows {self.since} and is shown {shown.seq}")
        self.is_over = shown.info.status == "finished"
        return True

    async def live(self) -> None:
        loop, chance = asyncio.get_running_loop(), self.run.chance
        while loop.time() < LASTS and not self.is_over:
            if self.caller is None:
                await self.come()
            # Once: a second answer could tell again what has come as notices meanwhile.
            self.is_watching = self.is_watching or await self.watch()
            if self.is_watching:
                await self.play(until=loop.time() + chance.uniform(0.5, 6))
            await asyncio.sleep(chance.uniform(0.05, 0.5))
            if self.caller is not None and (self.caller.peer.closed or chance.random() < 0.7):
                self.go()

    async def play(self, until: float) -> None:
        loop, chance = asyncio.get_running_loop(), self.run.chance
        while loop.time() < until and self.caller is not None and not self.caller.peer.closed and not self.is_over:
            self.hear()
            moves = await self.call(m.MovesRequest(table=self.table))
            if moves and moves.moves:
                reply = await self.call(m.PlayRequest(table=self.table, move=chance.choice(moves.moves)))
                if reply is not None:
                    self.played.append(reply.seq)
            await asyncio.sleep(chance.uniform(0.01, 0.3))


class Run:
    """One run, and what it has found."""

    def __init__(self, seed: int) -> None:
        self.chance = Random(seed)
        self.air, self.dialer = Air(self.chance), WireDialer()
        self.dialer.seconds = lambda: self.chance.uniform(0, LATEST)
        self.journal = MemoryJournal()
        self.servers: dict[str, Server] = {}
        self.players: list[Player] = []
        self.found: list[str] = []
        self.is_quiet = False

    async def live(self) -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: self.found.append(f"failed: {context}"))
        for node in NODES:
            self.servers[node] = await self._start_server(node)
        for number in range(3):
            self.players += await self._open_table(number)
        for _ in range(self.chance.randrange(3, 20)):
            loop.call_at(self.chance.uniform(1, LASTS - 2), self._cut_link)
        await asyncio.gather(*(player.live() for player in self.players))
        self.is_quiet, self.dialer.is_cut = True, False
        await asyncio.sleep(QUIET)
        await self._look_again()
        self.found += [*self._find_faults()]
        for server in self.servers.values():
            await server.close()

    async def _start_server(self, node: str) -> Server:
        end = End(self.air, node)
        server = Server(
            Settings(accounts=CHEAP_HASHING, grace_seconds=0),
            catalog=toy_shelf(),
            journal=self.journal,
            clock=virtual_time.make_clock(),
            make_nodes=lambda flushes: join_nodes(
                flushes, end, end, joins=False, links=self.dialer.links_of(NodeId(node))
            ),
        )
        await server.start()
        return server

    async def _open_table(self, number: int) -> list[Player]:
        opener = await Caller(self.servers[self.chance.choice(NODES)]).hello(f"Opener {number}")
        made = await opener.call(m.CreateRequest(game="high_card", seat_count=PLAYERS, options={"rounds": 10}))
        table = made.info.table
        await asyncio.sleep(1)
        players = [Player(self, table, f"Player {number} {seat}") for seat in range(PLAYERS)]
        for player in players:
            await player.come()
            await player.call(m.JoinRequest(table=table))
        await players[0].call(m.StartRequest(table=table))
        return players

    def _cut_link(self) -> None:
        if self.is_quiet:
            return
        if self.dialer.wires and self.chance.random() < 0.8:
            self.chance.choice([*self.dialer.wires.values()]).cut()
        else:
            self.dialer.is_cut = not self.dialer.is_cut

    async def _look_again(self) -> None:
        """Let every player see the end of their table."""
        for player in self.players:
            player.go()
            await player.come()
            if not await player.watch():
                self.found.append(f"{player.name} does not find their table any more")
            await asyncio.sleep(0.2)

    def _find_faults(self) -> Iterator[str]:
        for player in self.players:
            [actor] = [core_of(server).tables.find_table(player.table) for server in self.servers.values()
                       if player.table in core_of(server).tables]  # fmt: skip
            table = actor.table
            if player.since != table.seq:
                yield f"{player.name} has heard {player.since} of {table.seq} events"
            if any(seq > table.seq for seq in player.played):
                yield f"{player.name} was answered moves that are not there: {player.played}"
        twice = Counter((player.table, seq) for player in self.players for seq in player.played)
        yield from (f"a move of table {table} was answered twice: {seq}" for (table, seq), n in twice.items() if n > 1)
        for player in self.players:
            player.go()
        for node, server in self.servers.items():
            lines = core_of(server).users.observers[-1]._lines  # type: ignore[attr-defined]
            if lines:
                yield f"{node} keeps lines of connections that are gone: {lines}"


def run_seed(seed: int) -> list[str]:
    """Return what a run has violated."""

    async def live() -> list[str]:
        run = Run(seed)
        await run.live()
        return [*run.found, *([] if sum(len(player.played) for player in run.players) > 10 else ["nobody has played"])]

    return virtual_time.run_virtually(live())
