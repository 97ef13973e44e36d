"""Seats of users across tables, and their reconnect grace."""

from collections.abc import Callable
from functools import partial

from scoville_server.accounts.sessions import Sessions, User
from scoville_server.tables.actor import Done, TableActor
from scoville_server.tables.lifecycle.reconnect_grace import ReconnectGrace, grace_of
from scoville_server.tables.model.commands import Join, Leave, WarnOfAbsence
from scoville_server.tables.registry import TableObserver, TableRegistry
from scoville_shared.ids import TableId, UserId


class Seating(TableObserver):
    """Tracks the tables of each user; a seat is kept for `grace_seconds` unless its table says otherwise."""

    def __init__(
        self, registry: TableRegistry, sessions: Sessions, remember: Callable[[User], None], grace_seconds: float
    ) -> None:
        self.absences = ReconnectGrace(self._warn, self.lapse)
        self._registry = registry
        self._sessions = sessions
        self._remember = remember
        self._grace_seconds = grace_seconds

    def came(self, person: User) -> None:
        """Return a reconnected user's seats to them."""
        for table in person.tables:
            self.absences.end(person, table)
        self._say_presence(person, True)
        self._take_back(person)

    def went(self, person: User) -> None:
        """Start the reconnect grace of a disconnected user's seats."""
        self._say_presence(person, False)
        for table in person.tables:
            self._wait_for(person, table)

    def opened(self, actor: TableActor) -> None:
        """Note the players of a table."""
        for chair in actor.table.chairs:
            if chair.human and chair.person is not None:
                self._sat_down(chair.person, actor.table.id)

    def changed(self, actor: TableActor, done: Done) -> None:
        """Follow players who join and leave."""
        if done.before.chairs is done.after.chairs:  # the usual case: a move
            return
        for before, after in zip(done.before.chairs, done.after.chairs, strict=True):
            if before.human and before.person is not None and not after.human:
                self._got_up(before.person, actor.table.id)
            elif after.human and after.person is not None and not before.human:
                self._sat_down(after.person, actor.table.id)

    def cleared(self, actor: TableActor) -> None:
        """Forget the table, also for players whose seats bots play."""
        table = actor.table.id
        for chair in actor.table.chairs:
            person = None if chair.person is None else self._sessions.find(chair.person)
            if person is not None:
                self._got_up(person.id, table)
                person.lapsed.discard(table)

    def lapse(self, person: User, table: TableId) -> None:
        """Let a bot take over a seat, once the table is not paused."""
        if self._registry.lobby.find(table).table.paused:
            self._wait_for(person, table)
            return
        person.lapsed.add(table)
        self._remember(person)
        self._registry.commands.insist(
            table, Leave(person=person.id, why="absent"), wanted=lambda: self._is_absent(person, table)
        )

    def _is_absent(self, person: User, table: TableId) -> bool:
        """Whether a seat's grace is over: its player has neither returned nor disconnected anew."""
        return not person.here and not self.absences.waits(person, table)

    def _warn(self, person: User, table: TableId, left: float) -> None:
        self._registry.commands.send(table, WarnOfAbsence(person=person.id, seconds=left))

    def _wait_for(self, person: User, table: TableId) -> None:
        seconds = grace_of(self._registry.lobby.find(table).table, self._grace_seconds)
        self.absences.begin(person, table, seconds)

    def _say_presence(self, person: User, connected: bool) -> None:
        for table in person.tables:
            actor = self._registry.lobby.find(table)
            actor.presence(person.id, connected)
            self._registry.altered(actor)

    def _take_back(self, person: User) -> None:
        for table in sorted(person.lapsed):
            self._registry.commands.insist(
                table,
                Join(person=person.id, name=person.name),
                wanted=partial(self._is_back, person, table),
                settled=partial(self._forget_lapse, person, table),
            )

    def _is_back(self, person: User, table: TableId) -> bool:
        return person.here and table in person.lapsed

    def _forget_lapse(self, person: User, table: TableId) -> None:
        person.lapsed.discard(table)
        self._remember(person)

    def _got_up(self, number: UserId, table: TableId) -> None:
        person = self._sessions.find(number)
        if person is not None:
            person.tables.discard(table)
            self.absences.end(person, table)

    def _sat_down(self, number: UserId, table: TableId) -> None:
        person = self._sessions.find(number)
        if person is None:  # no user can return to this seat
            self._registry.commands.insist(table, Leave(person=number, why="absent"))
            return
        person.tables.add(table)
        if not person.here:  # the connection was lost while the request was under way, or with the server
            self._wait_for(person, table)
