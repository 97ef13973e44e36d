"""Runs of a plan: a cluster with its users and its faults, until everything is repaired and quiet."""

import gc
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from typing import NamedTuple

from scoville_shared.protocol.messages import ByeNotice, Notice
from tests.cluster.beats import Air
from tests.cluster.checker import Found, check_run
from tests.cluster.engine import Engine
from tests.cluster.history import History
from tests.cluster.node import Connection, Node
from tests.cluster.plans import END, Fault, Plan
from tests.cluster.players import Banner, Group, Owner, Player, Troll, User
from tests.cluster.world import Channel, Process, World
from tests.support.server import core_of

SUSPICION = 1.0
"""Seconds without a sign of life after which another node takes over."""

LOOK = 0.25
"""Seconds between two looks at the serving node."""

RECONNECT = 4.0
"""Most seconds after which a node that was cut off, or hung for long, reaches the engine again: later than the beats,
which have a connection of their own."""

DROPPED = 4.0
"""Seconds after which the engine drops the connection of a node that hangs."""

QUIET = 20.0
"""Seconds after the last fault in which everything must come right again."""


class ClusterInABox:
    """Nodes, engine, users, and the supervisor that starts another node when the serving one is silent."""

    def __init__(self, plan: Plan, prepare: Callable[["ClusterInABox"], object] = lambda _: None) -> None:
        self.plan = plan
        self.world = World(plan.seed)
        self.engine, self.air = Engine(self.world), Air(self.world)
        self.history = History()
        self.is_over, self.ended_at = False, 0.0
        self.nodes: dict[int, Node] = {}
        self.started: list[Node] = []
        self.serving: Node | None = None
        self.later_version = False
        self.skews = [*plan.skews_ms, *[0] * plan.nodes][: plan.nodes]
        self._starts = count(1)
        self._seen_at = 0.0
        self._cut: set[tuple[int, str]] = set()
        self.cuts: list[tuple[int, float, float]] = []
        """Machines that were cut off from the engine, from when until when."""
        self._channels: list[tuple[int, str, Channel]] = []
        self.users = Process(self.world, "users")
        prepare(self)

    @property
    def machines(self) -> int:
        return self.plan.nodes

    # --- users -------------------------------------------------------------------------------------------

    def connect(
        self, machine: int, on_notice: Callable[[Notice], object], on_end: Callable[[ByeNotice | None], object]
    ) -> Connection | None:
        node = self.nodes.get(machine)
        if node is None or node.process.state == "dead":
            return None
        channels = self._open_channel(machine, "to_node"), self._open_channel(machine, "from_node")
        return Connection(node, self.users, channels, on_notice, on_end)

    def named_elsewhere(self, machine: int) -> int | None:
        node = self.serving
        if node is None or node.number == machine or node.server is None or not node.accepts:
            return None
        cut = any((node.number, kind) in self._cut for kind in ("to_node", "from_node"))
        return None if cut or node.process.state != "running" else node.number

    def admin_code(self, connection: Connection) -> str:
        server = connection.node.server
        return "" if server is None else next(iter(server.admin_codes.values()), "none")

    def _open_channel(self, machine: int, kind: str) -> Channel:
        channel = Channel(self.world)
        if (machine, kind) in self._cut:
            channel.cut()
        self._channels.append((machine, kind, channel))
        return channel

    # --- nodes -------------------------------------------------------------------------------------------

    def start_node(self, machine: int) -> Node:
        former = self.nodes.get(machine)
        if former is not None:
            former.process.kill()
        node = Node(
            self.world,
            self.engine,
            self.air,
            machine,
            next(self._starts),
            self.skews[machine],
            later_version=self.later_version,
        )
        for kind, channel in (
            ("to_engine", node.journal.to_engine),
            ("from_engine", node.journal.from_engine),
            ("to_air", node.courier.to_air),
            ("from_air", node.courier.from_air),
        ):
            if (machine, kind) in self._cut:
                channel.cut()
            self._channels.append((machine, kind, channel))
        self.nodes[machine] = node
        self.started.append(node)
        self.serving, self._seen_at = node, self.world.now
        return node

    def _supervise(self) -> None:
        """Start another node when the serving one has given no sign of life for some time."""
        node = self.serving
        if node is not None and self._answers(node):
            self._seen_at = self.world.now
        if node is None or node.process.state == "dead" or self.world.now - self._seen_at > SUSPICION:
            self.start_node(self._choose_machine())
        self.world.call_later(LOOK, self._supervise)

    def _answers(self, node: Node) -> bool:
        cut = any((node.number, kind) in self._cut for kind in ("to_node", "from_node", "to_engine", "from_engine"))
        # One that is starting has longer: it answers nobody yet.
        starting = node.server is None and self.world.now - self._seen_at < SUSPICION
        serves = (
            node.is_stopping
            or starting
            or (node.accepts and node.server is not None and core_of(node.server).permits.serves)
        )
        return node.process.state == "running" and not cut and serves

    def _choose_machine(self) -> int:
        """Choose a machine without a process, else any but that of the silent node."""
        silent = -1 if self.serving is None else self.serving.number
        order = [n for n in range(self.plan.nodes) if n != silent]
        self.world.chance.shuffle(order)
        return min(order, key=lambda n: n in self.nodes and self.nodes[n].process.state != "dead")

    # --- faults ------------------------------------------------------------------------------------------

    def begin_fault(self, fault: Fault) -> None:
        node = self.serving
        if node is None:
            return
        process, number = node.process, node.number
        match fault.kind:
            case "kill":
                process.kill()
            case "hang":
                process.hang()
                self.world.call_later(fault.seconds, process.wake)
                if fault.seconds > DROPPED:
                    self._lose_engine(number, fault)
            case "stop" | "upgrade" | "downgrade":
                self.later_version = fault.kind == "upgrade" or (self.later_version and fault.kind == "stop")
                node.stop()
            case "set_clock":
                process.skew_ms += round(20_000 * (fault.amount - 0.5))
                self.skews[number] = process.skew_ms
            case _:
                self._begin_lasting(fault, number)

    def _begin_lasting(self, fault: Fault, number: int) -> None:
        engine, seconds = self.engine, fault.seconds
        both = {"cut_engine": ("to_engine", "from_engine"), "cut_node": ("to_node", "from_node")}
        if fault.kind.startswith("cut"):
            for kind in both.get(fault.kind, (fault.kind.removeprefix("cut_"),)):
                if not kind.endswith("engine"):
                    self._cut_channels(number, kind, seconds)
                    continue
                self._cut_channels(number, kind.replace("engine", "air"), seconds)
                self._cut_channels(number, kind, seconds + RECONNECT * fault.amount)
        elif fault.kind == "slow_engine":
            for node in self.started:
                node.journal.to_engine.extra_delay = fault.amount
                self.world.call_later(seconds, lambda node=node: setattr(node.journal.to_engine, "extra_delay", 0.0))
        else:
            attribute, value = {
                "lost_answers": ("loses_answers", 0.3),
                "lost_requests": ("loses_requests", 0.3),
                "stale_reads": ("lag", 3 * fault.amount),
                "full_disk": ("full", True),
            }[fault.kind]
            setattr(engine, attribute, value)
            self.world.call_later(seconds, lambda: setattr(engine, attribute, type(value)()))

    def _lose_engine(self, number: int, fault: Fault) -> None:
        for kind in ("to_engine", "from_engine"):
            self._cut_channels(number, kind, fault.seconds + RECONNECT * fault.amount)

    def _cut_channels(self, number: int, kind: str, seconds: float) -> None:
        self._cut.add((number, kind))
        if kind.endswith("engine"):
            self.cuts.append((number, self.world.now, self.world.now + seconds))
        for channel in self._channels_of(number, kind):
            channel.cut()

        def mend() -> None:
            self._cut.discard((number, kind))
            for channel in self._channels_of(number, kind):
                channel.mend()

        self.world.call_later(seconds, mend)

    def _channels_of(self, number: int, kind: str) -> list[Channel]:
        return [channel for machine, of, channel in self._channels if (machine, of) == (number, kind)]

    # --- the run -----------------------------------------------------------------------------------------

    def run(self) -> None:
        """Run the plan to its end. What it leaves behind is in `history` and `engine`."""
        self.start_node(0)
        self.world.call_later(LOOK, self._supervise)
        self.world.run_until(0.5)
        self.users.run_soon(self._begin_users)
        for fault in self.plan.faults:
            self.world.call_at(fault.at, lambda fault=fault: self.begin_fault(fault))
        last = max((fault.at + fault.seconds + RECONNECT * fault.amount for fault in self.plan.faults), default=END)
        self.world.run_until(last + QUIET)
        self.is_over, self.ended_at = True, self.world.now
        # What was asked for last is still answered.
        self.world.run_until(self.world.now + 4)

    def _begin_users(self) -> None:
        for user in self._make_users():
            self.users.start_task(user.live)

    def _make_users(self) -> Sequence[User]:
        users: list[User] = [Owner(self, "Olga"), Troll(self, "Troll"), Banner(self, "Troll", 5 + 20 * self.chance())]
        for number in range(self.plan.tables):
            group = Group(timed=self.plan.timed)
            users += [
                Player(self, f"Anna{number}", group, opens=True),
                Player(self, f"Ben{number}", group, opens=False),
            ]
        return users

    def chance(self) -> float:
        return self.world.chance.random()

    def close(self) -> None:
        self.world.close()


