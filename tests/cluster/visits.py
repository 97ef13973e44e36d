"""Guests who come and go at three servers on one journal, with a bus that is late, and cut here and there; by seed."""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import combinations
from random import Random
from typing import Any, NamedTuple

from scoville_server.accounts.model.naming.permitted import looks_of
from scoville_server.accounts.name_leases import LEASE_SECONDS
from scoville_server.accounts.sessions import Sessions, User
from scoville_server.journal.memory import MemoryJournal
from scoville_server.nodes.bus import Address, Answerer, Handler, NoSubscriber
from scoville_server.nodes.election import BEAT_SECONDS, MISSING_SECONDS
from scoville_server.nodes.members import NodeId
from scoville_server.nodes.nodes import join_nodes
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_shared.protocol import messages as m
from tests.support import virtual_time
from tests.support.server import CHEAP_HASHING, Caller, core_of, toy_shelf

NODES = "abc"
NAMES = ("Zoe", "zoe", "Yan", "Vera", "")
LATEST = 0.02
"""Most seconds that a message takes."""
SILENT = 2.0
"""Seconds after which an answer is not waited for any more."""
LASTS = 40.0
QUIET = LEASE_SECONDS + 1
"""Seconds of the faults, and after them."""


class Air:
    """Carries messages between nodes: each one late, those of one node to another in order, none where it is cut."""

    def __init__(self, chance: Random) -> None:
        self.chance = chance
        self.ends: dict[str, End] = {}
        self.cuts: set[frozenset[str]] = set()
        self.changed_at = -10.0
        self._last: defaultdict[tuple[str, str], float] = defaultdict(float)

    @property
    def now(self) -> float:
        return asyncio.get_running_loop().time()

    def is_cut(self, one: str, other: str) -> bool:
        return frozenset((one, other)) in self.cuts

    def is_clear(self, since: float) -> bool:
        """Whether nothing was cut since then, and a moment before: nodes tell each other everything again first."""
        return not self.cuts and self.changed_at + 4 * BEAT_SECONDS < since

    def carry(self, sender: str, receiver: str, deliver: Callable[[], object]) -> None:
        if not self.is_cut(sender, receiver):
            way = sender, receiver
            # A bit later than the one before: the loop keeps no order among those of one moment.
            self._last[way] = max(self._last[way] + 1e-6, self.now + self.chance.uniform(0.0002, LATEST))
            asyncio.get_running_loop().call_at(self._last[way], deliver)

    def cut(self, one: str, other: str, seconds: float) -> None:
        pair = frozenset((one, other))
        if pair in self.cuts:
            return
        self.cuts.add(pair)
        self.changed_at = self.now
        loop = asyncio.get_running_loop()
        for me, missing in ((one, other), (other, one)):
            loop.call_later(MISSING_SECONDS, lambda me=me, missing=missing: self._miss(me, missing))

        def mend() -> None:
            self.cuts.discard(pair)
            self.changed_at = self.now
            for me, back in ((one, other), (other, one)):
                late = self.chance.uniform(0, BEAT_SECONDS)
                loop.call_later(late, lambda me=me, back=back: self.ends[me].note_return(back))

        loop.call_later(seconds, mend)

    def _miss(self, me: str, missing: str) -> None:
        if self.is_cut(me, missing):
            self.ends[me].missing.add(missing)


class End:
    """The `Bus` and the `Members` of one node."""

    def __init__(self, air: Air, me: str) -> None:
        self.me = NodeId(me)
        self.missing: set[str] = set()
        self.answerers: dict[Address, Answerer] = {}
        self._air = air
        self._handlers: defaultdict[Address, list[Handler]] = defaultdict(list)
        self._followers: list[Callable[[NodeId], object]] = []
        air.ends[me] = self

    def running_nodes(self) -> list[NodeId]:
        return [NodeId(node) for node in sorted(self._air.ends) if node not in self.missing]

    def heir_of(self, thing: str) -> NodeId:
        return self.running_nodes()[0] if thing == "names" else self.me

    def follow_losses(self, on_loss: Callable[[NodeId], object]) -> None:
        """Nobody asks for losses here."""

    def follow_gaps(self, on_gap: Callable[[bool], object]) -> None:
        """Nobody asks for gaps here."""

    def follow_returns(self, on_return: Callable[[NodeId], object]) -> None:
        self._followers.append(on_return)

    def note_return(self, node: str) -> None:
        # It may have been cut again, and is missed later on.
        self.missing.discard(node)
        for on_return in self._followers:
            on_return(NodeId(node))

    def publish(self, to: Address, message: bytes) -> None:
        self._take_message(to, message)
        for name, end in self._air.ends.items():
            if end is not self:
                self._air.carry(self.me, name, lambda end=end: end._take_message(to, message))

    def _take_message(self, to: Address, message: bytes) -> None:
        for handle in self._handlers.get(to, ()):
            handle(message)

    async def request(self, to: Address, message: bytes) -> bytes:
        found = next((end for end in self._air.ends.values() if to in end.answerers), None)
        if found is None:
            raise NoSubscriber(to)
        await self._pass_way(found, to)
        reply = await found.answerers[to](message)
        await self._pass_way(found, to)
        return reply

    async def _pass_way(self, other: "End", to: Address) -> None:
        if other is self:
            return
        await asyncio.sleep(self._air.chance.uniform(0.0002, LATEST))
        if self._air.is_cut(self.me, other.me):
            await asyncio.sleep(SILENT)
            raise NoSubscriber(to)

    async def subscribe(self, at: Address, handle: Handler) -> None:
        self._handlers[at].append(handle)

    async def answer(self, at: Address, reply: Answerer) -> None:
        self.answerers[at] = reply


