"""Cost of monitoring: scrapes of a server with a thousand tables and two thousand connections.

The server is a process of its own. What a scrape costs is the processor time of that process for many of them, which
bounds what the event loop can lose; what users notice is the time of a ping with and without scrapes.
"""

import asyncio
import re
import resource
import socket
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import msgpack
from _arguments import bench_parser

GOAL_MS = 5.0
SETTINGS = """
host = "127.0.0.1"
port = 0
data = "{data}"
tables = {tables}
[limits]
per_user = 0
per_address = 0
memory_mib = 2048
[connections]
total = {connections}
[metrics]
listen = "127.0.0.1:{port}"
"""


class Client:
    """A connection that waits for each answer."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._unpacker = msgpack.Unpacker()
        self._number = 0

    async def connect(self) -> None:
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)
        await self.call("hello", protocol=1)

    async def call(self, method: str, **params: Any) -> Any:
        self._number += 1
        self._writer.write(msgpack.packb([0, self._number, method, [params]]))
        while True:
            for message in self._unpacker:
                if message[0] == 1 and message[1] == self._number:
                    if message[2] is not None:
                        raise RuntimeError(message[2])
                    return message[3]
            data = await self._reader.read(65_536)
            if not data:
                raise ConnectionError(f"closed at {method}")
            self._unpacker.feed(data)


async def scrape_metrics(port: int) -> str:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    page = (await reader.read()).decode()
    writer.close()
    return page


def value_of(page: str, name: str) -> float:
    found = re.search(rf"^{name} (\S+)$", page, re.MULTILINE)
    assert found is not None, name
    return float(found[1])


async def time_pings(client: Client, seconds: float) -> list[float]:
    """Ping for so many seconds; returns milliseconds."""
    found, end = [], time.perf_counter() + seconds
    while (began := time.perf_counter()) < end:
        await client.call("ping", payload="")
        found.append((time.perf_counter() - began) * 1000)
        await asyncio.sleep(0.002)
    return found


def find_p99(values: list[float]) -> float:
    return sorted(values)[int(len(values) * 0.99)]


async def measure_scrapes(tables: int, connections: int, seconds: float, folder: Path) -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        monitoring = probe.getsockname()[1]
    config = folder / "server.toml"
    config.write_text(
        SETTINGS.format(data=folder / "data", tables=3 * tables, connections=connections + 100, port=monitoring)
    )
    server = await asyncio.create_subprocess_exec(
        Path(sys.executable).parent / "scoville-server",
        "--config",
        config,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    assert server.stdout is not None
    try:
        line = (await server.stdout.readline()).decode()
        port = int(re.search(r"port (\d+)", line)[1])  # type: ignore[index]
        clients = [Client(port) for _ in range(connections)]
        for client in clients:
            await client.connect()
        for number in range(tables):
            client = clients[number % len(clients)]
            table = (await client.call("table.create", game="no_thanks", seat_count=3))["info"]["table"]
            await client.call("table.join", table=table)
        await scrape_metrics(monitoring)
        quiet = await time_pings(clients[0], seconds)
        before, times, began = await scrape_metrics(monitoring), [], time.perf_counter()
        pings = asyncio.ensure_future(time_pings(clients[0], seconds))
        while time.perf_counter() - began < seconds:
            start = time.perf_counter()
            page = await scrape_metrics(monitoring)
            times.append((time.perf_counter() - start) * 1000)
            await asyncio.sleep(0.15)
        busy = await pings
        # Again without scrapes, and as long: what the pings alone cost is not the scrapes' cost.
        after = await scrape_metrics(monitoring)
        await time_pings(clients[0], seconds)
        idle = await scrape_metrics(monitoring)
        used = value_of(after, "process_cpu_seconds_total") - value_of(before, "process_cpu_seconds_total")
        alone = value_of(idle, "process_cpu_seconds_total") - value_of(after, "process_cpu_seconds_total")
        cost = max(0.0, used - alone) / len(times) * 1000
        series = sum(not each.startswith("#") for each in page.partition("\r\n\r\n")[2].splitlines())
        print(f"{tables} tables, {connections} connections: {series} series, {len(page) // 1024} KiB")
        print(f"a scrape: median {statistics.median(times):.1f} ms, p99 {find_p99(times):.1f} ms, {len(times)} of them")
        print(f"processor time of a scrape: {cost:.2f} ms (goal: at most {GOAL_MS:g} ms)")
        print(f"a ping: p99 {find_p99(quiet):.2f} ms without scrapes, {find_p99(busy):.2f} ms with seven a second")
        return int(cost > GOAL_MS)
    finally:
        server.terminate()
        await server.wait()


def main() -> int:
    parser = bench_parser("monitoring", __doc__)
    parser.add_argument("--tables", type=int, default=1_000, metavar="N", help="open tables")
    parser.add_argument("--connections", type=int, default=2_000, metavar="N", help="connections")
    parser.add_argument("--seconds", type=float, default=10.0, metavar="N", help="duration of one measurement")
    chosen = parser.parse_args()
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(measure_scrapes(chosen.tables, chosen.connections, chosen.seconds, Path(folder)))


if __name__ == "__main__":
    sys.exit(main())
