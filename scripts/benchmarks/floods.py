"""Effect of a flood on players: pings and moves while connections from another address send as much as they can.

The server runs in a process of its own with its usual settings and the journal on. Users connect from 127.0.0.1, the
flooders, niced, from 127.0.0.2. Each kind of flood has a server of its own: first users play there alone, then beside
the flood. What counts is how many times longer the slowest hundredth takes beside the flood.
"""

import argparse
import asyncio
import gc
import itertools
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from _arguments import bench_parser
from _attackers import ATTACKS
from _beside_attackers import MAXIMUM_GOAL, print_head, report_attack
from _flooders import SERVER, connect_guests, flood_server
from _processes import run_piped
from _table_players import Player, Watch, connect_player, sit_down

KINDS = ("requests", "notifications", "bytes", "watches", "mixed", "handshakes")
GUESTS = "guests"
TABLES, THINK = 4, 0.15
PINGERS, PING_EVERY = 4, 0.01
PING_GOAL, MOVE_GOAL = 8.0, 4.0
"""How many times the quiet p99 a ping and a move may take beside a flood of 50 connections; beside 300 twice that."""
FEW, MANY = 50, 300


class Figures(NamedTuple):
    """Milliseconds: median and p99 of pings, and of moves until another player has received them."""

    ping_steadily: float
    ping_p99: float
    move: float
    move_p99: float


# --- users -----------------------------------------------------------------------------------------------


async def play_for(groups: list[list[Player]], pingers: list[Player], watch: Watch, seconds: float) -> Figures:
    """Let users play and ping for a while."""
    watch.begin()
    end = time.perf_counter() + seconds
    pings = list(itertools.chain(*await asyncio.gather(*(ping_steadily(pinger, end) for pinger in pingers))))
    assert len(watch.delays) > 100, f"only {len(watch.delays)} moves were heard of: do the games stand still?"
    assert all(not player.transport.is_closing() for player in itertools.chain(pingers, *groups))
    return Figures(*in_ms(pings), *in_ms(watch.delays))


def in_ms(took: list[float]) -> tuple[float, float]:
    """Return the median and the 99th percentile, in milliseconds."""
    cuts = statistics.quantiles(took, n=100)
    return cuts[49] * 1e3, cuts[98] * 1e3


async def ping_steadily(pinger: Player, end: float) -> list[float]:
    """Ping at a steady pace."""
    took = []
    while (began := time.perf_counter()) < end:
        await pinger.call("ping", payload="Anna")
        took.append(time.perf_counter() - began)
        await asyncio.sleep(PING_EVERY)
    return took


async def measure_flood(port: int, kind: str, connections: int, seconds: float) -> tuple[Figures, Figures]:
    """Measure without and beside one kind of flood."""
    watch = Watch()
    groups = [await sit_down(port, watch, THINK) for _ in range(TABLES)]
    pingers = [await connect_player(port, watch, 0) for _ in range(PINGERS)]
    for host, *_ in groups:
        host.call("table.start", table=host.table)
    await asyncio.sleep(1)
    quiet = await play_for(groups, pingers, watch, seconds)
    with run_flood(kind, port, connections, groups[0][0].table):
        await asyncio.sleep(0.5)
        beside = await play_for(groups, pingers, watch, seconds)
    watch.over = True
    return quiet, beside


# --- processes --------------------------------------------------------------------------------------------


@contextmanager
def run_flood(*arguments: object) -> Iterator[None]:
    """Run a flood in a process of its own."""
    command = [sys.executable, __file__, "--flood", *map(str, arguments)]
    with run_piped(command) as pipes:
        pipes.read_line()
        yield
        pipes.process.kill()


@contextmanager
def start_server(folder: Path) -> Iterator[int]:
    """Run a server in a process of its own."""
    command = [sys.executable, __file__, "--serve", str(folder)]
    with run_piped(command) as pipes:
        yield int(pipes.read_line())


async def serve_usual(folder: str) -> None:
    """Be the server, with its usual settings, until standard input ends."""
    from scoville_server.server import Server
    from scoville_server.settings.model import Settings

    server = Server(Settings(host=SERVER, port=0, data=Path(folder)))
    await server.start()
    print(server.port, flush=True)
    over = asyncio.Event()
    asyncio.get_running_loop().add_reader(sys.stdin.fileno(), over.set)
    await over.wait()
    await server.close()


