"""Kills, stops or pauses the serving node of a cluster under play, again and again, and reports what players notice.

Run by scripts/cluster --measure. Each acknowledged move is compared with what the players' tables have in the end.
"""

import argparse
import asyncio
import importlib.util
import random
import signal
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from scoville_client.transport.address import Address
from scoville_client.transport.known_servers import KnownServers
from scoville_client.transport.tls import TlsLink
from scoville_runtime.clock import SYSTEM
from tests.e2e.restarts.players import Played, Player
from tests.support.tree import ROOT

WAYS = {"kill": signal.SIGKILL, "stop": signal.SIGTERM, "pause": signal.SIGSTOP}
_SERVED_SECONDS = 40.0
_PAUSED_SECONDS = 6.0

Cluster = Any
"""The class of scripts/lib/cluster.py, which is no module of a package."""


class Outage(NamedTuple):
    """One end of the serving node: how, and the seconds until another node served."""

    how: str
    seconds: float


class Measured(NamedTuple):
    """What players have noticed, and how long nobody served."""

    played: list[Played]
    outages: list[Outage]


def load_cluster() -> Any:
    """Return the module of scripts/lib/cluster.py."""
    spec = importlib.util.spec_from_file_location("scoville_cluster", ROOT / "scripts/lib/cluster.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


async def measure(players: int, ways: Sequence[str], rest: float, pause: float) -> Measured:
    """Let players play at a cluster while its serving node ends in each of the ways."""
    with tempfile.TemporaryDirectory(prefix="scoville-cluster-") as temporary:
        cluster = load_cluster().Cluster(Path(temporary), settings=["--no-default-tables"])
        try:
            await asyncio.to_thread(cluster.start)
            return await _measure_at(cluster, Path(temporary), players, ways, rest, pause)
        finally:
            await asyncio.to_thread(cluster.stop)


async def _measure_at(
    cluster: Cluster, folder: Path, players: int, ways: Sequence[str], rest: float, pause: float
) -> Measured:
    known = KnownServers(folder / "known")
    over = asyncio.Event()
    playing = [
        asyncio.ensure_future(
            # At any node: those that wait name the one that serves.
            Player(TlsLink(Address("127.0.0.1", cluster.ports[n % len(cluster.ports)]), known), pause).play_until(
                f"Player {n}", over.is_set
            )
        )
        for n in range(players)
    ]
    outages = []
    await SYSTEM.sleep(rest)
    for how in ways:
        outages.append(Outage(how, await _end_serving_node(cluster, WAYS[how])))
        await SYSTEM.sleep(rest)
    over.set()
    return Measured([await each for each in playing], outages)


async def _end_serving_node(cluster: Cluster, number: signal.Signals) -> float:
    """End the serving node, wait until another one serves, and start it again; returns the seconds."""
    counts = [_count_starts(node) for node in cluster.nodes]
    serving = cluster.serving_node()
    began = SYSTEM.seconds()
    cluster.nodes[serving].send(number)
    while all(
        _count_starts(node) <= count
        for n, (node, count) in enumerate(zip(cluster.nodes, counts, strict=True))
        if n != serving
    ):
        assert SYSTEM.seconds() - began < _SERVED_SECONDS, [line for node in cluster.nodes for line in node.lines[-20:]]
        await SYSTEM.sleep(0.01)
    seconds = SYSTEM.seconds() - began
    if number == signal.SIGSTOP:
        await SYSTEM.sleep(max(0.0, _PAUSED_SECONDS - seconds))
        cluster.nodes[serving].send(signal.SIGCONT)
    else:
        await asyncio.to_thread(cluster.nodes[serving].wait, 30)
        cluster.nodes[serving] = cluster.start_node(serving)
    return seconds


def _count_starts(node: Any) -> int:
    return sum(" ready listens=" in line for line in node.lines)


def main() -> None:
    """Measure, and print what was found."""
    parser = argparse.ArgumentParser(prog="scripts/cluster --measure", description=__doc__)
    parser.add_argument("--players", type=int, default=12)
    parser.add_argument("--ends", type=int, default=9)
    parser.add_argument("--how", choices=[*WAYS, "mixed"], default="mixed")
    parser.add_argument("--pause", type=float, default=0.02, help="seconds between two moves of a player")
    arguments = parser.parse_args()
    chance = random.Random(arguments.ends)
    ways = [chance.choice([*WAYS]) if arguments.how == "mixed" else arguments.how for _ in range(arguments.ends)]
    found = asyncio.run(measure(arguments.players, ways, 3.0, arguments.pause))
    for outage in found.outages:
        print(f"{outage.how}: another node served after {outage.seconds:.2f} s")
    waits = sorted(wait for each in found.played for _, wait in each.waits)
    print(f"{len(waits)} acknowledged moves, {sum(each.lost for each in found.played)} of them lost")
    print(f"longest waits for a move: {', '.join(f'{wait:.2f}' for wait in waits[-10:])} s")
    for refused in sorted({sentence for each in found.played for sentence in each.refused}):
        print(f"refused: {refused}")


if __name__ == "__main__":
    main()
