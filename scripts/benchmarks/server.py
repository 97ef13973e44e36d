"""Load on a whole server: players over loopback with the journal on and off, memory, and recovery.

The server runs in a process of its own, all players in this one; a player's move is timed until every other player at
the table has heard of it. Beside it, in the same run, stands a bare echo: the same players at the same pace, as many
bytes to as many lines, but no game, no check and no journal. With two cores the players take one of them.
"""

import argparse
import asyncio
import gc
import itertools
import os
import resource
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

import msgpack
from _arguments import add_rounds, bench_parser
from _table_players import Watch, connect_player, home_addresses, sit_down
from _table_servers import ECHO, Served, run_served, serve_kind

PACE = "human pace"
ON, OFF, BARE = "journal on", "journal off", "bare echo"
GOALS = {"cpu": 285.0, "p50": 0.7, "p99": 2.5, "syncs": 8.0, "memory": 60.0, "recovery": 3.0}
"""At a human pace: at most so many microseconds of CPU a move, and a p50 and a p99 of so many milliseconds, or so many
times the p99 of a bare synced write where that is more. An idle connection's kilobytes; a thousand tables' seconds."""
SYNCS = 200
"""Bare writes that are timed on the same disk."""


class Figures(NamedTuple):
    """Moves a second, delays in milliseconds, the server's CPU for a move in microseconds."""

    rate: float
    p50: float
    p99: float
    cpu: float


async def play_tables(server: Served, tables: int, think: float, seconds: float) -> tuple[Figures, Any]:
    """Let all tables play for a while; returns a received notice as well."""
    watch = Watch()
    homes = home_addresses()  # players of one address would share the turns of one network
    groups = [await sit_down(server.port, watch, think, homes) for _ in range(tables)]
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
    return Figures(moves / took, cuts[49] * 1e3, cuts[98] * 1e3, used / moves * 1e6), watch.sample


async def measure_memory(server: Served, lines: int) -> float:
    """Measure what an idle connection costs the server, in KB."""
    watch = Watch()
    before = server.cost()[1]
    players = [await connect_player(server.port, watch, 0) for _ in range(lines)]
    cost = (server.cost()[1] - before) / lines
    for player in players:
        player.transport.abort()
    return cost


def compare_load(
    load: str, tables: int, think: float, chosen: argparse.Namespace, folder: Path
) -> dict[str, list[Figures]]:
    """Measure one load for each kind of server, round after round, and print the medians; returns every round's."""
    found: dict[str, list[Figures]] = {ON: [], OFF: [], BARE: []}
    notice: Any = None
    for number in range(chosen.rounds):
        for kind, rounds in found.items():
            what = {ON: folder / f"{load} {number}", OFF: "", BARE: ECHO + msgpack.packb(notice).hex()}[kind]
            with run_served(what) as server:
                figures, heard = asyncio.run(play_tables(server, tables, think, chosen.seconds))
            rounds.append(figures)
            notice = notice or heard
    for kind in found:
        print(_format_row(f"{load}, {tables} tables", kind, found), flush=True)
    return found


def _format_row(load: str, kind: str, found: dict[str, list[Figures]]) -> str:
    rate, p50, p99, cpu = map(statistics.median, zip(*found[kind], strict=True))
    cells = f"{load:30} {kind:12} {rate:8,.0f} {p50:8.2f} {p99:8.2f} {cpu:12.0f}"
    if kind == ON:
        return cells
    low, high = min(_compare_rounds(found, kind, "cpu")), max(_compare_rounds(found, kind, "cpu"))
    ratios = [statistics.median(_compare_rounds(found, kind, figure)) for figure in ("p50", "p99", "cpu")]
    return f"{cells}   {ratios[0]:7.2f} {ratios[1]:7.2f} {ratios[2]:7.2f} ({low:.2f} to {high:.2f})"


def _compare_rounds(found: dict[str, list[Figures]], kind: str, figure: str) -> list[float]:
    """Compare within each round: what else the machine does then hits both."""
    pairs = zip(found[ON], found[kind], strict=True)
    return [getattr(ours, figure) / getattr(its, figure) for ours, its in pairs]


def time_syncs(folder: Path) -> list[float]:
    """Time bare synced writes on the journal's disk, in milliseconds."""
    took = []
    with (folder / "sync").open("wb", buffering=0) as file:
        for _ in range(SYNCS):
            began = time.perf_counter()
            file.write(bytes(4096))
            os.fdatasync(file.fileno())
            took.append((time.perf_counter() - began) * 1e3)
    return took


def measure_all(chosen: argparse.Namespace, folder: Path) -> bool:
    """Measure everything and print it; returns whether the goals are met."""
    heads = f"{'load':30} {'server':12} {'moves/s':>8} {'p50 ms':>8} {'p99 ms':>8} {'CPU us/move':>12}"
    print(f"{heads}   journal on / this: p50, p99, CPU (all rounds)")
    disk = time_syncs(folder)
    paced = compare_load(PACE, chosen.tables, chosen.think, chosen, folder)
    disk = statistics.quantiles(disk + time_syncs(folder), n=100)
    compare_load("as fast as can be", max(1, chosen.tables // 5), 0.0, chosen, folder)
    print(f"a bare synced write: p50 {disk[49]:.2f} ms, p99 {disk[98]:.2f} ms")
    with run_served("") as server:
        cost = asyncio.run(measure_memory(server, chosen.lines))
    print(f"an idle connection, of {chosen.lines}: {cost:.1f} KB")
    with run_served(folder / f"{PACE} 0") as server:
        per_thousand = server.started / chosen.tables * 1000
        print(f"recovery of {chosen.tables} tables: {server.started:.2f} s")
    cpu, p50, p99 = (
        statistics.median(getattr(figures, name) for figures in paced[ON]) for name in ("cpu", "p50", "p99")
    )
    return (
        cpu <= GOALS["cpu"]
        and p50 <= GOALS["p50"]
        and p99 <= max(GOALS["p99"], GOALS["syncs"] * disk[98])
        and cost <= GOALS["memory"]
        and per_thousand <= GOALS["recovery"]
    )


def main() -> int:
    """Measure, or be the server that is measured."""
    parser = bench_parser("server", __doc__)
    parser.add_argument("--tables", type=int, default=1000, metavar="N", help="tables; a fifth of them at full speed")
    parser.add_argument("--think", type=float, default=4.0, metavar="N", help="mean thinking time in seconds")
    add_rounds(parser, seconds=10.0, rounds=3)
    parser.add_argument("--lines", type=int, default=5000, metavar="N", help="idle connections")
    parser.add_argument("--serve", type=str, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    if chosen.serve is not None:
        from scoville_server.cli.event_loop import run_server

        run_server(serve_kind(chosen.serve))
        return 0
    gc.disable()  # three thousand players in one process would wait for it, which no player at home does
    with tempfile.TemporaryDirectory() as folder:
        met = measure_all(chosen, Path(folder))
    print(
        f"\nGoals at a human pace: CPU {GOALS['cpu']:g} us a move, p50 {GOALS['p50']:g} ms, p99 {GOALS['p99']:g} ms or "
        f"{GOALS['syncs']:g} times a synced write's; {GOALS['memory']:g} KB a line, 1,000 tables back in "
        f"{GOALS['recovery']:g} s. {'All met.' if met else 'Not all met.'}"
    )
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
