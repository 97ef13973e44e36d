"""Plans: who plays and what goes wrong when, drawn from a seed, and made smaller while they still fail."""

from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Final, Literal, get_args

from msgspec import Struct
from msgspec.structs import replace

FaultKind = Literal[
    "kill",  # SIGKILL of the serving node
    "hang",  # SIGSTOP of the serving node, and SIGCONT
    "stop",  # SIGTERM of the serving node
    "upgrade",  # SIGTERM of the serving node; nodes that start later are of a later version
    "downgrade",  # the same, back to this version
    "cut_to_engine",  # requests of the serving node do not arrive
    "cut_from_engine",  # answers and changes do not arrive at it
    "cut_engine",  # neither
    "cut_to_node",  # requests of users do not arrive
    "cut_from_node",  # answers and notices do not arrive
    "cut_node",  # neither
    "slow_engine",  # each request takes up to a second more
    "lost_answers",  # a third of the engine's answers
    "lost_requests",  # a third of the requests
    "stale_reads",  # nodes that start read tables as they were some seconds before
    "full_disk",  # the engine keeps nothing
    "set_clock",  # the serving node's clock is set ten seconds ahead or back
]

KINDS: Final[tuple[FaultKind, ...]] = get_args(FaultKind)

BEGIN, END = 4.0, 34.0
"""Seconds between which faults begin: before, tables are opened, and later everything is repaired."""


class Fault(Struct, frozen=True, kw_only=True):
    """One fault: when it begins, how many seconds it lasts, and how much of it there is, from 0 to 1."""

    kind: FaultKind
    at: float
    seconds: float = 0.0
    amount: float = 0.5


class Plan(Struct, frozen=True, kw_only=True):
    """A whole run, by its `seed`: `tables` have two players each, and `skews_ms` is one clock's fault per machine."""

    seed: int
    nodes: int = 3
    tables: int = 2
    timed: bool = False
    skews_ms: tuple[int, ...] = ()
    faults: tuple[Fault, ...] = ()


def draw_plan(seed: int, kinds: Sequence[FaultKind] = KINDS) -> Plan:
    """Draw the plan of a seed, with faults of some kinds."""
    chance = Random(seed)
    nodes = chance.choice((2, 3, 3))
    faults = sorted((_draw_fault(chance, kinds) for _ in range(chance.randint(1, 6))), key=lambda fault: fault.at)
    return Plan(
        seed=seed,
        nodes=nodes,
        tables=chance.randint(1, 3),
        timed=chance.random() < 0.4,
        skews_ms=tuple(chance.randint(-10_000, 10_000) for _ in range(nodes)),
        faults=tuple(faults),
    )


def _draw_fault(chance: Random, kinds: Sequence[FaultKind]) -> Fault:
    return Fault(
        kind=chance.choice(kinds),
        at=round(chance.uniform(BEGIN, END), 2),
        seconds=round(chance.choice((0.3, 1.0, 3.0, 8.0)) * chance.uniform(0.5, 1.5), 2),
        amount=round(chance.random(), 2),
    )


def shrink_plan(plan: Plan, fails: Callable[[Plan], bool]) -> Plan:
    """Return the smallest plan found that still fails: with fewer faults, tables and nodes, and without skews."""
    found = True
    while found:
        found = False
        for smaller in _list_smaller(plan):
            if fails(smaller):
                plan, found = smaller, True
                break
    return plan


def _list_smaller(plan: Plan) -> Iterator[Plan]:
    half = len(plan.faults) // 2
    if half:
        yield replace(plan, faults=plan.faults[:half])
        yield replace(plan, faults=plan.faults[half:])
    for n in range(len(plan.faults)):
        yield replace(plan, faults=plan.faults[:n] + plan.faults[n + 1 :])
    if plan.tables > 1:
        yield replace(plan, tables=plan.tables - 1)
    if plan.nodes > 2:
        yield replace(plan, nodes=plan.nodes - 1)
    if plan.timed:
        yield replace(plan, timed=False)
    if any(plan.skews_ms):
        yield replace(plan, skews_ms=())
