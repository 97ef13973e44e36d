"""The beats of a cluster in a box: what its nodes tell each other beside the engine."""

import math
from collections.abc import Callable

from msgspec import msgpack

from scoville_server.nodes.election import Beat
from tests.cluster.world import Channel, Process, World

HandleMessage = Callable[[bytes], None]


class Air:
    """Carries the beats of all nodes. One that is sent while its way is cut is lost, as NATS loses them."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.couriers: list[BoxCourier] = []

    def spread_message(self, message: bytes) -> None:
        for courier in self.couriers:
            if not courier.from_air.is_cut:
                courier.from_air.send(lambda courier=courier: courier.take_message(message))


class BoxCourier:
    """The `Courier` of one process.

    Attributes:
        epoch: The epoch that this process has taken, 0 for none.
        followed_at: When it heard the first beat of a later epoch.
    """

    def __init__(self, air: Air, process: Process) -> None:
        self.is_connected = True
        self.to_air, self.from_air = Channel(air.world), Channel(air.world)
        self.epoch = 0
        self.followed_at = math.inf
        self._air = air
        self._process = process
        self._handlers: list[HandleMessage] = []
        air.couriers.append(self)
        process.on_death.append(lambda: air.couriers.remove(self))

    def send_message(self, message: bytes) -> None:
        if not self.to_air.is_cut:
            self.to_air.send(lambda: self._air.spread_message(message))

    def hear_messages(self, handle: HandleMessage) -> None:
        self._handlers.append(handle)

    def take_message(self, message: bytes) -> None:
        self._process.run_soon(lambda: self._handle_message(message))

    def _handle_message(self, message: bytes) -> None:
        if msgpack.decode(message, type=Beat).epoch > self.epoch > 0:
            self.followed_at = min(self.followed_at, self._air.world.now)
        for handle in self._handlers:
            handle(message)
