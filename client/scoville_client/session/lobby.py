"""Lobby: the tables, the connected users and the invitations of this user."""

from collections.abc import Callable, Mapping
from math import inf
from typing import Any

from msgspec import convert

from scoville_client.i18n.language import tr
from scoville_client.session.changes import Announced, Invited, Publish, Request, TablesChanged, UsersChanged
from scoville_client.session.new_table.adaptive_bots import AdaptiveBots
from scoville_runtime.clock import SYSTEM
from scoville_shared.protocol.messages import (
    AnnouncedNotice,
    ClockParams,
    CreateReply,
    CreateRequest,
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
    TableSettingsParams,
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


def _letters_of(code: str) -> str:
    """Return the letters of a code: the server ignores case, spaces and hyphens."""
    return "".join(filter(str.isalnum, code)).casefold()


class Lobby:
    """The lobby of one server; while it is watched it stays up to date.

    `here` counts all users, `users` holds those whose names are listed, `commentary_keys` are the commentators' keys of
    the tables that this user has opened, by table id. Requests raise as `Request` does.
    """

    def __init__(
        self,
        request: Request,
        publish: Publish,
        adaptive_bots: AdaptiveBots,
        now: Callable[[], float] = SYSTEM.seconds,
    ) -> None:
        self._now = now
        self._deadlines: dict[str, float] = {}
        self._tables: dict[str, TableInfo] = {}
        self._waiting_for_me: dict[str, TableInfo] = {}
        self.users: dict[str, UserInfo] = {}
        self.here = 0
        self.invitations: list[InvitedNotice] = []
        self.commentary_keys: dict[str, str] = {}
        self.watched = False
        self._request = request
        self._publish = publish
        self._adaptive_bots = adaptive_bots

    @property
    def tables(self) -> list[TableInfo]:
        """All known tables, in the order of their first appearance."""
        return list(self._tables.values())

    @property
    def my_tables(self) -> list[TableInfo]:
        """This user's tables with an unfinished game: those that wait for a move first, by their deadlines."""
        mine = [table for table in self.tables if table.your_seat is not None and table.status != "finished"]
        return sorted(
            mine, key=lambda table: (not table.your_turn, self.deadline_of(table.table), table.status != "playing")
        )

    def list_finished(self, code: str = "") -> list[TableInfo]:
        """List the tables with a finished game at which this user sits; none if the `code` is that of another table."""
        finished = [table for table in self.tables if sits_at(table) and table.status == "finished"]
        is_one = not code or any(_letters_of(code) == _letters_of(table.code or "") for table in finished)
        return finished if is_one else []

    @property
    def waiting_for_me(self) -> list[TableInfo]:
        """The tables where this user must move, the oldest first."""
        return list(self._waiting_for_me.values())

    def deadline_of(self, table: str) -> float:
        """Return when this user's thinking time at a table ends, in monotonic seconds; infinity without a clock."""
        return self._deadlines.get(table, inf)

    def find_table(self, table: str) -> TableInfo | None:
        """Return a listed table."""
        return self._tables.get(table)

    def is_admin(self, name: str) -> bool:
        """Whether a listed user is an admin."""
        user = self.users.get(name)
        return user is not None and user.admin

    def is_moderator(self, name: str) -> bool:
        """Whether a listed user is a moderator of the server."""
        user = self.users.get(name)
        return user is not None and user.moderator

    def describe_role(self, name: str) -> str:
        """Return a listed user's role on the whole server, in a word; empty for most."""
        return tr("admin") if self.is_admin(name) else tr("moderator") if self.is_moderator(name) else ""

    def may_moderate(self, name: str) -> bool:
        """Whether a listed user may warn others and read their warnings."""
        return self.is_admin(name) or self.is_moderator(name)

    async def refresh_tables(self) -> None:
        """Request the tables once."""
        self._replace_tables((await self._request(ListTablesRequest(), ListTablesReply)).tables)

    async def watch_lobby(self) -> None:
        """Request the lobby and all its changes from now on."""
        snapshot = await self._request(WatchLobbyRequest(), LobbySnapshot)
        self.watched = True
        self.here = snapshot.online
        self.users = {user.name: user for user in snapshot.users}
        # Tables may have been removed while nothing was received; their invitations go too.
        listed = {table.table for table in snapshot.tables}
        self.invitations = [each for each in self.invitations if each.info.table in listed]
        self._replace_tables(snapshot.tables)
        self._publish(UsersChanged())

    def start_over(self) -> None:
        """Forget everything: another user is logged in."""
        self.invitations = []

    async def unwatch_lobby(self) -> None:
        """Stop receiving changes."""
        self.watched = False
        await self._request(UnwatchLobbyRequest(), Empty)

    async def create_table(
        self,
        game: str,
        seats: int,
        options: Mapping[str, Any] | None = None,
        clock: Mapping[str, Any] | None = None,
        settings: Mapping[str, Any] | None = None,
        password: str = "",
    ) -> TableInfo:
        """Open a table without taking a seat.

        Args:
            game: Slug of the game.
            seats: Number of seats.
            options: Options of the game; the others have their defaults.
            clock: Fields of TableClock that differ from the default.
            settings: Fields of TableSettings that differ from the default; `bot_level` may be `ADAPTIVE`.
            password: Password of the table, empty for none.
        """
        chosen = await self._adaptive_bots.choose_bots(dict(settings or {}), game, seats)
        asked = CreateRequest(
            game=game,
            seat_count=seats,
            options=dict(options or {}),
            clock=convert(dict(clock or {}), ClockParams),
            settings=TableSettingsParams(**chosen),
            password=password or None,
        )
        created = await self._request(asked, CreateReply)
        # Levels that were chosen here are chosen again for a rematch.
        if chosen != (settings or {}):
            self._adaptive_bots.note_table(created.info.table)
        if created.commentary_key is not None:
            self.commentary_keys[created.info.table] = created.commentary_key
        # At once: the notice about it comes later, and the user goes there now.
        self.add_table(created.info)
        return created.info

    async def enter_table(self, *, code: str = "", table: str = "", password: str = "") -> TableInfo:
        """Gain access to a table, by its code and its password if it has one, and return the table."""
        info = (
            await self._request(
                EnterRequest(code=code or None, table=table or None, password=password or None), EnterReply
            )
        ).info
        self.add_table(info)
        return info

    async def was_absent(self, table: TableInfo) -> bool:
        """Whether a bot has the seat because the user was not there, and not because they left."""
        story = await self._request(WatchRequest(table=table.table), TableSnapshot)
        await self._request(UnwatchRequest(table=table.table), Empty)
        # The latest departure decides: the user may have returned and left again.
        left = [event for event in story.events if isinstance(event, Left) and event.seat == table.your_seat]
        return bool(left) and left[-1].reason != "left"

    def add_table(self, info: TableInfo) -> None:
        """Add a table that was received in a reply."""
        self._put_table(info)
        self._publish(TablesChanged((info,)))

    def on_notice(self, notice: LobbyChangedNotice | InvitedNotice | AnnouncedNotice) -> None:
        """Receive a change of the lobby, an invitation or an announcement."""
        match notice:
            case LobbyChangedNotice():
                self._apply_change(notice)
            case InvitedNotice(info=info, by=by):
                self.invitations = [*self._invitations_without(info.table), notice][-MOST_INVITATIONS:]
                self.add_table(info)
                self._publish(Invited(info, by))
            case AnnouncedNotice(text=text, code=code, data=data):
                self._publish(Announced(text, code, data))

    def decline_invitation(self, table: str) -> None:
        self.invitations = self._invitations_without(table)

    def _invitations_without(self, table: str) -> list[InvitedNotice]:
        return [each for each in self.invitations if each.info.table != table]

    def _apply_change(self, notice: LobbyChangedNotice) -> None:
        # A notice costs as much as its changes, not as the whole lobby: thousands of them may wait before a key.
        for gone in notice.removed:
            self._tables.pop(gone, None)
            self._waiting_for_me.pop(gone, None)
            self._deadlines.pop(gone, None)
        if notice.removed and self.invitations:
            self.invitations = [each for each in self.invitations if each.info.table not in notice.removed]
        for info in notice.tables:
            self._put_table(info)
        for name in notice.departed:
            self.users.pop(name, None)
        for user in notice.arrived:
            # Bounded by the client: a server could name users without end.
            if len(self.users) < MOST_USERS:
                self.users[user.name] = user
        # Users whose names are not listed are counted only.
        has_others = self.here != notice.online
        self.here = notice.online
        if notice.tables or notice.removed:
            self._publish(TablesChanged(tuple(notice.tables), tuple(notice.removed)))
        if notice.arrived or notice.departed or has_others:
            self._publish(UsersChanged())

    def _replace_tables(self, tables: list[TableInfo]) -> None:
        self._tables.clear()
        self._waiting_for_me.clear()
        self._deadlines.clear()
        for info in tables:
            self._put_table(info)
        self._publish(TablesChanged(replaced=True))

    def _put_table(self, info: TableInfo) -> None:
        self._tables[info.table] = info
        if info.turn_left_ms is None:
            self._deadlines.pop(info.table, None)
        else:
            self._deadlines[info.table] = self._now() + info.turn_left_ms / 1000
        if info.your_turn and sits_at(info):
            self._waiting_for_me[info.table] = info
        else:
            self._waiting_for_me.pop(info.table, None)
        if len(self._tables) > MOST_TABLES:
            oldest = next(iter(self._tables))
            del self._tables[oldest]
            self._waiting_for_me.pop(oldest, None)
            self._deadlines.pop(oldest, None)
