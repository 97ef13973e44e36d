"""A node that waits: it follows the engine, sends users to the node that serves, and takes over from it."""

import logging
from collections.abc import Awaitable, Callable
from typing import Protocol

from scoville_runtime.clock import Clock
from scoville_server.background.eventual import Eventual, Pending, finish_anyway, start_awaitable
from scoville_server.errors import RetryableError, server_moved
from scoville_server.net.peer import ConnectionHandler, End, Peer
from scoville_server.nodes.election import Outlook, Port, comes_first, judge_outlook
from scoville_server.nodes.neighbours import Neighbours
from scoville_shared.protocol.messages import Params, Reply

_log = logging.getLogger(__name__)

LOOK_SECONDS = 0.1
"""Seconds between two looks at the engine and the others."""
READING_SECONDS = 0.02
"""Seconds between two looks while tables are left to be read ahead, as after a start: a node that takes over then would
read them all while users wait. A look reads for as long, so that users who ask the way here get half of the time."""
ASKED_LOOK_SECONDS = 0.5
"""Seconds between two looks at the port of the node that serves, if only some users come here."""
CROWD = 10
"""Users who come here after a look that seem to have lost their node: its system may not have closed its port yet."""
CROWD_LOOK_SECONDS = 0.05
"""Seconds between two looks for such a crowd. For each of them the node that serves accepts a connection."""
ASKED_SECONDS = 5.0
"""How long users wait here for the node that takes over: they need not ask again and again, and learn of it at once."""


class Follower(Protocol):
    """The copy that has followed the engine, and knows which node has the newest epoch."""

    async def catch_up(self) -> None:
        """Read new messages. Raises JournalError."""

    @property
    def serving_epoch(self) -> int:
        """The newest epoch, 0 for none."""

    @property
    def is_behind(self) -> bool:
        """Whether tables are left that the next looks read ahead."""

    @property
    def faults(self) -> int:
        """How many tables have a hole in this copy."""


class PortLook(Protocol):
    """Looks whether a port is closed."""

    def __call__(self, address: str) -> Awaitable[Port]:
        """Return the result of an attempt to connect to HOST:PORT."""


class ServingPort:
    """The port of the node that serves: its system refuses connections the moment the process has ended.

    Args:
        neighbours: The other nodes.
        look: Looks at the ports of others.
        clock: The clock.

    Attributes:
        is_asked: Whether users wait for a look at it.
        on_look: Is called when they begin to, and after each look.
    """

    def __init__(self, neighbours: Neighbours, look: PortLook, clock: Clock) -> None:
        self.is_asked = False
        self.on_look: Callable[[], object] = lambda: None
        self._neighbours = neighbours
        self._look = look
        self._clock = clock
        self._asked_look: Pending[Port] | None = None
        self._asked_at, self._askers = 0.0, 0
        """When users have caused the latest look, and how many have asked since."""

    async def look_at_port(self) -> Port:
        """Look at it now."""
        served = self._neighbours.served
        # Without an address there is nothing to look at; its silence alone decides then.
        if served is None or not served.beat.address:
            return "unclear"
        port = await self._look(served.beat.address)
        if port == "closed":
            self._neighbours.note_closed_port(served)
        self.on_look()
        return port

    async def find_serving(self, seconds: float) -> str:
        """Return where users reach the node that serves; wait up to so many seconds for one, then it is empty.

        Users notice at once that it has ended, and come here before it is missed: sent back to it, all of them would
        go to and fro on the processors that the next one needs.
        """
        if self._neighbours.serving_address:
            self._askers += 1
            rest = CROWD_LOOK_SECONDS if self._askers > CROWD else ASKED_LOOK_SECONDS
            now = self._clock.seconds()
            if self._asked_look is None or now - self._asked_at >= rest:
                self._asked_at, self._askers = now, 0
                self._asked_look = start_awaitable(self._look_for_users())
            if not self._asked_look.done():
                await finish_anyway(self._asked_look)
        return await self._neighbours.find_serving(seconds)

    async def _look_for_users(self) -> Port:
        self.is_asked = True
        self.on_look()
        try:
            return await self.look_at_port()
        finally:
            self.is_asked = False
            self.on_look()


