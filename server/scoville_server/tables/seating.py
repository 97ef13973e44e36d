"""Seats of users across tables, and their reconnect grace."""

from functools import partial
from typing import Final

from scoville_server.accounts.sessions import User
from scoville_server.accounts.users import UserObserver, Users
from scoville_server.limits.live import Live
from scoville_server.tables.actions.join import Join
from scoville_server.tables.actions.leave import Leave
from scoville_server.tables.actions.warn import WarnOfAbsence
from scoville_server.tables.actor import Done, TableActor
from scoville_server.tables.lifecycle.reconnect_grace import ReconnectGrace, grace_of
from scoville_server.tables.model.table import Table
from scoville_server.tables.observers import Change, TableObserver
from scoville_server.tables.registry import TableRegistry
from scoville_shared.ids import TableId, UserId

_UNKNOWN_SECONDS: Final = 1.0
"""Seconds after which a node looks again for a connected user whom it did not know: it follows rows sooner."""


class Seating(TableObserver, UserObserver):
    """Tracks the tables of each user; a seat is kept for `grace_seconds` unless its table says otherwise."""

    observed = frozenset({Change.SEATS, Change.STATUS})

    def __init__(self, registry: TableRegistry, users: Users, grace_seconds: Live[float]) -> None:
        self.absences = ReconnectGrace(self._warn_of_absence, self.hand_seat_to_bot, registry.clock)
        self._registry = registry
        self._sessions = users.sessions
        self._is_here = users.connections.is_here
        self._remember = users.write_user_soon
        self._grace_seconds = grace_seconds

    def user_connected(self, user: User) -> None:
        """Return a reconnected user's seats to them."""
        for table in user.tables:
            self._charge_absence(user, table, self.absences.end_absence(user, table))
        self._say_presence(user, True)
        self._take_back(user)

    def user_located(self, number: UserId, here: bool) -> None:
        """Follow a user who connects to another node, or disconnects from it."""
        user = self._sessions.find_user(number)
        if user is not None:
            (self.user_connected if here else self.user_disconnected)(user)

    def user_disconnected(self, user: User) -> None:
        """Start the reconnect grace of a disconnected user's seats, unless they are connected to another node."""
        if self._is_here(user.id):
            return
        self._say_presence(user, False)
        for table in user.tables:
            self._wait_for(user, table)

    def table_opened(self, actor: TableActor) -> None:
        for seat_state in actor.table.seats:
            if seat_state.human and seat_state.user is not None:
                self._on_joined(seat_state.user, actor.table.id)

    def table_changed(self, actor: TableActor, done: Done) -> None:
        if done.before.status == "waiting" and done.after.status == "playing":
            # Absences before the start held nobody up, so each player begins the game with a whole budget.
            self.absences.forget_table(actor.table.id)
        # The game has started or ended with everybody in their seats.
        if done.before.seats is done.after.seats:
            return
        for before, after in zip(done.before.seats, done.after.seats, strict=True):
            if before.human and before.user is not None and not after.human:
                self._on_left(before.user, actor.table.id)
                self._keep_if_stalled(before.user, done.after)
            elif after.human and after.user is not None and not before.human:
                self._on_joined(after.user, actor.table.id)

    def _keep_if_stalled(self, number: UserId, after: Table) -> None:
        """Let a player whose time ran out while they were disconnected return to their seat when they reconnect."""
        user, seat = self._sessions.find_user(number), after.owned_seat(number)
        left = None if seat is None else after.departures.get(seat)
        if user is not None and not self._is_here(number) and left is not None and left.reason == "stalled":
            user.lapsed.add(after.id)
            self._remember(user)

    def table_removed(self, actor: TableActor) -> None:
        """Forget the table, also for players whose seats bots play."""
        table = actor.table.id
        for seat_state in actor.table.seats:
            user = None if seat_state.user is None else self._sessions.find_user(seat_state.user)
            if user is not None:
                self._on_left(user.id, table)
                user.lapsed.discard(table)
        self.absences.forget_table(table)

    def hand_seat_to_bot(self, user: User, table: TableId, gone_seconds: float) -> None:
        """Let a bot take over a seat after an absence of so many seconds, once the table is not paused."""
        self._charge_absence(user, table, gone_seconds)
        if self._registry.tables.find_table(table).table.paused:
            self._wait_for(user, table)
            return
        user.lapsed.add(table)
        self._remember(user)
        gone_ms = round(1000 * gone_seconds)
        self._registry.commands.send_until_answered(
            table, Leave(user=user.id, reason="absent", gone_ms=gone_ms), wanted=lambda: self._is_absent(user, table)
        )

    def _charge_absence(self, user: User, table: TableId, gone_seconds: float) -> None:
        """Take an absence from a player's budget if it held the others up: not before the start and in a pause."""
        found = self._registry.tables.find_table(table).table
        if found.running and not found.paused:
            self.absences.charge_absence(user, table, gone_seconds)

    def _is_absent(self, user: User, table: TableId) -> bool:
        """Whether a seat's grace is over: its player has neither returned nor disconnected again."""
        return not self._is_here(user.id) and not self.absences.waits_for(user, table)

    def _warn_of_absence(self, user: User, table: TableId, left: float) -> None:
        self._registry.commands.send_once(table, WarnOfAbsence(user=user.id, seconds=left))

    def _wait_for(self, user: User, table: TableId) -> None:
        seconds = grace_of(self._registry.tables.find_table(table).table, self._grace_seconds.value)
        self.absences.begin_absence(user, table, seconds)

    def _say_presence(self, user: User, connected: bool) -> None:
        for table in user.tables:
            actor = self._registry.tables.find_table(table)
            actor.watched.report_presence(user.id, connected)
            self._registry.observers.notify_presence(actor)

    def _take_back(self, user: User) -> None:
        for table in sorted(user.lapsed):
            self._registry.commands.send_until_answered(
                table,
                Join(user=user.id, name=user.name, claimed=user.claimed),
                wanted=partial(self._is_back, user, table),
                settled=partial(self._forget_lapse, user, table),
            )

    def _is_back(self, user: User, table: TableId) -> bool:
        return self._is_here(user.id) and table in user.lapsed

    def _forget_lapse(self, user: User, table: TableId) -> None:
        user.lapsed.discard(table)
        self._remember(user)

    def _on_left(self, number: UserId, table: TableId) -> None:
        user = self._sessions.find_user(number)
        if user is not None:
            user.tables.discard(table)
            self.absences.end_absence(user, table)

    def _on_joined(self, number: UserId, table: TableId) -> None:
        user = self._sessions.find_user(number)
        if user is None and self._is_here(number):
            # They are connected to another node, and their rows from the journal have not come yet.
            self._registry.clock.call_later(_UNKNOWN_SECONDS, partial(self._look_again, number, table))
            return
        # No user can return to this seat.
        if user is None:
            self._registry.commands.send_until_answered(table, Leave(user=number, reason="absent"))
            return
        user.tables.add(table)
        # The connection was lost while the request was under way, or with the server.
        if not self._is_here(number):
            self._wait_for(user, table)

    def _look_again(self, number: UserId, table: TableId) -> None:
        tables = self._registry.tables
        if table in tables and tables.find_table(table).table.seat_of(number) is not None:
            self._on_joined(number, table)
