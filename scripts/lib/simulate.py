"""What a cluster needs for so many players, and what breaks first, from measured costs. Run by scripts/simulate.

Nodes that all serve share the moves, but each of them follows what all others write, and one stream of the engine keeps
everything. So the processor time of a node grows with its own moves and, less, with those of all; that of the engine's
leader, and the memory for what every node knows, with all of them. `--measure` takes these costs on this machine from a
real cluster under play, and what following costs from one node beside two, which take turns.

The model knows no network, no disk and no ends of games. Times of a busy machine are too high.
"""

import argparse
import asyncio
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec
from msgspec import Struct

from scoville_runtime.clock import SYSTEM

ROOT: Final = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "scripts/benchmarks")]
COSTS: Final = Path(__file__).with_name("measured_costs.json")
PLAYERS: Final = (1_000, 10_000, 100_000, 1_000_000)
SEATS: Final = 3
MOVES_A_SECOND: Final = 0.2
"""Of one player at a table: a move each five seconds, as people play."""
SHARE: Final = 0.6
"""Of a core that may be busy: the rest is for bursts, and for a node that is lost."""
NODE_BYTES: Final = 8 * 2**30
"""The memory that a node may have."""
_TABLES, _RATE, _SECONDS, _SETTLED = 24, 60.0, 30.0, 10.0
_FAR_RATIO: Final = 1.5
"""By `scripts/bench proxied`."""
_CROWD: Final = 300
"""Tables by which memory is measured."""


class Costs(Struct, frozen=True, kw_only=True):
    """What was measured; times are of processors, in microseconds.

    Attributes:
        move_us: A move at its node, by a player who is connected there.
        far_ratio: How many times that a move costs whose player is connected to another node, both nodes together.
        follow_us: What a move costs each other node.
        engine_us: A move at all servers of the engine together.
        leader_us: A move at the busiest one of them.
        stream_bytes: What a move adds to the stream, before its game is over.
        home_bytes: A table that is being played, with its players and their connections, at its node.
        away_bytes: The same table at each other node.
        how: On what machine that was measured.
    """

    move_us: float
    far_ratio: float = 1.29
    follow_us: float
    engine_us: float
    leader_us: float
    stream_bytes: float
    home_bytes: float
    away_bytes: float
    how: str = ""


class Need(NamedTuple):
    """What so many players need; `nodes` is None where no number of them suffices."""

    players: int
    moves: float
    tables: int
    nodes: int | None
    node_bytes: float
    leader_share: float
    engine_cores: float
    stream_bytes_a_day: float


class Bound(NamedTuple):
    """How many players are too many for something, and what to do about it."""

    players: float
    what: str
    then: str


def count_nodes(costs: Costs, moves: float) -> int | None:
    """Return how many nodes carry so many moves a second; None if each of them is busy with following alone."""
    if moves * costs.follow_us >= SHARE * 1e6:
        return None
    nodes = 1
    while moves * _cost_at_each(costs, nodes) > SHARE * 1e6:
        nodes += 1
    return nodes


def _cost_at_each(costs: Costs, nodes: int) -> float:
    """Return what a move costs each node on average, in microseconds."""
    # Players are at any node, wherever their tables are.
    far = (nodes - 1) / nodes
    return costs.move_us * (1 + far * (costs.far_ratio - 1)) / nodes + costs.follow_us * far


def estimate_need(costs: Costs, players: int) -> Need:
    """Return what so many players need."""
    moves, tables = players * MOVES_A_SECOND, players // SEATS
    nodes = count_nodes(costs, moves)
    here = tables / (nodes or 1)
    return Need(
        players,
        moves,
        tables,
        nodes,
        here * costs.home_bytes + (tables - here) * costs.away_bytes,
        moves * costs.leader_us / 1e6,
        moves * costs.engine_us / 1e6,
        moves * costs.stream_bytes * 86_400,
    )


def list_bounds(costs: Costs) -> list[Bound]:
    """List what ends the growth, the smallest number of players first."""
    from scoville_server.accounts.model import word_codes
    from scoville_server.settings.model import Settings

    settings = Settings()
    codes = len(word_codes.FIRST) * len(word_codes.SECOND)
    per_node = SHARE * 1e6 / costs.move_us / MOVES_A_SECOND
    per_move = 1e6 / MOVES_A_SECOND
    bounds = [
        Bound(settings.connections.total, "connections of one node", "raise connections.total"),
        Bound(settings.tables * SEATS, "tables of one node", "raise tables"),
        Bound(settings.guests, "guests of one node", "raise guests"),
        Bound(per_node, "the processor of one node", "let several nodes serve"),
        Bound(codes * SEATS, "codes of tables, of which there are no more", "add words to the codes"),
        Bound(SHARE * per_move / costs.leader_us, "the leader of the one stream", "divide the stream by tables"),
        Bound(
            NODE_BYTES / costs.away_bytes * SEATS,
            f"what each node keeps of all tables, at {NODE_BYTES >> 30} GiB",
            "show each node a part of the lobby",
        ),
        Bound(
            SHARE * per_move / max(costs.follow_us, 0.1),
            "following what all nodes write, which takes a whole node",
            "let nodes follow what their users need",
        ),
    ]
    return sorted(bounds)