# --- the report -------------------------------------------------------------------------------------------


def report_flood(kind: str, connections: int, seconds: float) -> bool:
    """Measure and print one kind of flood; return whether its goals are met."""
    with tempfile.TemporaryDirectory() as folder, start_server(Path(folder)) as port:
        quiet, beside = asyncio.run(measure_flood(port, kind, connections, seconds))
    slack = 2 if connections > FEW and kind != GUESTS else 1
    pings, moves = beside.ping_p99 / quiet.ping_p99, beside.move_p99 / quiet.move_p99
    met = pings <= PING_GOAL * slack and moves <= MOVE_GOAL * slack
    for name, row in (("quiet", quiet), (f"{connections} {kind}", beside)):
        print(f"{name:22}" + "".join(f"{figure:10.2f}" for figure in row), end="")
        print(f"{pings:10.1f}{moves:8.1f}{'' if met else '  above the goal'}" if row is beside else "", flush=True)
    return met


def main() -> int:
    """Measure, or be one of the other processes."""
    parser = bench_parser("floods", __doc__)
    parser.add_argument("--seconds", type=float, default=6.0, metavar="N", help="duration of one measurement")
    parser.add_argument("--kind", choices=(*KINDS, GUESTS), help="kind of flood, all but guests if not given")
    parser.add_argument(
        "--connections",
        type=int,
        metavar="N",
        help=f"flooding connections, instead of {FEW} of each kind and {MANY} mixed",
    )
    parser.add_argument("--guests", type=int, default=20_000, metavar="N", help="guests, one after the other")
    parser.add_argument(
        "--attackers",
        type=int,
        metavar="N",
        help="measure beside so many attackers below the messages instead, each in a process of its own",
    )
    parser.add_argument("--attack", choices=ATTACKS, action="append", help="kind of attack, all if not given")
    parser.add_argument("--addresses", choices=("one", "many", "both"), default="both", help="addresses of attackers")
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    parser.add_argument("--flood", nargs=4, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.serve or chosen.flood:
        return be_another(chosen)
    if chosen.attackers:
        return measure_attackers(chosen)
    gc.disable()
    print(f"{'milliseconds':22}{'ping':>10}{'ping p99':>10}{'move':>10}{'move p99':>10}{'ping x':>10}{'move x':>8}")
    met = [report_flood(kind, number, chosen.seconds) for kind, number in plan_floods(chosen)]
    print(
        f"\nGoals: p99 of a ping at most {PING_GOAL:g}, of a move at most {MOVE_GOAL:g} times the quiet one's; ", end=""
    )
    print(f"beside {MANY} twice that. {'All met.' if all(met) else 'Not all met.'}")
    return 0 if all(met) else 1


def measure_attackers(chosen: argparse.Namespace) -> int:
    """Measure each kind of attack, from one address and from many."""
    gc.disable()
    print_head()
    met = []
    for kind in chosen.attack or ATTACKS:
        for many in {"one": (False,), "many": (True,), "both": (False, True)}[chosen.addresses]:
            with tempfile.TemporaryDirectory() as folder, start_server(Path(folder)) as port:
                met.append(report_attack(port, kind, chosen.attackers, chosen.seconds, many=many))
    print(f"\nGoal: the slowest of each at most {MAXIMUM_GOAL:g} times the slowest beside burners. ", end="")
    print("All met." if all(met) else "Not all met.")
    return 0 if all(met) else 1


def be_another(chosen: argparse.Namespace) -> int:
    """Be the server, or the flood."""
    if chosen.serve:
        from scoville_server.cli.event_loop import run_server

        run_server(serve_usual(chosen.serve))
    elif chosen.flood[0] == GUESTS:
        connect_guests(int(chosen.flood[1]), int(chosen.flood[2]))
    else:
        flood_server(chosen.flood[0], int(chosen.flood[1]), int(chosen.flood[2]), chosen.flood[3])
    return 0


def plan_floods(chosen: argparse.Namespace) -> list[tuple[str, int]]:
    """List what to measure: kinds of flood, and how many connections or guests each has."""
    if chosen.kind == GUESTS:
        return [(GUESTS, chosen.guests)]
    if chosen.kind:
        return [(chosen.kind, chosen.connections or FEW)]
    return [*((kind, chosen.connections or FEW) for kind in KINDS), ("mixed", chosen.connections or MANY)]


if __name__ == "__main__":
    sys.exit(main())
