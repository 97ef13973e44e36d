"""Keys that nodes hold, such as tables: each node tells the others over the bus which ones it holds."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from msgspec import Struct, msgpack

from scoville_runtime.clock import CallLater
from scoville_server.background.eventual import Eventual, start_awaitable
from scoville_server.nodes.bus import Address, Bus, NoSubscriber, at_node
from scoville_server.nodes.members import Members, NodeId

_PORTION: Final = 1_000
"""Keys in one message: the engine refuses one of a megabyte."""
_PORTION_BYTES: Final = 400_000
"""Bytes of values after which a message is full."""


class _Told(Struct, frozen=True, array_like=True):
    """Message of a node about its keys: some that have changed, or a part of a list of all.

    Attributes:
        node: The node.
        held: The keys that it holds, each with its value.
        released: The keys that it does not hold any more.
        begins: Whether a list of all begins with them.
        ends: Whether a list of all ends with them.
    """

    node: NodeId
    held: dict[str, bytes] = {}
    released: tuple[str, ...] = ()
    begins: bool = False
    ends: bool = False


class HeldKeys:
    """The keys of one `subject` that this node holds, each with a value, and those of the others.

    Changes are sent at once, and all keys when a node comes or was not heard for a moment. A node that runs no more
    holds nothing. Of two nodes that both say that they hold a key the one counts that has said so last.

    Attributes:
        on_change: Is called with the keys of another node that have changed, with those that it holds no more.
        before_listing: Called before all keys are sent, to hold what was put off while no node listened.
    """

    def __init__(self, members: Members, bus: Bus, subject: str) -> None:
        self._members = members
        self._bus = bus
        self._told = Address(f"{subject}.held")
        self._asked, self._heard = f"{subject}.asked", f"{subject}.heard"
        self._here: dict[str, bytes] = {}
        self._at: defaultdict[NodeId, dict[str, bytes]] = defaultdict(dict)
        self._holders: dict[str, NodeId] = {}
        """Which other node has said last that it holds a key."""
        self._waiting: defaultdict[str, set[Eventual[None]]] = defaultdict(set)
        """Those who wait until any node holds a key."""
        self._listed: dict[NodeId, set[str]] = {}
        """The keys named so far in the list of all that a node is sending."""
        self.on_change: Callable[[NodeId, Mapping[str, bytes], list[str]], object] = lambda *_: None
        self.before_listing: Callable[[], object] = lambda: None

    async def begin_sharing(self) -> None:
        """Tell the others, and ask them, from now on."""
        await self._bus.subscribe(self._told, lambda told: self._note_told(msgpack.decode(told, type=_Told)))
        await self._bus.subscribe(at_node(self._members.me, self._asked), lambda _: self._publish_all_keys())
        await self._bus.answer(at_node(self._members.me, self._heard), _say_nothing)
        self._members.follow_returns(self._share_again)
        for node in self._list_others():
            self._share_again(node)

    # --- this node ---------------------------------------------------------------------------------------

    def hold_key(self, key: str, value: bytes = b"") -> None:
        """Hold a key from now on, or with another value."""
        self._here[key] = value
        if key in self._holders:
            self.forget_key(key)
        self._publish_keys(_Told(self._members.me, {key: value}))
        self._wake_waiting(key)

    def hold_keys(self, keys: Mapping[str, bytes]) -> None:
        """Hold many keys from now on, or with other values."""
        self._here.update(keys)
        for portion in _list_portions(keys):
            self._publish_keys(_Told(self._members.me, portion))

    def release_key(self, key: str) -> None:
        """Hold a key no more; one that is not held is fine."""
        if self._here.pop(key, None) is not None:
            self._publish_keys(_Told(self._members.me, released=(key,)))

    def find_own_value(self, key: str) -> bytes | None:
        """Return the value of a key that this node holds; None for none."""
        return self._here.get(key)

    def is_held_here(self, key: str) -> bool:
        """Whether this node holds a key."""
        return key in self._here

    # --- the others --------------------------------------------------------------------------------------

    def find_holder(self, key: str) -> NodeId | None:
        """Return the other node that holds a key, as long as it runs; None for none."""
        node = self._holders.get(key)
        return node if node is not None and node in self._members.running_nodes() else None

    def is_orphaned(self, key: str) -> bool:
        """Whether the node that has said last that it holds a key runs no more."""
        return key in self._holders and self.find_holder(key) is None

    def is_held_elsewhere(self, key: str) -> bool:
        """Whether another node holds a key, or did until it was lost."""
        return key in self._holders

    def find_value_elsewhere(self, key: str) -> bytes | None:
        """Return the value of a key that another node holds, or did until it was lost; None for none."""
        node = self._holders.get(key)
        return None if node is None else self._at[node][key]

    def find_value(self, key: str) -> bytes | None:
        """Return the value of a key that another node holds; None for none."""
        node = self.find_holder(key)
        return None if node is None else self._at[node][key]

    def list_elsewhere(self, *, with_lost: bool = False) -> Iterator[tuple[NodeId, str, bytes]]:
        """List the keys that other nodes hold, each with its node and its value; `with_lost` ones that run no more."""
        running = self._members.running_nodes()
        for key, node in self._holders.items():
            if with_lost or node in running:
                yield node, key, self._at[node][key]

    async def wait_for_holder(self, key: str, call_later: CallLater, seconds: float) -> None:
        """Wait until any node says that it holds a key, or so many seconds."""
        waiter: Eventual[None] = Eventual()
        self._waiting[key].add(waiter)
        alarm = call_later(seconds, lambda: waiter.set_result(None))
        try:
            await waiter
        finally:
            alarm.cancel()
            self._waiting[key].discard(waiter)
            if not self._waiting[key]:
                del self._waiting[key]

    def _wake_waiting(self, key: str) -> None:
        for waiter in tuple(self._waiting.get(key, ())):
            if not waiter.done():
                waiter.set_result(None)

    def list_orphaned(self) -> list[str]:
        """List the keys whose holders run no more, and that no other node holds."""
        return [key for key in self._holders if key not in self._here and self.is_orphaned(key)]

    def forget_key(self, key: str) -> None:
        """Forget that a node that runs no more held a key."""
        for node in [node for node, keys in self._at.items() if key in keys]:
            if node not in self._members.running_nodes():
                self._forget_key(node, key)

    def forget_if_lost(self, node: NodeId) -> None:
        """Forget the keys of a node that still does not run."""
        if node in self._at and node not in self._members.running_nodes():
            self._listed.pop(node, None)
            released = [*self._at[node]]
            for key in released:
                self._forget_key(node, key)
            self.on_change(node, {}, released)

    async def hear_others(self) -> bool:
        """Wait for all messages that other nodes have published by now; returns False if any of them is silent.

        An answer overtakes nothing that its node has published before. One that is silent may hold what nobody knows.
        """
        # All at once: each silent one is waited for, and a user waits for the answer.
        asked = [start_awaitable(self._hear_node(node)) for node in self._list_others()]
        return all([await answer for answer in asked])

    async def _hear_node(self, node: NodeId) -> bool:
        try:
            await self._bus.request(at_node(node, self._heard), b"")
        except NoSubscriber:
            return False
        return True

    # --- telling -----------------------------------------------------------------------------------------

    def _list_others(self) -> list[NodeId]:
        return [node for node in self._members.running_nodes() if node != self._members.me]

    @property
    def are_heard(self) -> bool:
        """Whether another node hears which keys this one holds; one that comes later is sent all of them."""
        return bool(self._list_others())

    def _publish_keys(self, told: _Told) -> None:
        if self.are_heard:
            self._bus.publish(self._told, msgpack.encode(told))

    def _share_again(self, node: NodeId) -> None:
        self._publish_all_keys()
        self._bus.publish(at_node(node, self._asked), b"")

    def _publish_all_keys(self) -> None:
        self.before_listing()
        portions = [*_list_portions(self._here)] or [{}]
        for place, held in enumerate(portions):
            told = _Told(self._members.me, held, begins=place == 0, ends=place == len(portions) - 1)
            self._bus.publish(self._told, msgpack.encode(told))

    # --- hearing -----------------------------------------------------------------------------------------

    def _note_told(self, told: _Told) -> None:
        node = told.node
        if node == self._members.me:
            return

        known = self._at[node]
        released = [key for key in told.released if key in known]
        if told.begins:
            self._listed[node] = set()
        listed = self._listed.get(node)
        if listed is not None:
            listed.update(told.held)
            listed.difference_update(told.released)
            if told.ends:
                del self._listed[node]
                released += [key for key in known if key not in listed]

        for key in released:
            self._forget_key(node, key)
        for key in told.held:
            # A lost node's keys belong to its heir, and to no node once the heir releases them.
            if self._holders.get(key, node) != node:
                self.forget_key(key)
        known.update(told.held)
        self._holders.update(dict.fromkeys(told.held, node))

        for key in told.held if self._waiting else ():
            self._wake_waiting(key)
        self.on_change(node, told.held, released)

    def _forget_key(self, node: NodeId, key: str) -> None:
        self._at[node].pop(key, None)
        if self._holders.get(key) == node:
            others = [other for other, keys in self._at.items() if key in keys]
            if others:
                self._holders[key] = others[-1]
            else:
                del self._holders[key]


async def _say_nothing(_: bytes) -> bytes:
    return b""


def _list_portions(keys: Mapping[str, bytes]) -> Iterator[dict[str, bytes]]:
    portion: dict[str, bytes] = {}
    size = 0
    for key, value in keys.items():
        if portion and (len(portion) == _PORTION or size + len(value) > _PORTION_BYTES):
            yield portion
            portion, size = {}, 0
        portion[key] = value
        size += len(value)
    if portion:
        yield portion