def describe_needs(costs: Costs, players: Sequence[int]) -> Iterator[str]:
    """Describe what so many players need, and what breaks first."""
    yield f"measured on {costs.how}:" if costs.how else "measured:"
    yield (
        f"  a move: {costs.move_us:.0f} us at its node, {costs.far_ratio:.2f} times that if its player is at another "
        f"one, {costs.follow_us:.0f} us at each further node, "
        f"{costs.engine_us:.0f} us at the servers of the engine, {costs.leader_us:.0f} us of that at its leader; "
        f"{costs.stream_bytes:.0f} bytes in the stream"
    )
    yield (
        f"  a table of {SEATS} that is being played: {costs.home_bytes / 1024:.0f} KiB at its node with its players, "
        f"{costs.away_bytes / 1024:.1f} KiB at each other one"
    )
    yield f"assumed: {MOVES_A_SECOND:g} moves a second of each player, processors busy for {SHARE:.0%} of the time"
    yield ""
    heads = ("players", "moves/s", "tables", "nodes", "GiB a node", "engine cores", "of the leader's core", "GiB a day")
    yield "  ".join(f"{head:>{max(9, len(head))}}" for head in heads)
    for count in players:
        need = estimate_need(costs, count)
        cells = (
            f"{need.players:,}",
            f"{need.moves:,.0f}",
            f"{need.tables:,}",
            "none does" if need.nodes is None else f"{need.nodes:,}",
            f"{need.node_bytes / 2**30:.2f}",
            f"{need.engine_cores:.1f}",
            f"{need.leader_share:.0%}",
            f"{need.stream_bytes_a_day / 2**30:,.0f}",
        )
        yield "  ".join(f"{cell:>{max(9, len(head))}}" for cell, head in zip(cells, heads, strict=True))
    yield ""
    yield "what breaks first, with the usual settings:"
    for bound in list_bounds(costs):
        yield f"  {bound.players:12,.0f} players: {bound.what}; {bound.then}"


# --- measuring -------------------------------------------------------------------------------------------


class _Usage(NamedTuple):
    """Seconds of processors by process, and bytes of the stream, at a monotonic time."""

    at: float
    seconds: dict[str, float]
    stream_bytes: float


async def measure_costs() -> Costs:
    """Measure a real cluster, and memory in processes of their own."""
    from proxied import measure_following

    from tests.e2e.cluster.__main__ import run_cluster
    from tests.e2e.cluster.load import Load, describe_settings

    follow = max(0.0, await asyncio.to_thread(measure_following, 40, 0.4, 3.0, 5))
    async with run_cluster(describe_settings(), choose_node=lambda: 0) as (cluster, faults, _):
        await asyncio.sleep(_SETTLED)
        idle = await _measure_usage(cluster, faults)
        load = Load(cluster.ports, _TABLES, _RATE, 1)
        await load.sit_down()
        await load.wait_for_all(60)
        turn = await _measure_turn(cluster, faults, load, idle)
        await load.end_load()
    home, away = await _measure_memory()
    return Costs(
        # The other two nodes follow it.
        move_us=(turn.nodes_us - 2 * follow) / turn.weight,
        far_ratio=_FAR_RATIO,
        follow_us=follow,
        engine_us=turn.engines_us,
        leader_us=turn.leader_us,
        stream_bytes=turn.stream_bytes,
        home_bytes=home,
        away_bytes=away,
        how=_describe_machine(),
    )


class _Turn(NamedTuple):
    """What a move has cost at all nodes, and at the engine; `weight` is how many times a move of a local player."""

    nodes_us: float
    engines_us: float
    leader_us: float
    stream_bytes: float
    weight: float


async def _measure_turn(cluster: Any, faults: Any, load: Any, idle: _Usage) -> _Turn:
    from tests.e2e.cluster.all_serve import find_owners

    made = _count_moves(load)
    busy = await _measure_usage(cluster, faults)
    moves = _count_moves(load) - made
    used = {name: busy.seconds[name] - idle.seconds[name] * busy.at / idle.at for name in busy.seconds}
    cost = {name: max(0.0, seconds) / moves * 1e6 for name, seconds in used.items()}
    engines = [cost[f"nats{n}"] for n in range(3)]
    owners = await find_owners(faults.place())
    far = sum(owners[each.table] != each.port for each in load.everybody) / len(load.everybody)
    nodes = sum(cost.values()) - sum(engines)
    return _Turn(nodes, sum(engines), max(engines), busy.stream_bytes / moves, 1 + far * (_FAR_RATIO - 1))


def _count_moves(load: Any) -> int:
    return sum(len(player.acknowledged) for player in load.everybody)


