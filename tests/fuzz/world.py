"""A real server with users, in this process and over TCP, and its invariants."""

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any, Literal, TypeVar

from scoville_client.transport.in_process import connect_in_memory
from scoville_server.accounts.model.account_limits import AccountLimits, Hashing
from scoville_server.chat.model.chat_limits import ChatLimits
from scoville_server.journal.memory import MemoryJournal
from scoville_server.limits.budgets import GuessLimits
from scoville_server.limits.throttle import Rate
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_server.tables.catalog import GameCatalog
from scoville_server.tables.state_machine import restore_table, unpack_record
from tests.fuzz.client import FuzzClient
from tests.support.server import core_of

T = TypeVar("T")

OFTEN = 10_000
ADMIN = "Rita"
SETTINGS = Settings(
    host="127.0.0.1",
    port=0,
    admins=(ADMIN,),
    default_tables=("no_thanks",),
    chat=ChatLimits(messages=(Rate(OFTEN, 1.0),), messages_per_address=(Rate(OFTEN, 1.0),), repeats=Rate(OFTEN, 1.0)),
    accounts=AccountLimits(
        claims_per_hour=OFTEN, failures_per_hour=OFTEN, failures=OFTEN, hashing=Hashing(memory_kib=8, passes=1)
    ),
    table_creations=OFTEN,
    table_creations_per_address=OFTEN,
    guesses=GuessLimits(per_user=OFTEN, per_address=OFTEN),
    lobby_seconds=0.01,
    grace_seconds=0.05,
    unseated_seconds=0.5,
    finished_seconds=0.5,
    rematch_seconds=0.1,
    bot_fill_seconds=1,
)
"""Little is too often here: what is refused for it is not tried. Waits are short, so that they end."""

Way = Literal["memory", "tcp"]


class World:
    """The server and its connections. `faults` lists all errors."""

    @property
    def admin_code(self) -> str:
        """The one-time code of the admin."""
        return self._server.admin_codes[ADMIN]

    def __init__(self) -> None:
        self.faults: list[str] = []
        self.mouths: list[FuzzClient] = []
        self.gone: list[FuzzClient] = []
        self._journal = MemoryJournal()
        self._runner = asyncio.Runner()
        self._server: Server
        self._complaints = _Complaints(self.faults)
        logging.getLogger().addHandler(self._complaints)
        self.run(self._start())

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Do one random step."""
        return self._runner.run(work)

    def close(self) -> None:
        """Close all connections and the server."""
        self.run(self._server.close())
        self._runner.close()
        logging.getLogger().removeHandler(self._complaints)

    # --- lines --------------------------------------------------------------------------------------------

    def come(self, way: Way, name: str, token: str = "") -> None:
        """Connect or reconnect a user."""
        client = self.run(self._line(way))
        welcome = self.run(client.ask("hello", {"protocol": 1, "name": name, "token": token}))
        if welcome is not None:
            client.token, client.name = welcome["token"], welcome["name"]
            self.mouths.append(client)

    def drop(self, client: FuzzClient) -> None:
        """Cut a connection."""
        client.transport.abort()
        self.run(_turns())
        self._sort_out()

    def come_back(self, client: FuzzClient, way: Way) -> None:
        """Reconnect a user, whether the old connection is cut or still open."""
        back = client.table
        self.come(way, client.name, client.token)
        if self.mouths:
            self.mouths[-1].table = back
        self._sort_out()

    def shout(self, way: Way, data: bytes) -> None:
        """Let a stranger send bytes."""
        client = self.run(self._line(way))
        client.transport.write(data)
        self.run(_turns())
        client.transport.abort()

    def _sort_out(self) -> None:
        self.gone = [client for client in (*self.gone, *self.mouths) if not client.open][-8:]
        self.mouths = [client for client in self.mouths if client.open]

    async def _line(self, way: Way) -> FuzzClient:
        client = FuzzClient(self.faults)
        if way == "memory":
            connect_in_memory(client, self._server.make_protocol())
        else:
            await asyncio.get_running_loop().create_connection(lambda: client, "127.0.0.1", self._server.port)
        return client

    # --- what must be true --------------------------------------------------------------------------------

    def check(self) -> None:
        """Raise AssertionError for anything that is wrong."""
        self._sort_out()
        for client in self.mouths:
            if self.run(client.ask("ping", {"payload": "?"})) is None and client.open:
                self.faults.append(f"{client.name} is answered no more")
        self.faults += [f"table {table} is not what its records say" for table in self.run(self._broken())]
        assert self.faults == []

    async def _broken(self) -> list[str]:
        """Name the tables that differ from the fold of their records."""
        catalog, kept = GameCatalog(), self._journal._kept
        tables = [actor.table for actor in core_of(self._server).tables.all_tables()]
        return [
            table.id
            for table in tables
            if restore_table([unpack_record(data) for data in kept[table.id]], catalog.find_game) != table
        ]

    async def _start(self) -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: self.faults.append(f"the loop: {context}"))
        self._server = Server(SETTINGS, journal=self._journal)
        await self._server.start()


_OF_USERS = {"token_reused", "wrong_login", "banned", "door_refused", "flood_ended"}
"""Events that tell what users do, and no fault of the server."""


def is_complaint(record: logging.LogRecord) -> bool:
    """Whether a line of the log says that something is wrong with the server."""
    return getattr(record, "event", "") not in _OF_USERS


class _Complaints(logging.Handler):
    """Warnings in the server's log are faults."""

    def __init__(self, faults: list[str]) -> None:
        super().__init__(logging.WARNING)
        self._faults = faults
        self.addFilter(is_complaint)

    def emit(self, record: logging.LogRecord) -> None:
        trace = self.formatter or logging.Formatter()
        self._faults.append(trace.format(record))


async def _turns() -> None:
    for _ in range(5):
        await asyncio.sleep(0)
