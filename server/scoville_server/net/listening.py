"""Listening sockets that outlive a process: connections wait in them while the server restarts."""

import asyncio
import logging
import os
import socket
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO, Final, cast

from scoville_runtime.service_manager import Inherited, OpenFile, ServiceManager
from scoville_server.net.accepting import bind_port, find_addresses
from scoville_shared.networks import write_peer

_log = logging.getLogger(__name__)

PORT: Final = "port"
"""The name of a port that the service manager has opened, which stays open whatever becomes of this process."""
OWN_PORT: Final = "own-port"
"""The name of a port that an earlier server has opened."""
MONITORING: Final = "monitoring"
_CONNECTIONS: Final = "connections"
_STATES: Final = "connection-states"
_MANAGER_SECONDS: Final = 0.5
"""Seconds that the service manager has to show that it reads."""


class ListeningSockets:
    """The sockets that this process inherits, and those that its successor inherits: nearly all of them listen.

    Args:
        inherited: From the service manager, or from the process that this one has replaced, by name.
        manager: The service manager, which keeps Unix sockets while no server runs.
        keeps: Whether copies are kept for a successor, in which connections wait when this server has closed its own.

    Attributes:
        port_is_kept: Whether the port is the service manager's: a connection after the end of this process
            lets the next one start, and is served by that.
    """

    def __init__(
        self,
        inherited: Inherited | None = None,
        manager: ServiceManager | None = None,
        *,
        keeps: bool = False,
    ) -> None:
        self._keeps = keeps
        sockets, files = inherited or ({}, {})
        self._inherited = {name: [*of_name] for name, of_name in sockets.items()}
        self._files = {**files}
        self._manager = manager or ServiceManager()
        self._kept: dict[str, Sequence[OpenFile]] = {}
        self._stored: set[str] = set()
        self.port_is_kept = False

    async def open_port(self, host: str, port: int) -> list[socket.socket]:
        """Return the sockets of a port: inherited ones if they are those of the address, else new ones.

        Raises OSError.
        """
        wanted = await find_addresses(host, port)
        for name in [*self._inherited]:
            if name not in (MONITORING, _CONNECTIONS) and (found := self._take_port(name, wanted, port)):
                # A socket without a name comes from a unit of the host's own.
                self.port_is_kept = name != OWN_PORT
                self._keep(PORT if self.port_is_kept else OWN_PORT, found)
                return found
        bound = await bind_port(host, port)
        self._keep(OWN_PORT, bound)
        return bound

    def take_path(self, kind: str, path: Path) -> socket.socket | None:
        """Return the inherited Unix socket at a path; None if there is none, or another file took its place."""
        name = _name_of_path(kind, path)
        taken = self._inherited.pop(name, [])
        for each in taken[1:] if path.is_socket() else taken:
            each.close()
        return taken[0] if taken and path.is_socket() else None

    def keep_path(self, kind: str, path: Path, listening: socket.socket) -> None:
        """Keep a Unix socket for the next process, also for one that the service manager starts."""
        self._keep_and_store(_name_of_path(kind, path), listening)

    def is_stored(self, kind: str, path: Path) -> bool:
        """Return whether the service manager has a Unix socket, so that its file must stay."""
        return _name_of_path(kind, path) in self._stored

    def take_monitoring(self, address: tuple[Any, Any]) -> socket.socket | None:
        """Return the inherited socket of the port for monitoring, if it is bound to that address."""
        for each in self._inherited.pop(MONITORING, []):
            if each.getsockname()[0] == address[0] and address[1] in (0, each.getsockname()[1]):
                return each
            each.close()
        return None

    def keep_monitoring(self, listening: socket.socket) -> None:
        """Keep the port for monitoring, as a Unix socket is kept."""
        self._keep_and_store(MONITORING, listening)

    async def can_store_connections(self) -> bool:
        """Whether the service manager takes connections for the next process that it starts."""
        return self.port_is_kept and await asyncio.to_thread(self._manager.wait_until_read, _MANAGER_SECONDS)

    async def keep_connections(self, connections: Sequence[socket.socket], states: bytes, *, store: bool) -> None:
        """Keep unread connections for the successor, with the data it needs.

        With `store` the service manager gets them, else the process that replaces this one.
        """
        file = _write_file(states)
        if not store:
            self._kept[_CONNECTIONS], self._kept[_STATES] = connections, [file]
            return
        try:
            await asyncio.to_thread(self._store_connections, connections, file)
        except OSError as error:  # their clients connect again
            _log.warning("The connections cannot be handed to the service manager: %s", error.strerror or error)
        finally:
            file.close()
            for connection in connections:
                connection.close()

    def _store_connections(self, connections: Sequence[socket.socket], file: BinaryIO) -> None:
        self._manager.store_files(_STATES, [file])
        self._manager.store_files(_CONNECTIONS, connections)
        self._manager.wait_until_read(_MANAGER_SECONDS)  # it may not know the sender any more after the end

    def take_connections(self) -> tuple[list[socket.socket], bytes]:
        """Return the connections that a former process has kept, and their states."""
        connections, file = self._inherited.pop(_CONNECTIONS, []), self._files.pop(_STATES, None)
        if file is None:
            return connections, b""
        for name in (_CONNECTIONS, _STATES):  # its copies would keep them open when they end
            self._manager.remove_stored(name)
        with file:
            file.seek(0)
            return connections, file.read()

    def close_unused(self) -> None:
        """Close inherited sockets that are not used: connections would wait in it for ever."""
        for name, sockets in self._inherited.items():
            for each in sockets:
                _log.warning(
                    "The inherited socket %s (%s) is none that the settings name, so it is closed. If a unit of "
                    "systemd opens it, correct its ListenStream.",
                    _describe_address(each),
                    name,
                )
                each.close()
            self._manager.remove_stored(name)
        self._inherited.clear()
        for file in self._files.values():
            file.close()
        self._files.clear()

    def inherit(self, inherited: Inherited) -> None:
        """Inherit from the process that this one succeeds, once that has let go of everything."""
        self._inherited, self._files = inherited

    @property
    def kept(self) -> Mapping[str, Sequence[OpenFile]]:
        """All that a successor needs, by name."""
        return self._kept

    def release_kept(self) -> dict[str, Sequence[OpenFile]]:
        """Return all that a successor needs, by name."""
        kept, self._kept = self._kept, {}
        return kept

    def next_in_process(self) -> "ListeningSockets":
        """Return those of the next server of this process, which inherits what this one has kept.

        It inherits as well what this one has not come to use, such as after a start that another node has overtaken.
        """
        kept, sockets, files = self.release_kept(), self._inherited, self._files
        self._inherited, self._files = {}, {}
        for name, of_name in kept.items():
            if name == _STATES:
                files[name] = cast("BinaryIO", of_name[0])
            else:
                sockets[name] = [cast("socket.socket", each) for each in of_name]
        return ListeningSockets(Inherited(sockets, files), self._manager, keeps=self._keeps)

    def close_kept(self) -> None:
        """Close the copies: this process has no successor of its own."""
        for kept in self.release_kept().values():
            for each in kept:
                each.close()

    def _take_port(self, name: str, wanted: Sequence[tuple[str, int]], port: int) -> list[socket.socket]:
        """Take the sockets of a name if all of them are bound to addresses that the settings name."""
        found = self._inherited[name]
        bound = [each.getsockname()[:2] for each in found if each.family in (socket.AF_INET, socket.AF_INET6)]
        hosts = {host for host, _ in wanted}
        if len(bound) == len(found) and all(host in hosts and port in (0, at) for host, at in bound):
            return self._inherited.pop(name)
        return []

    def _keep(self, name: str, sockets: Sequence[socket.socket]) -> None:
        # Copies: the listeners close their own.
        if self._keeps:
            self._kept[name] = [each.dup() for each in sockets]

    def _keep_and_store(self, name: str, listening: socket.socket) -> None:
        self._keep(name, [listening])
        if self._manager.store_socket(name, listening):
            self._stored.add(name)


def _write_file(content: bytes) -> BinaryIO:
    """Return a file that has no name."""
    file: BinaryIO
    if hasattr(os, "memfd_create"):
        file = os.fdopen(os.memfd_create(_STATES), "r+b")
    else:
        file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 - the successor closes it
    file.write(content)
    file.flush()
    return file


def _name_of_path(kind: str, path: Path) -> str:
    """Return the name of a Unix socket: another path in the settings must not get the socket of the former one."""
    digest = sha256(str(path.absolute()).encode()).hexdigest()
    return f"{kind}-{digest[:12]}"


def _describe_address(listening: socket.socket) -> str:
    with suppress(OSError, ValueError, TypeError):
        host, port, *_ = listening.getsockname()
        return write_peer(host, port)
    return str(listening.getsockname())
