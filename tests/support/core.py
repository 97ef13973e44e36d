"""Users at a server with toy games: guests, many guests of one address, and users behind doors; expected refusals."""

import asyncio
import ssl
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, Self

import pytest
from msgspec.structs import replace

from scoville_server.server import Server
from scoville_shared.errors import ScovilleError
from scoville_shared.protocol.messages import (
    PROTOCOL,
    HelloRequest,
    HostedUser,
    JoinRequest,
    Params,
)
from tests.support.rpc import RpcClient
from tests.support.server import Caller, core_of
from tests.support.tls import any_certificate


async def connect_user(server: Server, name: str = "", token: str = "") -> Caller:
    return await Caller(server).hello(name, token)


async def code_of(caller: Caller, params: object) -> str:
    with pytest.raises(ScovilleError) as refused:
        await caller.call(params)
    return refused.value.code


async def seat_users(server: Server, *names: str, game: str = "high_card") -> tuple[str, list[Caller]]:
    """Open a table for some users, and seat them."""
    users = [await connect_user(server, name) for name in names]
    table = await users[0].create(game, max(2, len(names)))
    for user in users:
        await user.call(JoinRequest(table=table))
    return table, users


ATTACKER, INNOCENT = "127.0.0.2", "127.0.0.1"


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def stop_clocks(server: Server) -> Clock:
    """Let every limit of a server count by one clock, which stands still."""
    clock, core = Clock(), core_of(server)
    core.budgets.now = core.access.now = core.chat.now = core.sessions.now = clock
    core.accounts._clock = clock
    core.users.time.seconds = clock
    return clock


async def connect_from(server: Server, host: str, name: str = "", token: str = "") -> Caller:
    """A user who connects from an address."""
    caller = Caller(server)
    caller.peer.address = f"{host}:{4000 + len(core_of(server).sessions._by_id)}"
    return await caller.hello(name, token)


async def try_request(caller: Caller, params: Params) -> str:
    """Ask for something; returns `ok`, or the code of the refusal."""
    try:
        await caller.call(params)
    except ScovilleError as error:
        return error.code
    return "ok"


async def send_swarm(
    server: Server, users: int, act: Callable[[Caller], Awaitable[Any]], *, host: str = ATTACKER
) -> Sequence[Any]:
    """Let so many fresh guests of an address do something, one after the other; returns what each got."""
    return [await act(await connect_from(server, host)) for _ in range(users)]


SSH = HostedUser(credential="", transport="ssh", address="192.0.2.7")
WEB = HostedUser(credential="", transport="web", address="192.0.2.7")
PAGE = replace(WEB, secure=False)
"""A visitor of a page that is not encrypted."""


async def connect_hosted(server: Server, door: HostedUser = SSH, name: str = "", token: str = "") -> Caller:
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


class TlsDoor(DoorClient):
    """A door on another machine."""

    port = 0

    async def __aenter__(self) -> "TlsDoor":
        self._reader, self._writer = await asyncio.open_connection(
            "127.0.0.1", self.port, ssl=any_certificate(ssl.TLSVersion.TLSv1_3)
        )
        self._reading = asyncio.get_running_loop().create_task(self._read())
        return self
