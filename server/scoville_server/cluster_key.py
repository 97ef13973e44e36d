"""Rotation of the key of a cluster: all nodes stand still, since two keys look like two servers."""

from pathlib import Path
from typing import Final

from scoville_runtime.atomic_files import replace_file
from scoville_runtime.clock import SYSTEM, Clock
from scoville_server.identity import ServerKey
from scoville_server.journal.base import Change, Conflict, JournalError
from scoville_server.journal.files import key_file
from scoville_server.journal.files.lock import FolderLock
from scoville_server.journal.jetstream.courier import EngineCourier
from scoville_server.journal.jetstream.engine import Engine, Place
from scoville_server.journal.jetstream.insistence import Insistence
from scoville_server.journal.jetstream.member import KEY_ADVICE
from scoville_server.journal.jetstream.mirror import CLUSTER, Mirror
from scoville_server.journal.key_rotation import Rotated
from scoville_server.nodes.election import MISSING_SECONDS
from scoville_server.nodes.neighbours import Neighbours

_NEXT: Final = "server.key.next"
"""The new key until the cluster has noted it: an interrupted rotation is finished by the next one."""


async def rotate_cluster_key(place: Place, data: Path, *, signed: bool, clock: Clock = SYSTEM) -> Rotated:
    """Replace the key of a cluster in the data folder of one of its nodes. Raises JournalError.

    The other nodes do not join before they have the new one.
    """
    lock, engine = FolderLock(data), Engine(place, clock)
    try:
        await _refuse_while_nodes_run(place, clock)
        await engine.connect()
        mirror = Mirror(engine, lambda _: None, clock)
        await mirror.catch_up()
        return await _rotate(engine, mirror, data, signed=signed, clock=clock)
    finally:
        await engine.close()
        lock.release_folder()


async def _refuse_while_nodes_run(place: Place, clock: Clock) -> None:
    courier = EngineCourier(place, clock)
    try:
        await courier.connect()
        others = Neighbours(courier, "", "", clock)
        await clock.sleep(MISSING_SECONDS)
        if others.heard:
            names = ", ".join(sorted(heard.beat.address for heard in others.heard.values()))
            raise JournalError(f"Nodes of the cluster run ({names}). Stop all of them before its key is replaced.")
    finally:
        await courier.close()


async def _rotate(engine: Engine, mirror: Mirror, data: Path, *, signed: bool, clock: Clock) -> Rotated:
    noted = mirror.find_row(CLUSTER, KEY_ADVICE)
    if noted is None:
        raise JournalError(f"The cluster {engine.place.name} has no server yet: its first node makes a key.")
    former, new = key_file.find_key(data), _find_next(data)
    if new is None or new.public != noted.value:
        if signed and (former is None or former.public != noted.value):
            raise JournalError(f"The key in {data} is not that of the cluster. {KEY_ADVICE}, and run this again.")
        new = former.next_key() if signed and former is not None else ServerKey.new_key()
        _write_next(data, new)
        change = mirror.make_write(Change(CLUSTER, KEY_ADVICE, new.public, noted.revision), 2)
        await Insistence(engine, clock).publish_message(change, Conflict(CLUSTER, KEY_ADVICE))
    (data / _NEXT).replace(data / key_file.KEY)
    return Rotated("" if former is None else former.pin, new.pin, signed)


def _find_next(data: Path) -> ServerKey | None:
    """Return the key of a rotation that was interrupted. Raises JournalError."""
    try:
        return ServerKey.from_file((data / _NEXT).read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise JournalError(f"{data / _NEXT} cannot be read: {error}.") from error


def _write_next(data: Path, key: ServerKey) -> None:
    try:
        replace_file(data / _NEXT, key.as_file(), locked=True)
    except OSError as error:
        raise JournalError(f"The server's key cannot be written to {data}: {error.strerror}.") from error
