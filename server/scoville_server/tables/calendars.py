"""Calendars: the deadlines of a user's moves by correspondence, for anyone who has the secret address."""

import secrets
from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from typing import Any, Final, NamedTuple, Protocol

from msgspec import Struct, msgpack

from scoville_server.accounts.connection import ConnectedClient, Handlers
from scoville_server.accounts.orphans import IsKnown, drop_rows
from scoville_server.accounts.sessions import User
from scoville_server.accounts.users import UserObserver, Users
from scoville_server.background.keyed_locks import KeyedLocks
from scoville_server.background.tasks import BackgroundTasks
from scoville_server.errors import name_not_claimed
from scoville_server.journal.base import Journal
from scoville_server.journal.books import Book
from scoville_server.limits.budgets import Budgets
from scoville_server.nodes.bus import at_node
from scoville_server.nodes.nodes import Nodes
from scoville_server.tables.actor import TableActor
from scoville_server.tables.watching.project import list_time_left
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import UserId
from scoville_shared.protocol import messages as m

_SECRET_BYTES: Final = 24
_DEADLINES: Final = "deadlines"


class Calendar(Struct, frozen=True, kw_only=True):
    """The calendar of a user, its language and since when it is open; its key is the hash of its secret."""

    user: UserId
    language: str
    since_ms: int


class Doors(Protocol):
    """Knows the doors of a server."""

    def check_door(self, connection: ConnectedClient, credential: str) -> None:
        """Raise ScovilleError unless a connection with a credential is that of a door of this server."""


class CalendarSources(NamedTuple):
    """The queries to other features that calendars need.

    `find_doors` returns what knows the doors of this server, which is made later, `find_vacation_end` when the vacation
    of a user ends (milliseconds since 1970; None without one), `list_dates` the tournaments that they have entered, and
    `list_club_dates` the dates of their clubs.
    """

    find_doors: Callable[[], Doors]
    find_vacation_end: Callable[[UserId], int | None]
    list_dates: Callable[[UserId], list[m.FixedDate]]
    list_club_dates: Callable[[UserId], list[m.ClubDate]]


class CalendarService(UserObserver):
    """Opens, ends and reads calendars."""

    def __init__(
        self,
        journal: Journal,
        nodes: Nodes[TableActor],
        users: Users,
        background: BackgroundTasks,
        budgets: Budgets,
        sources: CalendarSources,
    ) -> None:
        self._book = Book("calendars", Calendar, journal)
        self._nodes = nodes
        self._users = users
        self._background = background
        self._budgets = budgets
        self._sources = sources
        self._changing = KeyedLocks()
        self.by_request: Handlers = {
            m.ShowCalendarRequest: self._show_calendar,
            m.OpenCalendarRequest: self._open_calendar,
            m.CloseCalendarRequest: self._close_calendar,
            m.ReadCalendarRequest: self._read_calendar,
        }

    def export_user(self, user: User) -> Mapping[str, Any]:
        return {"calendar_since_ms": self._describe_calendar(user.id).since_ms}

    def users_restored(self, is_known: IsKnown) -> None:
        async def drop_orphans() -> None:
            await drop_rows(self._book, [key for key, kept in self._book.items() if not is_known(kept.user)])

        self._background.plan_tidying(drop_orphans)

    def user_forgotten(self, user: UserId) -> None:
        if dropped := self._drop_calendars(user):
            self._background.insist_on_write(lambda: self._book.write_rows(dropped))

    def _show_calendar(self, connection: ConnectedClient, _: m.ShowCalendarRequest) -> m.CalendarReply:
        return self._describe_calendar(connection.user.id)

    async def _open_calendar(self, connection: ConnectedClient, p: m.OpenCalendarRequest) -> m.CalendarReply:
        user = connection.user
        self._budgets.count_action(connection.source)
        if not user.claimed:
            raise name_not_claimed(user.name, "have a calendar")
        secret, now = secrets.token_urlsafe(_SECRET_BYTES), self._users.time.now_ms()
        async with self._changing.hold_keys([user.id]):
            calendar = Calendar(user=user.id, language=p.language, since_ms=now)
            # At once, so that no crash leaves two addresses or none.
            await self._book.write_rows({**self._drop_calendars(user.id), _hash_secret(secret): calendar})
        return m.CalendarReply(since_ms=now, path=f"{m.CALENDAR_PATH}{secret}.ics")

    async def _close_calendar(self, connection: ConnectedClient, _: m.CloseCalendarRequest) -> m.CalendarReply:
        user = connection.user
        self._budgets.count_action(connection.source)
        async with self._changing.hold_keys([user.id]):
            if dropped := self._drop_calendars(user.id):
                await self._book.write_rows(dropped)
        return m.CalendarReply()

    async def _read_calendar(self, connection: ConnectedClient, p: m.ReadCalendarRequest) -> m.CalendarContent:
        self._sources.find_doors().check_door(connection, p.credential)
        # Found by the hash of the sent secret, so that the time of the search says nothing about the right one.
        kept = self._book.get(_hash_secret(p.secret))
        # Nobody reads that of a deleted account, however long the disk refuses to drop it.
        if kept is None or self._users.sessions.find_user(kept.user) is None:
            raise ScovilleError(Code.NO_CALENDAR, "There is no calendar at this address; its user may have ended it.")
        return m.CalendarContent(
            language=kept.language,
            deadlines=sorted(await self.list_deadlines(kept.user), key=lambda each: each.due_ms),
            rests_until_ms=self._sources.find_vacation_end(kept.user),
            dates=self._sources.list_dates(kept.user),
            club_dates=self._sources.list_club_dates(kept.user),
        )

    def _describe_calendar(self, user: UserId) -> m.CalendarReply:
        return m.CalendarReply(since_ms=next((kept.since_ms for _, kept in self._list_of(user)), None))

    def _drop_calendars(self, user: UserId) -> dict[str, Calendar | None]:
        return {key: None for key, _ in self._list_of(user)}

    def _list_of(self, user: UserId) -> list[tuple[str, Calendar]]:
        return [(key, kept) for key, kept in self._book.items() if kept.user == user]

    async def begin_sharing(self) -> None:
        """Tell other nodes of the moves that users owe at tables of this one, when they ask."""

        async def answer(user: bytes) -> bytes:
            return msgpack.encode([*self._list_deadlines_here(UserId(user.decode()))])

        await self._nodes.bus.answer(at_node(self._nodes.members.me, _DEADLINES), answer)

    async def list_deadlines(self, user: UserId) -> list[m.Deadline]:
        """List the moves that a user owes by correspondence, at tables of all nodes.

        Raises RetryableError when a node does not answer.
        """
        found, nodes = [*self._list_deadlines_here(user)], self._nodes
        for node in nodes.members.running_nodes():
            if node != nodes.members.me:
                reply = await nodes.bus.request(at_node(node, _DEADLINES), user.encode())
                found += msgpack.decode(reply, type=list[m.Deadline])
        return found

    def _list_deadlines_here(self, user: UserId) -> Iterator[m.Deadline]:
        for actor in self._nodes.tables.all_tables():
            table = actor.table
            if not table.running or table.paused or not table.opened.clock.by_days:
                continue
            seat, now = table.seat_of(user), actor.now()
            left = list_time_left(table, now)
            if seat is not None and left is not None and seat in table.pending:
                yield m.Deadline(
                    table=table.id,
                    game=table.opened.game,
                    title=table.game.info.title,
                    names=table.names,
                    nth=table.played[seat],
                    due_ms=now + left[seat],
                )


def _hash_secret(secret: str) -> str:
    return sha256(secret.encode()).hexdigest()
