"""What `server.py` measures, each in a process of its own: the server, and the least that carries as many bytes."""

import asyncio
import itertools
import resource
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgpack
from _processes import ROOT, Pipes, start_server
from _table_players import HOST, SEATS

ONE_ADDRESS: dict[str, Any] = {
    "table_creations_per_address": 0,
    "table_actions_per_address": 0,
    "table_actions_at_table_per_address": 0,
}
"""All players of a benchmark come from one address."""

ECHO = "echo:"
"""Begins the argument that asks for an echo; behind it stands the notice to echo, packed, in hex."""


async def serve_kind(what: str) -> None:
    """Print the port and the seconds that the start took; then answer every line with CPU seconds and memory in KB.

    `what` is the data folder of a Scoville server, nothing for one without a journal, or ECHO and a notice.
    """
    began = time.perf_counter()
    if what.startswith(ECHO):
        server = await _start_echo(msgpack.unpackb(bytes.fromhex(what.removeprefix(ECHO))))
        port = server.sockets[0].getsockname()[1]
    else:
        server = await _start_scoville(Path(what) if what else None)
        port = server.port
    print(port, time.perf_counter() - began, flush=True)
    await answer_usage()


async def answer_usage() -> None:
    """Answer every line of the input with CPU seconds and memory in KB, until it ends."""
    over = asyncio.Event()

    def report_usage() -> None:
        if sys.stdin.readline():
            print(time.process_time(), _read_resident(), flush=True)
        else:
            over.set()

    asyncio.get_running_loop().add_reader(sys.stdin.fileno(), report_usage)
    await over.wait()


async def _start_scoville(data: Path | None) -> Any:
    from scoville_server.net.connection_limits import ConnectionLimits
    from scoville_server.server import Server
    from scoville_server.settings.model import Settings

    lines = ConnectionLimits(total=20_000, per_address=0)
    server = Server(
        Settings(host=HOST, port=0, data=data, guests=50_000, tables=20_000, **ONE_ADDRESS, connections=lines)
    )
    await server.start()
    return server


async def _start_echo(notice: Any) -> Any:
    tables: dict[str, EchoTable] = defaultdict(lambda: EchoTable(notice))
    return await asyncio.get_running_loop().create_server(lambda: Echo(tables), HOST, 0)


class EchoTable:
    """Players who are notified of each other; the player with fewest moves is next, as in a simultaneous game."""

    def __init__(self, notice: Any) -> None:
        self.lines: list[Echo] = []
        self._notice = notice
        self._played = [0] * SEATS

    def notice(self, seat: int) -> Any:
        """Count a move (no move for a seat of -1) and make the notice of it: as many bytes as a real one."""
        if seat >= 0:
            self._played[seat] += 1
        pending = [each for each in range(SEATS) if self._played[each] == min(self._played)]
        kind = "played" if seat >= 0 else "started"
        event = {**self._notice["event"], "kind": kind, "seat": seat, "move_counts": self._played, "pending": pending}
        return {**self._notice, "event": event}


class Echo(asyncio.Protocol):
    """The minimum of a table: nothing is checked, shuffled or stored; a move is answered and sent to all players."""

    def __init__(self, tables: dict[str, EchoTable]) -> None:
        self._tables, self._numbers = tables, itertools.count()
        self._unpacker, self._pack = msgpack.Unpacker(), msgpack.Packer().pack

    def connection_made(self, transport: Any) -> None:
        """Keep the line."""
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Answer, and announce a move to the table."""
        self._unpacker.feed(data)
        for _, msgid, method, (params,) in self._unpacker:
            self.send((1, msgid, None, self._answer(method, params)))

    def send(self, message: Any) -> None:
        """Write a message."""
        self._transport.write(self._pack(message))

    def _answer(self, method: str, params: Any) -> Any:
        if method == "table.create":
            return {"info": {"table": f"{len(self._tables):016x}"}}
        if "table" not in params:
            return {}
        table = self._tables[params["table"]]
        if method == "table.join":
            table.lines.append(self)
        elif method in ("table.start", "table.play"):
            notice = table.notice(table.lines.index(self) if method == "table.play" else -1)
            for line in table.lines:
                line.send((2, "table.event", (notice,)))
        return {"seat": len(table.lines) - 1, "seq": next(self._numbers)}


def _read_resident() -> float:
    """Measure this process's memory, in KB; where the system does not say, its peak."""
    status = Path("/proc/self/statm")
    if status.exists():
        return int(status.read_text().split()[1]) * resource.getpagesize() / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


class Served:
    """A server process: `started` seconds after its start it listened on `port`."""

    def __init__(self, pipes: Pipes) -> None:
        self._pipes = pipes
        port, started = pipes.read_line().split()
        self.port, self.started = int(port), float(started)

    def cost(self) -> tuple[float, float]:
        """Ask for CPU seconds and memory in KB."""
        self._pipes.write_line()
        cpu, memory = self._pipes.read_line().split()
        return float(cpu), float(memory)


@contextmanager
def run_served(what: object, tree: Path = ROOT) -> Iterator[Served]:
    """Run a server in a process of its own, perhaps that of another checkout."""
    with start_server(tree, "server.py", "--serve", str(what)) as pipes:
        yield Served(pipes)
