"""Many tables at full speed, with kills at any moment."""

import asyncio
from functools import partial
from random import Random
from typing import Any, NamedTuple, Protocol

from tests.e2e.kill.players import Player, open_table
from tests.e2e.kill.proof import Proof


class KilledServer(Protocol):
    """A server that can be killed and started again, or a cluster of which another node goes on."""

    port: int

    async def start(self) -> None:
        """Start, and wait until it serves."""

    async def kill(self) -> None:
        """End with SIGKILL."""


class Acknowledged(NamedTuple):
    """An acknowledged move: the `nth` of its seat, which became the event `seq`."""

    seat: int
    nth: int
    move: dict[str, Any]
    seq: int


class Group:
    """A table, its users, and everything that the server has acknowledged to them."""

    def __init__(self, number: int, game: str, seats: int, luck: Random) -> None:
        self.game = game
        self.info: dict[str, Any] = {}
        self.players = [Player(f"P{number}-{seat}", Random(luck.random())) for seat in range(seats)]
        self.promises: list[Acknowledged] = []

    @property
    def table(self) -> str:
        """The table's id."""
        table: str = self.info["table"]
        return table

    async def sit_down(self) -> None:
        """Open the table, take the seats and start."""
        self.info = await open_table(self.players[0], self.game, len(self.players))
        for player in self.players:
            await player.sit(self.table)
        await self.players[0].line.call("table.start", table=self.table)
        for player in self.players:
            await player.reveal(self.table)


class Crowd:
    """All the groups on one server. After a kill, everything acknowledged or received must still exist."""

    def __init__(self, server: KilledServer, games: list[str], tables: int, seed: int) -> None:
        self._luck = Random(seed)
        self._server = server
        self._groups = [Group(number, games[number % len(games)], 3, self._luck) for number in range(tables)]
        self._left = 0
        self._enough = asyncio.Event()
        self.moves = 0

    async def play(self, kills: int, moves_between: int) -> None:
        """Play until all games are over; kill `kills` times, each after up to twice `moves_between` moves."""
        await self._connect()
        await asyncio.gather(*(group.sit_down() for group in self._groups))
        for _ in range(kills):
            await self._play_until_killed(self._luck.randrange(1, 2 * moves_between))
            await self._server.start()
            await self._connect()
            await asyncio.gather(*(self._check(group) for group in self._groups))
        await asyncio.gather(*self._games())
        await asyncio.gather(*(self._prove(group) for group in self._groups))
        await self._hang_up()

    async def _play_until_killed(self, moves: int) -> None:
        """Kill the server as soon as a number of further moves has been acknowledged."""
        self._left = moves
        self._enough.clear()
        playing = [asyncio.ensure_future(game) for game in self._games()]
        enough = asyncio.ensure_future(self._enough.wait())
        over = asyncio.gather(*playing, return_exceptions=True)
        await asyncio.wait((enough, over), return_when=asyncio.FIRST_COMPLETED)
        await self._server.kill()
        enough.cancel()
        for player in self._all_users:  # what had arrived by then has been promised
            await player.line.closed.wait()
        await asyncio.sleep(0)
        for game in playing:
            game.cancel()
        await asyncio.gather(*playing, return_exceptions=True)
        await self._hang_up()

    def _games(self) -> list[Any]:
        return [self._play(group, player) for group in self._groups for player in group.players]

    async def _play(self, group: Group, player: Player) -> None:
        """Move whenever a move is due, until the game is over."""
        wait_ms = 0  # it may be this player's turn already, and then no event would come
        while True:
            options = {"table": group.table, "since": len(player.heard), "wait_ms": wait_ms}
            shot = await player.line.call("table.poll", **options)
            player.heard += shot["events"]
            wait_ms = 20_000
            if shot["info"]["status"] == "finished":
                return
            if player.seat in shot["pending"]:
                await self._move(group, player, shot["move_counts"][player.seat])

    async def _move(self, group: Group, player: Player, nth: int) -> None:
        move = player.luck.choice(await player.moves(group.table))
        answer = player.line.send("table.play", table=group.table, move=move, nth=nth)
        answer.add_done_callback(partial(self._answered, group, player.seat, nth, move))
        await answer

    def _answered(self, group: Group, seat: int, nth: int, move: Any, answer: asyncio.Future[Any]) -> None:
        if answer.cancelled() or answer.exception() is not None:
            return
        group.promises.append(Acknowledged(seat, nth, move, answer.result()["seq"]))
        self.moves += 1
        self._left -= 1
        if not self._left:
            self._enough.set()

    async def _check(self, group: Group) -> None:
        """Check that every acknowledged move exists, and that no client received an event that does not."""
        for player in group.players:
            shot = await player.look(group.table)
            assert shot["seat"] == player.seat
            assert [event["seq"] for event in shot["events"]] == list(range(1, shot["seq"] + 1))
            assert shot["events"][: len(player.heard)] == player.heard
            for promise in group.promises:
                event = shot["events"][promise.seq - 1]
                assert (event["kind"], event["seat"]) == ("played", promise.seat), promise

    async def _prove(self, group: Group) -> None:
        exported = await group.players[0].line.call("table.export", table=group.table)
        proof = Proof(exported["lines"], group.info["commitment"])
        assert all(proof.move(promise.seat, promise.nth) == promise.move for promise in group.promises)
        for player in group.players:
            shot = await player.look(group.table)
            assert shot["view"] == proof.view(len(proof.exported.moves), player.seat)

    async def _connect(self) -> None:
        await asyncio.gather(*(player.connect(self._server.port) for player in self._all_users))

    async def _hang_up(self) -> None:
        await asyncio.gather(*(player.hang_up() for player in self._all_users))

    @property
    def _all_users(self) -> list[Player]:
        return [player for group in self._groups for player in group.players]
