"""Another key for a cluster: in two steps while its nodes run, which hold new connections until all can show it.

A client that has accepted a successor never accepts the former key again, from nobody. So no node may show the former
key once another one has shown the new one. The row of the key in the journal decides which key is the right one; it is
written by the command that asks for the switch, while all nodes hold.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Final, Literal, NamedTuple, Protocol

import msgspec
from msgspec import Struct

from scoville_runtime.atomic_files import replace_file
from scoville_runtime.clock import SYSTEM, Clock
from scoville_server.identity import ServerKey
from scoville_server.journal.base import Change, Conflict, JournalError, Row
from scoville_server.journal.files import key_file
from scoville_server.journal.files.lock import FolderLock
from scoville_server.journal.jetstream.courier import EngineCourier
from scoville_server.journal.jetstream.engine import Engine, Place
from scoville_server.journal.jetstream.insistence import Insistence
from scoville_server.journal.jetstream.member import KEY_ADVICE
from scoville_server.journal.jetstream.mirror import CLUSTER, Mirror
from scoville_server.journal.key_rotation import Rotated
from scoville_server.nodes.election import MISSING_SECONDS, Beat
from scoville_server.nodes.neighbours import Courier, Neighbours, ShownKeys

_log = logging.getLogger(__name__)

SUCCESSOR: Final = "server.key.next"
"""The key that takes the place of the present one when the cluster has noted it."""
HOLD_SECONDS: Final = 5.0
"""How long nodes hold connections for a switch that does not come."""
_LATE_SECONDS: Final = 60.0
"""How long after that they still look whether it has come."""
_LOOK_SECONDS: Final = 0.1
_READ_SECONDS: Final = 0.5
"""Seconds between two looks at the folder."""
MISSED_SECONDS: Final = 2.0
"""Seconds between two looks whether the cluster has noted another key without this node: it may have hung, and requests
for a switch are not repeated for nodes that nobody hears."""
_ASK_SECONDS: Final = 0.2
_WRITE_SECONDS: Final = HOLD_SECONDS / 2
"""How long the new key may take to be noted: nodes hold connections meanwhile, and not for ever."""
_SWITCH_SECONDS: Final = 10.0
"""How long nodes may take to show it."""


class SwitchRequest(Struct, frozen=True, array_like=True):
    """Asks all nodes to hold connections, since their key is about to change to the one with this public key."""

    key: bytes
    kind: Literal["switch key"] = "switch key"


class KeyedPort(Protocol):
    """A port that shows the key of the server."""

    def hold_connections(self) -> None:
        """Accept nothing until `begin_accepting`."""

    def use_key(self, key: ServerKey) -> None:
        """Show another key from now on."""

    def begin_accepting(self) -> None:
        """Accept connections again."""


def find_successor(data: Path) -> ServerKey | None:
    """Return the key in a folder that is to take the place of the present one. Raises JournalError."""
    try:
        return ServerKey.from_file((data / SUCCESSOR).read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise JournalError(f"{data / SUCCESSOR} cannot be read: {error}.") from error


class KeySwitch:
    """The key of one node, which changes while it runs.

    Args:
        data: The folder with the key.
        key: The key.
        courier: Carries requests to switch.
        neighbours: Tell the others which keys this node has.
        read_noted: Reads which public key the cluster has noted. Raises JournalError.
        clock: The clock.

    Attributes:
        key: The key at the moment.
        port: The port that shows it.
    """

    def __init__(
        self,
        data: Path,
        key: ServerKey,
        courier: Courier,
        neighbours: Neighbours,
        read_noted: Callable[[], Awaitable[bytes]],
        clock: Clock,
    ) -> None:
        self.key = key
        self.port: KeyedPort | None = None
        self._data = data
        self._neighbours = neighbours
        self._read_noted = read_noted
        self._clock = clock
        self._successor: ServerKey | None = None
        self._unreadable = self._unread = ""
        self._holds = False
        self._switching: asyncio.Task[None] | None = None
        self._reading: asyncio.Task[None] | None = None
        courier.hear_messages(self._note_message)

    def finish_switch(self, noted: bytes) -> None:
        """Take the successor if the cluster has noted it while this node did not run."""
        self._read_successor()
        if self._successor is not None and self._successor.public == noted:
            self._adopt_key(self._successor)

    def start_watching(self) -> None:
        """Watch the folder for a successor, and tell the others of it."""
        self._reading = asyncio.get_running_loop().create_task(self._watch_folder())

    def stop_watching(self) -> None:
        """Stop."""
        for task in (self._reading, self._switching):
            if task is not None:
                task.cancel()

    async def wait_until_settled(self) -> None:
        """Wait while connections are held: a port that opened meanwhile would not be."""
        while self._holds:
            await self._clock.sleep(_LOOK_SECONDS)

    async def _watch_folder(self) -> None:
        looked = self._clock.seconds()
        while True:
            self._read_successor()
            if self._clock.seconds() >= looked + MISSED_SECONDS and self._may_have_missed_switch():
                looked = self._clock.seconds()
                await self._make_up_for_switch()
            await self._clock.sleep(_READ_SECONDS)

    def _may_have_missed_switch(self) -> bool:
        if self._switching is not None and not self._switching.done():
            return False
        keys = {heard.beat.key for heard in self._neighbours.heard.values()} - {b"", self.key.public}
        return self._successor is not None or bool(keys) or self._holds

    async def _make_up_for_switch(self) -> None:
        """Show the key that the cluster has noted; a node that does not have it shows none, and accepts nobody."""
        noted = await self._find_noted()
        if noted in (b"", self.key.public):
            return
        if self._successor is not None and noted == self._successor.public:
            self._adopt_key(self._successor)
        elif not self._holds:
            _log.error(
                "The cluster has another key than this node, which accepts nobody until it has that as well: copy "
                "server.key from another node to %s.",
                self._data / SUCCESSOR,
            )
            self._hold_connections()

    def _read_successor(self) -> None:
        try:
            self._successor, self._unreadable = find_successor(self._data), ""
            if self._successor is not None:
                key_file.protect_key(self._data, SUCCESSOR)
        except FileNotFoundError:
            pass  # renamed at this moment
        except JournalError as error:
            if error.message != self._unreadable:
                _log.warning("%s", error.message)
            self._successor, self._unreadable = None, error.message
        self._tell_others()

    def _tell_others(self) -> None:
        successor = b"" if self._successor is None else self._successor.public
        self._neighbours.keys = ShownKeys(self.key.public, successor, self._holds)

    def _note_message(self, message: bytes) -> None:
        try:
            request = msgspec.msgpack.decode(message, type=SwitchRequest)
        # A message of another version; nodes of that version read it.
        except (msgspec.MsgspecError, UnicodeDecodeError):
            return
        successor = self._successor
        if successor is not None and request.key == successor.public != self.key.public and not self._holds:
            if self._switching is not None:
                self._switching.cancel()
            self._hold_connections()
            self._switching = asyncio.get_running_loop().create_task(self._switch_key(successor))

    def _hold_connections(self) -> None:
        self._holds = True
        if self.port is not None:
            self.port.hold_connections()
        self._tell_others()
        self._neighbours.send_beat()

    async def _switch_key(self, successor: ServerKey) -> None:
        began, seconds = self._clock.seconds(), self._clock.seconds
        # Without the engine nobody knows which key is right: connections wait, and nothing could be saved anyway.
        while (noted := await self._find_noted()) != successor.public:
            if noted and seconds() - began > HOLD_SECONDS and self._holds:
                _log.warning("The key of the cluster was to be replaced, and was not; the present one stays.")
                self._release_connections()
            if seconds() - began > HOLD_SECONDS + _LATE_SECONDS and not self._holds:
                return
            await self._clock.sleep(_LOOK_SECONDS if self._holds else _READ_SECONDS)
        self._adopt_key(successor)

    async def _find_noted(self) -> bytes:
        """Return the public key that the cluster has noted; nothing while that is unknown."""
        try:
            noted = await self._read_noted()
        except JournalError:
            return b""
        except Exception as error:  # noqa: BLE001 - whatever it is, connections must not be held for ever
            if repr(error) != self._unread:
                _log.exception("The key of the cluster cannot be read.")
            self._unread = repr(error)
            return b""
        self._unread = ""
        return noted

    def _adopt_key(self, successor: ServerKey) -> None:
        """Show a key that the cluster has noted, and accept connections."""
        try:
            (self._data / SUCCESSOR).replace(self._data / key_file.KEY)
        except OSError as error:
            # It is found there at the next start.
            _log.error("%s cannot be renamed: %s.", self._data / SUCCESSOR, error.strerror)
        self.key, self._successor = successor, None
        _log.warning("The key of the server was replaced; its pin is %s now.", successor.pin)
        if self.port is not None:
            self.port.use_key(successor)
        self._tell_others()
        if self._holds:
            self._release_connections()

    def _release_connections(self) -> None:
        self._holds = False
        if self.port is not None:
            self.port.begin_accepting()
        self._tell_others()


# --- the command that asks for it ------------------------------------------------------------------------


class Prepared(NamedTuple):
    """A successor was made, and nobody shows it yet: its pin, its file, and the nodes that need it as well."""

    pin: str
    file: Path
    nodes: Sequence[str]

    def __str__(self) -> str:
        return (
            f"The next key has the pin {self.pin}; nobody shows it yet. Copy {self.file} into the data folders of all "
            f"other nodes (this cluster has {', '.join(self.nodes)}), then run this command again."
        )


class Replaced(NamedTuple):
    """A key was replaced; `copies` is whether the host has to copy the new one to the other nodes."""

    rotated: Rotated
    data: Path
    copies: bool

    def __str__(self) -> str:
        rest = f" Copy server.key from {self.data} to all other nodes before you start them." if self.copies else ""
        return f"{self.rotated}{rest}"


async def rotate_cluster_key(place: Place, data: Path, *, signed: bool, clock: Clock = SYSTEM) -> Prepared | Replaced:
    """Replace the key of a cluster in the data folder of one of its nodes, or prepare that. Raises JournalError.

    While nodes run the first call makes the successor, and the second one lets all nodes show it, once they have it.
    """
    courier, engine = EngineCourier(place, clock), Engine(place, clock)
    try:
        await courier.connect()
        nodes = Neighbours(courier, "", "", clock)
        await clock.sleep(MISSING_SECONDS)
        await engine.connect()
        mirror = Mirror(engine, lambda _: None, clock)
        await mirror.catch_up()
        noted = mirror.find_row(CLUSTER, KEY_ADVICE)
        if noted is None:
            raise JournalError(f"The cluster {place.name} has no server yet: its first node makes a key.")
        if nodes.heard:
            return await _KeyReplacement(engine, mirror, courier, nodes, data, clock).replace_key(noted, signed=signed)
        lock = FolderLock(data)
        try:
            return Replaced(
                await _rotate_stopped(engine, mirror, noted, data, signed=signed, clock=clock), data, copies=True
            )
        finally:
            lock.release_folder()
    finally:
        await engine.close()
        await courier.close()


async def _rotate_stopped(
    engine: Engine, mirror: Mirror, noted: Row, data: Path, *, signed: bool, clock: Clock
) -> Rotated:
    """Replace the key while no node runs; an interrupted rotation is finished."""
    former, new = key_file.find_key(data), find_successor(data)
    if new is None or new.public != noted.value:
        new = _make_successor(former, noted, data, signed=signed)
        await _note_key(mirror, noted, new, Insistence(engine, clock))
    (data / SUCCESSOR).replace(data / key_file.KEY)
    return Rotated("" if former is None else former.pin, new.pin, signed)


def _make_successor(former: ServerKey | None, noted: Row, data: Path, *, signed: bool) -> ServerKey:
    if signed and (former is None or former.public != noted.value):
        raise JournalError(f"The key in {data} is not that of the cluster. {KEY_ADVICE}, and run this again.")
    new = former.next_key() if signed and former is not None else ServerKey.new_key()
    try:
        replace_file(data / SUCCESSOR, new.as_file(), locked=True)
    except OSError as error:
        raise JournalError(f"The server's key cannot be written to {data}: {error.strerror}.") from error
    return new


async def _note_key(mirror: Mirror, noted: Row, new: ServerKey, insistence: Insistence) -> None:
    change = mirror.make_write(Change(CLUSTER, KEY_ADVICE, new.public, noted.revision), 2)
    await insistence.publish_message(change, Conflict(CLUSTER, KEY_ADVICE))


class _KeyReplacement:
    """Replaces the key of nodes that run."""

    def __init__(
        self, engine: Engine, mirror: Mirror, courier: EngineCourier, nodes: Neighbours, data: Path, clock: Clock
    ) -> None:
        self._engine = engine
        self._mirror = mirror
        self._courier = courier
        self._nodes = nodes
        self._data = data
        self._clock = clock

    async def replace_key(self, noted: Row, *, signed: bool) -> Prepared | Replaced:
        """Make the successor, or let all nodes show the one that was made. Raises JournalError."""
        former, new = key_file.find_key(self._data), find_successor(self._data)
        if new is None or former is None or new.public == noted.value or (signed and not new.has_replaced(former)):
            new = _make_successor(former, noted, self._data, signed=signed)
            return Prepared(new.pin, self._data / SUCCESSOR, [beat.address for beat in self._list_beats()])
        if lacking := [beat.address for beat in self._list_beats() if beat.successor != new.public]:
            raise JournalError(
                f"These nodes do not have the next key yet: {', '.join(lacking)}. Copy {self._data / SUCCESSOR} into "
                "their data folders, and run this again."
            )
        await self._hold_all(new)
        await _note_key(self._mirror, noted, new, Insistence(self._engine, self._clock, _WRITE_SECONDS))
        await self._wait_for_all(new)
        return Replaced(Rotated(former.pin, new.pin, new.has_replaced(former)), self._data, copies=False)

    def _list_beats(self) -> list[Beat]:
        return [heard.beat for _, heard in sorted(self._nodes.heard.items())]

    async def _hold_all(self, new: ServerKey) -> None:
        """Ask all nodes to hold connections, until they have said that they do. Raises JournalError."""
        until = self._clock.seconds() + _WRITE_SECONDS
        while not all(beat.holds for beat in self._list_beats()):
            if self._clock.seconds() > until:
                late = ", ".join(beat.address for beat in self._list_beats() if not beat.holds)
                raise JournalError(f"These nodes do not answer: {late}. The key stays; run this again when they do.")
            self._courier.send_message(msgspec.msgpack.encode(SwitchRequest(new.public)))
            await self._clock.sleep(_ASK_SECONDS)

    async def _wait_for_all(self, new: ServerKey) -> None:
        until = self._clock.seconds() + _SWITCH_SECONDS
        while late := [beat.address for beat in self._list_beats() if beat.key != new.public]:
            if self._clock.seconds() > until:
                raise JournalError(
                    f"The cluster has the new key {new.pin}, but these nodes do not show it yet: {', '.join(late)}. "
                    "They do so as soon as they reach the engine, or are started again."
                )
            await self._clock.sleep(_ASK_SECONDS)
