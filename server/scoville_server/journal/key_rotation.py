"""Rotation of a server's key: its successor takes its place in the data folder of a server that is not running."""

from pathlib import Path
from typing import NamedTuple

from scoville_server.identity import ServerKey
from scoville_server.journal.base import JournalError
from scoville_server.journal.files import generations, key_file
from scoville_server.journal.files.lock import FolderLock


class Rotated(NamedTuple):
    """The pins of the former and of the new key; `before` is empty when the former one could not be read.

    `signed` is whether the former key has signed the new one.
    """

    before: str
    now: str
    signed: bool

    def __str__(self) -> str:
        if self.signed:
            after = f"Clients that know {self.before} accept it by themselves; give new players the new one."
        else:
            after = "Clients that know the server warn of the new key: give your players the new pin in another way."
        return f"The server's new pin is {self.now}. {after}"


def rotate_key(data: Path, *, signed: bool) -> Rotated:
    """Replace the key of a data folder. Raises JournalError, and then the former key stays.

    Args:
        data: The folder, which no server is using.
        signed: Whether the former key signs its successor, so that clients accept it. A stolen or lost key does not.
    """
    if not data.is_dir() or (number := generations.current_generation(data)) is None:
        raise JournalError(f"There is no server in {data}: its first start makes a key.")
    lock = FolderLock(data)
    try:
        if generations.to_move(data, number):
            raise JournalError(f"A restore into {data} is not finished; start its server once, or run it again.")
        if signed:
            former = key_file.load_key(data)
            new, before = former.next_key(), former.pin
        else:
            new, before = ServerKey.new_key(), _pin_if_readable(data)
        key_file.write_key(data, new)
        return Rotated(before, new.pin, signed)
    finally:
        lock.release_folder()


def _pin_if_readable(data: Path) -> str:
    try:
        found = key_file.find_key(data)
    except JournalError:
        return ""
    return "" if found is None else found.pin
