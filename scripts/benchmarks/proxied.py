"""What a move costs whose player is at another node: that of two nodes together, over that of a move at one node.

Two nodes serve in one process of their own, joined by a real link over TCP and TLS, with the journal in memory: a disk
would cost both kinds the same, and make the ratio smaller. Players over loopback play at tables of the first node,
three at each, in turns those who are connected to it and those who are connected to the second one. The processor time
of each turn is divided by its moves, and a ratio is that of two turns, one right after the other.
"""

import argparse
import asyncio
import gc
import itertools
import statistics
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from _arguments import add_rounds, bench_parser
from _processes import ROOT, Pipes, start_server
from _table_players import GAME, HOST, OPTIONS, SEATS, Player, Watch, connect_player, home_addresses
from _table_servers import ONE_ADDRESS, answer_usage

GOAL_RATIO, GOAL_MS = 1.5, 1.0
LOCAL, FAR = "at the table's node", "at another node"


class Nodes(NamedTuple):
    """The process of both nodes, and their ports."""

    pipes: Pipes
    first: int
    second: int

    def cpu(self) -> float:
        """Ask how many seconds of CPU they have used."""
        self.pipes.write_line()
        return float(self.pipes.read_line().split()[0])


class Turn(NamedTuple):
    """Moves, microseconds of processor time for each, and the median delay until others heard of it in milliseconds."""

    moves: int
    cpu: float
    p50: float


async def serve_nodes(count: int) -> None:
    """Print the ports of one or two nodes, then answer every line with CPU seconds."""
    sys.path.insert(0, str(ROOT))
    from scoville_runtime.clock import SYSTEM
    from scoville_server.cluster.link_port import LinkPort
    from scoville_server.identity import ServerKey
    from scoville_server.journal.memory import MemoryJournal
    from scoville_server.net.connection_limits import ConnectionLimits
    from scoville_server.nodes.members import NodeId
    from scoville_server.nodes.nodes import join_nodes
    from scoville_server.server import Server
    from scoville_server.settings.model import Settings
    from tests.cluster.pair import Both, EndOfWire, Wire

    key, journal, wire = ServerKey.new_key(), MemoryJournal(), Wire()
    links: dict[NodeId, LinkPort] = {}

    def find_link(node: NodeId) -> str:
        return f"{HOST}:{links[node].port}"

    async def start_node(name: str, *, joins: bool) -> Server:
        me = NodeId(name)
        port = links[me] = LinkPort(me, lambda: key, find_link, SYSTEM)
        await port.open_port(HOST)
        settings = Settings(
            host=HOST,
            port=0,
            guests=50_000,
            tables=20_000,
            default_tables=(),
            **ONE_ADDRESS,
            connections=ConnectionLimits(total=20_000, per_address=0),
        )
        server = Server(
            settings,
            journal=journal,
            make_nodes=lambda flushes: join_nodes(flushes, Both(me), EndOfWire(wire), joins=joins, links=port.links),
        )
        await server.start()
        return server

    nodes = [await start_node(name, joins=name != "a") for name in "ab"[:count]]
    print(nodes[0].port, nodes[-1].port, flush=True)
    await answer_usage()


async def sit_down(first: int, port: int, watch: Watch, think: float, homes: Iterator[str]) -> list[Player]:
    """Open a table at the port of the first node, and fill it from another one; the host is the first player."""
    opener = await connect_player(first, watch, think, next(homes))
    table = (await opener.call("table.create", game=GAME, seat_count=SEATS, options=OPTIONS))["info"]["table"]
    players = [await connect_player(port, watch, think, next(homes)) for _ in range(SEATS)]
    for player in players:
        player.table = table
        player.seat = (await player.call("table.join", table=table))["seat"]
        await player.call("table.watch", table=table)
    return players


async def play_turn(nodes: Nodes, port: int, tables: int, think: float, seconds: float) -> Turn:
    """Let players at a port play at tables of the first node for a while."""
    watch, homes = Watch(), home_addresses()
    groups = [await sit_down(nodes.first, port, watch, think, homes) for _ in range(tables)]
    for host, *_ in groups:
        host.call("table.start", table=host.table)
    await asyncio.sleep(think)
    watch.begin()
    before = nodes.cpu()
    await asyncio.sleep(seconds)
    watch.over = True
    used = nodes.cpu() - before
    delays = statistics.median(watch.delays)
    for player in itertools.chain(*groups):
        player.transport.abort()
    return Turn(watch.moves, used / watch.moves * 1e6, delays * 1e3)


@contextmanager
def run_nodes(count: int) -> Iterator[Nodes]:
    """Run one or two nodes in a process of their own."""
    with start_server(ROOT, "proxied.py", "--serve", str(count)) as pipes:
        yield Nodes(pipes, *map(int, pipes.read_line().split()))


def measure_following(tables: int, think: float, seconds: float, rounds: int) -> float:
    """Return by how many microseconds of CPU a move costs more where another node follows it, measured in turns."""
    extra = []
    with run_nodes(1) as alone, run_nodes(2) as both:
        for number in range(rounds + 1):
            one, two = [asyncio.run(play_turn(each, each.first, tables, think, seconds)) for each in (alone, both)]
            extra += [two.cpu - one.cpu] if number else []
    return statistics.median(extra)


def measure_turns(chosen: argparse.Namespace) -> bool:
    """Measure in turns, and print what was found; returns whether the goals are met."""
    found: dict[str, list[Turn]] = {LOCAL: [], FAR: []}
    with run_nodes(2) as nodes:
        for number in range(chosen.rounds + 1):
            for kind, port in ((LOCAL, nodes.first), (FAR, nodes.second)):
                turn = asyncio.run(play_turn(nodes, port, chosen.tables, chosen.think, chosen.seconds))
                # The first turns load what the others find loaded.
                found[kind] += [turn] if number else []
    for kind, turns in found.items():
        cpu, p50 = statistics.median(turn.cpu for turn in turns), statistics.median(turn.p50 for turn in turns)
        print(f"{kind:22} {sum(turn.moves for turn in turns):7,} moves, {cpu:6.0f} us of CPU each, p50 {p50:.2f} ms")
    ratios = sorted(far.cpu / local.cpu for local, far in zip(found[LOCAL], found[FAR], strict=True))
    extra = statistics.median(far.p50 - local.p50 for local, far in zip(found[LOCAL], found[FAR], strict=True))
    ratio = statistics.median(ratios)
    spread = f"{ratios[0]:.2f} to {ratios[-1]:.2f}"
    print(f"a move from another node: {ratio:.2f} times the CPU ({spread}), {extra:.2f} ms later")
    return ratio <= GOAL_RATIO and extra <= GOAL_MS


def main() -> int:
    """Measure, or be the nodes that are measured."""
    parser = bench_parser("proxied", __doc__)
    parser.add_argument("--tables", type=int, default=60, metavar="N", help="tables")
    parser.add_argument("--think", type=float, default=0.4, metavar="N", help="mean thinking time in seconds")
    add_rounds(parser, seconds=4.0, rounds=5)
    parser.add_argument("--serve", type=int, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.serve is not None:
        from scoville_server.cli.event_loop import run_server

        run_server(serve_nodes(chosen.serve))
        return 0
    gc.disable()
    met = measure_turns(chosen)
    print(f"Goals: {GOAL_RATIO:g} times the CPU, {GOAL_MS:g} ms. {'Both met.' if met else 'Not both met.'}")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
