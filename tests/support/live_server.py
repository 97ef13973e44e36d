"""Server with a host who opens tables, and start options for a client that joins it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from scoville_client.session.session import Session
from scoville_client.session.start_options import Start
from scoville_client.transport.in_process import LocalLink, serve_in_process
from scoville_server.server import Server
from tests.support.screens import start_as


class LiveServer:
    """Marie is there already; who comes is called Paul."""

    def __init__(self, server: Server, marie: Session) -> None:
        self.server = server
        self.marie = marie

    @property
    def port(self) -> int:
        """Where it is reached."""
        return self.server.port

    @property
    def start(self) -> Start:
        """How to get there."""
        return self.start_as("Paul")

    def start_as(self, name: str) -> Start:
        """Start options of another client."""
        return start_as(self.port, name)

    async def connect_user(self, name: str) -> Session:
        """Connect a user over the in-process transport."""
        session = Session()
        await session.connect(LocalLink(self.server), name)
        return session

    async def open(self, game: str = "dicht_dran", seats: int = 3, **more: Any) -> str:
        """Let Marie open a table; returns its id."""
        return (await self.marie.lobby.create_table(game, seats, **more)).table

    async def open_with_marie(self, game: str = "dicht_dran", seats: int = 3, **more: Any) -> str:
        """Let Marie open a table and sit down at it; returns its id."""
        table = await self.open(game, seats, **more)
        await self.marie.join_table(table)
        return table

    async def begin(self, game: str) -> str:
        """Let Marie begin a game; returns the table's id."""
        table = await self.open_with_marie(game)
        await self.marie.table_actions.start_game()
        return table


@asynccontextmanager
async def open_live_server(data: Path | None = None) -> AsyncIterator[LiveServer]:
    """Open a server in this process that can be reached at a port; one that saves its data has a daily deal."""
    server = await serve_in_process(host="127.0.0.1", port=0, data=data)
    marie = Session()
    await marie.connect(LocalLink(server), "Marie")
    yield LiveServer(server, marie)
    await marie.close()
    await server.close()
