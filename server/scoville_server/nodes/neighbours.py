"""The other nodes of a cluster: the beats that all nodes send and hear, beside the engine's log."""

from collections.abc import Callable, Sequence
from functools import partial
from hashlib import sha256
from typing import NamedTuple, Protocol

import msgspec

from scoville_runtime.clock import Alarm, Clock
from scoville_server.background.eventual import Eventual
from scoville_server.nodes.election import BEAT_SECONDS, DOUBTFUL_SECONDS, LATE_SECONDS, MISSING_SECONDS, Beat, Heard
from scoville_server.nodes.loads import NodeLoad
from scoville_server.nodes.members import CODE, NodeId

FORGET_SECONDS = 60.0
"""A node that was not heard for so long is not named to users any more."""
UNDER_WAY_SECONDS = BEAT_SECONDS / 2
"""So long after the end of a node a beat of it may be heard: hundreds of users come to the others in that moment."""


class Courier(Protocol):
    """Carries messages between nodes; nothing is kept, and a message may be lost."""

    @property
    def is_connected(self) -> bool:
        """Whether messages can be sent now."""

    def send_message(self, message: bytes) -> None:
        """Send a message to all nodes, this one included. Never blocks and never raises."""

    def hear_messages(self, handle: Callable[[bytes], None]) -> None:
        """Call a function for every message from now on."""


class ShownKeys(NamedTuple):
    """The fields of the same names of a `Beat`."""

    key: bytes = b""
    successor: bytes = b""
    holds: bool = False


