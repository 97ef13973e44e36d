"""Lobby: the tables, the connected users and the invitations of this user."""

from scoville_client.session.changes import Announced, Invited, TablesChanged, UsersChanged
from scoville_client.session.requests import Publish, Request
from scoville_shared.protocol.messages import (
    AnnouncedNotice,
    Empty,
    EnterReply,
    EnterRequest,
    InvitedNotice,
    Left,
    ListTablesReply,
    ListTablesRequest,
    LobbyChangedNotice,
    LobbySnapshot,
    TableInfo,
    TableSnapshot,
    UnwatchLobbyRequest,
    UnwatchRequest,
    UserInfo,
    WatchLobbyRequest,
    WatchRequest,
)

MOST_TABLES, MOST_USERS = 2_000, 10_000
"""Tables and users kept, more than a server has."""
MOST_INVITATIONS = 20
"""Invitations kept, the latest."""


def sits_at(table: TableInfo) -> bool:
    """Whether this user sits at a table. A seat that was left belongs to a bot, though it can be taken again."""
    return table.your_seat is not None and table.seats[table.your_seat].kind == "human"


class Lobby:
    """The lobby of one server; while it is watched it stays up to date.

    `here` counts all users, `users` holds those whose names are listed. Requests raise as `Request` does.
    """

    def __init__(self, request: Request, publish: Publish) -> None:
        self.tables: list[TableInfo] = []
        self.users: dict[str, UserInfo] = {}
        self.here = 0
        self.invitations: list[InvitedNotice] = []
        self.watched = False
        self._request = request
        self._publish = publish

    @property
    def mine(self) -> list[TableInfo]:
        """This user's tables with an unfinished game: those that wait for a move, then running games."""
        mine = [table for table in self.tables if table.your_seat is not None and table.status != "finished"]
        return sorted(mine, key=lambda table: (not table.your_turn, table.status != "playing"))

    @property
    def waiting_for_me(self) -> list[TableInfo]:
        """The tables where this user must move, the oldest first."""
        return [table for table in self.tables if table.your_turn and sits_at(table)]

    def find(self, table: str) -> TableInfo | None:
        """Return a listed table."""
        return next((each for each in self.tables if each.table == table), None)

    async def refresh(self) -> None:
        """Request the tables once."""
        self.tables = (await self._request(ListTablesRequest(), ListTablesReply)).tables
        self._publish(TablesChanged())

    async def watch(self) -> None:
        """Request the lobby and all its changes from now on."""
        snapshot = await self._request(WatchLobbyRequest(), LobbySnapshot)
        self.watched = True
        self.tables, self.here = snapshot.tables, snapshot.online
        self.users = {user.name: user for user in snapshot.users}
        self.invitations = [each for each in self.invitations if self.find(each.info.table) is not None]
        self._publish(TablesChanged())
        self._publish(UsersChanged())

    def start_over(self) -> None:
        """Forget everything: another user is logged in."""
        self.invitations = []

    async def unwatch(self) -> None:
        """Stop receiving changes."""
        self.watched = False
        await self._request(UnwatchLobbyRequest(), Empty)

    async def enter(self, *, code: str = "", table: str = "", password: str = "") -> TableInfo:
        """Gain access to a table, by its code and its password if it has one, and return the table."""
        info = (
            await self._request(
                EnterRequest(code=code or None, table=table or None, password=password or None), EnterReply
            )
        ).info
        self.add(info)
        return info

    async def was_absent(self, table: TableInfo) -> bool:
        """Whether a bot has the seat because the connection was lost, and not because the user left."""
        story = await self._request(WatchRequest(table=table.table), TableSnapshot)
        await self._request(UnwatchRequest(table=table.table), Empty)
        left = [event for event in story.events if isinstance(event, Left) and event.seat == table.your_seat]
        return bool(left) and left[-1].reason == "absent"

    def add(self, info: TableInfo) -> None:
        """Add a table that was received in a reply."""
        self._put(info)
        self._publish(TablesChanged())

    def on_notice(self, notice: LobbyChangedNotice | InvitedNotice | AnnouncedNotice) -> None:
        """Receive a change of the lobby, an invitation or an announcement."""
        match notice:
            case LobbyChangedNotice():
                self._changed(notice)
            case InvitedNotice(info=info, by=by):
                self.invitations = [*self._without(info.table), notice][-MOST_INVITATIONS:]
                self.add(info)
                self._publish(Invited(info, by))
            case AnnouncedNotice(text=text):
                self._publish(Announced(text))

    def decline(self, table: str) -> None:
        """Decline an invitation."""
        self.invitations = self._without(table)

    def _without(self, table: str) -> list[InvitedNotice]:
        return [each for each in self.invitations if each.info.table != table]

    def _changed(self, notice: LobbyChangedNotice) -> None:
        gone = set(notice.removed)
        self.tables = [table for table in self.tables if table.table not in gone]
        self.invitations = [each for each in self.invitations if each.info.table not in gone]
        for info in notice.tables:
            self._put(info)
        for name in notice.departed:
            self.users.pop(name, None)
        for user in notice.arrived:
            if len(self.users) < MOST_USERS:
                self.users[user.name] = user
        self.here = notice.online
        if notice.tables or gone:
            self._publish(TablesChanged())
        if notice.arrived or notice.departed:
            self._publish(UsersChanged())

    def _put(self, info: TableInfo) -> None:
        known = [table.table for table in self.tables]
        if info.table in known:
            self.tables[known.index(info.table)] = info
        else:
            self.tables = [*self.tables, info][-MOST_TABLES:]
