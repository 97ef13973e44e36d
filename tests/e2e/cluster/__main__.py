"""Lets a cluster fail under play in each of several ways, again and again, and reports what players notice.

Run by scripts/cluster --measure. Each acknowledged move is compared with what the players' tables have in the end.
Players use the project's own client; with --tables and --rate they are lean ones, three at each of so many tables.

- kill, stop, pause: the serving node gets SIGKILL, SIGTERM, or SIGSTOP and after a while SIGCONT.
- machine: the serving node and the server of NATS that leads the stream hang together, as a machine does that vanishes
  without closing a connection, and are started again.
- cut: the serving node reaches no server of NATS for a while; users still reach it.
- leader, follower: the server of NATS that leads the stream, or another one, gets SIGKILL, and is started again.
- waiting: a node that waits gets SIGKILL, and is started again.
- engines, everything: all servers of NATS get SIGKILL at once, or all nodes as well, and are started again.
- vanish, partition, one-way: with --machines, which puts each node and a server of NATS into a network namespace of
  their own: the cable of the serving machine is pulled; it and the others cannot send to each other, or it cannot to
  them.
- hole: a message of a running table is removed from the middle of the stream before the serving node is killed, and the
  others start only then. With `warm-hole` they have read it before, and write the table afresh.
"""

import argparse
import asyncio
import gc
import json
import random
import resource
import signal
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import uvloop

from scoville_client.transport.address import Address
from scoville_client.transport.known_servers import KnownServers
from scoville_client.transport.tls import TlsLink
from scoville_runtime.clock import SYSTEM
from scoville_server.journal.base import JournalError
from scoville_server.journal.jetstream.client import connect_client
from scoville_server.journal.jetstream.engine import Engine, Place
from scoville_server.journal.jetstream.messages import table_of
from tests.e2e.cluster.load import Load, Loaded, Outage, describe_settings, find_percentile, report_load
from tests.e2e.cluster.network import Machines, run_machines
from tests.e2e.cluster.served import load_cluster
from tests.e2e.lan.network import NotPermitted
from tests.e2e.restarts.players import Played, Player
from tests.support.proxy import Proxy

MIXED = ("kill", "stop", "pause", "cut", "leader")
"""Those that `mixed` draws from: in which nobody waits for the start of everything, nor misses a table on purpose."""
MIXED_APART = ("kill", "stop", "pause", "leader", "machine", "vanish", "partition", "one-way")
"""The same for machines in namespaces."""
WAYS = (*MIXED, *MIXED_APART[5:], "follower", "waiting", "engines", "everything", "machine", "hole", "warm-hole")
NODES = 3
NOT_RUN = 77
"""Exit status where this machine or user cannot make network namespaces."""
_SERVED_SECONDS = 40.0
_PAUSED_SECONDS = 6.0
_START_AFTER_SECONDS = 6.0
"""After how long a node that was ended is started again under load: then the others have the players back."""
_NAME = "scoville"

T = TypeVar("T")
Cluster = Any
"""The class of scripts/lib/cluster.py, which is no module of a package."""


class Measured(NamedTuple):
    """What players have noticed, how long nobody served, and tables with a hole: not served any more, or mended."""

    played: list[Played]
    outages: list[Outage]
    damaged: list[str]
    mended: list[str]


