"""Fair scheduler of reading: connections with many requests share one queue and leave the loop to all others.

A connection is read as soon as its bytes arrive, as long as its network has used little of the server lately. Otherwise
it queues, and all queued connections together get one small slice in each turn of the event loop. Slices go to the
network that the queue has served least, and inside a network first to connections that have used little themselves.
So a flood competes with its own network, not with other users, and a network that has not queued lately is served
next, however many others wait; connections inside this process belong to no network and never queue.

Use is counted in processor time of this thread: a system that gives the processor to other programs while a request is
answered would otherwise charge its sender for their work. The bytes in the buffers of all connections, unsent data and
incomplete messages, have a budget of their own.
"""

import asyncio
import logging
from collections import defaultdict, deque
from heapq import heapify, heappop, heappush, heapreplace
from itertools import count
from typing import Final, Protocol

from scoville_runtime.clock import SYSTEM, Alarm, Clock
from scoville_server.limits.live import Adjustable, as_live
from scoville_server.net.connection_limits import ConnectionLimits
from scoville_server.net.flushes import FlushQueue
from scoville_shared.networks import network_of

SMALL: Final = 4_096
"""Up to so many bytes a connection counts for nothing: they pass in a moment, or cost less than the connection."""


class Holder(Protocol):
    """The part of a connection that the budget needs."""

    @property
    def network(self) -> str:
        """The network that it comes from; empty inside one process."""

    @property
    def buffered_bytes(self) -> int:
        """Bytes in its buffers now."""

    def drop(self) -> None:
        """Cut it off; its seat stays."""


class BufferBudget:
    """Bounds the sum. When it is exceeded, the network that holds most loses its fullest connections first.

    Connections are dropped until a quarter is free, so that the search is rare. Buffers empty without notice, so the
    sum is measured again before a connection is dropped.
    """

    def __init__(self, most: Adjustable[int]) -> None:
        self._most = as_live(most)
        self._held: dict[Holder, int] = {}
        self._total = 0

    @property
    def total(self) -> int:
        """Bytes counted now; buffers may have emptied since."""
        return self._total

    def note_buffers(self, holder: Holder) -> None:
        """Count the present bytes of a connection."""
        held = holder.buffered_bytes
        # Most connections never count, so that the budget costs nothing while clients read.
        if held <= SMALL:
            self.forget_buffers(holder)
            return
        self._total += held - self._held.get(holder, 0)
        self._held[holder] = held
        if self._total > self._most.value:
            self._drop_fullest()

    def forget_buffers(self, holder: Holder) -> None:
        """Stop counting a connection."""
        self._total -= self._held.pop(holder, 0)

    def _drop_fullest(self) -> None:
        # Buffers empty without notice; nobody is dropped for bytes that have left since.
        self._measure_held()
        if self._total <= self._most.value:
            return
        fullest: defaultdict[str, list[Holder]] = defaultdict(list)
        # Ascending, so that `pop` takes the fullest of each network.
        for holder in sorted(self._held, key=self._held.__getitem__):
            fullest[holder.network].append(holder)
        heap = [(-sum(map(self._held.__getitem__, holders)), network) for network, holders in fullest.items()]
        heapify(heap)
        while self._total > self._most.value * 3 // 4 and heap:
            held, network = heap[0]
            holder = fullest[network].pop()
            freed = self._held[holder]
            self.forget_buffers(holder)
            holder.drop()
            if fullest[network]:
                heapreplace(heap, (held + freed, network))
            else:
                heappop(heap)

    def _measure_held(self) -> None:
        held = {holder: holder.buffered_bytes for holder in self._held}
        self._held = {holder: count for holder, count in held.items() if count > SMALL}
        self._total = sum(self._held.values())


_logger = logging.getLogger(__name__)

LATELY: Final = 1.0
"""Seconds for which a network counts as active after it was read without queueing."""

# One queue for all: with a turn each, fifty flooders would cost everybody fifty turns in each turn of the loop.
ONE_HEAVY_IN: Final = 4
"""Every so many turns inside a network goes to a connection that asks for much: the others must not starve it."""

LEAST_REST: Final = 0.001
"""Seconds between two slices while others are active. A loop that never sleeps would not let the journal's thread run,
which waits up to five milliseconds for each of its steps."""

BRIEF: Final = 0.00025
"""Seconds up to which a read is charged as long as it took. Its processor time is not more, and asking the system for
that costs ten times as much as asking for the time."""

_SHARE_OF_ARRIVALS: Final = 0.5
"""Share of the server's time in which connections that have not said hello are read without queueing: a network that
arrives has used nothing, and a hundred networks would take as many milliseconds in one turn of the loop."""

