"""Speed of this version next to that of another checkout: the protocol, moves, the start, and recovery.

The servers of both run on this Python with its packages, in turns, under the same load of this version. A ratio
compares the two within each round and is the median of all rounds, with the quarters of the rounds below and above it:
what else the machine does then hits both. The other version's own scripts/benchmarks start its servers.
"""

import argparse
import asyncio
import gc
import os
import resource
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from _arguments import add_rounds, bench_parser
from _table_servers import run_served as served_tables
from _wire_load import OURS, PIPELINED, WINDOW, one_line
from _wire_load import run_served as served_wire

import server as server_bench

BOUND = 1.03
"""How much slower than the other version this one may be before it counts as slower."""

HERE = Path(__file__).resolve().parents[2]
COMMAND = "from scoville_server.cli.main import main; main()"
STARTS = 3
"""Starts of the command in each round, of which the median counts."""


class Row(NamedTuple):
    """A figure of one round: what it is, and its value; less is better."""

    name: str
    value: float


def measure_version(tree: Path, folder: Path, chosen: argparse.Namespace) -> list[Row]:
    """Measure one version once, with its data in an empty folder."""
    return [
        *_measure_wire(tree, chosen),
        *_measure_tables(tree, folder / "tables", chosen),
        _measure_start(tree, folder),
    ]


def _measure_start(tree: Path, folder: Path) -> Row:
    """Time what a host types on an empty folder, until the port answers."""
    waits = [_start_command(tree, folder / f"start{number}") for number in range(STARTS)]
    return Row("start of the command until it answers: ms", statistics.median(waits) * 1e3)


def _start_command(tree: Path, folder: Path) -> float:
    with socket.create_server(("127.0.0.1", 0)) as reserved:
        port = reserved.getsockname()[1]
    path = os.pathsep.join(str(tree / package) for package in ("shared", "server", "client"))
    command = (sys.executable, "-c", COMMAND, "--host", "127.0.0.1", "--port", str(port), "--data", str(folder))
    quiet = subprocess.DEVNULL
    began = time.perf_counter()
    process = subprocess.Popen(command, env={**os.environ, "PYTHONPATH": path}, stdout=quiet, stderr=quiet)
    try:
        while process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", port)).close()
            except ConnectionRefusedError:
                time.sleep(0.002)
            else:
                return time.perf_counter() - began
        raise SystemExit(f"The server of {tree} ended with status {process.returncode} at its start.")
    finally:
        process.terminate()
        process.wait()


def _measure_wire(tree: Path, chosen: argparse.Namespace) -> list[Row]:
    with served_wire(OURS, chosen.loop, tree) as server:
        found = one_line(WINDOW, min(1.0, chosen.seconds))(server)
        single = one_line(1, min(1.0, chosen.seconds))(server)
    return [
        Row(f"{PIPELINED}: us a request", 1e6 / found.rate),
        Row(f"{PIPELINED}: CPU us a request", found.cpu),
        Row("ping-pong: us a request", single.p50),
    ]


def _measure_tables(tree: Path, folder: Path, chosen: argparse.Namespace) -> list[Row]:
    folder.mkdir()
    with served_tables(folder, tree) as server:
        figures, _ = asyncio.run(server_bench.play_tables(server, chosen.tables, chosen.think, chosen.seconds))
    with served_tables(folder, tree) as again:
        recovered = again.started
    return [
        Row("a move: CPU us", figures.cpu),
        Row("a move until the others hear of it: p50 ms", figures.p50),
        Row("a move until the others hear of it: p99 ms", figures.p99),
        Row(f"recovery of {chosen.tables} tables: ms", recovered * 1e3),
    ]


def compare_versions(trees: dict[str, Path], chosen: argparse.Namespace) -> bool:
    """Measure both versions round after round, and print the figures; returns whether this one is as fast."""
    found: dict[str, dict[str, list[float]]] = {}
    for number in range(chosen.rounds):
        # The first of a round finds the machine as the last one has left it: each of them is that half of the time.
        for name, tree in sorted(trees.items(), reverse=bool(number % 2)):
            with tempfile.TemporaryDirectory() as folder:
                for row in measure_version(tree, Path(folder), chosen):
                    found.setdefault(row.name, {name: [] for name in trees})[name].append(row.value)
        print(f"round {number + 1} of {chosen.rounds}", file=sys.stderr, flush=True)
    print(f"{'':44} {'this':>10} {'other':>10}   this/other, quarters")
    slower = [name for name, row in found.items() if not _report_row(name, row)]
    return not slower


def _report_row(name: str, row: dict[str, list[float]]) -> bool:
    ratios = [ours / its for ours, its in zip(row["this"], row["other"], strict=True)]
    low, ratio, high = statistics.quantiles(ratios, n=4, method="inclusive") if len(ratios) > 1 else ratios * 3
    slower = ratio > BOUND
    ours, its = statistics.median(row["this"]), statistics.median(row["other"])
    print(f"{name:44} {ours:10.2f} {its:10.2f}   {ratio:.3f} ({low:.3f} to {high:.3f}){'  slower' if slower else ''}")
    return not slower


def main() -> int:
    """Compare two versions. Exit status 1: this one is slower by more than BOUND."""
    parser = bench_parser("versions", __doc__)
    parser.add_argument("other", type=Path, metavar="FOLDER", help="a checkout of the other version")
    parser.add_argument("--tables", type=int, default=300, metavar="N", help="tables of three players")
    parser.add_argument("--think", type=float, default=4.0, metavar="N", help="mean thinking time in seconds")
    parser.add_argument("--loop", choices=("asyncio", "uvloop"), default="uvloop", help="event loop of the protocol")
    add_rounds(parser, seconds=10.0, rounds=10)
    chosen = parser.parse_args()
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    gc.disable()  # as in `server`
    return 0 if compare_versions({"this": HERE, "other": chosen.other.resolve()}, chosen) else 1


if __name__ == "__main__":
    sys.exit(main())