class Faults:
    """Lets a running cluster fail.

    Args:
        cluster: The cluster.
        proxies: By node those through which it reaches the servers of NATS.
        machines: Those that the nodes run on; None for this one.
        choose_node: Returns the number of the node that fails next; None for the one that serves.
        start_after: Seconds after which a node that was ended is started again: it takes cores from the next one.
    """

    def __init__(
        self,
        cluster: Cluster,
        proxies: Sequence[Sequence[Proxy]] = (),
        machines: Machines | None = None,
        choose_node: Callable[[], int] | None = None,
        start_after: float = 0.0,
    ) -> None:
        self._choose_node, self._start_after = choose_node, start_after
        self.damaged: list[str] = []
        self.mended: list[str] = []
        self._cluster = cluster
        self._proxies = proxies
        self._machines = machines
        self._ways: dict[str, Callable[[], Awaitable[float]]] = {
            "kill": lambda: self._end_node(signal.SIGKILL),
            "stop": lambda: self._end_node(signal.SIGTERM),
            "pause": lambda: self._end_node(signal.SIGSTOP),
            "cut": self._cut_node,
            "vanish": lambda: self._lose_network(Machines.pull_cable, Machines.put_cable),
            "partition": lambda: self._lose_network(
                partial(Machines.block, both_ways=True), partial(Machines.unblock, both_ways=True)
            ),
            "one-way": lambda: self._lose_network(
                partial(Machines.block, both_ways=False), partial(Machines.unblock, both_ways=False)
            ),
            "leader": self._kill_leader,
            "follower": self._kill_follower,
            "machine": self._lose_machine,
            "waiting": self._kill_waiting_node,
            "engines": self._kill_engines,
            "everything": self._kill_everything,
            "hole": self._make_hole,
            "warm-hole": self._make_warm_hole,
        }

    async def fail(self, how: str) -> float:
        """Let it fail in one way, and mend it; returns the seconds until a node served again."""
        return await self._ways[how]()

    async def _end_node(self, number: signal.Signals) -> float:
        nodes = self._cluster.nodes
        serving = self._find_serving()
        served, began = self._watch_starts(serving), SYSTEM.seconds()
        nodes[serving].send(number)
        seconds = await self._wait_until(served, began)
        if number == signal.SIGSTOP or self._choose_node is not None:
            await SYSTEM.sleep(max(0.0, _PAUSED_SECONDS - seconds))
        if number == signal.SIGSTOP:
            nodes[serving].send(signal.SIGCONT)
        else:
            await asyncio.to_thread(nodes[serving].wait, 30)
            await SYSTEM.sleep(max(0.0, self._start_after - seconds))
            nodes[serving] = self._cluster.start_node(serving)
        if self._choose_node is not None:
            await self._wait_until(lambda: nodes[serving].starts > 0, SYSTEM.seconds())
        return seconds

    def _find_serving(self) -> int:
        """Return the number of the node that is to fail."""
        return self._cluster.serving_node() if self._choose_node is None else self._choose_node()

    async def _cut_node(self) -> float:
        serving = self._find_serving()
        served, began = self._watch_starts(serving), SYSTEM.seconds()
        for proxy in self._proxies[serving]:
            proxy.swallow()
        seconds = await self._wait_until(served, began)
        await SYSTEM.sleep(max(0.0, _PAUSED_SECONDS - seconds))
        for proxy in self._proxies[serving]:
            proxy.cut()
            proxy.mend()
        return seconds

    async def _lose_network(
        self, lose: Callable[[Machines, int], object], mend: Callable[[Machines, int], object]
    ) -> float:
        assert self._machines is not None, "it needs --machines"
        serving = self._cluster.serving_node()
        served, began = self._watch_starts(serving), SYSTEM.seconds()
        lose(self._machines, serving)
        try:
            seconds = await self._wait_until(served, began)
            await SYSTEM.sleep(max(0.0, _PAUSED_SECONDS - seconds))
        finally:
            mend(self._machines, serving)
        return seconds

    async def _kill_leader(self) -> float:
        leader = await self._wait_for_leader()
        engine = self._cluster.engines[leader]
        began = SYSTEM.seconds()
        engine.send(signal.SIGKILL)
        await asyncio.to_thread(engine.wait, 30)
        while await self._find_leader() in (leader, -1):
            assert SYSTEM.seconds() - began < _SERVED_SECONDS, "no other server leads the stream"
            await SYSTEM.sleep(0.1)
        seconds = SYSTEM.seconds() - began
        self._cluster.engines[leader] = self._cluster.start_engine(leader)
        return seconds

    async def _lose_machine(self) -> float:
        leader = await self._wait_for_leader()
        serving = self._find_serving()
        node, engine = self._cluster.nodes[serving], self._cluster.engines[leader]
        served, began = self._watch_starts(serving), SYSTEM.seconds()
        for process in (node, engine):
            process.send(signal.SIGSTOP)
        seconds = await self._wait_until(served, began)
        if self._choose_node is not None:
            await SYSTEM.sleep(_PAUSED_SECONDS)
        for process in (node, engine):
            process.send(signal.SIGKILL)
            await asyncio.to_thread(process.wait, 30)
        self._cluster.engines[leader] = self._cluster.start_engine(leader)
        self._cluster.nodes[serving] = self._cluster.start_node(serving)
        return seconds

    async def _kill_follower(self) -> float:
        leader = await self._wait_for_leader()
        number = next(n for n in range(NODES) if n != leader)
        engine, began = self._cluster.engines[number], SYSTEM.seconds()
        engine.send(signal.SIGKILL)
        await asyncio.to_thread(engine.wait, 30)
        self._cluster.engines[number] = self._cluster.start_engine(number)
        await self._wait_until(lambda: self._cluster.engines[number].has_said("Server is ready"), began)
        return SYSTEM.seconds() - began

    async def _kill_waiting_node(self) -> float:
        nodes, serving = self._cluster.nodes, self._cluster.serving_node()
        number, began = next(n for n in range(NODES) if n != serving), SYSTEM.seconds()
        nodes[number].send(signal.SIGKILL)
        await asyncio.to_thread(nodes[number].wait, 30)
        nodes[number] = self._cluster.start_node(number)
        return await self._wait_until(lambda: nodes[number].has_said("has joined the cluster"), began)

    async def _kill_engines(self) -> float:
        engines, began = self._cluster.engines, SYSTEM.seconds()
        for engine in engines:
            engine.send(signal.SIGKILL)
        for number, engine in enumerate(engines):
            await asyncio.to_thread(engine.wait, 30)
            engines[number] = self._cluster.start_engine(number)
        await self._wait_for_leader()
        return SYSTEM.seconds() - began

    async def _kill_everything(self) -> float:
        nodes, began = self._cluster.nodes, SYSTEM.seconds()
        for node in nodes:
            node.send(signal.SIGKILL)
        for node in nodes:
            await asyncio.to_thread(node.wait, 30)
        await self._kill_engines()
        served = self._watch_starts(-1)
        for number in range(NODES):
            nodes[number] = self._cluster.start_node(number)
        return await self._wait_until(served, began)

    async def _wait_for_leader(self) -> int:
        """Return the number of the server that leads the stream, once one does: after a fault they elect first."""
        began = SYSTEM.seconds()
        while (leader := await self._find_leader()) == -1:
            assert SYSTEM.seconds() - began < _SERVED_SECONDS, "no server leads the stream"
            await SYSTEM.sleep(0.1)
        return leader

    async def _find_leader(self) -> int:
        """Return the number of the server that leads the stream, -1 for none."""
        try:
            client = await connect_client(self.place().servers)
        except JournalError:
            return -1  # a busy machine answers later
        try:
            reply = await client.request(f"$JS.API.STREAM.INFO.{_NAME}", b"{}", timeout=2)
            leader = str((json.loads(reply.data).get("cluster") or {}).get("leader") or "")
            return int(leader.removeprefix("nats")) if leader else -1
        except Exception:  # noqa: BLE001 - while nobody leads the engine refuses in several ways
            return -1
        finally:
            await client.close()

    def place(self) -> Place:
        """Return where the cluster keeps its journal."""
        return Place(servers=tuple(json.loads(self._cluster.addresses("scoville", NODES))), name=_NAME)

    async def _make_hole(self) -> float:
        """Remove a message from the middle of a table that has just begun, and kill the serving node."""
        nodes, serving = self._cluster.nodes, self._cluster.serving_node()
        waiting = [number for number in range(NODES) if number != serving]
        for number in waiting:
            nodes[number].send(signal.SIGTERM)
            await asyncio.to_thread(nodes[number].wait, 30)
        table = await self._remove_message()
        # Only now: a node that had read the message already would miss nothing.
        for number in waiting:
            nodes[number] = self._cluster.start_node(number)
        seconds = await self._end_node(signal.SIGKILL)
        if any(node.has_said(f"Table {table} cannot be reopened") for node in nodes):
            self.damaged.append(table)
        return seconds

    async def _make_warm_hole(self) -> float:
        """Remove a message that the other nodes have read, and kill the serving node."""
        table = await self._remove_message()
        seconds = await self._end_node(signal.SIGKILL)
        sentence = f"Table {table} had lost messages in the engine of the cluster; it was written afresh"
        if any(node.has_said(sentence) for node in self._cluster.nodes):
            self.mended.append(table)
        return seconds

    async def _remove_message(self) -> str:
        """Remove a message from the middle of the table with the most time left; returns its id."""
        engine, client = Engine(self.place()), await connect_client(self.place().servers)
        await engine.connect()
        began, removed = SYSTEM.seconds(), ""
        try:
            while not removed:
                assert SYSTEM.seconds() - began < _SERVED_SECONDS, "no table has messages enough"
                found: dict[str, list[int]] = {}
                async for message in engine.read_from(1, "t.>"):
                    found.setdefault(message.subject, []).append(message.sequence)
                running = [(len(sequences), subject) for subject, sequences in found.items() if len(sequences) > 3]
                _, subject = min(running, default=(0, ""))
                if subject:
                    body = json.dumps({"seq": found[subject][len(found[subject]) // 2], "no_erase": True}).encode()
                    reply = await client.request(f"$JS.API.STREAM.MSG.DELETE.{_NAME}", body, timeout=5)
                    # One that has ended meanwhile is gone, and another one is taken.
                    removed = subject if json.loads(reply.data).get("success") else ""
        finally:
            await client.close()
            await engine.close()
        table = table_of(removed)
        assert table is not None, removed
        return table

    def _watch_starts(self, serving: int) -> Callable[[], bool]:
        """Return whether another node than that one serves since now."""
        if self._choose_node is not None:
            return lambda: True
        counts = [node.starts for node in self._cluster.nodes]

        def has_begun() -> bool:
            return any(
                node.starts > count
                for n, (node, count) in enumerate(zip(self._cluster.nodes, counts, strict=True))
                if n != serving
            )

        return has_begun

    async def wait_until_joined(self) -> None:
        """Wait until all nodes have joined: one that is started again reads everything first, and takes cores."""
        nodes = self._cluster.nodes
        await self._wait_until(lambda: all(node.has_said("has joined") for node in nodes), SYSTEM.seconds())

    async def _wait_until(self, holds: Callable[[], bool], began: float) -> float:
        while not holds():
            said = [line for node in self._cluster.nodes for line in node.lines[-20:]]
            assert SYSTEM.seconds() - began < _SERVED_SECONDS, said
            await SYSTEM.sleep(0.01)
        return SYSTEM.seconds() - began


@asynccontextmanager
async def run_cluster(
    lines: Sequence[str],
    apart: float = 0.0,
    *,
    on_machines: bool = False,
    cuts: bool = True,
    choose_node: Callable[[], int] | None = None,
    start_after: float = 0.0,
    options: Sequence[str] = (),
    show: Callable[[str, str], object] = lambda *_: 0,
) -> AsyncIterator[tuple[Cluster, Faults, Path]]:
    """Run a cluster, with its faults and its folder.

    Args:
        lines: More lines of the settings of its nodes.
        apart: By how many seconds the clocks of the nodes differ.
        on_machines: Whether each node and a server of NATS has a network namespace of its own. Raises NotPermitted.
        cuts: Whether nodes without machines of their own reach the servers of NATS through proxies, which can cut them
            off. These run in the loop of this process: whatever waits for the engine waits for its players as well.
        choose_node: Lets all nodes serve, and returns the number of the one that fails next.
        start_after: Seconds after which a node that was ended is started again.
        options: More options of its nodes.
        show: Is called with the name of a node and each line that it prints.
    """
    async with AsyncExitStack() as stack:
        temporary = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="scoville-cluster-")))
        machines = stack.enter_context(run_machines()) if on_machines else None
        cluster = load_cluster().Cluster(
            temporary,
            settings=["--no-default-tables", *options],
            show=show,
            clocks=[apart * (n - 1) for n in range(NODES)],
            lines=lines,
            all_serve=choose_node is not None,
            **({} if machines is None else {"hosts": machines.hosts, "prefixes": machines.prefixes}),
        )
        proxies = [
            [await stack.enter_async_context(Proxy(port)) for port in cluster.nats_ports]
            for _ in range(NODES if cuts and machines is None else 0)
        ]
        cluster.ways.update({n: [proxy.port for proxy in each] for n, each in enumerate(proxies)})
        try:
            await asyncio.to_thread(cluster.start)
            yield cluster, Faults(cluster, proxies, machines, choose_node, start_after), temporary
        finally:
            await asyncio.to_thread(cluster.stop)


