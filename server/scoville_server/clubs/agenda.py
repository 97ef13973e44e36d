"""Events in clubs without an act of a user: games count, dates come near, and seasons end; over restarts as well."""

import logging
from functools import partial
from typing import Final

from scoville_runtime.clock import Alarm, CallLater
from scoville_server.accounts.users import Users
from scoville_server.background.tasks import BackgroundTasks
from scoville_server.clubs.model.club import Club
from scoville_server.clubs.model.dates import advance_dates, list_dues
from scoville_server.clubs.model.season import count_game, has_played, season_ends_ms
from scoville_server.clubs.service import ClubService, describe_date
from scoville_server.journal.base import JournalError
from scoville_server.players.model.career import find_stayed_seats
from scoville_server.tables.actor import Done, TableActor
from scoville_server.tables.model.table import Table, has_known_result
from scoville_server.tables.observers import Change, TableObserver
from scoville_shared.ids import Seat, UserId
from scoville_shared.protocol.messages import ClubDueNotice, ClubSeasonNotice

_log = logging.getLogger(__name__)

_LONGEST_WAIT_MS: Final = 900_000
"""How long the alarm waits at most, in milliseconds: the system's clock may have been set."""
_SHORTEST_WAIT_MS: Final = 500
_RETRY_MS: Final = 30_000
"""How long it waits at least, and after a write that the disk has refused, in milliseconds."""


class ClubAgenda(TableObserver):
    """Counts the games of clubs, reminds members of dates, and ends seasons, each with one write and exactly once.

    A notice follows its write: after a crash between the two it is not sent, and never a second time.
    """

    observed = frozenset({Change.STATUS, Change.SEAL})

    def __init__(self, clubs: ClubService, users: Users, background: BackgroundTasks, later: CallLater) -> None:
        self._clubs = clubs
        self._connections = users.connections
        self._time = users.time
        self._background = background
        self._call_later = later
        self._alarm: Alarm | None = None
        self._serves = False
        clubs.on_changed = self._follow_change
        clubs.on_season_ended = self._announce_season

    # --- time -------------------------------------------------------------------------------------------

    def start_serving(self) -> None:
        """Follow time from now on: what was due while the server was off is done now."""
        self._serves = True
        self._background.start_task(self._advance_clubs())

    def stop_serving(self) -> None:
        """Stop setting alarms."""
        self._serves = False
        if self._alarm is not None:
            self._alarm.cancel()

    def _follow_change(self) -> None:
        self._set_alarm()

    def _set_alarm(self, least_ms: int = _SHORTEST_WAIT_MS) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
        if self._serves:
            now = self._time.now_ms()
            dues = [due for _, club in self._clubs.list_clubs() for due in _list_dues(club)]
            wait = min(max(min(dues, default=now + _LONGEST_WAIT_MS) - now, least_ms), _LONGEST_WAIT_MS)
            self._alarm = self._call_later(wait / 1000, self._follow_alarm)

    def _follow_alarm(self) -> None:
        self._background.start_task(self._advance_clubs())

    async def _advance_clubs(self) -> None:
        """Carry out everything due in all clubs; a write that the disk refuses is repeated later."""
        now, least_ms = self._time.now_ms(), _SHORTEST_WAIT_MS
        for club_id, club in self._clubs.list_clubs():
            if any(due <= now for due in _list_dues(club)):
                try:
                    await self._advance_club(club_id)
                except JournalError as error:
                    _log.warning("club %s: %s", club_id, error.message)
                    least_ms = _RETRY_MS
        self._set_alarm(least_ms)

    async def _advance_club(self, club_id: str) -> None:
        due: list[str] = []

        def advance(club: Club) -> Club:
            after, due[:] = advance_dates(club, self._time.now_ms())
            return after

        club = await self._clubs.follow_club(club_id, advance)
        if club is None:
            return
        for date_id in due:
            notice = ClubDueNotice(club_date=describe_date(club_id, club, date_id))
            self._connections.notify_all(dict.fromkeys(club.members), notice)

    def _announce_season(self, club_id: str, club: Club) -> None:
        for user, member in club.members.items():
            notice = ClubSeasonNotice(club=club_id, club_name=club.name, division=member.division, rose=member.rose)
            self._connections.notify_user(user, notice)

    # --- games ------------------------------------------------------------------------------------------

    def table_opened(self, actor: TableActor) -> None:
        """Catch up on a game that was not counted before the server stopped."""
        self._follow_game(actor.table)

    def table_changed(self, actor: TableActor, done: Done) -> None:  # noqa: ARG002 - the table is in what was done
        self._follow_game(done.after)

    def _follow_game(self, table: Table) -> None:
        if has_known_result(table):
            for club_id in self._list_meetings(table):
                self._background.insist_on_write(partial(self._count_game, club_id, table))

    def _list_meetings(self, table: Table) -> list[str]:
        """List the clubs that have at least two members at a table."""
        met: dict[str, int] = {}
        for user in _list_users(table):
            for club_id in self._clubs.list_ids_of(user):
                met[club_id] = met.get(club_id, 0) + 1
        return [club_id for club_id, users in met.items() if users > 1]

    async def _count_game(self, club_id: str, table: Table) -> None:
        await self._clubs.follow_club(club_id, lambda club: self._with_game(club, table))

    def _with_game(self, club: Club, table: Table) -> Club:
        settings, outcome = table.opened.settings, table.game.outcome(table.state)
        # With the coach the result says nothing of the players; such a game is not rated either.
        if outcome is None or settings.coach:
            return club
        # As with ratings: two friends could vote out a third near the end of each lost game.
        stayed = find_stayed_seats(table) - table.voters
        users = _list_users(table)
        places = {user: outcome.places[seat] if seat in stayed else None for user, seat in users.items()}
        return count_game(club, table.id, table.started_ms, places, self._time.now_ms())

    async def is_settled(self, table: Table) -> bool:
        """Return whether a finished game is counted in all clubs in which it counts."""
        if table.status != "finished":
            return True
        for club_id in self._list_meetings(table):
            async with self._clubs.changing.hold_keys([club_id]):
                club = self._clubs.find_any(club_id)
                if club is not None and self._with_game(club, table).counted != club.counted:
                    return False
        return True


def _list_users(table: Table) -> dict[UserId, Seat]:
    return {seat.user: Seat(n) for n, seat in enumerate(table.seats) if seat.user is not None}


def _list_dues(club: Club) -> list[int]:
    return [*list_dues(club), *([season_ends_ms(club.season)] if club.is_open and has_played(club) else [])]
