"""Tables of the house: of each of some games one is always open, to anybody."""

import asyncio
import logging
from collections.abc import Sequence

from scoville_server.actor import Done, TableActor
from scoville_server.app.beginning import Beginnings
from scoville_server.app.chores import Chores
from scoville_server.app.doors import Doors
from scoville_server.app.floor import Floor, Follower
from scoville_server.journal.base import JournalError
from scoville_server.table.model import HOUSE, Table
from scoville_shared.errors import Code, ScovilleError

_log = logging.getLogger(__name__)


class HouseTables(Follower):
    """When a table of the house begins or goes, the next of its game opens."""

    def __init__(
        self, floor: Floor, doors: Doors, beginnings: Beginnings, chores: Chores, games: Sequence[str]
    ) -> None:
        self._floor = floor
        self._doors = doors
        self._beginnings = beginnings
        self._chores = chores
        self._games = games
        self._opening: set[str] = set()
        self._delays = {game: floor.delay() for game in games}
        self._retries: dict[str, asyncio.TimerHandle] = {}
        self._closing = False

    def open(self) -> None:
        """Open what is not open yet."""
        for game in self._games:
            self._see_to(game)

    def changed(self, _actor: TableActor, done: Done) -> None:
        """Open the next table when a game begins."""
        if is_house_table(done.after) and done.before.status != done.after.status:
            self._see_to(done.after.opened.game)

    def cleared(self, actor: TableActor) -> None:
        """Open another table for one that was cleared away."""
        if is_house_table(actor.table):
            self._see_to(actor.table.opened.game)

    def close(self) -> None:
        """Open nothing more."""
        self._closing = True
        for retry in self._retries.values():
            retry.cancel()

    def _see_to(self, game: str) -> None:
        busy = game in self._opening or game in self._retries
        wanted = game in self._games and not busy and not self._closing
        if wanted and not any(_waits_for(actor.table, game) for actor in self._floor.lobby.all()):
            self._opening.add(game)
            self._chores.do(self._open(game))

    async def _open(self, game: str) -> None:
        code = self._doors.new_code()
        try:
            await self._floor.open(self._beginnings.of_house(game, code))
        except JournalError as error:
            _log.warning("No table of the house for %s yet: %s", game, error.message)
            self._try_later(game)
        except ScovilleError as error:
            if error.code == Code.SHUTTING_DOWN:
                return
            _log.error("No table of the house for %s: %s", game, error.message)
        else:
            self._delays[game].reset()
        finally:
            self._doors.give_up(code)
            self._opening.discard(game)

    def _try_later(self, game: str) -> None:
        if not self._closing:
            later = asyncio.get_running_loop().call_later
            self._retries[game] = later(self._delays[game].next(), self._try_again, game)

    def _try_again(self, game: str) -> None:
        del self._retries[game]
        self._see_to(game)


def is_house_table(table: Table) -> bool:
    """Tell whether the house has opened a table."""
    return table.opened.person == HOUSE


def _waits_for(table: Table, game: str) -> bool:
    waiting = table.status == "waiting" and table.closed is None
    return is_house_table(table) and table.opened.game == game and waiting
