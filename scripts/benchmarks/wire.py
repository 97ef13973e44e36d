"""Speed of the protocol: our typed, validated `ping` next to a bare echo and to aio-msgpack-rpc.

Every server runs in a process of its own; one lean client, the same for all, loads them in turns. Rounds alternate
between the servers. A ratio compares the two servers within each round and is the median of all rounds, with the
quarters of the rounds below and above it: what else the machine does then hits both.
"""

import argparse
import asyncio
import importlib.util
import selectors
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple

import msgpack
from _arguments import add_rounds, bench_parser

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
GOALS = {(PIPELINED, BARE): 0.7, (MANY, BARE): 0.7, (PIPELINED, OTHER): 2.0}
"""At least so many times the requests a second of each. With one request a read, system calls cost more than code."""


# --- servers: each its own process --------------------------------------------------------------------


async def serve_scoville() -> int:
    """Serve the real protocol, with a visit that answers `hello` and `ping`."""
    from scoville_server.config import Settings
    from scoville_server.greeting import features, limits
    from scoville_server.identity.key import ServerKey
    from scoville_server.net.tcp import Security, listen
    from scoville_server.net.tls.context import server_context
    from scoville_shared.protocol.messages import HelloReply, HelloRequest, Params, PingReply, PingRequest, Reply

    settings = Settings()
    answers: dict[type[Params], Callable[[Any], Reply]] = {
        HelloRequest: lambda _: HelloReply(
            protocol=1,
            server="bench",
            server_key="ab" * 32,
            name="Anna",
            token="",
            games=[],
            features=features(settings),
            limits=limits(settings),
        ),
        PingRequest: lambda ping: PingReply(payload=ping.payload),
    }

    class Handler:
        def handle(self, params: Params) -> Reply:
            return answers[type(params)](params)

        def refused(self, params: Params | None, code: str) -> None: ...

        def closed(self) -> None: ...

    class Service:
        def accept(self, _peer: object) -> Handler:
            return Handler()

    security = Security(server_context(ServerKey.new()))
    return (await listen(Service(), HOST, 0, security=security)).port


class Echo(asyncio.Protocol):
    """The least that answers MessagePack-RPC: nothing is checked, and the replies of one read are joined."""

    def connection_made(self, transport: Any) -> None:
        """Make the packer and the unpacker."""
        self.transport, self.unpacker, self.pack = transport, msgpack.Unpacker(), msgpack.Packer().pack

    def data_received(self, data: bytes) -> None:
        """Echo the first of the params."""
        self.unpacker.feed(data)
        self.transport.write(b"".join([self.pack((1, msgid, None, args[0])) for _, msgid, _, args in self.unpacker]))


async def serve_bare_echo() -> int:
    """Serve the bare echo."""
    server = await asyncio.get_running_loop().create_server(Echo, HOST, 0)
    return server.sockets[0].getsockname()[1]


async def serve_aio_msgpack_rpc() -> int:
    """Serve the same two methods with aio-msgpack-rpc."""
    import aio_msgpack_rpc

    class Handler:
        def hello(self, params: Any) -> Any:
            return params

        def ping(self, params: Any) -> Any:
            return params

    server = await asyncio.start_server(aio_msgpack_rpc.Server(Handler()), HOST, 0)
    return server.sockets[0].getsockname()[1]


SERVERS = {OURS: serve_scoville, BARE: serve_bare_echo, OTHER: serve_aio_msgpack_rpc}


async def serve(kind: str) -> None:
    """Print the port; then answer every line on standard input with the CPU seconds used so far."""
    print(await SERVERS[kind](), flush=True)
    over = asyncio.Event()

    def tell() -> None:
        if sys.stdin.readline():
            print(time.process_time(), flush=True)
        else:
            over.set()

    asyncio.get_running_loop().add_reader(sys.stdin.fileno(), tell)
    await over.wait()


# --- the load -------------------------------------------------------------------------------------------


class Round(NamedTuple):
    """One measurement: requests a second, the time of one exchange in microseconds, server CPU a message."""

    rate: float
    p50: float
    p99: float
    cpu: float


