"""The daily deal: gives each user one attempt at the deal of a day, and compares the results."""

import secrets
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, NamedTuple

from msgspec.structs import replace

from scoville_server.accounts.sessions import User
from scoville_server.accounts.users import UserObserver, Users
from scoville_server.background.keyed_locks import KeyedLocks
from scoville_server.background.tasks import BackgroundTasks
from scoville_server.daily.attempt_book import MOST_REPLAYS, AttemptBook
from scoville_server.daily.model.attempts import (
    Attempt,
    RankedAttempt,
    all_records,
    find_parting,
    first_records,
    percentage_behind,
)
from scoville_server.daily.model.deals import DailyDay, DrawnDeal, assign_deal
from scoville_server.errors import node_unreached
from scoville_server.journal.base import Conflict
from scoville_server.limits.throttle import Source
from scoville_server.players.model.career import origin_of
from scoville_server.tables.actions.close import Close
from scoville_server.tables.actions.join import Join
from scoville_server.tables.actor import Done, TableActor
from scoville_server.tables.catalog import GameCatalog
from scoville_server.tables.lifecycle.far_commands import FarCommands
from scoville_server.tables.model.records import Created
from scoville_server.tables.model.table import Table
from scoville_server.tables.observers import Change, TableObserver
from scoville_server.tables.opener import TableOpener
from scoville_server.tables.registry import TableRegistry
from scoville_server.tables.state_machine import restore_table
from scoville_shared.bots.counted import DAILY
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import Seat, TableId, UserId
from scoville_shared.protocol.messages import PastDaily


def is_daily(opened: Created) -> bool:
    """Whether a table has a daily deal, and not that of a duplicate evening."""
    return opened.deal.startswith(DAILY)


_TIME_OVER: Final = "The time of this daily deal is over."
CLOSED = Close(reason=_TIME_OVER, cause="time_over")

IsFriend = Callable[[UserId, UserId], bool]
"""Whether the second user is a friend of the first."""