async def _measure_usage(cluster: Any, faults: Any) -> _Usage:
    """Return what is used within some seconds, and how many these were."""
    before = await _read_usage(cluster, faults)
    await asyncio.sleep(_SECONDS)
    after = await _read_usage(cluster, faults)
    seconds = {name: after.seconds[name] - before.seconds[name] for name in after.seconds}
    return _Usage(after.at - before.at, seconds, after.stream_bytes - before.stream_bytes)


async def _read_usage(cluster: Any, faults: Any) -> _Usage:
    from scoville_server.journal.jetstream.client import connect_client

    client = await connect_client(faults.place().servers)
    try:
        reply = await client.request(f"$JS.API.STREAM.INFO.{faults.place().name}", b"{}", timeout=5)
    finally:
        await client.close()
    stored = int(msgspec.json.decode(reply.data)["state"]["bytes"])
    running = [each for each in (*cluster.nodes, *cluster.engines) if each.process.poll() is None]
    processes = {each.name: each.process.pid for each in running}
    return _Usage(SYSTEM.seconds(), {name: _read_seconds(pid) for name, pid in processes.items()}, stored)


def _read_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def _measure_memory() -> tuple[float, float]:
    """Return what a table needs at its node, and at each other one."""
    alone, both = [await _measure_growth(nodes) for nodes in (1, 2)]
    return alone, max(0.0, both - alone)


async def _measure_growth(nodes: int) -> float:
    process = await asyncio.create_subprocess_exec(
        sys.executable, __file__, "--serve", str(nodes), stdout=asyncio.subprocess.PIPE
    )
    out, _ = await process.communicate()
    return float(out.split()[-1])


def _describe_machine() -> str:
    load = os.getloadavg()[0]
    return f"Python {sys.version.split()[0]}, {os.cpu_count()} cores, a load of {load:.0f} at the end"


async def print_growth(nodes: int) -> None:
    """Print by how many bytes a table of three lets the process of so many nodes grow."""
    from scoville_server.journal.memory import MemoryJournal
    from scoville_server.nodes.members import NodeId
    from scoville_server.nodes.nodes import join_nodes
    from scoville_server.server import Server
    from scoville_server.settings.model import Settings
    from tests.cluster.pair import Both, EndOfWire, Wire
    from tests.e2e.cluster.load import GAME, OPTIONS, Line
    from tests.support.links import WireDialer

    journal, wire, dialer = MemoryJournal(), Wire(), WireDialer()

    async def start_node(name: str) -> Server:
        me = NodeId(name)
        server = Server(
            Settings(host="127.0.0.1", port=0, guests=50_000, tables=20_000, default_tables=()),
            journal=journal,
            make_nodes=lambda flushes: join_nodes(
                flushes, Both(me), EndOfWire(wire), joins=name != "a", links=dialer.links_of(me)
            ),
        )
        await server.start()
        return server

    servers = [await start_node(name) for name in "ab"[:nodes]]

    async def fill_table(number: int) -> list[Line]:
        loop, lines = asyncio.get_running_loop(), list[Line]()
        for seat in range(SEATS):
            source = f"127.{1 + number // 250}.{number % 250}.{seat + 1}"
            opening = loop.create_connection(
                lambda: Line(lambda _: None), "127.0.0.1", servers[0].port, local_addr=(source, 0)
            )
            lines.append((await opening)[1])
            await lines[-1].call("hello", protocol=1)
        opened = await lines[0].call("table.create", game=GAME, seat_count=SEATS, options=OPTIONS)
        for line in lines:
            await line.call("table.join", table=opened["info"]["table"])
            await line.call("table.watch", table=opened["info"]["table"])
        await lines[0].call("table.start", table=opened["info"]["table"])
        return lines

    kept = [await fill_table(number) for number in range(_CROWD // 3)]
    await asyncio.sleep(1)
    before = _read_resident()
    kept += [await fill_table(number + _CROWD) for number in range(_CROWD)]
    await asyncio.sleep(1)
    print((_read_resident() - before) / _CROWD, flush=True)
    for line in (line for lines in kept for line in lines):
        line.abort()
    for server in servers:
        await server.close()


def _read_resident() -> int:
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


def main() -> None:
    """Print the table, perhaps with costs that are measured first."""
    parser = argparse.ArgumentParser(
        prog="scripts/simulate", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("players", type=int, nargs="*", default=PLAYERS, help="how many")
    parser.add_argument("--measure", action="store_true", help="measure the costs first, and keep them")
    parser.add_argument("--serve", type=int, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.serve:
        asyncio.run(print_growth(asked.serve))
        return
    if asked.measure:
        costs = asyncio.run(measure_costs())
        COSTS.write_bytes(msgspec.json.format(msgspec.json.encode(costs), indent=2) + b"\n")
    print(*describe_needs(msgspec.json.decode(COSTS.read_bytes(), type=Costs), asked.players), sep="\n")


if __name__ == "__main__":
    main()