class Named(NamedTuple):
    """When a connection got its name, and whether its node could have known all others then."""

    at: float
    is_clear: bool


class Guest:
    """A guest who comes to any node, again and again; at most one connection of theirs stays."""

    def __init__(self, run: "Run") -> None:
        self.run = run
        self.token = ""
        self.name = run.chance.choice(NAMES)
        self.is_kept = run.chance.random() < 0.7
        self.open: dict[Caller, str] = {}
        self.named: dict[Caller, Named] = {}

    async def live(self) -> None:
        chance, loop = self.run.chance, asyncio.get_running_loop()
        while loop.time() < LASTS:
            await asyncio.sleep(chance.uniform(0, 3))
            if self.open and chance.random() < 0.5:
                for caller in [*self.open]:
                    self.leave(caller)
            node = chance.choice(NODES)
            coming = asyncio.ensure_future(self.come(node))
            # Some lose patience, or their connection.
            patience = chance.uniform(0, 2 * LATEST) if chance.random() < 0.1 else LASTS
            await asyncio.wait([coming], timeout=patience)
            if not coming.done():
                coming.cancel()
            with suppress(asyncio.CancelledError):
                await coming

    async def come(self, node: str) -> None:
        caller = Caller(self.run.servers[node])
        close = caller.peer.close

        def note_closed(bye: m.ByeNotice | None = None) -> None:
            close(bye)
            asyncio.get_running_loop().call_soon(self.leave, caller)

        caller.peer.close = note_closed  # type: ignore[method-assign]
        began = self.run.air.now
        await caller.hello(self.name, self.token)
        assert caller.welcome is not None
        self.open[caller] = node
        self.named[caller] = Named(self.run.air.now, self.run.air.is_clear(began))
        self.token = caller.welcome.token
        if self.is_kept:
            self.is_kept = False
            await caller.call(m.SayRequest(text="hi"))

    def leave(self, caller: Caller) -> None:
        if self.open.pop(caller, None) is not None:
            caller.hang_up()


class Run:
    """One run, and what it has found."""

    def __init__(self, seed: int) -> None:
        self.chance = Random(seed)
        self.air = Air(self.chance)
        self.journal = MemoryJournal()
        self.servers: dict[str, Server] = {}
        self.guests: list[Guest] = []
        self.found: list[str] = []

    async def live(self) -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: self.found.append(f"failed: {context}"))
        for node in NODES:
            self.servers[node] = await self._start_server(node)
        self.guests = [Guest(self) for _ in range(8)]
        for _ in range(self.chance.randrange(6)):
            one, other = self.chance.sample(NODES, 2)
            seconds = self.chance.choice((0.1, 0.6, 3.0, 8.0))
            loop.call_at(self.chance.uniform(2, LASTS - 10), self.air.cut, one, other, seconds)
        await asyncio.gather(*(guest.live() for guest in self.guests))
        await asyncio.sleep(QUIET)
        self.found += [*self._find_faults()]

    async def _start_server(self, node: str) -> Server:
        end = End(self.air, node)
        server = Server(
            Settings(accounts=CHEAP_HASHING),
            catalog=toy_shelf(),
            journal=self.journal,
            clock=virtual_time.make_clock(),
            make_nodes=lambda flushes: join_nodes(flushes, end, end, joins=False),
        )
        await server.start()
        return server

    def _sessions(self, node: str) -> Sessions:
        return core_of(self.servers[node]).sessions

    def _find_faults(self) -> Iterator[str]:
        here = {node: {user.id: user for user in self._sessions(node).connected_users()} for node in NODES}
        yield from self._find_doubled(here)
        yield from self._find_unlike_views(here)
        yield from self._find_lookalikes()

    def _find_doubled(self, here: dict[str, dict[Any, User]]) -> Iterator[str]:
        for one, other in combinations(NODES, 2):
            for user in here[one].keys() & here[other].keys():
                yield f"{here[one][user].name} is connected to {one} and {other}"

    def _find_unlike_views(self, here: dict[str, dict[Any, User]]) -> Iterator[str]:
        places = {user: node for node in NODES for user in here[node]}
        names = {(node, user): known.name for node in NODES for user, known in here[node].items()}
        for node in NODES:
            sessions = self._sessions(node)
            for user, known in sessions._by_id.items():
                place = places.get(user, "")
                seen = node if known.is_here else known.elsewhere
                if seen != place:
                    yield f"{known.name} is connected to {place or 'nowhere'}, and to {seen or 'nowhere'} says {node}"
            sessions.names_elsewhere.end_promises(self.air.now)
            heard = {(place.node, place.user): name for place, name in sessions.names_elsewhere._names.items()}
            expected = {place: name for place, name in names.items() if place[0] != node}
            for place, name in heard.items() ^ expected.items():
                yield f"{node} {'knows' if place in heard else 'does not know'} the name {name} of {place}"

    def _find_lookalikes(self) -> Iterator[str]:
        connected = [(caller, guest.named[caller]) for guest in self.guests for caller in guest.open]
        for (one, first), (other, second) in combinations(connected, 2):
            assert one.welcome is not None
            assert other.welcome is not None
            later = max(first, second)
            if later.is_clear and {*looks_of(one.welcome.name)} & {*looks_of(other.welcome.name)}:
                yield f"two are called {one.welcome.name} and {other.welcome.name}: {first}, {second}"


def run_seed(seed: int) -> list[str]:
    """Return what a run has violated."""

    async def live() -> list[str]:
        run = Run(seed)
        await run.live()
        return run.found

    return virtual_time.run_virtually(live())
