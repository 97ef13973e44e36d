"""The load of the benchmarks of the wire: one lean client, and servers in processes of their own."""

import importlib.util
import selectors
import socket
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

import msgpack
from _processes import ROOT, Pipes, start_server

HOST = "127.0.0.1"
HELLO = msgpack.packb([0, 1, "hello", [{"protocol": 1}]])
PING = msgpack.packb([0, 2, "ping", [{"payload": "How many peppers has the 63?"}]])
PONG = len(msgpack.packb([1, 2, None, {"payload": "How many peppers has the 63?"}]))
WINDOW = 64
CLIENTS = 200

OURS, OTHER = "scoville", "aio-msgpack-rpc"
BARE = "bare echo"
PIPELINED = f"pipelined x{WINDOW}"
MANY = f"{CLIENTS} clients"


class Round(NamedTuple):
    """One measurement: requests a second, the time of one exchange in microseconds, server CPU a message."""

    rate: float
    p50: float
    p99: float
    cpu: float


class Served:
    """A server process, and the way to ask it for its CPU time."""

    def __init__(self, pipes: Pipes) -> None:
        self._pipes = pipes
        self.port = int(pipes.read_line())
        self.pid = pipes.process.pid

    def cpu(self) -> float:
        """Ask how many seconds of CPU it has used."""
        self._pipes.write_line()
        return float(self._pipes.read_line())


@contextmanager
def run_served(kind: str, loop: str, tree: Path = ROOT) -> Iterator[Served]:
    """Run a server in a process of its own, perhaps that of another checkout."""
    with start_server(tree, "wire.py", "--serve", kind, "--loop", loop) as pipes:
        yield Served(pipes)


Load = Callable[[Served], Round]
"""Loads a server for one round."""


def connect_line(port: int) -> socket.socket:
    """Connect and say hello."""
    line = socket.create_connection((HOST, port))
    line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return greet_server(line)


def greet_server(line: socket.socket) -> socket.socket:
    """Say hello on a connection."""
    line.sendall(HELLO)
    reply = msgpack.Unpacker()
    while True:
        reply.feed(line.recv(65536))
        for _ in reply:
            return line


def receive_exactly(line: socket.socket, length: int) -> None:
    """Read exactly so many bytes."""
    while length:
        length -= len(line.recv(length))


def one_line(window: int, seconds: float) -> Load:
    """Load one connection: `window` requests in one write, then all their answers."""

    def load(server: Served) -> Round:
        took, requests = [], PING * window
        with connect_line(server.port) as line:
            meter = Meter(server)
            while (began := time.perf_counter()) < meter.began + seconds:
                line.sendall(requests)
                receive_exactly(line, PONG * window)
                took.append(time.perf_counter() - began)
            return meter.read(took, window)

    return load


def many_lines(clients: int, seconds: float) -> Load:
    """Load many connections, each with one request under way."""

    def load(server: Served) -> Round:
        took: list[float] = []
        with ExitStack() as stack, selectors.DefaultSelector() as selector:
            lines = [stack.enter_context(connect_line(server.port)) for _ in range(clients)]
            meter = Meter(server)
            for line in lines:
                line.send(PING)
                selector.register(line, selectors.EVENT_READ, line)
            sent = dict.fromkeys(lines, meter.began)
            now = meter.began
            while now < meter.began + seconds:
                for key, _ in selector.select():
                    line = key.data
                    line.recv(PONG)
                    now = time.perf_counter()
                    took.append(now - sent[line])
                    sent[line] = now
                    line.send(PING)
            return meter.read(took, 1)

    return load


class Meter:
    """Measures from the moment it is made."""

    def __init__(self, server: Served) -> None:
        self.server, self.cpu, self.began = server, server.cpu(), time.perf_counter()

    def read(self, took: list[float], window: int) -> Round:
        """Sum up: the seconds that each exchange of `window` requests took."""
        seconds, cpu, count = time.perf_counter() - self.began, self.server.cpu() - self.cpu, len(took) * window
        cuts = statistics.quantiles(took, n=100)
        return Round(count / seconds, cuts[49] * 1e6, cuts[98] * 1e6, cpu / count * 1e6)


def in_turns(servers: dict[str, Served], load: Load, rounds: int) -> dict[str, list[Round]]:
    """Load one server after the other, several times over."""
    taken: dict[str, list[Round]] = {kind: [] for kind in servers}
    for _ in range(rounds):
        for kind, server in servers.items():
            taken[kind].append(load(server))
    return taken


def list_loops(only: str | None) -> list[str]:
    """List the event loops to measure on."""
    there = ["asyncio", "uvloop"] if importlib.util.find_spec("uvloop") else ["asyncio"]
    return [loop for loop in there if only in (None, loop)]
