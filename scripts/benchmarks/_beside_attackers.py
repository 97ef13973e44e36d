"""Users beside attackers of `_attackers.py`, compared with users beside processes that only burn processor time.

What counts is the slowest ping, move and arrival: a p99 hides the one that everybody notices.
"""

import asyncio
import ssl
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Final, NamedTuple

from _attackers import MANY, run_attack
from _table_players import HOST, Player, Watch, sit_down

MAXIMUM_GOAL: Final = 4.0
"""How many times the maximum beside processor burners a maximum beside attackers may be."""
THINK: Final = 0.15
PING_EVERY: Final = 0.01
ARRIVE_EVERY: Final = 0.2
PATIENCE: Final = 20.0
"""Seconds after which a user who waits counts as locked out."""
_ONE_ADDRESS: Final = "127.0.0.2"


class Delays(NamedTuple):
    """Seconds that users waited: for the answers to pings, for others' moves, and from connecting to the welcome."""

    pings: list[float]
    moves: list[float]
    arrivals: list[float]


def _make_context() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


async def _connect_guest(port: int, context: ssl.SSLContext, watch: Watch) -> Player:
    """Connect by TLS as a new guest."""
    loop = asyncio.get_running_loop()
    player = Player(watch, 0)
    await loop.create_connection(lambda: player, HOST, port, ssl=context)
    await player.call("hello", protocol=1)
    return player


async def _repeat_until(end: float, pause: float, act: Callable[[], Awaitable[object]]) -> list[float]:
    took = []
    while (began := time.perf_counter()) < end:
        try:
            await asyncio.wait_for(act(), PATIENCE)
        except (OSError, TimeoutError):
            took.append(PATIENCE)
            continue
        took.append(time.perf_counter() - began)
        await asyncio.sleep(pause)
    return took


async def _measure_users(pinger: Player, plain: Player, watch: Watch, port: int, seconds: float) -> Delays:
    context = _make_context()

    async def visit() -> None:
        visitor = await _connect_guest(port, context, watch)
        visitor.transport.abort()

    watch.begin()
    end = time.perf_counter() + seconds
    first, second, arrivals = await asyncio.gather(
        _repeat_until(end, PING_EVERY, lambda: pinger.call("ping", payload="Anna")),
        _repeat_until(end, PING_EVERY, lambda: plain.call("ping", payload="Ben")),
        _repeat_until(end, ARRIVE_EVERY, visit),
    )
    overdue = [time.perf_counter() - sent for sent in watch.unheard()]
    return Delays([*first, *second], [*watch.delays, *overdue], arrivals)


async def _measure_beside(port: int, kind: str, number: int, seconds: float, *, many: bool) -> tuple[Delays, Delays]:
    """Measure beside burners, then beside attackers."""
    watch = Watch()
    group = await sit_down(port, watch, THINK)
    pinger, plain = await _connect_guest(port, _make_context(), watch), await _arrive_plain(port, watch)
    group[0].call("table.start", table=group[0].table)
    await asyncio.sleep(0.5)
    found = []
    for each in ("burn", kind):
        with _run_attackers(each, port, number, many=many):
            await asyncio.sleep(0.3)
            found.append(await _measure_users(pinger, plain, watch, port, seconds))
    watch.over = True
    return found[0], found[1]


async def _arrive_plain(port: int, watch: Watch) -> Player:
    player = Player(watch, 0)
    await asyncio.get_running_loop().create_connection(lambda: player, HOST, port)
    await player.call("hello", protocol=1)
    return player


@contextmanager
def _run_attackers(kind: str, port: int, number: int, *, many: bool) -> Iterator[None]:
    """Run attackers, each in a process of its own."""
    command = [sys.executable, __file__, kind, str(port), MANY if many else _ONE_ADDRESS]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(number)]
    try:
        for process in processes:
            assert process.stdout is not None
            process.stdout.readline()
        yield
    finally:
        for process in processes:
            process.kill()
        for process in processes:
            process.communicate()


def _format_row(name: str, delays: Delays) -> str:
    cells = []
    for took in delays:
        cuts = statistics.quantiles(took, n=100, method="inclusive") if len(took) > 1 else [took[0]] * 99
        cells.append(f"{cuts[49] * 1e3:9.2f}{cuts[98] * 1e3:9.2f}{max(took) * 1e3:9.2f} |")
    return f"{name:30}" + "".join(cells)


def print_head() -> None:
    """Print the head of the table."""
    print(f"{'':30}" + "".join(f"{name:^27} |" for name in ("ping", "move", "arrival")))
    print(f"{'milliseconds':30}" + f"{'p50':>9}{'p99':>9}{'max':>9} |" * 3)


def report_attack(port: int, kind: str, number: int, seconds: float, *, many: bool) -> bool:
    """Measure and print one kind of attack; return whether its goals are met."""
    quiet, beside = asyncio.run(_measure_beside(port, kind, number, seconds, many=many))
    times = [max(ones) / max(others) for ones, others in zip(beside, quiet, strict=True)]
    met = all(each <= MAXIMUM_GOAL for each in times)
    where = "many addresses" if many else "1 address"
    print(_format_row(f"{number} burn", quiet))
    print(_format_row(f"{number} {kind}, {where}", beside), end="")
    print(" max x" + "".join(f"{each:7.1f}" for each in times) + ("" if met else "  above the goal"), flush=True)
    return met


if __name__ == "__main__":
    run_attack(sys.argv[1], int(sys.argv[2]), sys.argv[3])