class Served:
    """A server process, and the way to ask it for its CPU time."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process
        self.port = int(self.line())

    def line(self) -> str:
        """Read a line that the server prints."""
        return self.process.stdout.readline()

    def cpu(self) -> float:
        """Ask how many seconds of CPU it has used."""
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return float(self.line())


@contextmanager
def served(kind: str, loop: str) -> Iterator[Served]:
    """Run a server in a process of its own."""
    command = [sys.executable, __file__, "--serve", kind, "--loop", loop]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield Served(process)
        process.stdin.close()


Load = Callable[[Served], Round]
"""Loads a server for one round."""


def connected(port: int) -> socket.socket:
    """Connect and say hello."""
    line = socket.create_connection((HOST, port))
    line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return greeted(line)


def greeted(line: socket.socket) -> socket.socket:
    """Say hello on a connection."""
    line.sendall(HELLO)
    reply = msgpack.Unpacker()
    while True:
        reply.feed(line.recv(65536))
        for _ in reply:
            return line


def receive(line: socket.socket, length: int) -> None:
    """Read exactly so many bytes."""
    while length:
        length -= len(line.recv(length))


def one_line(window: int, seconds: float) -> Load:
    """Load one connection: `window` requests in one write, then all their answers."""

    def load(server: Served) -> Round:
        took, requests = [], PING * window
        with connected(server.port) as line:
            meter = Meter(server)
            while (began := time.perf_counter()) < meter.began + seconds:
                line.sendall(requests)
                receive(line, PONG * window)
                took.append(time.perf_counter() - began)
            return meter.read(took, window)

    return load


def many_lines(clients: int, seconds: float) -> Load:
    """Load many connections, each with one request under way."""

    def load(server: Served) -> Round:
        took: list[float] = []
        with ExitStack() as stack, selectors.DefaultSelector() as selector:
            lines = [stack.enter_context(connected(server.port)) for _ in range(clients)]
            meter = Meter(server)
            for line in lines:
                line.send(PING)
                selector.register(line, selectors.EVENT_READ)
            sent = dict.fromkeys(lines, meter.began)
            now = meter.began
            while now < meter.began + seconds:
                for key, _ in selector.select():
                    line = key.fileobj
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


# --- the report -----------------------------------------------------------------------------------------


def measure_all(loop: str, kinds: list[str], seconds: float, rounds: int) -> dict[str, dict[str, list[Round]]]:
    """Measure every kind of load on every server: {load: {server: rounds}}."""
    loads = {
        "ping-pong": one_line(1, seconds),
        PIPELINED: one_line(WINDOW, seconds),
        MANY: many_lines(CLIENTS, seconds),
    }
    with ExitStack() as stack:
        servers = {kind: stack.enter_context(served(kind, loop)) for kind in kinds}
        return {name: in_turns(servers, load, rounds) for name, load in loads.items()}


def in_turns(servers: dict[str, Served], load: Load, rounds: int) -> dict[str, list[Round]]:
    """Load one server after the other, several times over."""
    taken: dict[str, list[Round]] = {kind: [] for kind in servers}
    for _ in range(rounds):
        for kind, server in servers.items():
            taken[kind].append(load(server))
    return taken


def report(loop: str, results: dict[str, dict[str, list[Round]]]) -> bool:
    """Print a table and the ratios; tells whether every goal was met."""
    heads = f"{loop:16} {'server':16} {'requests/s':>11} {'p50 us':>9} {'p99 us':>9} {'CPU us/msg':>11}"
    print(f"\n{heads}   ours/it, quarters     CPU it/ours")
    met = True
    for name, row in results.items():
        for kind, rounds in row.items():
            rate, p50, p99, cpu = map(statistics.median, zip(*rounds, strict=True))
            ratios = [ours.rate / its.rate for ours, its in zip(row[OURS], rounds, strict=True)]
            low, ratio, high = statistics.quantiles(ratios, n=4)
            leaner = statistics.median(its.cpu / ours.cpu for ours, its in zip(row[OURS], rounds, strict=True))
            missed = ratio < GOALS.get((name, kind), 0)
            met = met and not missed
            cells = f"{rate:11,.0f} {p50:9.1f} {p99:9.1f} {cpu:11.2f}"
            ratios = f"{ratio:.2f} ({low:.2f} to {high:.2f})  {leaner:10.2f}{'  below the goal' if missed else ''}"
            print(f"{name:16} {kind:16} {cells}   {ratios}", flush=True)
    return met


def main() -> int:
    """Run the comparison, or be one of its servers."""
    parser = bench_parser("wire", __doc__)
    add_rounds(parser, seconds=0.1, rounds=40)
    parser.add_argument("--loop", choices=("asyncio", "uvloop"), help="event loop to measure, both if not given")
    parser.add_argument("--tls", action="store_true", help="what TLS costs, next to plain text on the same server")
    parser.add_argument("--serve", choices=SERVERS, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.serve:
        run(chosen.serve, chosen.loop)
        return 0
    if chosen.tls:
        import wire_tls

        return wire_tls.main(chosen.loop, chosen.seconds, chosen.rounds)
    met = [report(loop, measure_all(loop, present(), chosen.seconds, chosen.rounds)) for loop in loops(chosen.loop)]
    goals = ", ".join(f"{load} at least {goal:g} times {kind}" for (load, kind), goal in GOALS.items())
    print(f"\nGoals, in requests/s: {goals}.")
    print("All met." if all(met) else "Not all met.")
    return 0 if all(met) else 1


def run(kind: str, loop: str) -> None:
    """Be a server, on the event loop that was asked for."""
    factory = None
    if loop == "uvloop":
        import uvloop

        factory = uvloop.new_event_loop
    with asyncio.Runner(loop_factory=factory) as runner:
        runner.run(serve(kind))


def present() -> list[str]:
    """List the servers to compare; says so when one is not installed."""
    if importlib.util.find_spec("aio_msgpack_rpc"):
        return list(SERVERS)
    install = ".venv/bin/pip install --only-binary :all: --require-hashes -r requirements/bench.txt"
    print(f"{OTHER} is not installed, so it is left out: {install}")
    return [kind for kind in SERVERS if kind != OTHER]


def loops(only: str | None) -> list[str]:
    """List the event loops to measure on."""
    there = ["asyncio", "uvloop"] if importlib.util.find_spec("uvloop") else ["asyncio"]
    return [loop for loop in there if only in (None, loop)]


if __name__ == "__main__":
    sys.exit(main())
