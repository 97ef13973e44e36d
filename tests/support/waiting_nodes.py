"""Nodes that wait for their turn, with a courier and an engine of the test, in virtual time."""

import asyncio
from collections.abc import Callable

import pytest

from scoville_server.journal.base import JournalError
from scoville_server.net.peer import End
from scoville_server.nodes.election import Port
from scoville_server.nodes.neighbours import Neighbours
from scoville_server.nodes.standby import ServingPort, Standby, WaitingService
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.messages import PROTOCOL, HelloRequest
from tests.support import virtual_time
from tests.support.server import RecordingPeer


class Air:
    """Carries the messages of all nodes; those that are `deaf` hear nothing."""

    def __init__(self) -> None:
        self.couriers: list[AirCourier] = []

    def courier(self) -> "AirCourier":
        self.couriers.append(AirCourier(self))
        return self.couriers[-1]


class AirCourier:
    def __init__(self, air: Air) -> None:
        self.air = air
        self.is_connected = True
        self.is_deaf = self.is_mute = False
        self.handlers: list[Callable[[bytes], None]] = []

    def send_message(self, message: bytes) -> None:
        for courier in () if self.is_mute else self.air.couriers:
            for handle in () if courier.is_deaf else courier.handlers:
                handle(message)

    def hear_messages(self, handle: Callable[[bytes], None]) -> None:
        self.handlers.append(handle)


class Log:
    """The engine: who has the newest epoch."""

    def __init__(self) -> None:
        self.serving_epoch = 0
        self.is_away = False
        self.faults = 0
        self.left_to_read = 0
        self.looks = 0

    @property
    def is_behind(self) -> bool:
        return bool(self.left_to_read)

    async def catch_up(self) -> None:
        self.looks += 1
        self.left_to_read = max(0, self.left_to_read - 1)
        if self.is_away:
            raise JournalError("It does not answer.")

    def take_epoch(self) -> int:
        self.serving_epoch += 1
        return self.serving_epoch


class Nodes:
    """Some nodes: `turns` are those that have come to serve, with the time; `joined` those that serve beside others.

    Those with `links` are to serve beside others. Between its turn and its epoch a node needs `start_seconds`; what
    another one has taken by then is its `conflicts`.
    """

    def __init__(self, *names: str, links: str = "", start_seconds: float = 0.0) -> None:
        self.links = links
        self.start_seconds = start_seconds
        self.conflicts: list[str] = []
        self.joined: list[str] = []
        self.air, self.log = Air(), Log()
        self.clock = virtual_time.make_clock()
        self.ports: dict[str, Port] = {}
        self.looks, self.look_seconds = 0, 0.0
        self.serving_ports: dict[str, ServingPort] = {}
        self.holding: set[str] = set()
        self.turns: list[tuple[str, float]] = []
        self.neighbours: dict[str, Neighbours] = {}
        self.couriers: dict[str, AirCourier] = {}
        self.tasks = {name: asyncio.ensure_future(self._run(name)) for name in names}

    async def _run(self, name: str) -> None:
        courier = self.couriers[name] = self.air.courier()
        neighbours = self.neighbours[name] = Neighbours(courier, name, f"{name}.example:1", self.clock)
        joins = name in self.links
        neighbours.link = f"{name}.example:2" if joins else ""
        neighbours.start_beating()
        port = self.serving_ports[name] = ServingPort(neighbours, self._look, self.clock)

        def hold_users(holds: bool) -> None:
            (self.holding.add if holds else self.holding.discard)(name)

        standby = Standby(self.log, neighbours, port, self.clock, joins=joins, hold_users=hold_users)
        while True:
            if await standby.wait_for_turn():
                self.joined.append(name)
                neighbours.begin_serving(self.log.serving_epoch, 0.0)
                return
            known = self.log.serving_epoch
            await self.clock.sleep(self.start_seconds)
            if self.log.serving_epoch == known:
                neighbours.begin_serving(self.log.take_epoch(), 0.0)
                self.turns.append((name, self.clock.seconds()))
                return
            self.conflicts.append(name)

    def start(self, name: str) -> None:
        self.tasks[name] = asyncio.ensure_future(self._run(name))

    async def _look(self, address: str) -> Port:
        self.looks += 1
        await self.clock.sleep(self.look_seconds)
        return self.ports.get(address.partition(".")[0], "unclear")

    def end(self, name: str) -> None:
        self.neighbours[name].stop_beating()
        self.couriers[name].is_mute = True


async def ask_node(nodes: Nodes, name: str) -> tuple[str, float]:
    """Say hello to a node that waits; returns the address that it names, and the seconds until then."""
    connection = WaitingService(lambda: nodes.serving_ports[name]).accept_connection(RecordingPeer())
    began = nodes.clock.seconds()
    with pytest.raises(ScovilleError) as refused:
        await connection.handle_request(HelloRequest(protocol=PROTOCOL, name="Anna"))  # type: ignore[misc]
    assert refused.value.code == Code.MOVED
    connection.release_connection(End("left"))
    return str(refused.value.data.get("address", "")), nodes.clock.seconds() - began
