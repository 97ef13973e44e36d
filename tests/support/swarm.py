"""Throw-away guests of one address that try to exhaust shared resources."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from scoville_server.server import Server
from scoville_shared.errors import ScovilleError
from scoville_shared.protocol.messages import Params
from tests.support.server import Caller, core_of

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


async def from_address(server: Server, host: str, name: str = "", token: str = "") -> Caller:
    """A user who connects from an address."""
    caller = Caller(server)
    caller.peer.address = f"{host}:{4000 + len(core_of(server).sessions._by_id)}"
    return await caller.hello(name, token)


async def tried(caller: Caller, params: Params) -> str:
    """Ask for something; returns `ok`, or the code of the refusal."""
    try:
        await caller.call(params)
    except ScovilleError as error:
        return error.code
    return "ok"


async def swarm(
    server: Server, users: int, act: Callable[[Caller], Awaitable[Any]], *, host: str = ATTACKER
) -> Sequence[Any]:
    """Let so many fresh guests of an address do something, one after the other; returns what each got."""
    return [await act(await from_address(server, host)) for _ in range(users)]