_SHARE_OF_CROWD: Final = 0.25
"""The same for connections of networks that came or queued lately: twenty networks that flood would otherwise have
twenty turns in each turn of the loop. Users' networks never queue, so none of them is in this crowd for long."""

TURNS_OF_NETWORK: Final = 5
"""Turns that a network may use at once before it queues. With a single one, one arrival by TLS would send all
users at the same address into the queue."""

RETURN_SECONDS: Final = 15.0
"""How long users are expected who were here before a start."""
_COST_OF_RETURN: Final = 0.003
"""Seconds of the server's time for each of them: the connection, hello, the table, and the move that has waited."""
_SLICE_OF_RETURN: Final = 0.002
"""How long all of them together are read in one turn of the loop, with a rest of `LEAST_REST` after it. Players who
are back wait for some of these slices already; in those for floods three thousand users come back in twelve seconds."""

DOORS: Final = "unix"
"""The network of doors' own connections, and of their users' on the Unix socket until the door has named them."""

_LEAST_COST: Final = 0.00001
"""Seconds that a turn counts at least, so that turns also go round where the clock stands still."""

_CALM, _NEW, _WAITED = range(3)
"""Ranks in the queue: of networks that have lately used little, of those that come again, of those served already."""

NETWORKS: Final = 4096
"""Networks remembered without any open connection, until what they have used is long ago."""


class Meter:
    """Use of the server, in seconds of its time, as a bucket that empties at `share` of a second per second.

    A `TokenBucket` counts the same. Every read asks this one and charges two of them, so all that it keeps is a time:
    to ask is one comparison.

    `until` is the time from which it counts as little again.
    """

    __slots__ = ("least", "until", "weight")

    def __init__(self, share: float, burst: float) -> None:
        self.until = float("-inf")
        self.weight = 1 / share
        self.least = burst / share

    def charge_use(self, now: float, seconds: float) -> None:
        """Count `seconds` of use that began at `now`."""
        until, least = self.until, now - self.least
        self.until = (until if until > least else least) + seconds * self.weight  # noqa: FURB136 - max() would cost as much as all the rest


def charge_both(one: Meter, other: Meter, now: float, seconds: float) -> None:
    """Count the same use at two meters, as every read does: to call `charge_use` of each would take twice as long."""
    until, least = one.until, now - one.least
    one.until = (until if until > least else least) + seconds * one.weight  # noqa: FURB136 - as above
    until, least = other.until, now - other.least
    other.until = (until if until > least else least) + seconds * other.weight  # noqa: FURB136


class Reader(Protocol):
    """One connection, as the scheduler sees it."""

    meter: Meter

    def take_turn(self, seconds: float) -> None:
        """Read for so many seconds; a connection that has more to read queues again."""


class Network(Meter):
    """Connections of one network: what they have used together, and which of them wait for a turn."""

    __slots__ = (
        "_turns",
        "calm_from",
        "connections",
        "fresh",
        "fresh_at",
        "has_users",
        "heavy",
        "key",
        "queued",
        "read_at",
        "served",
        "working",
    )

    def __init__(self, key: str, share: float, burst: float) -> None:
        super().__init__(share, burst)
        self.key = key
        self.has_users = key != DOORS
        """Whether those who queue elsewhere leave room for its connections: a door's reports keep no user waiting."""
        self.connections = 0
        self.queued = False
        self.served = 0.0
        """Seconds for which the queue has served it, or more: one that comes into the queue has been served as long as
        those who are served now, or being idle would be saved up."""
        self.calm_from = float("-inf")
        """When it will have been here, and have queued for nothing, for LATELY: until then it is one of a crowd."""
        self.read_at = self.fresh_at = float("-inf")
        """When one of its connections was last read without queueing, and last as one that asks for little."""
        self.working = 0
        """Requests of queued connections that were begun lately and are not answered yet."""
        self.fresh: deque[Reader] = deque()
        self.heavy: deque[Reader] = deque()
        self._turns = 0

    def take_next_reader(self, now: float, most: float, most_heavy: float) -> Reader | None:
        """Take the next connection from the queue; none while so many requests, or more, are at work already."""
        self._turns += 1
        fresh = self.fresh if self.working < most else ()
        heavy = self.heavy if self.working < most_heavy else ()
        if fresh and not (heavy and self._turns % ONE_HEAVY_IN == 0):
            self.fresh_at = now
            return self.fresh.popleft()
        return self.heavy.popleft() if heavy else None


