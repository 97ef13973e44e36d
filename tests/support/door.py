"""Doors for tests: connections that say whom they host, with and without bytes."""

import asyncio
from pathlib import Path
from typing import Any, Self

from msgspec.structs import replace

from scoville_server.server import Server
from scoville_shared.protocol.messages import PROTOCOL, HelloRequest, HostedUser
from tests.support.rpc import RpcClient
from tests.support.server import Caller

SSH = HostedUser(credential="", transport="ssh", address="192.0.2.7")
WEB = HostedUser(credential="", transport="web", address="192.0.2.7")
PAGE = replace(WEB, secure=False)
"""A visitor of a page that is not encrypted."""


async def hosted(server: Server, door: HostedUser = SSH, name: str = "", token: str = "") -> Caller:
    """A user behind a door that has proved itself."""
    caller = Caller(server, f"{door.address}:4000")
    caller.peer.door, caller.peer.secure = door, door.secure
    hello = HelloRequest(protocol=PROTOCOL, name=name, token=token, door=door)
    caller.welcome = await caller.call(hello)
    return caller


class DoorClient(RpcClient):
    """One connection of a door over the server's Unix socket, with the credential in its file."""

    def __init__(self, path: Path, credential_file: Path, address: str = "192.0.2.7", **door: Any) -> None:
        super().__init__(0)
        self._socket = path
        credential = credential_file.read_text().strip()
        self._door = {"credential": credential, "transport": "ssh", "address": address, **door}
        self.welcome: dict[str, Any] = {}

    async def __aenter__(self) -> "DoorClient":
        self._reader, self._writer = await asyncio.open_unix_connection(self._socket)
        self._reading = asyncio.get_running_loop().create_task(self._read())
        return self

    @classmethod
    def at(cls, server: Server, address: str = "192.0.2.7", **door: Any) -> Self:
        """A door of a server in this process."""
        assert server.door_socket is not None
        assert server.door_credential_file is not None
        return cls(server.door_socket, server.door_credential_file, address, **door)

    async def come(self, name: str = "", token: str = "") -> "DoorClient":
        """Send hello for the user."""
        self.welcome = await self.call("hello", protocol=PROTOCOL, name=name, token=token, door=self._door)
        self.name, self.token = self.welcome["name"], self.welcome["token"]
        return self
