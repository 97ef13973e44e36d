"""Turns of a connection: when it is read, for how long, and when it waits behind others."""

from abc import abstractmethod

from scoville_server.net.driver.outgoing import QUEUED, TURN_OVER, OutgoingConnection
from scoville_server.net.limits import ConnectionLimits
from scoville_server.net.read_scheduler import ReadScheduler, charge_both
from scoville_shared.protocol.state import ConnectionState

_GREETING = ConnectionState.GREETING
_BETWEEN_LOOKS = 7
"""While there is more to read, the clock is read after the first, second, fourth and then every eighth message, and
after every long answer: to read it costs as much as some answers. In the queue it is read after every message."""


class ReadingTurns(OutgoingConnection):
    """Reads what has arrived at once, or in turns behind other connections if its network has used much lately."""

    def __init__(self, limits: ConnectionLimits | None, scheduler: ReadScheduler | None) -> None:
        super().__init__(limits, scheduler)
        self._now = self._scheduler.now  # a loop's own time stands still during a turn
        self.meter = self._scheduler.make_meter()
        self._takes_turn = False

    @abstractmethod
    def _read(self, end: float, between_looks: int) -> None:
        """Answer what has arrived, until `end` or until the client should read first."""

    def _read_or_queue(self, began: float, *, much: bool = True) -> None:
        """Read at once what has arrived, unless the network has used much of the server lately."""
        scheduler, network = self._scheduler, self._network
        # Before hello many networks arrive in turns, of which each has used nothing yet; and those of a crowd share
        # what one of them could use alone.
        if network.until <= began and (
            (not network.queued and scheduler.arrivals.until <= began)
            if self._connection.state is _GREETING
            else network.calm_from <= began or (not network.queued and scheduler.crowd.until <= began)
        ):
            scheduler.is_read_at_once(self, network, began)
        elif scheduler.must_queue(self, network, began, much=much or self._connection.state is _GREETING):
            charge_both(network, self.meter, began, scheduler.cost_since(began))
            self._queue()
            return
        self._read_for(self.limits.turn_seconds, began, _BETWEEN_LOOKS)

    def take_turn(self, seconds: float) -> None:
        """Read for so many seconds what arrived before."""
        self._held_back &= ~QUEUED
        if not self._held_back:
            # Before the read: what it leaves over pauses the transport again.
            self._transport.resume_reading()
            self._read_in_turn(self._scheduler.begin_read(), seconds)

    def _read_in_turn(self, began: float, seconds: float) -> None:
        """Read for so many seconds in a turn that began at `began`."""
        self._takes_turn = True
        self._scheduler.is_read(self, began)
        # 0: in the queue others wait, so the clock is read after every message.
        self._read_for(seconds, began, 0)
        self._takes_turn = False

    def _read_for(self, seconds: float, began: float, between_looks: int) -> None:
        """Read for so many seconds from `began` on, and charge what that cost."""
        arrives = self._connection.state is _GREETING
        self._read(began + seconds, between_looks)
        cost = self._scheduler.cost_since(began)
        charge_both(self._network, self.meter, began, cost)
        if arrives:
            self._scheduler.arrivals.charge_use(began, cost)
        elif self._network.calm_from > began:
            self._scheduler.crowd.charge_use(began, cost)
        if self._held_back & TURN_OVER:
            self._held_back &= ~TURN_OVER
            self._transport.pause_reading()
            self._queue(heavy=True)

    def _queue(self, *, heavy: bool = False) -> None:
        """Wait for a turn: behind others, but inside one process only for the loop's next."""
        self._held_back |= QUEUED
        # A connection inside this process has no network to compete with, and a practice game waits for nobody.
        if self._network.key:
            heavy = heavy or self._connection.state is _GREETING
            self._scheduler.queue_reader(self, self._network, heavy=heavy)
        else:
            self._loop.call_soon(self.take_turn, self.limits.turn_seconds)

    def _look_at_the_clock(self, left: int, end: float) -> None:
        """End the turn when its requests are answered (`left` is 0), or when its `end` has passed."""
        if left <= 0 or self._now() >= end:
            self._flush()
            if not self._held_back and self._connection.unread:
                self._held_back |= TURN_OVER
