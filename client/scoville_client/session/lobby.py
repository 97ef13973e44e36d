"""What the client knows of the lobby: the tables, the people who are here, and who has invited me where."""

from scoville_client.session.changes import Announced, Invited, PeopleChanged, TablesChanged
from scoville_client.session.requests import Ask, Tell
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

MOST_INVITATIONS = 20
"""Invitations that are kept, the latest; more nobody reads."""


def sits_at(table: TableInfo) -> bool:
    """Say whether I sit there: a seat that I gave up is a bot's, though it stays mine to come back to."""
    return table.yours is not None and table.seats[table.yours].kind == "human"


class Lobby:
    """The lobby of one server. While it is watched, it keeps itself up to date.

    `here` counts all people, `people` holds those that are named. Every method that asks raises as `Ask` does.
    """

    def __init__(self, ask: Ask, tell: Tell) -> None:
        self.tables: list[TableInfo] = []
        self.people: dict[str, UserInfo] = {}
        self.here = 0
        self.invitations: list[InvitedNotice] = []
        self.watched = False
        self._ask = ask
        self._tell = tell

    @property
    def mine(self) -> list[TableInfo]:
        """The tables where a seat is mine and the game is not over: where I owe a move, then where a game runs."""
        mine = [table for table in self.tables if table.yours is not None and table.status != "finished"]
        return sorted(mine, key=lambda table: (not table.your_turn, table.status != "playing"))

    @property
    def waiting_for_me(self) -> list[TableInfo]:
        """The tables where I sit and owe a move, longest open first."""
        return [table for table in self.tables if table.your_turn and sits_at(table)]

    def find(self, table: str) -> TableInfo | None:
        """Find a table that is listed."""
        return next((each for each in self.tables if each.table == table), None)

    async def refresh(self) -> None:
        """Ask once which tables there are."""
        self.tables = (await self._ask(ListTablesRequest(), ListTablesReply)).tables
        self._tell(TablesChanged())

    async def watch(self) -> None:
        """Ask what there is, and hear of every change from now on."""
        snapshot = await self._ask(WatchLobbyRequest(), LobbySnapshot)
        self.watched = True
        self.tables, self.here = snapshot.tables, snapshot.here
        self.people = {person.name: person for person in snapshot.people}
        self.invitations = [each for each in self.invitations if self.find(each.info.table) is not None]
        self._tell(TablesChanged())
        self._tell(PeopleChanged())

    def start_over(self) -> None:
        """Forget what was somebody else's: I am another person from now on."""
        self.invitations = []

    async def unwatch(self) -> None:
        """Hear no more of it."""
        self.watched = False
        await self._ask(UnwatchLobbyRequest(), Empty)

    async def enter(self, *, code: str = "", table: str = "", password: str = "") -> TableInfo:
        """Have the door of a table opened, by its code or, where it has one, its password; returns the table."""
        info = (await self._ask(EnterRequest(code=code, table=table, password=password), EnterReply)).info
        self.add(info)
        return info

    async def was_absent(self, table: TableInfo) -> bool:
        """Tell whether a bot has my seat because my line was down, and not because I left: then it is given back."""
        story = await self._ask(WatchRequest(table=table.table), TableSnapshot)
        await self._ask(UnwatchRequest(table=table.table), Empty)
        left = [event for event in story.events if isinstance(event, Left) and event.seat == table.yours]
        return bool(left) and left[-1].why == "absent"

    def add(self, info: TableInfo) -> None:
        """Take a table that I have learned of otherwise."""
        self._put(info)
        self._tell(TablesChanged())

    def on_notice(self, notice: LobbyChangedNotice | InvitedNotice | AnnouncedNotice) -> None:
        """Take what the server says of the lobby."""
        match notice:
            case LobbyChangedNotice():
                self._changed(notice)
            case InvitedNotice(info=info, by=by):
                self.invitations = [*self._without(info.table), notice][-MOST_INVITATIONS:]
                self.add(info)
                self._tell(Invited(info, by))
            case AnnouncedNotice(text=text):
                self._tell(Announced(text))

    def decline(self, table: str) -> None:
        """Put an invitation away."""
        self.invitations = self._without(table)

    def _without(self, table: str) -> list[InvitedNotice]:
        return [each for each in self.invitations if each.info.table != table]

    def _changed(self, notice: LobbyChangedNotice) -> None:
        gone = set(notice.gone)
        self.tables = [table for table in self.tables if table.table not in gone]
        self.invitations = [each for each in self.invitations if each.info.table not in gone]
        for info in notice.changed:
            self._put(info)
        for name in notice.went:
            self.people.pop(name, None)
        for person in notice.came:
            self.people[person.name] = person
        self.here = notice.here
        if notice.changed or gone:
            self._tell(TablesChanged())
        if notice.came or notice.went:
            self._tell(PeopleChanged())

    def _put(self, info: TableInfo) -> None:
        known = [table.table for table in self.tables]
        if info.table in known:
            self.tables[known.index(info.table)] = info
        else:
            self.tables = [*self.tables, info]