class Standby:
    """Waits for the turn of this node, and serves nobody meanwhile.

    Args:
        follower: Follows the engine.
        neighbours: The other nodes, and the name of this one.
        port: The port of the node that serves.
        clock: The clock.
        joins: Whether this node serves beside others, if they do so as well.
        hold_users: Is called with whether users are to wait in front of the port of this node, which may be about to
            take over: let in, they would have to come again.
    """

    def __init__(
        self,
        follower: Follower,
        neighbours: Neighbours,
        port: ServingPort,
        clock: Clock,
        *,
        joins: bool = False,
        hold_users: Callable[[bool], object] = lambda _: None,
    ) -> None:
        self._hold_users = hold_users
        # Most users come within a tenth of a second.
        port.on_look = self._hold_or_admit_users
        self._follower = follower
        self._neighbours = neighbours
        self._port = port
        self._clock = clock
        self._joins = joins
        self._reads = False
        self._resting: Eventual[None] = Eventual()
        self._said = ""
        """Why the engine could not be followed, as this node has logged it."""
        self._waits_for = ""
        """The node that serves alone, as this one has logged it."""

    async def wait_for_turn(self) -> bool:
        """Return when this node is to take over; whether it is to join others that serve instead."""
        port: Port = "unknown"
        # Its start may have failed.
        self._neighbours.begins = False
        self._neighbours.on_leaving = self._note_leaving
        while True:
            await self._follow_engine()
            self._hold_or_admit_users()
            verdict = judge_outlook(self._describe_outlook(port))
            if verdict == "join" or (verdict == "serve" and await self._may_begin()):
                return verdict == "join"
            self._note_alone()
            # The result of a look holds for that moment alone.
            port = "unknown"
            if verdict == "look":
                port = await self._port.look_at_port()
                if judge_outlook(self._describe_outlook(port)) == "serve":
                    self._neighbours.tell_beginning(begins=True)
                    return False
            await self._rest_until_look()

    async def _rest_until_look(self) -> None:
        """Wait until the next look, which is made at once when the node that serves leaves."""
        self._resting = Eventual()
        seconds = READING_SECONDS if self._reads and self._follower.is_behind else LOOK_SECONDS
        alarm = self._clock.call_later(seconds, lambda: self._resting.set_result(None))
        try:
            await self._resting
        finally:
            alarm.cancel()

    def _note_leaving(self) -> None:
        self._hold_or_admit_users()
        self._resting.set_result(None)

    def _hold_or_admit_users(self) -> None:
        # During a look as well: the first users to come cause it, and half of all come before its end.
        self._hold_users(self._port.is_asked or comes_first(self._describe_outlook("unknown")))

    async def _may_begin(self) -> bool:
        """Whether this node may take an epoch now. If it is the first one, no other node is about to.

        Nodes that are started together find at the same time that nobody serves, and all but one would fail.
        """
        self._neighbours.tell_beginning(begins=True)
        if self._follower.serving_epoch:
            return True
        await self._clock.sleep(LOOK_SECONDS)
        await self._follow_engine()
        if judge_outlook(self._describe_outlook("unknown")) == "serve":
            return True
        self._neighbours.tell_beginning(begins=False)
        return False

    async def _follow_engine(self) -> None:
        try:
            await self._follower.catch_up()
            self._reads, self._said = True, ""
        except RetryableError as error:
            self._reads = False
            # Once for each outage: this is tried ten times a second.
            if error.message != self._said:
                self._said = error.message
                _log.warning("The engine of the cluster cannot be followed at the moment: %s", error.message)
        self._neighbours.lacks = self._follower.faults
        self._neighbours.note_epoch(self._follower.serving_epoch)

    def _note_alone(self) -> None:
        """Log, once for each node, that this one does not join those that serve: one of them serves alone."""
        served = self._neighbours.served
        if self._joins and served is not None and served.beat.epoch and not served.beat.link:
            address = served.beat.address
            if address != self._waits_for:
                self._waits_for = address
                _log.warning("Node %s serves alone, without cluster.link: this one waits until it ends.", address)

    def _describe_outlook(self, port: Port) -> Outlook:
        neighbours = self._neighbours
        return Outlook(
            now=self._clock.seconds(),
            me=neighbours.me,
            since=neighbours.since,
            has_epoch=bool(self._follower.serving_epoch),
            served=neighbours.served,
            heard=neighbours.heard,
            port="closed" if neighbours.is_port_closed else port,
            is_connected=self._reads and neighbours.is_connected,
            lacks=neighbours.lacks,
            joins=self._joins,
            epoch=self._follower.serving_epoch,
            begins=neighbours.begins,
        )


class WaitingService:
    """A `Service` that answers every `hello` and `ping` with the address of the node that serves, once there is one."""

    def __init__(self, find_port: Callable[[], ServingPort | None]) -> None:
        self._find_port = find_port

    def accept_connection(self, peer: Peer) -> ConnectionHandler:  # noqa: ARG002 - everybody gets the same answer
        """Accept a connection, which gets no further than its hello."""
        return _WaitingConnection(self._find_port)


class _WaitingConnection:
    def __init__(self, find_port: Callable[[], ServingPort | None]) -> None:
        self._find_port = find_port

    def handle_request(self, params: Params) -> Awaitable[Reply]:  # noqa: ARG002 - all get the same answer
        return self._send_on()

    async def _send_on(self) -> Reply:
        port = self._find_port()
        raise server_moved("" if port is None else await port.find_serving(ASKED_SECONDS))

    def note_answer(self, params: Params, began: float) -> None:
        """Nothing is counted here."""

    def note_refusal(self, params: Params | None, code: str) -> None:
        """Nothing is counted here."""

    def note_malformed_request(self, code: str) -> None:
        """Nothing is counted here."""

    def release_connection(self, end: End) -> None:
        """Nothing is held for it."""