class Neighbours:
    """Sends the beats of this node, and knows those of the others.

    Attributes:
        me: The name of this node.
        served: The latest beat of a node that serves in the newest epoch, or has just left it; None if none was heard.
        epoch: The epoch in which this node serves, 0 while it waits.
        on_followed: Is called while this node serves with the epoch of one that has followed it, for each of its beats.
        is_followed: Whether a beat of such a node was heard: it is sent only once the engine has kept its epoch, so
            this is certain, whatever the engine has said earlier.
        on_return: Is called with the name of each node that serves beside this one from now on, or again.
        on_leaving: Is called when the node that serves leaves.
        on_gap: Is called when this node was silent itself for so long that others may have missed it.
        on_loss: Is called with the name of each node that serves beside this one no more.
        keys: This node's keys, as its beats name them.
        lacks: How many tables this node has read with a hole.
        link: Where other nodes reach its port for links; empty for none.
        read_load: Returns what it serves.
        drains: Whether it gives all its tables away before it ends.
        begins: Whether it is about to take an epoch.
        since: Since when this node listens without an interruption of its own, in monotonic seconds.
    """

    def __init__(self, courier: Courier, me: str, address: str, clock: Clock) -> None:
        self._courier = courier
        self.me, self._address = me, address
        self._clock = clock
        self.epoch = 0
        self.keys, self.lacks, self.link = ShownKeys(), 0, ""
        self.read_load: Callable[[], NodeLoad] = NodeLoad
        self._leaving = self.drains = self.begins = self._accepts = False
        self._patience = 0.0
        self._heard: dict[str, Heard] = {}
        self._alarm: Alarm | None = None
        self._ticked = self.since = self._echoed = clock.seconds()
        self._newest_epoch = 0
        self.served: Heard | None = None
        self.on_followed: Callable[[int], object] = lambda _: None
        self.is_followed = False
        self.on_return: Callable[[str], object] = lambda _: None
        self.on_loss: Callable[[str], object] = lambda _: None
        self.on_gap: Callable[[], object] = lambda: None
        self.on_leaving: Callable[[], object] = lambda: None
        self._beside: set[str] = set()
        """The nodes whose loss has not been told."""
        self._hears_since = self.since
        self._found_closed: Heard | None = None
        """The latest beat of a node whose port was found closed after it."""
        self._found_closed_at = 0.0
        self._askers: set[Eventual[None]] = set()
        courier.hear_messages(self._note_message)

    def start_beating(self) -> None:
        """Send a beat now, and four times a second from now on."""
        now, before = self._clock.seconds(), self._ticked
        if now - before > BEAT_SECONDS + LATE_SECONDS:
            # This process hung, or its machine slept: beats missed by it say nothing about the others.
            self.since = self._hears_since = now
        self.notice_hang()
        self._ticked = now
        self._tell_losses()
        self.send_beat()
        self._alarm = self._clock.call_later(BEAT_SECONDS, self.start_beating)

    def notice_hang(self) -> None:
        """Notice if this process hung: what has waited in its sockets meanwhile is read before its alarm rings."""
        now = self._clock.seconds()
        if now - self._ticked > MISSING_SECONDS:
            self._ticked = now
            self.on_gap()

    def stop_beating(self) -> None:
        """Stop."""
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None

    def send_beat(self) -> None:
        """Tell all others how this node is."""
        hears = -1.0 if self.served is None else self._clock.seconds() - self.served.at
        own = self.me, self._address, self.epoch, hears, self._leaving, self._patience
        load = self.read_load()
        beat = Beat(*own, *self.keys, self.lacks, self.link, load.tables, load.watched, self.drains, True, self.begins)
        self._courier.send_message(msgspec.msgpack.encode(beat))

    def note_epoch(self, epoch: int) -> None:
        """Note the newest epoch; one that is older than what this node knows comes from a late copy."""
        if epoch > self._newest_epoch:
            self._newest_epoch, self.served = epoch, None
            self.served = self._find_latest_serving()
            # A node that has just begun has not sent a beat yet.
            self.since = self._clock.seconds()
            self._wake_askers()

    def begin_serving(self, epoch: int, patience: float) -> None:
        """Tell all others that this node serves, and how many seconds it may be silent at first."""
        self.epoch, self._leaving, self._patience, self.served = epoch, False, patience, None
        self.drains = self.begins = False
        self._newest_epoch, self.is_followed = epoch, False
        self._hears_since = self._clock.seconds()
        self.send_beat()
        # Only once its loop runs again does the next beat come, and it asks for no patience any more.
        self._patience = 0.0

    def begin_accepting(self) -> None:
        """Tell users who have waited at this node for the next one that it is this one, which accepts them now."""
        self._accepts = True
        self._wake_askers()

    def end_serving(self, *, leaving: bool) -> None:
        """Tell the other nodes that this one has stopped serving; `leaving` asks another one to take over."""
        self.epoch, self._leaving, self.is_followed, self._accepts = 0, leaving, False, False
        self.read_load = NodeLoad
        self._beside.clear()
        self.send_beat()

    def tell_beginning(self, *, begins: bool) -> None:
        """Tell all others whether this node is about to take an epoch."""
        self.begins = begins
        self.send_beat()

    def begin_draining(self) -> None:
        """Tell all others that this node gives its tables away, and takes none."""
        self.drains = True
        self.send_beat()

    def knows_lanes(self) -> bool:
        """Whether all nodes that were heard lately know that an epoch has several fences."""
        now = self._clock.seconds()
        return all(heard.beat.knows_lanes for heard in self.heard.values() if now - heard.at < FORGET_SECONDS)

    def list_loads(self) -> dict[NodeId, NodeLoad]:
        """List the loads of the other nodes that serve in the epoch of this one."""
        beats = [heard.beat for heard in self.heard.values() if self._serves_beside(heard)]
        return {NodeId(beat.node): NodeLoad(beat.tables, beat.watched, beat.drains) for beat in beats}

    @property
    def heard(self) -> dict[str, Heard]:
        """The latest beat of each other node."""
        return {node: heard for node, heard in self._heard.items() if node != self.me}

    def list_beside(self) -> list[str]:
        """List the other nodes that serve in the epoch of this one."""
        return [node for node, heard in self.heard.items() if self._serves_beside(heard)]

    def _serves_beside(self, heard: Heard) -> bool:
        beat = heard.beat
        silent = self._clock.seconds() - heard.at
        return beat.epoch == self.epoch > 0 and not beat.leaving and silent < MISSING_SECONDS + beat.patience

    def _tell_losses(self) -> None:
        # To a node that was cut off itself, or hung, all others seem to be gone at first.
        now = self._clock.seconds()
        is_heard = now - self._echoed <= BEAT_SECONDS + LATE_SECONDS
        if self.epoch and is_heard and now - self._hears_since >= MISSING_SECONDS:
            beside = {*self.list_beside()}
            lost, self._beside = self._beside - beside, beside
            for node in sorted(lost):
                self.on_loss(node)

    def note_closed_port(self, served: Heard) -> None:
        """Note that the port of the node that serves is closed, which had sent that beat by then."""
        self._found_closed, self._found_closed_at = served, self._clock.seconds()

    @property
    def is_port_closed(self) -> bool:
        """Whether the port of the node that serves was found closed, and nothing was heard that it has sent since."""
        served, found = self.served, self._found_closed
        if served is None or found is None or served is found:
            return served is not None and served is found
        is_same = (served.beat.node, served.beat.epoch) == (found.beat.node, found.beat.epoch)
        return is_same and served.at - self._found_closed_at < UNDER_WAY_SECONDS

    @property
    def serving_address(self) -> str:
        """Where users reach the node that serves, as far as this one knows; empty for unknown."""
        last = self.served
        if last is None or last.beat.leaving or self.is_port_closed:
            return ""
        silent = self._clock.seconds() - last.at
        # A node that is about to be succeeded would only send them back here.
        return last.beat.address if silent < DOUBTFUL_SECONDS + last.beat.patience else ""

    async def find_serving(self, seconds: float) -> str:
        """Return where users reach the node that serves; wait up to so many seconds for one, then it is empty."""
        if not self._address_for_users:
            asker: Eventual[None] = Eventual()
            self._askers.add(asker)
            alarm = self._clock.call_later(seconds, lambda: asker.set_result(None))
            try:
                await asker
            finally:
                alarm.cancel()
                self._askers.discard(asker)
        return self._address_for_users

    @property
    def _address_for_users(self) -> str:
        return self._address if self._accepts else self.serving_address

    def _wake_askers(self) -> None:
        if self._address_for_users:
            for asker in tuple(self._askers):
                asker.set_result(None)

    @property
    def is_connected(self) -> bool:
        """Whether beats can be sent now."""
        return self._courier.is_connected

    @property
    def is_cut_off(self) -> bool:
        """Whether the beats of this node do not even come back to it."""
        return self._clock.seconds() - self._echoed > MISSING_SECONDS

    @property
    def is_in_doubt(self) -> bool:
        """Whether this node may have been followed, or was: it is cut off, hears no other node, or hears a successor.

        A server of the engine that is cut off together with this node brings its own beats back.
        """
        if self.is_followed:
            return True
        now = self._clock.seconds()
        others = [now - heard.at for heard in self.heard.values()]
        known = [silent for silent in others if silent < FORGET_SECONDS]
        return self.is_cut_off or (bool(known) and min(known) > MISSING_SECONDS)

    def addresses(self) -> list[str]:
        """Return where users reach the nodes: those that serve come first, before all others this one if it does."""
        now = self._clock.seconds()
        known = [heard.beat for heard in self._heard.values() if now - heard.at < FORGET_SECONDS]
        mine = Beat(self.me, self._address, self.epoch)
        every = {beat.address: beat for beat in (mine, *known)}.values()
        return [beat.address for beat in sorted(every, key=lambda beat: (-beat.epoch, beat.node != self.me, beat.node))]

    def _note_message(self, message: bytes) -> None:
        try:
            beat = msgspec.msgpack.decode(message, type=Beat)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            return  # a beat of another version; nodes of that version read it
        if beat.node == self.me:
            now = self._clock.seconds()
            silent, self._echoed = now - self._echoed, now
            if silent > BEAT_SECONDS + LATE_SECONDS:
                self._hears_since = now
            if silent > MISSING_SECONDS:
                self.on_gap()
            return
        before, now = self._heard.get(beat.node), self._clock.seconds()
        begun = before.begun if before is not None and before.beat.begins else now
        heard = self._heard[beat.node] = Heard(beat, now, begun)
        # The engine has kept that epoch, even if this node cannot read it yet.
        self.note_epoch(beat.epoch)
        if beat.epoch > self.epoch > 0:
            self.is_followed = True
            self.on_followed(beat.epoch)
        self._note_serving(heard)
        if beat.leaving and beat.node in self._beside:
            # At once, and not at the next beat of this node: its users wait.
            self._tell_losses()
        if self._serves_beside(heard):
            self._beside.add(beat.node)
            # A duty for all moves to another node as soon as its node drains.
            if before is None or self._was_lost(before) or before.beat.drains != beat.drains:
                self.on_return(beat.node)

    def _note_serving(self, heard: Heard) -> None:
        """Note whether a node serves in the newest epoch."""
        beat, served = heard.beat, self.served
        if beat.epoch == self._newest_epoch > 0:
            self.served = heard
        elif served is not None and served.beat.node == beat.node:
            # A node that waits again was restarted, and serves no longer; others may serve beside it.
            self.served = self._find_latest_serving() or (heard if beat.leaving else None)
            if self.served is heard and not served.beat.leaving:
                self.on_leaving()
        self._wake_askers()

    def _find_latest_serving(self) -> Heard | None:
        """Return the latest beat of a node that serves in the newest epoch."""
        serving = [heard for heard in self._heard.values() if heard.beat.epoch == self._newest_epoch > 0]
        return max(serving, key=lambda heard: heard.at, default=None)

    def serves_now(self, heard: Heard) -> bool:
        """Whether a node that was heard serves in the newest epoch."""
        silent = self._clock.seconds() - heard.at
        return heard.beat.epoch == self._newest_epoch > 0 and silent < MISSING_SECONDS + heard.beat.patience

    def find_link(self, node: str) -> str:
        """Return the address at which a node takes links; empty if it is unknown."""
        heard = self._heard.get(node)
        return "" if heard is None else heard.beat.link

    def _was_lost(self, before: Heard) -> bool:
        """Whether the next beat after one came so late that something else may be lost as well."""
        silent = self._clock.seconds() - before.at
        return (
            before.beat.epoch != self.epoch or before.beat.leaving or silent - before.beat.patience >= DOUBTFUL_SECONDS
        )