class DailyDeals(TableObserver, UserObserver):
    """Keeps the attempts of users and their streaks.

    An attempt is written before its table, with the table's id: a crash between the two leaves an attempt whose table
    is opened when its user comes back. Its result is written before the table's records are deleted.

    Args:
        attempts: Where everything is kept.
        registry: Opens the tables of attempts.
        commands: Closes them, whichever node has them.
        opener: Opens such a table within the shares of its user and address.
        users: The users who play.
        background: Runs writes for which nobody waits.

    Attributes:
        on_finished: Is called with a day and a deal of it that a user has finished.
    """

    observed = frozenset({Change.STATUS})

    def __init__(
        self,
        attempts: AttemptBook,
        registry: TableRegistry,
        commands: FarCommands,
        opener: TableOpener,
        users: Users,
        background: BackgroundTasks,
    ) -> None:
        self.on_finished: Callable[[DailyDay, DrawnDeal], object] = lambda *_: None
        self.days, self.attempts = attempts.days, attempts
        self._registry = registry
        self._commands = commands
        self._opener = opener
        self._sessions = users.sessions
        self._background = background
        self._changing = KeyedLocks()

    def restore_deals(self) -> None:
        """Index the attempts of earlier runs, after the days were restored."""
        self.attempts.index_rows()

    def start_serving(self) -> None:
        """Follow the calendar from now on."""
        self.days.start_serving(self)
        # The node that did so before may have been lost while it played for par.
        for day in self.days.latest_days():
            for deal in day.deals:
                if self.attempts.finished.get(deal.name):
                    self.on_finished(day, deal)

    def stop_serving(self) -> None:
        """Follow the calendar no more."""
        self.days.stop_serving()

    def deal_of(self, day: DailyDay, user: UserId, source: Source) -> DrawnDeal:
        """Return the deal of a day that a user has, or would get now."""
        begun = next((deal for deal in day.deals if self.attempts.find_attempt(deal.name, user) is not None), None)
        if begun is not None or len(day.deals) == 1:
            return begun or day.deals[0]
        origin = _origin_of(source)
        if origin is None:
            return assign_deal(day, user, {})
        return assign_deal(day, user, {deal.name: self.attempts.count_from(deal.name, origin) for deal in day.deals})

    # --- attempts ---------------------------------------------------------------------------------------

    async def play_deal(self, user: User, source: Source, number: int | None) -> tuple[TableActor, Seat]:
        """Begin or continue a user's attempt at the deal of a day. Raises ScovilleError."""
        # The day may have changed since the alarm was set.
        await self.days.advance()
        day = self.days.find_day(number)
        async with self._changing.hold_keys([user.id]):
            deal = self.deal_of(day, user.id, source)
            attempt = self.attempts.find_attempt(deal.name, user.id)
            if attempt is not None and attempt.state != "running":
                raise _already_played()
            if not self.days.is_open(day):
                raise ScovilleError(Code.DEAL_OVER, _TIME_OVER, {"day": day.day})
            if attempt is None:
                actor = await self._begin_attempt(day, deal, user, source)
            elif attempt.table in self._registry.tables:
                actor = self._registry.tables.find_table(attempt.table)
            elif self._is_elsewhere(attempt.table):
                raise node_unreached(attempt.table)
            else:
                # The server ended between the two writes: nobody has seen anything of the table.
                actor = await self._opener.open_prepared(first_records(attempt, deal), source)
        seat = actor.table.seat_of(user.id)
        if seat is None:
            join = Join(user=user.id, name=user.name, claimed=user.claimed)
            seat = (await actor.carry_out(join)).after.seat_of(user.id)
        assert seat is not None, "the player's seat is kept"
        return actor, seat

    async def _begin_attempt(self, day: DailyDay, deal: DrawnDeal, user: User, source: Source) -> TableActor:
        await self.attempts.make_room(deal.name)
        attempt = Attempt(
            id=secrets.token_hex(6),
            day=day.day,
            deal=deal.name,
            table=TableId(secrets.token_hex(6)),
            user=user.id,
            name=user.name,
            claimed=user.claimed,
            begun_ms=self._registry.clock.date_ms(),
            origin=_origin_of(source),
        )
        # One attempt for each deal is bound enough.
        with suppress(Conflict), self._opener.reserve_table(user, source, counts=False):
            # The attempt first: a crash before its table costs nothing, and after it nobody gets a second one.
            await self.attempts.create_attempt(attempt)
            return await self._opener.open_prepared(first_records(attempt, deal), source)
        raise _already_played()

    def _is_elsewhere(self, table: TableId) -> bool:
        """Whether another node has a table, or had it until it was lost."""
        directory = self._registry.directory
        return directory.find_owner(table) is not None or directory.is_moving(table)

    # --- tables -----------------------------------------------------------------------------------------

    def table_opened(self, actor: TableActor) -> None:
        """Catch up on a result that was not written before the server stopped."""
        self._follow_game(actor.table)

    def table_changed(self, actor: TableActor, done: Done) -> None:  # noqa: ARG002 - the table is in what was done
        self._follow_game(done.after)

    async def is_settled(self, table: Table) -> bool:
        """Return whether the result of an attempt's table is written."""
        opened = table.opened
        async with self._changing.hold_keys([opened.user]):
            return not is_daily(opened) or f"{opened.deal}/{opened.user}" not in self.attempts.running[opened.deal]

    async def settle_results(self, user: UserId) -> None:
        """Wait until the results of a user's games that are over are written. Raises JournalError."""
        for day in self.days.latest_days():
            for deal in day.deals:
                table = self.attempts.running[deal.name].get(f"{deal.name}/{user}")
                if table is not None and table in self._registry.tables:
                    found = self._registry.tables.find_table(table).table
                    if found.status == "finished":
                        await self._write_result(found)

    def _follow_game(self, table: Table) -> None:
        if is_daily(table.opened) and (table.status == "finished" or table.closed is not None):
            self._background.insist_on_write(lambda: self._write_result(table))

    async def _write_result(self, table: Table) -> None:
        """Write the end of an attempt, unless it is written already, and then the player's day."""
        opened, outcome = table.opened, table.game.outcome(table.state)
        async with self._changing.hold_keys([opened.user]):
            attempt = self.attempts.find_attempt(opened.deal, opened.user)
            if attempt is None or attempt.table != table.id:
                return
            if table.status != "finished" or outcome is None:
                await self._end_unfinished(attempt)
                return
            few = len(self.attempts.finished[attempt.deal]) < MOST_REPLAYS

            def end_attempt(kept: Attempt) -> Attempt:
                return kept.with_result(table, outcome, keep_moves=few) if kept.state == "running" else kept

            await self.attempts.change_attempt(attempt.key, end_attempt)
            # Written again after a crash between the two: to add a day twice changes nothing.
            await self.attempts.players.count_day(attempt.user, attempt.day)
        day = self.days.day_of(attempt.day)
        if day is not None:
            self.on_finished(day, day.find_deal(attempt.deal))

    async def _end_unfinished(self, attempt: Attempt) -> None:
        now = self._registry.clock.date_ms()

        def end_attempt(kept: Attempt) -> Attempt:
            return replace(kept, state="unfinished", ended_ms=now) if kept.state == "running" else kept

        await self.attempts.change_attempt(attempt.key, end_attempt)

    async def end_running(self, deal: str) -> bool:
        """End the games of a deal that still run; returns whether nothing runs any more. Raises JournalError."""
        for key, table in [*self.attempts.running[deal].items()]:
            attempt = self.attempts.get_attempt(key)
            if table in self._registry.tables or self._is_elsewhere(table):
                self._commands.send_command(table, CLOSED)
            elif attempt is not None:
                await self._end_unfinished(attempt)
        return not self.attempts.running[deal]

    async def drop_results(self, deal: str) -> None:
        """Delete the results of a deal. Raises JournalError."""
        await self.attempts.drop_deal(deal)

    # --- users ------------------------------------------------------------------------------------------

    def export_user(self, user: User) -> Mapping[str, Any]:
        past = [self._describe_past(attempt) for attempt in self.attempts.list_attempts(user.id)]
        return {"past_daily": past, "daily_days": self.attempts.players.list_days(user.id)}

    def _describe_past(self, attempt: Attempt) -> PastDaily:
        past = PastDaily(deal=attempt.deal, begun_ms=attempt.begun_ms, ended_ms=attempt.ended_ms or None)
        deal = self.attempts.find_deal(attempt)
        if deal is None or attempt.state != "finished":
            return past
        return replace(past, score=attempt.scores[deal.player], place=attempt.places[deal.player])

    def user_forgotten(self, user: UserId) -> None:
        """Turn the results of an erased user into those of a ghost; erase those of a guest."""
        mine = self.attempts.list_attempts(user)
        if mine or user in self.attempts.players:
            self._background.insist_on_write(lambda: self._erase_user(user, mine))

    async def _erase_user(self, user: UserId, attempts: Sequence[Attempt]) -> None:
        async with self._changing.hold_keys([user]):
            rows: dict[str, Attempt | None] = {attempt.key: None for attempt in attempts}
            for attempt in attempts:
                if attempt.state == "finished" and attempt.claimed:
                    ghost = attempt.without_user()
                    rows[ghost.key] = ghost
            await self.attempts.replace_attempts(rows)
            for attempt in attempts:
                self._commands.send_command(attempt.table, CLOSED)
            await self.attempts.players.forget_user(user)


