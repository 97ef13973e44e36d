"""How the whole server bears tables: players over loopback with the journal on and off, memory, and recovery.

The server runs in a process of its own, all players in this one; a player's move is timed until every other player at
the table has heard of it. On a machine with two cores the players take one of them.
"""

import argparse
import asyncio
import gc
import itertools
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import msgpack

HOST = "127.0.0.1"
GAME, OPTIONS, SEATS = "dicht_dran", {"cycles": 5}, 3
PACE = "human pace"
GOALS = {PACE: 25.0, "memory": 60.0, "recovery": 3.0}
"""p99 in milliseconds at a human pace; kilobytes for an idle connection; seconds for a thousand tables."""


# --- the server ---------------------------------------------------------------------------------------------


async def serve(data: Path | None) -> None:
    """Print the port and the seconds that the start took; then answer every line with CPU seconds and memory in KB."""
    from scoville_server.app import Server, Settings
    from scoville_server.net.limits import Limits

    lines = Limits(connections=20_000)
    server = Server(Settings(host=HOST, port=0, data=data, people=50_000, tables=20_000, lines=lines))
    began = time.perf_counter()
    await server.start()
    print(server.port, time.perf_counter() - began, flush=True)
    over = asyncio.Event()

    def tell() -> None:
        if sys.stdin.readline():
            print(time.process_time(), _resident(), flush=True)
        else:
            over.set()

    asyncio.get_running_loop().add_reader(sys.stdin.fileno(), tell)
    await over.wait()


def _resident() -> float:
    """Measure this process's memory, in KB; where the system does not say, its peak."""
    status = Path("/proc/self/statm")
    if status.exists():
        return int(status.read_text().split()[1]) * resource.getpagesize() / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


class Served:
    """A server process: `started` seconds after its start it listened on `port`."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process
        port, started = process.stdout.readline().split()
        self.port, self.started = int(port), float(started)

    def cost(self) -> tuple[float, float]:
        """Ask for CPU seconds and memory in KB."""
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        cpu, memory = self._process.stdout.readline().split()
        return float(cpu), float(memory)


@contextmanager
def served(data: Path | None) -> Iterator[Served]:
    """Run a server in a process of its own."""
    command = [sys.executable, __file__, "--serve", str(data or "")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield Served(process)
        process.stdin.close()


# --- the players --------------------------------------------------------------------------------------------


class Player(asyncio.Protocol):
    """A lean player: hears of every event, and plays a card of its hand after its time to think."""

    def __init__(self, watch: "Watch", think: float) -> None:
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
        if event["kind"] == "moved" and event["seat"] != self.seat:
            self.watch.heard(self.table, event["seat"])
        played = event.get("played", [0] * SEATS)[self.seat]
        if self.seat in event.get("pending", ()) and played == self.made and not self.due:
            self.due = True
            self._loop.call_later(random.uniform(0.4, 1.6) * self.think, self._play, notice["view"]["hand"])

    def _play(self, hand: list[int]) -> None:
        self.due = False
        if not self.watch.over:
            self.watch.sent(self.table, self.seat)
            self.call("table.play", table=self.table, move={"card": random.choice(hand)}, nth=self.made)
            self.made += 1


class Watch:
    """Measures moves and the time until the others hear of them, from `begin` on."""

    def __init__(self) -> None:
        self.moves, self.over, self.latest = 0, False, 0.0
        self.delays: list[float] = []
        self._sent: dict[tuple[str, int], float] = {}

    def begin(self) -> None:
        """Forget what was before."""
        self.moves = 0
        self.delays.clear()

    def sent(self, table: str, seat: int) -> None:
        """Note that a move leaves."""
        self.moves += 1
        self._sent[table, seat] = time.perf_counter()

    def heard(self, table: str, seat: int) -> None:
        """Note that another player hears of it."""
        self.latest = time.perf_counter()
        self.delays.append(self.latest - self._sent[table, seat])


async def connect(port: int, watch: Watch, think: float) -> Player:
    """Come in."""
    _, player = await asyncio.get_running_loop().create_connection(lambda: Player(watch, think), HOST, port)
    await player.call("hello", protocol=1)
    return player


async def sit_down(port: int, watch: Watch, think: float) -> list[Player]:
    """Open a table and fill it; the first player is the host."""
    players = [await connect(port, watch, think) for _ in range(SEATS)]
    table = (await players[0].call("table.create", game=GAME, seats=SEATS, options=OPTIONS))["info"]["table"]
    for player in players:
        player.table = table
        player.seat = (await player.call("table.join", table=table))["seat"]
        await player.call("table.watch", table=table)
    return players


# --- the measurements ---------------------------------------------------------------------------------------


class Figures(NamedTuple):
    """Moves a second, delays in milliseconds, the server's CPU for a move in microseconds."""

    rate: float
    p50: float
    p99: float
    cpu: float