class _Networks:
    """The networks that have connections, or have used much lately."""

    def __init__(self) -> None:
        self._by_key: dict[str, Network] = {}

    def find_network(self, key: str, limits: ConnectionLimits, now: float) -> Network:
        """Return a network, a new one as one of a crowd; the empty key is this process."""
        network = self._by_key.get(key)
        if network is None:
            self._forget_idle(now)
            share = limits.share_of_network if key else float("inf")
            network = self._by_key[key] = Network(key, share, limits.turn_seconds * TURNS_OF_NETWORK)
            if key:
                network.calm_from = now + LATELY
        return network

    def _forget_idle(self, now: float) -> None:
        if len(self._by_key) >= NETWORKS:
            # Networks that have used much lately stay, or reconnecting would clear their use.
            self._by_key = {
                key: network for key, network in self._by_key.items() if network.connections or network.until > now
            }


class _Returns:
    """Users who are expected back: the seconds that the queue may use for them, and until when."""

    __slots__ = ("_until", "seconds")

    def __init__(self, seconds: float = 0.0, until: float = 0.0) -> None:
        self.seconds, self._until = seconds, until

    def are_expected(self, now: float) -> bool:
        """Return whether returning users are expected now."""
        return self.seconds > 0 and now < self._until


class ReadScheduler:
    """The queue of all connections of a server. `now` returns monotonic seconds.

    The `FairQueue` of the processes that think lets groups take turns, whatever each costs: there every item is one
    search. Here the turns of a network differ by a factor of a hundred, so what counts is the time that they took.
    """

    def __init__(
        self, limits: Adjustable[ConnectionLimits], clock: Clock = SYSTEM, flushes: FlushQueue | None = None
    ) -> None:
        self.live_limits = as_live(limits)
        self.limits = limits = self.live_limits.follow(self._use_limits)
        self.clock = clock
        self.now = clock.seconds
        self._working_seconds = clock.working_seconds
        self._looked_at, self._worked = float("-inf"), 0.0
        """When the processor time was read last, and what it was."""
        self.buffers = BufferBudget(self.live_limits.select(lambda limits: limits.buffers))
        self.flushes = flushes or FlushQueue()
        self.latest: Reader | None = None
        """The connection that was read last."""
        self.arrivals = Meter(_SHARE_OF_ARRIVALS, limits.turn_seconds)
        """The use of all connections that have not said hello, whatever their networks."""
        self.crowd = Meter(_SHARE_OF_CROWD, limits.turn_seconds)
        """The use of all networks that came or queued lately."""
        self._alone_since = float("-inf")
        self._connections = 0
        self._active: Network | None = None
        self._active_before: Network | None = None
        """The network that was read last without queueing, and the last one before it that is another."""
        self._networks = _Networks()
        self._waiting: list[tuple[float, int, int, Network]] = []
        self._order = count()
        self._parked: set[Network] = set()
        """Networks with queued connections, a heap by how long each was served; and those that wait until a request of
        theirs is answered."""
        self._served = 0.0
        """How long a network counts as served that comes into the queue: as long as the one that had the latest turn,
        when that began."""
        self._later = 0.0
        """Seconds of work that the present slice has begun, and that comes after it."""
        self._handle: Alarm | None = None
        self._running = self._resting = False
        self._rest_until = float("-inf")
        """The alarm of the next slice, whether one runs now, and the time until which the queue rests."""
        self._returns = _Returns()

    @property
    def waiting_networks(self) -> int:
        """How many networks have connections that wait for a turn."""
        return len(self._waiting) + len(self._parked)

    # --- connections ------------------------------------------------------------------------------------

    def expect_returns(self, users: int) -> None:
        """Give the queue most of the server's time until about so many users have come back, or for RETURN_SECONDS.

        Those who queue after a start are its users: the first to play again would else keep all others waiting.
        """
        self._returns = _Returns(users * _COST_OF_RETURN, self.now() + RETURN_SECONDS)

    def expects_returns(self, now: float) -> bool:
        """Return whether users are expected back."""
        return self._returns.are_expected(now)

    def _use_limits(self, limits: ConnectionLimits) -> None:
        self.limits = limits

    def join_network(self, address: str) -> Network:
        """Return the network of a new connection's address, whose use is shared by all its connections."""
        network = self._networks.find_network(network_of(address), self.limits, self.now())
        network.connections += 1
        self._connections += 1
        return network

    def leave_network(self, network: Network) -> None:
        """Count a connection out; what its network has used is remembered, or reconnecting would wipe it out."""
        network.connections -= 1
        self._connections -= 1

    def make_meter(self) -> Meter:
        """Make the meter of a connection."""
        return Meter(self.limits.share_of_connection, self.limits.turn_seconds)

    # --- what a read costs ------------------------------------------------------------------------------

    def begin_read(self) -> float:
        """Return the time at which a read begins; `cost_since` needs it."""
        now = self.now()
        if now - self._looked_at > BRIEF:
            self._looked_at, self._worked = now, self._working_seconds()
        return now

    def cost_since(self, began: float) -> float:
        """Return the seconds of processor time that a read has cost; it began at `began` and ends now.

        A long one is charged what the thread has worked since the latest look at its clock, at most `BRIEF` before.
        """
        now = self.now()
        took = now - began
        if took <= BRIEF:
            return took
        before, self._looked_at, self._worked = self._worked, now, self._working_seconds()
        return min(took, self._worked - before)

    def charge_later_work(self, network: Network, seconds: float) -> None:
        """Charge an arriving connection for work later in the loop, which counts for the present slice."""
        now = self.now()
        charge_both(network, self.arrivals, now, seconds)
        self._later += seconds

    # --- reading at once --------------------------------------------------------------------------------

    def note_read(self, reader: Reader, now: float) -> None:
        """Note which connection is read, so that one that is alone is known."""
        if reader is not self.latest:
            self.latest, self._alone_since = reader, now

    def note_read_at_once(self, reader: Reader, network: Network, now: float) -> None:
        """Note also that a network is active: one of its connections is read without queueing."""
        if reader is not self.latest:
            self.latest, self._alone_since = reader, now
        network.read_at = now
        if network is not self._active and network.has_users:
            # Two are enough to answer whether any other than a given one is active.
            self._active, self._active_before = network, self._active

    def may_arrive(self, network: Network, now: float) -> bool:
        """Return whether a connection that has not said hello may be read at once: many networks arrive in turns."""
        return network.until <= now and not network.queued and self.arrivals.until <= now

    def may_read(self, reader: Reader, network: Network, now: float, *, much: bool, arrives: bool = False) -> bool:
        """Return whether bytes of a connection may be looked at before it is known what they ask for."""
        if arrives:
            at_once = self.may_arrive(network, now)
        else:
            at_once = network.until <= now and (
                network.calm_from <= now or (not network.queued and self.crowd.until <= now)
            )
        return at_once or not self.must_queue(reader, network, now, much=much)

    def must_queue(self, reader: Reader, network: Network, now: float, *, much: bool) -> bool:
        """Return whether a connection of a network that has used much waits for a turn.

        It does while other networks are active, when it has used much itself, and when it asks for `much`: for more
        than a request or two, or before hello, since a client that reconnects again and again would always be first.
        One that is alone on the server never waits. One that has used little, and does not wait, is noted as read.
        """
        if much or reader.meter.until > now or self._others_active(network, now):
            return not self._is_alone(reader, now)
        network.fresh_at = now
        self.note_read(reader, now)
        return False

    def _is_alone(self, reader: Reader, now: float) -> bool:
        """Return whether no other connection is open, or was read lately."""
        return self._connections == 1 or (reader is self.latest and now - self._alone_since > LATELY)

    # --- queueing ---------------------------------------------------------------------------------------

    def queue_reader(self, reader: Reader, network: Network, *, heavy: bool) -> None:
        """Queue a connection; it is `heavy` when its last turn was too short for it."""
        now = self.now()
        if network.until > now:
            network.calm_from = now + LATELY
        (network.heavy if heavy or reader.meter.until > now else network.fresh).append(reader)
        if not network.queued:
            network.queued = True
            # A network within its allowance waits because others arrive as well: those who queued before come after it.
            is_calm = network.until <= now and network.calm_from <= now
            self._line_up(network, _CALM if is_calm else _NEW)
        elif network in self._parked:
            self._unpark_network(network)
        if network.fresh and not self._others_active(network, now):
            self._end_rest()
        self._run_soon()

    def _line_up(self, network: Network, rank: int = _WAITED) -> None:
        """Queue a network by how long it was served; among equals one that comes is before those that have waited."""
        if rank == _CALM:
            network.served = min(self._served, self._waiting[0][0]) if self._waiting else self._served
        else:
            network.served = max(network.served, self._served)
        heappush(self._waiting, (network.served, rank, next(self._order), network))

    def begin_work(self, network: Network) -> "Work":
        """Count a request of a queued connection that is answered later."""
        return Work(self, network)

    def resume_network(self, network: Network) -> None:
        """Read from a network again that waited for this request."""
        if network in self._parked:
            self._unpark_network(network)
            self._run_soon()

    def _unpark_network(self, network: Network) -> None:
        self._parked.discard(network)
        self._line_up(network)

    def _end_rest(self) -> None:
        """Serve a connection that has used little at once: the rest was for its sake."""
        self._rest_until = float("-inf")
        if self._handle is not None and self._resting:
            self._handle.cancel()
            self._handle = None

    def _run_soon(self) -> None:
        """Serve a slice in the next turn of the loop, or when the rest is over."""
        if self._handle is None and not self._running:
            rest = self._rest_until - self.now()
            self._resting = rest > 0
            soon = asyncio.get_running_loop().call_soon
            self._handle = self.clock.call_later(rest, self._run_slice) if self._resting else soon(self._run_slice)

    def _run_slice(self) -> None:
        """Serve one slice, then leave the loop to all others for one turn or longer."""
        self._handle, self._running = None, True
        began, spent = self.now(), 0.0
        self._later = 0.0
        left = self.limits.slice_seconds
        least = self.limits.slice_seconds_busy / 4  # a shorter turn would cost its connection the next real one
        while self._waiting and left > least:
            network = self._waiting[0][-1]
            now = self.now()
            left = self._slice_seconds(network, now) - (now - began) - self._later
            if left > least:
                cost = self._serve_network(network, now, left)
                spent += cost
                if self._returns.are_expected(now):
                    self._returns.seconds -= cost
                    self._rest_until = self.now() + LEAST_REST
                elif self._must_rest(network, now):
                    self._rest_until = self.now() + max(LEAST_REST, spent * (1 / self.limits.share_busy - 1))
        self._running = False
        if self._waiting:
            self._run_soon()

    def _slice_seconds(self, network: Network, now: float) -> float:
        """Return how long a slice may be."""
        if self._returns.are_expected(now):
            return _SLICE_OF_RETURN
        return self.limits.slice_seconds_busy if self._must_rest(network, now) else self.limits.slice_seconds

    def _must_rest(self, network: Network, now: float) -> bool:
        """Return whether a network's turns are short and rare, because others are active who have used little."""
        return self._others_active(network, now) or (self._fresh_active(network, now) and not network.fresh)

    def _serve_network(self, network: Network, now: float, seconds: float) -> float:
        """Give the next connection of a network its turn; return the cost."""
        _, rank, *_ = heappop(self._waiting)
        self._served = max(self._served, network.served)
        reader = network.take_next_reader(now, *self._most_working(network, now))
        if reader is None:
            if network.fresh or network.heavy:
                # Its requests are still being answered: read on, it would only queue more of them.
                self._parked.add(network)
            else:
                network.queued = False
            return 0.0

        worked, later = self._working_seconds(), self._later
        try:
            reader.take_turn(seconds)
        except Exception:
            # A fault of one connection, such as a transport that has closed by itself, must not stop the queue of all.
            _logger.exception("A connection of %s failed in its turn", network.key)

        cost = self._working_seconds() - worked + self._later - later
        cost = max(cost, _LEAST_COST)
        network.served += cost
        if rank != _WAITED:  # or newcomers without end would come before all others for ever
            self._served += cost / (len(self._waiting) + 1)
        if network.fresh or network.heavy:
            self._line_up(network)
        else:
            network.queued = False
        return cost

    def _most_working(self, network: Network, now: float) -> tuple[float, float]:
        """Return how many requests may be at work when the network's next fresh and heavy connections are read."""
        few, many = self.limits.queued_requests_busy, self.limits.queued_requests
        if self._returns.are_expected(now):
            return many, many
        if self._others_active(network, now):
            return few, few
        return float("inf"), few if self._fresh_active(network, now) else many

    def _others_active(self, network: Network, now: float) -> bool:
        """Return whether another network was read without queueing lately."""
        other = self._active if self._active is not network else self._active_before
        return other is not None and now - other.read_at < LATELY

    def _fresh_active(self, network: Network, now: float) -> bool:
        """Return whether a connection of this network that has used little was read lately."""
        return now - network.fresh_at < LATELY


class Work:
    """A request that is being answered. It counts until it is done, but at most `queued_request_seconds`."""

    __slots__ = ("_done", "_network", "_scheduler", "_timer")

    def __init__(self, scheduler: ReadScheduler, network: Network) -> None:
        self._scheduler = scheduler
        self._network = network
        self._done = False
        network.working += 1
        # Bounded: a request that never ends must not park its network for good.
        self._timer = scheduler.clock.call_later(scheduler.limits.queued_request_seconds, self.end_work)

    def end_work(self) -> None:
        """Stop counting it."""
        if not self._done:
            self._done = True
            self._timer.cancel()
            self._network.working -= 1
            self._scheduler.resume_network(self._network)
