"""A cluster whose nodes all serve: one after the other fails under play, and the report says who noticed it.

Run by scripts/cluster --measure --all-serve --tables N. Players are at any node, and at tables of all of them.
"""

import random
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import msgspec

from scoville_runtime.clock import SYSTEM
from scoville_server.journal.jetstream.engine import Engine, Place
from scoville_server.journal.jetstream.messages import TABLES, TableMessage, table_of
from scoville_server.tables.actions.restart import Adopted
from scoville_server.tables.state_machine import unpack_record
from tests.e2e.cluster.__main__ import NODES, run_cluster, run_players
from tests.e2e.cluster.load import Load, Loaded, LoadPlayer, describe_settings, find_percentile

MIXED: Final = ("kill", "stop", "pause", "cut")
_WATCHED_SECONDS: Final = 40.0
_HELLO_SECONDS: Final = 3.0
"""The project's own client tries the next node earlier: one that hangs does not even begin with TLS."""


class Noticed(NamedTuple):
    """What a fault of one node has done.

    Attributes:
        how: Which one.
        own: How many tables the node had.
        adopted: How many of them other nodes have served afterwards.
        by_others: How many of the other tables have changed their node.
        at_others: How many players neither were connected to the node nor played at its tables.
        disturbed: How many of those had to connect again.
        waits: The longest wait of each of those for a move during the fault, in seconds.
        own_waits: The longest wait at each of the node's tables.
    """

    how: str
    own: int
    adopted: int
    by_others: int
    at_others: int
    disturbed: int
    waits: Sequence[float]
    own_waits: Sequence[float]


class Spread(NamedTuple):
    """What players have noticed, and how many tables each node had at the beginning, by its port."""

    loaded: Loaded
    faults: Sequence[Noticed]
    tables: Mapping[int, int]


async def find_owners(place: Place) -> dict[str, int]:
    """Return the port of the node that serves each table, as the journal has it."""
    engine, owners = Engine(place), dict[str, int]()
    await engine.connect()
    try:
        async for message in engine.read_from(1, TABLES):
            table = table_of(message.subject)
            assert table is not None, message.subject
            kept = msgspec.msgpack.decode(message.payload, type=TableMessage).records if message.payload else ()
            for record in map(unpack_record, kept):
                if isinstance(record, Adopted):
                    owners[table] = int(record.owner.node.rpartition(":")[2])
    finally:
        await engine.close()
    return owners


async def measure_spread(tables: int, rate: float, ways: Sequence[str], rest: float, seed: int) -> Spread:
    """Let three players play at each of many tables at three nodes, of which one after the other fails.

    Args:
        tables: How many tables.
        rate: About how many moves are made in a second.
        ways: The faults, one after the other.
        rest: Seconds between two of them.
        seed: Of which node fails, and of what players draw.
    """
    chance, victim = random.Random(seed), 0
    async with run_cluster(describe_settings(), cuts="cut" in ways, choose_node=lambda: victim) as (cluster, faults, _):
        load = Load(cluster.ports, tables, rate, seed, _HELLO_SECONDS)
        await load.sit_down()
        await load.wait_for_all(_WATCHED_SECONDS)
        owners = await find_owners(faults.place())
        first = {port: [*owners.values()].count(port) for port in cluster.ports}
        noticed = []
        for how in ways:
            await SYSTEM.sleep(rest)
            victim, began = chance.randrange(NODES), SYSTEM.seconds()
            port = cluster.ports[victim]
            at_others = [each for each in load.everybody if each.port != port and owners[each.table] != port]
            at_own = [each for each in load.everybody if owners[each.table] == port]
            before, returns = owners, [len(each.returns) for each in at_others]
            await faults.fail(how)
            await load.wait_for_all(_WATCHED_SECONDS)
            owners = await find_owners(faults.place())
            own = [table for table, owner in before.items() if owner == port]
            noticed.append(
                Noticed(
                    how,
                    len(own),
                    sum(owners[table] != port for table in own),
                    sum(owners[table] != owner for table, owner in before.items() if owner != port),
                    len(at_others),
                    sum(len(each.returns) > count for each, count in zip(at_others, returns, strict=True)),
                    [_longest_wait(each, began) for each in at_others],
                    [_longest_wait(each, began) for each in at_own],
                )
            )
        await SYSTEM.sleep(rest)
        return Spread(await load.end_load(), noticed, first)


def _longest_wait(player: LoadPlayer, since: float) -> float:
    return max((wait.seconds for wait in player.waits if wait.at > since), default=0.0)


def report_spread(tables: int, rate: float, faults: int, how: str, rest: float, seed: int) -> None:
    """Measure, and print what was found."""
    chance = random.Random(seed)
    ways = [chance.choice(MIXED) if how == "mixed" else how for _ in range(faults)]
    found = run_players(measure_spread(tables, rate, ways, rest, seed))
    loaded = found.loaded
    spread = ", ".join(map(str, found.tables.values()))
    print(f"{sum(map(len, loaded.tables)) / loaded.seconds:.0f} moves a second; tables of each node: {spread}")
    for each in found.faults:
        print(
            f"{each.how}: others served {each.adopted} of its {each.own} tables, whose moves waited p50 "
            f"{find_percentile(each.own_waits or [0.0], 0.5):.2f}, at most {max(each.own_waits, default=0.0):.2f} s; "
            f"of {each.at_others} players elsewhere {each.disturbed} connected again, and waited p50 "
            f"{find_percentile(each.waits or [0.0], 0.5):.2f}, at most {max(each.waits, default=0.0):.2f} s; "
            f"{each.by_others} other tables moved"
        )
    print(f"{loaded.acknowledged} acknowledged moves, {loaded.lost} of them lost, {loaded.doubled} doubled")
    for refused in sorted({*loaded.refused}):
        print(f"refused: {refused}")
