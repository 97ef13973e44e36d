"""Another key for a cluster that runs: nodes hold new connections until all of them can show it.

A client that has accepted a successor never accepts the former key again, from nobody. So no node may show the former
key once another one has shown the new one. The row of the key in the journal decides which key is the right one; it is
written by the command that asks for the switch, while all nodes hold.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final, Literal, Protocol

import msgspec
from msgspec import Struct

from scoville_runtime.clock import Clock
from scoville_server.identity import ServerKey
from scoville_server.journal.base import JournalError
from scoville_server.journal.files import key_file
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
        port: What shows it.
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
        self._unreadable = ""
        self._holds = False
        self._switching: asyncio.Task[None] | None = None
        self._reading: asyncio.Task[None] | None = None
        courier.hear_messages(self._note_message)

    def finish_switch(self, noted: bytes) -> None:
        """Take the successor if the cluster has noted it while this node did not run."""
        self._read_successor()
        if self._successor is not None and self._successor.public == noted:
            self._adopt(self._successor)

    def begin(self) -> None:
        """Watch the folder for a successor, and tell the others of it."""
        self._reading = asyncio.get_running_loop().create_task(self._watch_folder())

    def end(self) -> None:
        """Stop."""
        for task in (self._reading, self._switching):
            if task is not None:
                task.cancel()

    async def wait_until_settled(self) -> None:
        """Wait while connections are held: a port that opened meanwhile would not be."""
        while self._holds:
            await self._clock.sleep(_LOOK_SECONDS)

    async def _watch_folder(self) -> None:
        while True:
            self._read_successor()
            await self._clock.sleep(_READ_SECONDS)

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
        except (msgspec.MsgspecError, UnicodeDecodeError):
            return
        successor = self._successor
        if successor is not None and request.key == successor.public != self.key.public and not self._holds:
            if self._switching is not None:
                self._switching.cancel()
            self._hold_connections()
            self._switching = asyncio.get_running_loop().create_task(self._switch(successor))

    def _hold_connections(self) -> None:
        self._holds = True
        if self.port is not None:
            self.port.hold_connections()
        self._tell_others()
        self._neighbours.send_beat()

    async def _switch(self, successor: ServerKey) -> None:
        began, seconds = self._clock.seconds(), self._clock.seconds
        # Without the engine nobody knows which key is right: connections wait, and nothing could be saved anyway.
        while (noted := await self._find_noted()) != successor.public:
            if noted and seconds() - began > HOLD_SECONDS and self._holds:
                _log.warning("The key of the cluster was to be replaced, and was not; the present one stays.")
                self._release_connections()
            if seconds() - began > HOLD_SECONDS + _LATE_SECONDS and not self._holds:
                return
            await self._clock.sleep(_LOOK_SECONDS if self._holds else _READ_SECONDS)
        self._adopt(successor)
        if self._holds:
            self._release_connections()

    async def _find_noted(self) -> bytes:
        """Return the public key that the cluster has noted; nothing while that is unknown."""
        try:
            return await self._read_noted()
        except JournalError:
            return b""

    def _adopt(self, successor: ServerKey) -> None:
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

    def _release_connections(self) -> None:
        self._holds = False
        if self.port is not None:
            self.port.begin_accepting()
        self._tell_others()