async def measure_waits(
    players: int,
    ways: Sequence[str],
    rest: float,
    pause: float,
    apart: float = 0.0,
    *,
    on_machines: bool = False,
    choose_node: Callable[[], int] | None = None,
) -> Measured:
    """Let players play at a cluster that fails in each of the ways.

    Args:
        players: How many.
        ways: The faults, one after the other.
        rest: Seconds between two of them.
        pause: Seconds between two moves of a player.
        apart: By how many seconds the clocks of the nodes differ.
        on_machines: Whether nodes run in network namespaces.
        choose_node: Lets all nodes serve, and returns the number of the one that fails next.
    """
    # A player who may open no table yet would count as one who waits for the cluster.
    lines = ["[limits]", "per_user = 100", "per_address = 100"]
    running = run_cluster(lines, apart, on_machines=on_machines, choose_node=choose_node)
    async with running as (cluster, faults, folder):
        return await _measure_at(cluster, faults, folder, players, ways, rest, pause)


async def load_through(
    cluster: Cluster, faults: Faults, tables: int, rate: float, ways: Sequence[str], rest: float, seed: int
) -> tuple[Loaded, list[Outage]]:
    """Let three players play at each of many tables, while their cluster fails in each of the ways.

    Args:
        cluster: The cluster.
        faults: Its faults.
        tables: How many tables.
        rate: About how many moves are made in a second.
        ways: The faults, one after the other.
        rest: Seconds between two of them.
        seed: Of what players draw.
    """
    load = Load(cluster.ports, tables, rate, seed)
    await load.sit_down()
    outages: list[Outage] = []
    # On a busy machine players come, and come back, later than that.
    await SYSTEM.sleep(rest)
    await load.wait_for_all(_SERVED_SECONDS)
    for how in ways:
        began = SYSTEM.seconds()
        outages.append(Outage(how, began, await faults.fail(how)))
        await faults.wait_until_joined()
        await SYSTEM.sleep(rest)
        await load.wait_for_all(_SERVED_SECONDS)
    return await load.end_load(), outages


