"""Speed of the protocol: our typed, validated `ping` next to a bare echo and to aio-msgpack-rpc.

Every server runs in a process of its own; one lean client, the same for all, loads them in turns. Rounds alternate
between the servers. A ratio compares the two servers within each round and is the median of all rounds, with the
quarters of the rounds below and above it: what else the machine does then hits both.
"""

import argparse
import importlib.util
import statistics
import sys
from contextlib import ExitStack

import wire_tls
from _arguments import add_rounds, bench_parser
from _wire_load import (
    BARE,
    CLIENTS,
    MANY,
    OTHER,
    OURS,
    PIPELINED,
    WINDOW,
    Round,
    in_turns,
    list_loops,
    many_lines,
    one_line,
    run_served,
)
from _wire_servers import SERVERS, run_on_loop

GOALS = {(PIPELINED, BARE): 0.7, (MANY, BARE): 0.7, (PIPELINED, OTHER): 2.0}
"""At least so many times the requests a second of each. With one request a read, system calls cost more than code."""


def measure_all(loop: str, kinds: list[str], seconds: float, rounds: int) -> dict[str, dict[str, list[Round]]]:
    """Measure every kind of load on every server: {load: {server: rounds}}."""
    loads = {
        "ping-pong": one_line(1, seconds),
        PIPELINED: one_line(WINDOW, seconds),
        MANY: many_lines(CLIENTS, seconds),
    }
    with ExitStack() as stack:
        servers = {kind: stack.enter_context(run_served(kind, loop)) for kind in kinds}
        return {name: in_turns(servers, load, rounds) for name, load in loads.items()}


def report_results(loop: str, results: dict[str, dict[str, list[Round]]]) -> bool:
    """Print a table and the ratios; returns whether every goal was met."""
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
            compared = f"{ratio:.2f} ({low:.2f} to {high:.2f})  {leaner:10.2f}{'  below the goal' if missed else ''}"
            print(f"{name:16} {kind:16} {cells}   {compared}", flush=True)
    return met


def main() -> int:
    """Run the comparison, or one of its servers."""
    parser = bench_parser("wire", __doc__)
    add_rounds(parser, seconds=0.1, rounds=40)
    parser.add_argument("--loop", choices=("asyncio", "uvloop"), help="event loop to measure, both if not given")
    parser.add_argument("--tls", action="store_true", help="what TLS costs, next to plain text on the same server")
    parser.add_argument("--serve", choices=SERVERS, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.serve:
        run_on_loop(chosen.serve, chosen.loop)
        return 0
    if chosen.tls:
        return wire_tls.main(chosen.loop, chosen.seconds, chosen.rounds)
    met = [
        report_results(loop, measure_all(loop, list_present(), chosen.seconds, chosen.rounds))
        for loop in list_loops(chosen.loop)
    ]
    goals = ", ".join(f"{load} at least {goal:g} times {kind}" for (load, kind), goal in GOALS.items())
    print(f"\nGoals, in requests/s: {goals}.")
    print("All met." if all(met) else "Not all met.")
    return 0 if all(met) else 1


def list_present() -> list[str]:
    """List the servers to compare; says so when one is not installed."""
    if importlib.util.find_spec("aio_msgpack_rpc"):
        return list(SERVERS)
    install = ".venv/bin/pip install --only-binary :all: --require-hashes -r requirements/bench.txt"
    print(f"{OTHER} is not installed, so it is left out: {install}")
    return [kind for kind in SERVERS if kind != OTHER]


if __name__ == "__main__":
    sys.exit(main())