class Outcome(NamedTuple):
    """What a run was found to have violated, and its figures."""

    plan: Plan
    found: list[Found]
    moves: int
    longest_gap: float


def collect_less_often() -> None:
    """Leave the modules out of garbage collections, which took a sixth of the time of a run."""
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)


def run_plan(
    plan: Plan,
    prepare: Callable[[ClusterInABox], object] = lambda _: None,
    tamper: Callable[[ClusterInABox], object] = lambda _: None,
) -> Outcome:
    """Run a plan and check it. `prepare` may plant a fault before the run, and `tamper` between run and check."""
    with run_to_the_end(plan, prepare) as box:
        tamper(box)
        found = check_run(box)
    moves = len(box.history.list_ops("play", "ok"))
    return Outcome(plan, found, moves, max(box.history.gaps, default=0.0))


@contextmanager
def run_to_the_end(plan: Plan, prepare: Callable[[ClusterInABox], object] = lambda _: None) -> Iterator[ClusterInABox]:
    """Run a plan, and provide what it has left behind, which can be checked as often as wished."""
    box = ClusterInABox(plan, prepare)
    try:
        with box.world.repeatable_chance(), _noting_errors(box.world):
            box.run()
        yield box
    finally:
        box.close()


class _ErrorsOfServers(logging.Handler):
    """Notes what the servers log as errors: failures of their own code."""

    def __init__(self, world: World) -> None:
        super().__init__(logging.ERROR)
        self._world = world

    def emit(self, record: logging.LogRecord) -> None:
        self._world.faults.append(self.format(record))


@contextmanager
def _noting_errors(world: World) -> Iterator[None]:
    log, handler = logging.getLogger("scoville_server"), _ErrorsOfServers(world)
    propagates, log.propagate = log.propagate, False
    log.addHandler(handler)
    try:
        yield
    finally:
        log.removeHandler(handler)
        log.propagate = propagates