class ServingMembers:
    """`Members` as their beats tell: this node, and those that serve in its epoch."""

    def __init__(self, neighbours: Neighbours, me: NodeId) -> None:
        self.me = me
        self._neighbours = neighbours
        self._followers: list[Callable[[NodeId], object]] = []
        self._loss_followers: list[Callable[[NodeId], object]] = []
        self._gap_followers: list[Callable[[bool], object]] = []
        neighbours.on_return, neighbours.on_loss = self._note_return, self._note_loss
        neighbours.on_gap = partial(self._note_silence, is_missed=True)

    def running_nodes(self) -> Sequence[NodeId]:
        return sorted({self.me, *map(NodeId, self._neighbours.list_beside())})

    def heir_of(self, thing: str) -> NodeId:
        # By the highest hash: when a node comes or ends, only keys that it inherits change their heir.
        nodes = self.running_nodes()
        # A draining node may still have to open a table, and could draw no code.
        if not thing.startswith(CODE):
            nodes = self._list_staying() or nodes
        return max(nodes, key=lambda node: sha256(f"{node} {thing}".encode()).digest())

    def _list_staying(self) -> list[NodeId]:
        """List the nodes that do not drain."""
        loads = {self.me: NodeLoad(drains=self._neighbours.drains), **self._neighbours.list_loads()}
        return [node for node, load in loads.items() if not load.drains]

    def follow_returns(self, on_return: Callable[[NodeId], object]) -> None:
        self._followers.append(on_return)

    def follow_losses(self, on_loss: Callable[[NodeId], object]) -> None:
        self._loss_followers.append(on_loss)

    def follow_gaps(self, on_gap: Callable[[bool], object]) -> None:
        self._gap_followers.append(on_gap)

    def note_gap(self) -> None:
        """Note that messages of this node and of all others may have been lost: its connection was."""
        for node in self._neighbours.list_beside():
            self._note_return(node)
        self._note_silence(is_missed=False)

    def _note_return(self, node: str) -> None:
        for on_return in self._followers:
            on_return(NodeId(node))

    def _note_silence(self, *, is_missed: bool) -> None:
        for on_gap in self._gap_followers:
            on_gap(is_missed)

    def _note_loss(self, node: str) -> None:
        for on_loss in self._loss_followers:
            on_loss(NodeId(node))