def _origin_of(source: Source) -> int | None:
    return origin_of(source.networks[-1]) if source.networks else None


def _already_played() -> ScovilleError:
    return ScovilleError(Code.DEAL_PLAYED, "You have played this daily deal; the next one comes tomorrow.")


class Comparison(NamedTuple):
    """The results that a user sees of a deal: their own, of friends and of others; so many `more` are left out."""

    listed: Sequence[Attempt]
    more: int


class DailyResults:
    """Compares the results of a deal, as a user may see them.

    Args:
        attempts: The attempts of users at the deals.
        users: The users.
        catalog: The games.
        is_friend: Tells whose results a user sees first.
    """

    def __init__(self, attempts: AttemptBook, users: Users, catalog: GameCatalog, is_friend: IsFriend) -> None:
        self._attempts = attempts
        self._sessions = users.sessions
        self._catalog = catalog
        self._is_friend = is_friend

    def count_finished(self, deal: DrawnDeal) -> int:
        """Count the results of users who own their names, and ghosts."""
        return len(self._list_counted(deal))

    def find_percentile(self, deal: DrawnDeal, user: UserId) -> int | None:
        """Return the percentage of other players whose result is worse than a user's."""
        mine = self._standing_of(deal, user)
        if mine is None:
            return None
        return percentage_behind(mine.rank, (each.rank for each in self._list_counted(deal) if each is not mine))

    def compare_results(self, deal: DrawnDeal, user: UserId, most: int) -> Comparison:
        """List at most so many results: the user's own, then friends', best first, then others from best to worst."""
        mine = self._standing_of(deal, user)
        others = sorted((each for each in self._list_counted(deal) if each is not mine), key=lambda each: each.rank)
        friends = [each for each in others if self.is_friend(user, each.user)]
        known = {each.id for each in friends}
        rest = [each for each in others if each.id not in known]
        chosen = [*filter(None, [mine]), *friends][:most]
        room = most - len(chosen)
        # Of very many results a sample that stands for all: evenly from the best to the worst.
        sampled = rest if len(rest) <= room else [rest[n * len(rest) // room] for n in range(room)]
        listed = [
            attempt for each in (*chosen, *sampled) if (attempt := self._attempts.get_attempt(each.key)) is not None
        ]
        return Comparison(listed, len(others) + (mine is not None) - len(listed))

    def find_result(self, deal: DrawnDeal, result: str, reader: UserId) -> Attempt:
        """Find a finished attempt by its id. Raises ScovilleError."""
        for each in self._attempts.finished[deal.name].values():
            if each.id == result and (each.user == reader or self._is_counted(each)):
                attempt = self._attempts.get_attempt(each.key)
                if attempt is not None:
                    return attempt
        sentence = "There is no such result of this daily deal."
        raise ScovilleError(Code.DEAL_NOT_PLAYED, sentence, {"why": "no_result"})

    def check_may_compare(self, day: DailyDay, deal: DrawnDeal, user: UserId) -> None:
        """Check that a user may see results: they have had their attempt, or nobody can have one any more."""
        attempt = self._attempts.find_attempt(deal.name, user)
        ended = attempt is not None and attempt.state != "running"
        if not ended and not day.revealed_ms:
            raise ScovilleError(Code.DEAL_NOT_PLAYED, "Play this daily deal first; then you see the results.")

    def rebuild_table(self, attempt: Attempt, deal: DrawnDeal) -> Table:
        """Make the table of a finished attempt again. Raises ScovilleError where its moves are not kept."""
        if not attempt.moves:
            raise ScovilleError(Code.DEAL_NOT_PLAYED, "The moves of this game are not kept.", {"why": "not_kept"})
        return restore_table([*all_records(attempt, deal)], self._catalog.find_game)

    def parting_from(self, deal: DrawnDeal, user: UserId) -> Callable[[Attempt], int | None]:
        """Return a counter of the moves that a user's own game and another one share; None if they are the same."""
        mine = self._attempts.find_attempt(deal.name, user)
        if mine is None or not mine.moves:
            return lambda _: None
        own = mine
        return lambda other: find_parting(own.moves, other.moves, deal.player) if other.moves else None

    def is_friend(self, user: UserId, other: UserId) -> bool:
        """Whether another user is a friend of a user."""
        return bool(other) and other != user and self._is_friend(user, other)

    def name_of(self, attempt: Attempt) -> tuple[str | None, bool]:
        """Return the present name of an attempt's user, and whether it is claimed; None for a ghost."""
        user = self._sessions.find_user(attempt.user) if attempt.user else None
        return (user.name, user.claimed) if user is not None else (attempt.name or None, attempt.claimed)

    def _standing_of(self, deal: DrawnDeal, user: UserId) -> RankedAttempt | None:
        return self._attempts.finished[deal.name].get(f"{deal.name}/{user}")

    def _list_counted(self, deal: DrawnDeal) -> list[RankedAttempt]:
        return [each for each in self._attempts.finished[deal.name].values() if self._is_counted(each)]

    def _is_counted(self, standing: RankedAttempt) -> bool:
        """Whether others see a result: guests could have as many attempts as they take names."""
        user = self._sessions.find_user(standing.user) if standing.user else None
        return not standing.user or (user is not None and user.claimed)
