"""One table: the server is killed after single events, while all clients are idle."""

from collections.abc import AsyncIterator, Callable
from random import Random
from typing import Any, NamedTuple

from tests.e2e.kill.players import Player, open_table
from tests.e2e.kill.proof import Proof
from tests.support.process import ServerProcess

NAMES = ("Anna", "Ben", "Cleo", "Dora", "Emil", "Flora")


class Seen(NamedTuple):
    """The Views of all players after `moves` moves; the last of `shots` is a spectator's."""

    moves: int
    shots: list[dict[str, Any]]


class Course:
    """A whole game between users, whose server is killed after the events in `killed`.

    The server draws the seed, so that nobody knows beforehand how many `events` a game will have.
    """

    def __init__(self, server: ServerProcess, game: str, seats: int, seed: int) -> None:
        luck = Random(seed)
        self.killed: list[int] = []
        self.events = 0
        self._server = server
        self._game = game
        self._players = [Player(name, Random(luck.random())) for name in NAMES[:seats]]
        self._watcher = Player("Zoe", luck)
        self._luck = luck
        self._info: dict[str, Any] = {}
        self._moves = 0
        self._seen: list[Seen] = []

    async def play(self, kill_after: Callable[[int], bool]) -> None:
        """Play to the end and kill the server after each event that `kill_after` names, and after the last one."""
        await self._connect()
        async for _ in self._course():
            self.events += 1
            if kill_after(self.events):
                await self._kill()
        await self._kill()
        self._check(await self._proof())
        await self._hang_up()

    async def _course(self) -> AsyncIterator[None]:
        """One event at a time, beginning with the opening of the table."""
        self._info = await open_table(self._players[0], self._game, len(self._players))
        yield
        for player in self._players:
            await player.sit(self._table)
            yield
        await self._players[0].line.call("table.start", table=self._table)
        for player in self._players:
            await player.reveal(self._table)
        yield
        while due := (await self._watcher.look(self._table))["pending"]:
            await self._move(self._players[self._luck.choice(due)])
            yield

    async def _move(self, player: Player) -> None:
        move = player.luck.choice(await player.moves(self._table))
        await player.line.call("table.play", table=self._table, move=move)
        self._moves += 1

    async def _kill(self) -> None:
        """Kill and restart the server, reconnect all users, and compare their Views."""
        before = await self._look()
        await self._server.kill()
        await self._hang_up()
        await self._server.start()
        await self._connect()
        after = await self._look()
        assert after == before, f"after event {self.events} of {self._game}"
        self._seen.append(Seen(self._moves, before))
        self.killed.append(self.events)

    async def _look(self) -> list[dict[str, Any]]:
        return [await player.look(self._table) for player in self._all_users]

    async def _proof(self) -> Proof:
        exported = await self._watcher.line.call("table.export", table=self._table)
        return Proof(exported["lines"], self._info["commitment"])

    def _check(self, proof: Proof) -> None:
        """Compare the Views around each kill with the same game on a server that was never killed."""
        assert len(proof.exported.moves) == self._moves
        for seen in self._seen:
            for shot in seen.shots:
                if shot["view"] is not None:
                    assert shot["view"] == proof.view(seen.moves, shot["seat"])

    async def _connect(self) -> None:
        for player in self._all_users:
            await player.connect(self._server.port)

    async def _hang_up(self) -> None:
        for player in self._all_users:
            await player.hang_up()

    @property
    def _all_users(self) -> list[Player]:
        return [*self._players, self._watcher]

    @property
    def _table(self) -> str:
        table: str = self._info["table"]
        return table
