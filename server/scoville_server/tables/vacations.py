"""Vacations: a user's clocks at all tables of games by correspondence rest for some days."""

from collections.abc import Callable, Mapping
from typing import Any

from scoville_server.accounts.connection import ConnectedClient, Handlers
from scoville_server.accounts.orphans import IsKnown, drop_orphans
from scoville_server.accounts.sessions import User
from scoville_server.accounts.users import UserObserver, Users
from scoville_server.background.keyed_locks import KeyedLocks
from scoville_server.background.tasks import BackgroundTasks
from scoville_server.errors import name_not_claimed
from scoville_server.journal.base import Journal
from scoville_server.journal.books import Book
from scoville_server.limits.budgets import Budgets
from scoville_server.tables.actions.vacation import BeginVacation, EndVacation
from scoville_server.tables.actor import Done, TableActor
from scoville_server.tables.model.vacation import Vacations, begin_vacation, count_days_left, end_vacation, find_end
from scoville_server.tables.observers import Change, TableObserver
from scoville_server.tables.registry import TableRegistry
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import UserId
from scoville_shared.protocol import messages as m


class VacationService(TableObserver, UserObserver):
    """Keeps the vacations of users who own their names, and lets their clocks rest at their tables.

    A vacation is written first: a crash before a table knows of it is made good when the table is restored. Banned
    users have none: nobody waits for them longer than their clocks say.

    Attributes:
        is_banned: Whether a user is banned from the server.
    """

    observed = frozenset({Change.STATUS, Change.SEATS})

    def __init__(
        self, journal: Journal, registry: TableRegistry, users: Users, background: BackgroundTasks, budgets: Budgets
    ) -> None:
        self._registry = registry
        self._book = Book("vacations", Vacations, journal, self._follow_vacations)
        self._users = users
        self._background = background
        self._budgets = budgets
        self._changing = KeyedLocks()
        self.is_banned: Callable[[UserId], bool] = lambda _: False
        self.by_request: Handlers = {
            m.ShowVacationRequest: self._show_vacation,
            m.BeginVacationRequest: self._begin_vacation,
            m.EndVacationRequest: self._end_vacation,
        }

    def table_opened(self, actor: TableActor) -> None:
        self._update_table(actor)

    def table_changed(self, actor: TableActor, done: Done) -> None:  # noqa: ARG002 - an observer gets both
        self._update_table(actor)

    def export_user(self, user: User) -> Mapping[str, Any]:
        kept = self._book.get(user.id) or Vacations()
        return {"vacations": [m.PastVacation(begun_ms=each.begun_ms, days=each.days) for each in kept.taken]}

    def users_restored(self, is_known: IsKnown) -> None:
        self._background.plan_tidying(lambda: drop_orphans(self._book, is_known))

    def user_forgotten(self, user: UserId) -> None:
        if user in self._book:
            self._background.insist_on_write(lambda: self._book.drop_row(user))

    def find_vacation_end(self, user: UserId) -> int | None:
        """Return when the present vacation of a user ends (milliseconds since 1970); None without one."""
        kept = self._book.get(user)
        return None if kept is None or self.is_banned(user) else find_end(kept, self._users.time.now_ms())

    def end_vacations_of_banned(self) -> None:
        """Resume the clocks of banned users."""
        for actor in self._registry.tables.all_tables():
            self._update_table(actor)

    def _update_table(self, actor: TableActor) -> None:
        """Send a table the vacations of its players that it does not know."""
        table = actor.table
        # Other clocks are too short for a vacation, and a table that starts asks again.
        if not table.running or not table.opened.clock.by_days:
            return
        for user in {table.seats[seat].user for seat in table.human_seats}:
            if user is None or user not in self._book:
                continue
            until_ms, rests_until = self.find_vacation_end(user), table.resting.get(user, 0)
            if until_ms is not None and until_ms != rests_until:
                self._registry.commands.send_until_answered(table.id, BeginVacation(user=user, until_ms=until_ms))
            # Over or ended early: a rest that is past needs no command.
            elif until_ms is None and rests_until > actor.now():
                self._registry.commands.send_until_answered(table.id, EndVacation(user=user))

    def _show_vacation(self, connection: ConnectedClient, _: m.ShowVacationRequest) -> m.VacationReply:
        return self._describe_vacation(connection.user.id)

    async def _begin_vacation(self, connection: ConnectedClient, p: m.BeginVacationRequest) -> m.VacationReply:
        user = connection.user
        self._budgets.count_action(connection.source)
        if not user.claimed:
            raise name_not_claimed(user.name, "have vacations")
        async with self._changing.hold_keys([user.id]):
            now, kept = self._users.time.now_ms(), self._book.get(user.id) or Vacations()
            left = count_days_left(kept, now)
            if find_end(kept, now) is not None:
                raise ScovilleError(Code.NO_VACATION, "You are on vacation already; end it first.")
            if p.days > left:
                sentence = f"You have {left} days of vacation left within this year."
                raise ScovilleError(Code.NO_VACATION, sentence, {"days_left": left})
            await self._book.put_row(user.id, begin_vacation(kept, p.days, now))
        return self._describe_vacation(user.id)

    async def _end_vacation(self, connection: ConnectedClient, _: m.EndVacationRequest) -> m.VacationReply:
        user = connection.user
        self._budgets.count_action(connection.source)
        async with self._changing.hold_keys([user.id]):
            kept = self._book.get(user.id)
            if kept is not None:
                await self._book.put_row(user.id, end_vacation(kept, self._users.time.now_ms()))
        return self._describe_vacation(user.id)

    def _follow_vacations(self, key: str, before: Vacations | None, after: Vacations | None) -> None:
        """Tell the tables of this node of a vacation, whichever node its user is connected to."""
        if before != after:
            for actor in self._registry.tables.all_tables():
                if actor.table.seat_of(UserId(key)) is not None:
                    self._update_table(actor)

    def _describe_vacation(self, user: UserId) -> m.VacationReply:
        now, kept = self._users.time.now_ms(), self._book.get(user) or Vacations()
        return m.VacationReply(until_ms=find_end(kept, now), days_left=count_days_left(kept, now))
