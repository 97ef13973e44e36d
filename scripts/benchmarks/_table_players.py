"""The load of `server.py`: lean players at tables, and a timer of the notices about each other's moves."""

import asyncio
import itertools
import random
import sys
import time
from collections.abc import Iterable, Iterator
from typing import Any

import msgpack

HOST = "127.0.0.1"
GAME, OPTIONS, SEATS = "dicht_dran", {"cycles": 5}, 3
SAMPLE = 50
"""The notice that is kept as a sample: by then the games are on their way."""


class Watch:
    """Measures moves and the time until the others receive them, from `begin` on. `sample` is one received notice."""

    def __init__(self) -> None:
        self.moves, self.over, self.latest = 0, False, 0.0
        self.delays: list[float] = []
        self.sample: Any = None
        self._sent: dict[tuple[str, int], float] = {}
        self._heard: set[tuple[str, int]] = set()

    def begin(self) -> None:
        """Reset the measurement."""
        self.moves = 0
        self.delays.clear()

    def sent(self, table: str, seat: int) -> None:
        """Note that a move leaves."""
        self.moves += 1
        self._sent[table, seat] = time.perf_counter()
        self._heard.discard((table, seat))

    def unheard(self) -> list[float]:
        """Return when the moves left that nobody has received yet."""
        return [left for move, left in self._sent.items() if move not in self._heard]

    def heard(self, table: str, seat: int, notice: Any) -> None:
        """Note that another player has received a move."""
        self.latest = time.perf_counter()
        self._heard.add((table, seat))
        self.delays.append(self.latest - self._sent[table, seat])
        if len(self.delays) == SAMPLE:
            self.sample = notice


class Player(asyncio.Protocol):
    """A lean player: receives every event, and plays a card of its hand after its time to think."""

    def __init__(self, watch: Watch, think: float) -> None:
        self.watch, self.think = watch, think
        self.table, self.seat, self.made, self.due = "", -1, 0, False
        self._unpacker, self._pack = msgpack.Unpacker(), msgpack.Packer().pack
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._numbers = itertools.count(1)
        self._loop = asyncio.get_running_loop()

    def connection_made(self, transport: Any) -> None:
        """Keep the line."""
        self.transport = transport

    def call(self, method: str, **params: Any) -> asyncio.Future[Any]:
        """Ask the server."""
        number = next(self._numbers)
        self._waiting[number] = self._loop.create_future()
        self.transport.write(self._pack((0, number, method, (params,))))
        return self._waiting[number]

    def data_received(self, data: bytes) -> None:
        """Take answers and notices."""
        self._unpacker.feed(data)
        for message in self._unpacker:
            if message[0] == 2:
                self._hear(message[1], message[2][0])
            else:
                assert message[2] is None, message
                self._waiting.pop(message[1]).set_result(message[3])

    def _hear(self, method: str, notice: Any) -> None:
        if method != "table.event":
            return
        event = notice["event"]
        if event["kind"] == "played" and event["seat"] != self.seat:
            self.watch.heard(self.table, event["seat"], notice)
        played = event.get("move_counts", [0] * SEATS)[self.seat]
        if self.seat in event.get("pending", ()) and played == self.made and not self.due:
            self.due = True
            self._loop.call_later(random.uniform(0.4, 1.6) * self.think, self._play, notice["view"]["hand"])

    def _play(self, hand: list[int]) -> None:
        self.due = False
        if not self.watch.over:
            self.watch.sent(self.table, self.seat)
            self.call("table.play", table=self.table, move={"card": random.choice(hand)}, nth=self.made)
            self.made += 1


def home_addresses() -> Iterator[str]:
    """Yield loopback addresses, one for each player at home; systems other than Linux have a single one."""
    for number in itertools.count() if sys.platform == "linux" else ():
        yield f"127.{1 + number // 62_500}.{number // 250 % 250}.{1 + number % 250}"
    yield from itertools.repeat(HOST)


async def connect_player(port: int, watch: Watch, think: float, address: str = HOST) -> Player:
    """Come in from an address."""
    _, player = await asyncio.get_running_loop().create_connection(
        lambda: Player(watch, think), HOST, port, local_addr=(address, 0)
    )
    await player.call("hello", protocol=1)
    return player


async def sit_down(port: int, watch: Watch, think: float, addresses: Iterable[str] = ()) -> list[Player]:
    """Open a table and fill it; the first player is the host.

    Players come from the next of the `addresses`, without any all from the same.
    """
    homes = itertools.islice(itertools.chain(addresses, itertools.repeat(HOST)), SEATS)
    players = [await connect_player(port, watch, think, home) for home in homes]
    table = (await players[0].call("table.create", game=GAME, seat_count=SEATS, options=OPTIONS))["info"]["table"]
    for player in players:
        player.table = table
        player.seat = (await player.call("table.join", table=table))["seat"]
        await player.call("table.watch", table=table)
    return players
