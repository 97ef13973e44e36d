"""Rotation of the key of a cluster: in two steps while its nodes run, or at once while none does."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

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
from scoville_server.key_switch import HOLD_SECONDS, SUCCESSOR, SwitchRequest, find_successor
from scoville_server.nodes.election import MISSING_SECONDS, Beat
from scoville_server.nodes.neighbours import Neighbours

_ASK_SECONDS: Final = 0.2
_WRITE_SECONDS: Final = HOLD_SECONDS / 2
"""How long the new key may take to be noted: nodes hold connections meanwhile, and not for ever."""
_SWITCH_SECONDS: Final = 10.0
"""How long nodes may take to show it."""


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
            return await _Switch(engine, mirror, courier, nodes, data, clock).replace_key(noted, signed=signed)
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


class _Switch:
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