def run_players(measuring: Coroutine[Any, Any, T]) -> T:
    """Run what lets thousands of players play in this process, at as little cost to the nodes beside it as possible."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    gc.disable()  # all of them would wait for it, which no player at home does
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(measuring)


async def measure_load(
    tables: int, rate: float, ways: Sequence[str], rest: float, seed: int
) -> tuple[Loaded, list[Outage]]:
    """Do so with a cluster of its own."""
    running = run_cluster(describe_settings(), cuts="cut" in ways, start_after=_START_AFTER_SECONDS)
    async with running as (cluster, faults, _):
        return await load_through(cluster, faults, tables, rate, ways, rest, seed)


async def _measure_at(
    cluster: Cluster, faults: Faults, folder: Path, count: int, ways: Sequence[str], rest: float, pause: float
) -> Measured:
    known, over = KnownServers(folder / "known"), asyncio.Event()
    # At any node: those that wait name the one that serves.
    players = [
        Player(TlsLink(Address(cluster.hosts[n % NODES], cluster.ports[n % NODES]), known), pause) for n in range(count)
    ]
    playing = [asyncio.ensure_future(player.play_until(f"Player {n}", over.is_set)) for n, player in enumerate(players)]
    outages, began = [], SYSTEM.seconds()
    # On a busy machine the first fault would else come before somebody has said hello.
    while not all(player.waits or each.done() for player, each in zip(players, playing, strict=True)):
        assert SYSTEM.seconds() - began < _SERVED_SECONDS, "somebody cannot play"
        await SYSTEM.sleep(0.05)
    await SYSTEM.sleep(rest)
    for how in ways:
        began = SYSTEM.seconds()
        outages.append(Outage(how, began, await faults.fail(how)))
        await SYSTEM.sleep(rest)
    over.set()
    played = [await each for each in playing]
    return Measured(played, [*_with_waits(outages, played)], faults.damaged, faults.mended)


def _with_waits(outages: Sequence[Outage], played: Sequence[Played]) -> Iterator[Outage]:
    """Add to each fault the longest wait of each player for a move that was answered before the next fault."""
    ends = [*(outage.at for outage in outages[1:]), float("inf")]
    for outage, end in zip(outages, ends, strict=True):
        waits = [max((wait for at, wait in each.waits if outage.at < at <= end), default=0.0) for each in played]
        yield outage._replace(waits=waits)


def main() -> None:
    """Measure, and print what was found."""
    parser = argparse.ArgumentParser(
        prog="scripts/cluster --measure", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--players", type=int, default=12)
    parser.add_argument("--faults", type=int, default=9, help="how many, in an order by chance")
    parser.add_argument("--how", choices=[*WAYS, "mixed"], default="mixed")
    parser.add_argument("--pause", type=float, default=0.02, help="seconds between two moves of a player")
    parser.add_argument("--rest", type=float, default=3.0, help="seconds between two faults")
    parser.add_argument("--apart", type=float, default=0.0, help="seconds by which the clocks of the nodes differ")
    parser.add_argument("--machines", action="store_true", help="run nodes in network namespaces; needs root")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tables", type=int, default=0, help="play at so many tables with lean players instead")
    parser.add_argument("--rate", type=float, default=500.0, help="moves a second at them")
    parser.add_argument("--all-serve", action="store_true", help="let all nodes serve; any of them fails")
    arguments = parser.parse_args()
    chance = random.Random(arguments.seed)
    count, how = arguments.faults, arguments.how
    mixed = MIXED_APART if arguments.machines else MIXED
    ways = [chance.choice(mixed) if how == "mixed" else how for _ in range(count)]
    if arguments.tables:
        if arguments.all_serve:
            from tests.e2e.cluster.all_serve import report_spread

            report_spread(arguments.tables, arguments.rate, count, how, arguments.rest, arguments.seed)
            return
        report_load(*run_players(measure_load(arguments.tables, arguments.rate, ways, arguments.rest, arguments.seed)))
        return
    try:
        found = asyncio.run(
            measure_waits(
                arguments.players,
                ways,
                arguments.rest,
                arguments.pause,
                arguments.apart,
                on_machines=arguments.machines,
                choose_node=partial(chance.randrange, NODES) if arguments.all_serve else None,
            )
        )
    except NotPermitted as error:
        print(f"Network namespaces cannot be made here: {error}.")
        sys.exit(NOT_RUN)
    for way in dict.fromkeys(ways):
        outages = [outage for outage in found.outages if outage.how == way]
        waits = [wait for outage in outages for wait in outage.waits]
        longest = max(outage.seconds for outage in outages)
        print(
            f"{way} × {len(outages)}: served again after up to {longest:.2f} s; players waited "
            f"p50 {find_percentile(waits, 0.5):.2f}, p95 {find_percentile(waits, 0.95):.2f}, at most {max(waits):.2f} s"
        )
    moves = sum(len(each.waits) for each in found.played)
    lost, doubled = sum(each.lost for each in found.played), sum(each.doubled for each in found.played)
    print(f"{moves} acknowledged moves, {lost} of them lost, {doubled} doubled")
    for table in found.damaged:
        print(f"table {table} has a hole, and was not served any more")
    for table in found.mended:
        print(f"table {table} had a hole, and was written afresh")
    for refused in sorted({sentence for each in found.played for sentence in each.refused}):
        print(f"refused: {refused}")


if __name__ == "__main__":
    main()