async def play(server: Served, tables: int, think: float, seconds: float) -> Figures:
    """Let all tables play for a while."""
    watch = Watch()
    groups = [await sit_down(server.port, watch, think) for _ in range(tables)]
    for host, *_ in groups:
        host.call("table.start", table=host.table)
    await asyncio.sleep(think)
    watch.begin()
    (cpu, _), began = server.cost(), time.perf_counter()
    await asyncio.sleep(seconds)
    watch.over = True
    took, moves = watch.latest - began, watch.moves  # without thinking, the games may be over before the time is
    cuts = statistics.quantiles(watch.delays, n=100)
    used = server.cost()[0] - cpu
    for player in itertools.chain(*groups):
        player.transport.abort()
    return Figures(moves / took, cuts[49] * 1e3, cuts[98] * 1e3, used / moves * 1e6)


async def memory(server: Served, lines: int) -> float:
    """Measure what an idle connection costs the server, in KB."""
    watch = Watch()
    before = server.cost()[1]
    players = [await connect(server.port, watch, 0) for _ in range(lines)]
    cost = (server.cost()[1] - before) / lines
    for player in players:
        player.transport.abort()
    return cost


def measure(chosen: argparse.Namespace, folder: Path) -> bool:
    """Measure everything and print it; tells whether the goals are met."""
    met = []
    print(f"{'load':26} {'journal':8} {'moves/s':>8} {'p50 ms':>8} {'p99 ms':>8} {'CPU us/move':>12}")
    loads = {PACE: (chosen.tables, chosen.think), "as fast as can be": (chosen.tables // 5, 0.0)}
    for (name, (tables, think)), journal in itertools.product(loads.items(), (True, False)):
        with served(folder / name if journal else None) as server:
            figures = asyncio.run(play(server, tables, think, chosen.seconds))
        cells = f"{figures.rate:8,.0f} {figures.p50:8.2f} {figures.p99:8.2f} {figures.cpu:12.0f}"
        print(f"{name + f', {tables} tables':26} {'on' if journal else 'off':8} {cells}", flush=True)
        met.append(name != PACE or figures.p99 <= GOALS[PACE])
    with served(None) as server:
        cost = asyncio.run(memory(server, chosen.lines))
    print(f"an idle connection, of {chosen.lines}: {cost:.1f} KB")
    with served(folder / PACE) as server:
        per_thousand = server.started / chosen.tables * 1000
        print(f"recovery of {chosen.tables} tables: {server.started:.2f} s")
    return all((*met, cost <= GOALS["memory"], per_thousand <= GOALS["recovery"]))


def main() -> int:
    """Measure, or be the server that is measured."""
    parser = argparse.ArgumentParser(prog="scripts/bench server", description=__doc__)
    parser.add_argument("--tables", type=int, default=1000, help="tables at a human pace; a fifth of them flat out")
    parser.add_argument("--think", type=float, default=4.0, help="seconds that a person thinks, on average")
    parser.add_argument("--seconds", type=float, default=10.0, help="how long each measurement lasts")
    parser.add_argument("--lines", type=int, default=5000, help="idle connections")
    parser.add_argument("--serve", type=str, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    if chosen.serve is not None:
        from scoville_server.cli import run

        run(serve(Path(chosen.serve) if chosen.serve else None))
        return 0
    gc.disable()  # three thousand players in one process would wait for it, which no player at home does
    with tempfile.TemporaryDirectory() as folder:
        met = measure(chosen, Path(folder))
    print(
        f"\nGoals: p99 {GOALS[PACE]:g} ms at a human pace, {GOALS['memory']:g} KB a line, 1,000 tables back in ", end=""
    )
    print(f"{GOALS['recovery']:g} s. {'All met.' if met else 'Not all met.'}")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
