"""Users who come and go, and get warnings and invitations while they are away."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from contextlib import suppress
from itertools import count
from typing import Any, Final

from scoville_runtime.clock import SYSTEM
from scoville_runtime.control_client import ControlClient
from scoville_shared.errors import ScovilleError
from tests.e2e.cluster.__main__ import NODES, Cluster
from tests.e2e.cluster.load import Line, Refused
from tests.e2e.evening.programs import PASSWORD, Pace, Program
from tests.e2e.evening.story import Given, Told

_NOTICED_SECONDS: Final = 2.0
"""After so long all nodes know that a user has left, also if their node was lost meanwhile."""
_STAY_SECONDS: Final = 10.0
"""How long users stay at last, without a lost connection: so long a table may wait for its next node."""
_ANSWER_SECONDS: Final = 5.0
_MOST_TABLES: Final = 3
"""Tables that wait for guests; who opens another one leaves the oldest."""

Give = Callable[["Absentee"], Awaitable[None]]


class Absentee(Program):
    """A user with a claimed name who comes and goes; each time that they are away they are given something.

    Attributes:
        has_stayed: Is set once they have stayed at the end.
    """

    way = "absentee"

    def __init__(self, name: str, source: str, cluster: Cluster, pace: Pace, chance: random.Random, give: Give) -> None:
        super().__init__(name, source, cluster.ports, pace, chance, "")
        self._give = give
        self.has_stayed = asyncio.Event()

    def start(self) -> None:
        """Come and go until the end."""
        self._tasks = [asyncio.get_running_loop().create_task(self._come_and_go())]

    async def _come_and_go(self) -> None:
        while not self.story.claimed:
            await self._claim_name(self._line or await self.connect())
        while not self._pace.hurries:
            await self._stay(self._chance.uniform(1, 4))
            self._leave()
            await SYSTEM.sleep(_NOTICED_SECONDS)
            await self._give(self)
            self._port = self._chance.choice(self._ports)
        while not await self._stay(_STAY_SECONDS):
            pass
        self.has_stayed.set()

    async def _claim_name(self, line: Line) -> None:
        try:
            await self._call_node(line, "account.claim_name", password=PASSWORD)
        except (OSError, Refused) as error:
            # Its answer may have been lost.
            if not isinstance(error, Refused) or error.code != "name_claimed":
                await SYSTEM.sleep(0.2)
                if line.over.done():
                    self._line = None
                return
        self.story.claimed = self.story.greeted[-1].name

    async def _stay(self, seconds: float) -> bool:
        """Stay connected for some time; returns whether no connection was lost."""
        until, is_whole = SYSTEM.seconds() + seconds, True
        while (left := until - SYSTEM.seconds()) > 0:
            line = self._line or await self.connect()
            with suppress(TimeoutError):
                async with asyncio.timeout(left):
                    address = await asyncio.shield(line.over)
                    is_whole, self._line = False, None
                    if not line.comes_back:
                        self._leave_node(address)
        return is_whole

    def _leave(self) -> None:
        if self._line is not None and not self._line.over.done():
            self.story.greeted[-1].has_left = True
        self._hang_up()

    def _note_other(self, method: str, notice: dict[str, Any]) -> None:
        if method == "account.warned":
            self._note_told(notice["warning"]["reason"])
        elif method == "lobby.invited":
            self._note_told(notice["info"]["table"])

    def _note_told(self, text: str) -> None:
        # What comes before the answer to hello is of the connection that it greets.
        number = len(self.story.greeted) + (self._line is None)
        self.story.told.append(Told(text, number, SYSTEM.seconds()))


class Reminders:
    """Gives users who are away warnings, as a host does, and invitations of a friend, in turns."""

    def __init__(self, cluster: Cluster, friend: Program, chance: random.Random) -> None:
        self._cluster, self._friend, self._chance = cluster, friend, chance
        self._numbers = count(1)
        self._tables: list[str] = []

    async def give_something(self, user: Absentee) -> None:
        """Give a user who is away something, once: whether it was kept may stay unknown."""
        number = next(self._numbers)
        give = self._warn_user if number % 2 else self._invite_user
        with suppress(TimeoutError):
            async with asyncio.timeout(4 * _ANSWER_SECONDS):
                await give(user, number)

    async def _warn_user(self, user: Absentee, number: int) -> None:
        given = Given("warning", f"{user.story.claimed}, warning {number}", SYSTEM.seconds())
        user.story.given.append(given)
        folder = self._cluster.data_of(self._chance.randrange(NODES))
        control = ControlClient(folder, _ANSWER_SECONDS)
        try:
            await asyncio.to_thread(control.send_command, "warn", {"name": user.story.claimed}, given.text)
            given.outcome = "ok"
        except ScovilleError:
            pass  # that node does not run, or hangs
        finally:
            control.close()

    async def _invite_user(self, user: Absentee, number: int) -> None:
        friend = self._friend
        opened = await friend.ask_server("table.create", game="no_thanks", seat_count=3)
        table = opened["info"]["table"]
        await friend.ask_server("table.join", table=table)
        self._tables.append(table)
        given = Given("invitation", table, SYSTEM.seconds())
        user.story.given.append(given)
        if friend._line is not None:
            with suppress(OSError, Refused):
                await friend._call_node(friend._line, "table.invite", table=table, name=user.story.claimed)
                given.outcome = "ok"
        if len(self._tables) > _MOST_TABLES:
            with suppress(Refused):
                await friend.ask_server("table.leave", table=self._tables.pop(0))
