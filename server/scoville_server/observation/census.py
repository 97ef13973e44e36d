"""Census of tables and users: how many there are of each kind, counted at each change instead of at each look."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final, Literal

from scoville_runtime.figures import OTHERS, RecentCounts
from scoville_server.accounts.sessions import User
from scoville_server.accounts.users import UserObserver
from scoville_server.tables.actor import Done, TableActor
from scoville_server.tables.model.table import Table
from scoville_server.tables.observers import Change, TableObserver
from scoville_shared.ids import TableId, UserId

TableState = Literal["waiting", "playing", "paused", "finished"]
TABLE_STATES: Final[Sequence[TableState]] = ("waiting", "playing", "paused", "finished")
MOVERS: Final = ("player", "clock", "bot")
RESULTS: Final = ("finished", "closed")
MOST_GAMES: Final = 8
"""Games that are counted one by one; those after them are counted together."""

Entrance = Literal["direct", "ssh", "web", "inside"]
"""How a user is connected: by a program of their own, through a door, or inside this process."""
ENTRANCES: Final[Sequence[Entrance]] = ("direct", "ssh", "web", "inside")


def state_of(table: Table) -> TableState:
    """Return the state of a table as hosts see it."""
    return "paused" if table.running and table.paused else table.status


class TableCensus(TableObserver):
    """Counts tables, games and moves by game. `games` are the slugs that are counted one by one.

    Attributes:
        tables: Open tables by game and state.
        started: Games that have started here.
        ended: Games that have ended here, by game and result.
        moves: Moves by game and who made them.
        recent_moves: The moves of the last minute.
    """

    observed = frozenset({Change.STATUS, Change.PAUSE, Change.MOVES})

    def __init__(self, games: Sequence[str], now: Callable[[], float]) -> None:
        self.games = tuple(games[:MOST_GAMES])
        self.tables: Counter[tuple[str, TableState]] = Counter()
        self.started: Counter[str] = Counter()
        self.ended: Counter[tuple[str, str]] = Counter()
        self.moves: Counter[tuple[str, str]] = Counter()
        self.recent_moves = RecentCounts(now)
        self._states: dict[TableId, tuple[str, TableState]] = {}

    @property
    def counted_games(self) -> Sequence[str]:
        """The games that are counted, the last one of them standing for all others."""
        return (*self.games, OTHERS)

    def table_opened(self, actor: TableActor) -> None:
        self._count_table(actor.table)

    def table_changed(self, actor: TableActor, done: Done) -> None:  # noqa: ARG002 - an observer gets both
        before, after = done
        game = self._game_of(after)
        if len(after.moves) > len(before.moves):
            for made in after.moves[len(before.moves) :]:
                self.moves[game, made.mover] += 1
                self.recent_moves.add_count(game)
        if before.status == after.status and before.paused is after.paused and before.closed is after.closed:
            return
        if before.status == "waiting" != after.status:
            self.started[game] += 1
        if before.running and not after.running:
            self.ended[game, "finished" if after.status == "finished" else "closed"] += 1
        if after.id in self._states:
            self._count_table(after)

    def table_removed(self, actor: TableActor) -> None:
        former = self._states.pop(actor.table.id, None)
        if former is not None:
            self.tables[former] -= 1

    def _count_table(self, table: Table) -> None:
        present = (self._game_of(table), state_of(table))
        former = self._states.get(table.id)
        if former is not None:
            self.tables[former] -= 1
        self._states[table.id] = present
        self.tables[present] += 1

    def _game_of(self, table: Table) -> str:
        return table.opened.game if table.opened.game in self.games else OTHERS


class UserCensus(UserObserver):
    """Counts connected users by how they are connected and whether they own their name."""

    def __init__(self, find_user: Callable[[UserId], User | None]) -> None:
        self._find_user = find_user
        self._kinds: dict[UserId, tuple[Entrance, bool]] = {}
        self.users: Counter[tuple[Entrance, bool]] = Counter()

    def user_connected(self, user: User) -> None:
        self._count_user(user)

    def user_disconnected(self, user: User) -> None:
        self._forget_user(user.id)

    def name_changed(self, user: UserId) -> None:
        found = self._find_user(user)
        if found is not None and found.here:
            self._count_user(found)

    def user_forgotten(self, user: UserId) -> None:
        self._forget_user(user)

    def _count_user(self, user: User) -> None:
        self._forget_user(user.id)
        kind = (entrance_of(user), user.claimed)
        self._kinds[user.id] = kind
        self.users[kind] += 1

    def _forget_user(self, user: UserId) -> None:
        former = self._kinds.pop(user, None)
        if former is not None:
            self.users[former] -= 1


def entrance_of(user: User) -> Entrance:
    """Return how a connected user is connected."""
    peer = user.peer
    if peer is None or not peer.address:
        return "inside"
    return "direct" if peer.door is None else peer.door.transport
