"""The data folder of a node: its lock, and what it has in common with those of all other nodes."""

from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from scoville_server.identity import ServerKey
from scoville_server.journal.files import credential_file, key_file
from scoville_server.journal.files.lock import FolderLock
from scoville_server.journal.opening import make_folder
from scoville_server.net.doors.settings import DoorSettings
from scoville_server.net.tcp import Doors


class NodeFolder(NamedTuple):
    """A folder that this process has locked.

    Attributes:
        lock: The lock.
        key: The key that all nodes show.
        doors: How users come in through doors.
        secrets: The hashes of what all nodes have alike, by what a host is to do where they differ.
    """

    lock: FolderLock
    key: ServerKey
    doors: Doors
    secrets: dict[str, bytes]


def open_node_folder(data: Path, doors: DoorSettings) -> NodeFolder:
    """Lock a folder, and read the files that all nodes have in common; the first node makes it. Raises JournalError."""
    make_folder(data)
    lock = FolderLock(data)
    try:
        return _read_folder(data, lock, doors)
    except BaseException:
        lock.release_folder()
        raise


def _read_folder(data: Path, lock: FolderLock, doors: DoorSettings) -> NodeFolder:
    key = key_file.find_key(data)
    if key is None:
        key_file.write_key(data, key := ServerKey.new_key())
    else:
        # Copied from another node, and copies are often for everybody to read.
        key_file.protect_key(data)
    if not doors.enabled:
        return NodeFolder(lock, key, Doors(), {})
    path = doors.credential_file or data / credential_file.CREDENTIAL
    credential = credential_file.find_credential(path)
    if credential is None:
        credential = credential_file.make_credential()
    credential_file.write_credential(path, credential, shared=bool(doors.group))
    secrets = {f"Copy {path.name} from another node": sha256(credential.encode()).digest()}
    return NodeFolder(lock, key, Doors(replace(doors, socket=None), credential), secrets)
