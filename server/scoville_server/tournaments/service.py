"""Tournaments in time: reminded, begun, paired round by round, and ended; over restarts as well.

A round is written with the ids and seeds of its tables before these are opened: wherever the server ends, the next
start finds either nothing of a step or all that it needs to finish it. Those of clubs follow their members.
"""

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import partial
from typing import Any, Final, Literal

from msgspec.structs import replace

from scoville_runtime.clock import Alarm, CallLater
from scoville_server.accounts.sessions import User
from scoville_server.accounts.users import UserObserver, Users
from scoville_server.background.tasks import BackgroundTasks
from scoville_server.journal.base import JournalError
from scoville_server.lobby.feed import LobbyFeed
from scoville_server.tournaments.book import TournamentBook, TournamentErasure
from scoville_server.tournaments.model.duplicate import list_deal_tables, seat_entrants
from scoville_server.tournaments.model.pairing import pair_entrants
from scoville_server.tournaments.model.standings import name_winner
from scoville_server.tournaments.model.tournament import (
    GRACE_MS,
    MOST_TABLES,
    REMIND_MS,
    WAIT_MS,
    Entrant,
    Fault,
    Tournament,
    add_round,
    begin_tournament,
    end_tournament,
    take_out,
    withdraw_user,
)
from scoville_server.tournaments.tables import UNUSED_MS, TournamentTables
from scoville_shared.engine.dice import SEED_BYTES
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import TableId, UserId
from scoville_shared.protocol.messages import Notice, TournamentChangedNotice, TournamentDueNotice

_log = logging.getLogger(__name__)

_LONGEST_WAIT_MS: Final = 60_000
"""How long an alarm waits at most, in milliseconds: the clock may have been set meanwhile."""

_SHORTEST_WAIT_MS: Final = 500
"""How long it waits at least: what is overdue, as a table that a full disk keeps from closing, is no busy loop."""

_PAIRED_AT_ONCE: Final = 16
"""Entrants who are paired within a millisecond or two, so that no thread is worth it."""

_SETTLING_SECONDS: Final = 20.0
"""Seconds after a start in which nobody is paired: users come back to a server that was restarted."""


def _has_scored_deal(before: Tournament, after: Tournament) -> bool:
    """Whether all tables have played a deal."""
    return after.format == "duplicate" and bool(before.running) and not after.running


def _has_ended(tournament: Tournament) -> bool:
    """Whether all rounds are over."""
    if tournament.format == "knockout":
        return sum(entrant.stage == "in" for entrant in tournament.entrants) < 2
    return tournament.round >= tournament.round_count


_FAULTS: Final[Mapping[Fault, str]] = {
    "too_few": "Fewer than two entrants were there at its start.",
    "rules_changed": "The rules of its game have changed since it was called.",
    "game_gone": "Its game cannot be played here any more.",
}


def _wait_for_entrants(tournament: Tournament, now_ms: int) -> Tournament | None:
    """Start the wait for missing entrants; None if it waits already."""
    return None if tournament.grace_ms else replace(tournament, grace_ms=now_ms + GRACE_MS)


def _end_by_fault(tournament: Tournament, fault: Fault, now_ms: int) -> Tournament:
    """Cancel a tournament; where rounds were played, their results count."""
    stage: Literal["finished", "cancelled"] = "finished" if tournament.pairings else "cancelled"
    return end_tournament(tournament, stage, now_ms, _FAULTS[fault], fault)


class Tournaments(UserObserver):
    """Advances each tournament when a step is due, and notifies its entrants.

    Args:
        book: The tournaments.
        tables: Opens their tables, and follows them.
        users: The users who take part.
        background: Runs work in the background.
        feed: Knows who watches the lobby.
        call_later: Sets an alarm.

    Attributes:
        erasure: Erases deleted accounts from them.
        of_clubs: Follows clubs whose members leave.
    """

    def __init__(
        self,
        book: TournamentBook,
        tables: TournamentTables,
        users: Users,
        background: BackgroundTasks,
        feed: LobbyFeed,
        call_later: CallLater,
    ) -> None:
        self.book, self.tables = book, tables
        self.erasure = TournamentErasure(book, users, background)
        self._users = users
        self._background = background
        self._notices = TournamentNotices(book, users, feed)
        self.of_clubs = ClubFollower(book, users, background, self.change_tournament, self.tables.follow_members)
        self._call_later = call_later
        self._alarms: dict[str, Alarm] = {}
        self._free_since: dict[tuple[str, UserId], int] = {}
        """Since when an entrant of an arena is there and plays nowhere, in milliseconds since 1970."""
        self._serves_since: float | None = None
        self.tables.on_result = self._take_result

    # --- changes by users -------------------------------------------------------------------------------

    async def create_tournament(self, tournament: Tournament) -> None:
        """Keep a new tournament and follow it. Raises ScovilleError."""
        await self.book.create_tournament(tournament)
        self._notices.tell_lobby(tournament)
        self._schedule_next(tournament)

    async def change_tournament(self, number: str, change: Callable[[Tournament], Tournament]) -> Tournament:
        """Change a tournament as it is when its turn comes. Raises ScovilleError, also that of the `change`."""
        changed = await self.book.change_in_turn(number, change)
        if changed is not None:
            self._notices.tell_change(*changed)
        # The change is kept: acts that a full disk delays are done later, and are no refusal of it.
        await self._advance_if_possible(number)
        return self.book.find_tournament(number)

    async def begin_early(self, number: str, check: Callable[[Tournament], None]) -> Tournament:
        """Begin a tournament before its time. Raises ScovilleError, also that of the `check`."""

        def begin(tournament: Tournament) -> Tournament:
            check(tournament)
            return replace(tournament, starts_ms=self.book.now_ms())

        return await self.change_tournament(number, begin)

    # --- time -------------------------------------------------------------------------------------------

    def start_serving(self) -> None:
        """Follow time from now on: what was due while the server was off is done now."""
        self._serves_since = self._users.time.seconds()
        self.of_clubs.catch_up()
        for tournament in self.book.list_tournaments():
            # One that has ended may have tables that were never opened.
            if tournament.is_open or tournament.running:
                self._advance_soon(tournament.id)

    async def begin_sharing(self) -> None:
        """Follow the changes that other nodes make from now on."""
        self.book.on_followed = self._follow_row

    def _follow_row(self, before: Tournament | None, after: Tournament) -> None:
        self._notices.tell_count(before, after)
        if self._serves_since is not None:
            # Such as the result of a table of another node.
            self._take_result(before or after, after)
        elif before is None or after.stage != before.stage or _has_scored_deal(before, after):
            self._notices.tell_lobby(after)

    def stop_serving(self) -> None:
        """Stop setting alarms."""
        self._serves_since = None
        for alarm in self._alarms.values():
            alarm.cancel()
        self._alarms.clear()

    def _advance_soon(self, number: str) -> None:
        if self._serves_since is not None:
            self._background.start_task(self._advance_if_possible(number))

    async def _advance_if_possible(self, number: str) -> None:
        try:
            await self._advance_tournament(number)
        except JournalError as error:
            _log.warning("tournament %s: %s", number, error.message)
            self._set_alarm(number, self.book.now_ms() + 1_000)

    async def _advance_tournament(self, number: str) -> None:
        """Do all that is due in a tournament. Raises JournalError, and then it is done later."""
        if self._serves_since is None:
            return
        async with self.book.changing.hold_keys([number]):
            tournament = self.book.rows.get(number)
            # Each step is written before the next: the start of a tournament and its first round may be due at once.
            while tournament is not None and tournament.is_open and self._serves_since is not None:
                after = await self._take_step(tournament)
                if after is None:
                    break
                await self.book.replace_row(number, after)
                self._notices.tell_entrants(tournament, after)
                tournament = after
            if tournament is None or self._serves_since is None:
                return
            # A deal begins at once, so players must have had time to come.
            if not tournament.is_open:
                await self.tables.give_up_missing(tournament)
            elif tournament.format != "duplicate" or self._has_settled():
                await self.tables.open_tables(tournament)
            self._schedule_next(tournament)

    async def _take_step(self, tournament: Tournament) -> Tournament | None:
        """Return the tournament after the next thing that is due, None if nothing is."""
        now = self.book.now_ms()
        if tournament.stage == "announced":
            return self._take_first_step(tournament, now)
        if tournament.format == "arena":
            return await self._pair_arena(tournament, now)
        has_ended = _has_ended(tournament)
        # The break is for the next round: after the last one all can read at once who has won.
        if tournament.running or not self._has_settled() or (now < tournament.next_ms and not has_ended):
            return None
        free = self.book.list_free(tournament)
        if not has_ended:
            if len(free) >= 2 and (fault := self.tables.find_fault(tournament)):
                return _end_by_fault(tournament, fault, now)
            if len(free) >= 2:
                return await self._pair_round(tournament, free, now)
            if now < tournament.grace_ms or not tournament.grace_ms:
                return _wait_for_entrants(tournament, now)
        if tournament.format == "knockout":
            tournament = name_winner(tournament, {entrant.number for entrant in free})
        return end_tournament(tournament, "finished", now)

    def _take_first_step(self, tournament: Tournament, now: int) -> Tournament | None:
        if now >= tournament.starts_ms and self._has_settled():
            if len(self.book.list_free(tournament)) < 2:
                # A node that others miss does not see their users, and a network may have lost all at once.
                may_come = sum(entrant.stage == "in" for entrant in tournament.entrants) >= 2
                if may_come and (now < tournament.grace_ms or not tournament.grace_ms):
                    return _wait_for_entrants(tournament, now)
                return _end_by_fault(tournament, "too_few", now)
            fault = self.tables.find_fault(tournament)
            return _end_by_fault(tournament, fault, now) if fault else begin_tournament(tournament, now)
        if now >= tournament.starts_ms - REMIND_MS and not tournament.reminded:
            # Written first: after a crash nobody is reminded twice.
            return replace(tournament, reminded=True)
        return None

    async def _pair_arena(self, tournament: Tournament, now: int) -> Tournament | None:
        if now >= tournament.ends_ms or len(tournament.pairings) >= MOST_TABLES:
            return None if tournament.running else end_tournament(tournament, "finished", now)
        free = self.book.list_free(tournament)
        waits = self._note_waits(tournament, free, now)
        full = len(free) - len(free) % tournament.seat_count
        # Those who wait longest first; nobody waits longer than for the others to come to the table.
        chosen = sorted(free, key=lambda entrant: (waits[entrant.number], entrant.number))[:full]
        if not chosen and free and now - min(waits.values()) >= WAIT_MS:
            chosen = free
        if not chosen or not self._has_settled():
            return None
        fault = self.tables.find_fault(tournament)
        if fault:
            return None if tournament.running else _end_by_fault(tournament, fault, now)
        return await self._pair_round(tournament, chosen, now)

    def _note_waits(self, tournament: Tournament, free: list[Entrant], now: int) -> dict[int, int]:
        """Note since when entrants wait, by their number."""
        waiting = {(tournament.id, entrant.user) for entrant in free}
        for key in [key for key in self._free_since if key[0] == tournament.id and key not in waiting]:
            del self._free_since[key]
        return {entrant.number: self._free_since.setdefault((tournament.id, entrant.user), now) for entrant in free}

    async def _pair_round(self, tournament: Tournament, players: list[Entrant], now: int) -> Tournament:
        if tournament.format == "duplicate":
            tournament = seat_entrants(tournament, {player.number for player in players})
            # Other absent players keep their seats, since they may come back; a bot plays for a user who may not play.
            tables = list_deal_tables(tournament, self.book.list_barred(tournament))
        elif len(players) <= _PAIRED_AT_ONCE:
            tables = pair_entrants(tournament, players)
        else:
            # In a thread: a hundred entrants take some tenths of a second, and games go on meanwhile.
            tables = await asyncio.to_thread(pair_entrants, tournament, players)
        there = {player.number for player in players}
        absent = [entrant.number for entrant in tournament.entrants if entrant.number not in there]
        drawn = [(TableId(secrets.token_hex(6)), secrets.token_bytes(SEED_BYTES), seats) for seats in tables]
        return add_round(tournament, drawn, () if tournament.format == "arena" else absent, now)

    def _has_settled(self) -> bool:
        since = self._serves_since
        return since is not None and self._users.time.seconds() - since >= _SETTLING_SECONDS

    def _schedule_next(self, tournament: Tournament) -> None:
        """Set the alarm for the next due step."""
        if not tournament.is_open:
            self._note_waits(tournament, [], 0)
        dues = [due for due in self._list_dues(tournament) if due]
        if dues:
            self._set_alarm(tournament.id, min(dues))
        elif tournament.id in self._alarms:
            self._alarms.pop(tournament.id).cancel()

    def _list_dues(self, tournament: Tournament) -> list[int]:
        now, dues = self.book.now_ms(), []
        if tournament.stage == "announced":
            begins_ms = max(tournament.starts_ms, tournament.grace_ms)
            dues.append(begins_ms if tournament.reminded else tournament.starts_ms - REMIND_MS)
        elif tournament.stage == "running":
            if tournament.format == "arena":
                # After its end nobody is paired, however long they wait: the last result comes next.
                if now < tournament.ends_ms:
                    dues.append(tournament.ends_ms)
                    dues += [since + WAIT_MS for key, since in self._free_since.items() if key[0] == tournament.id]
            elif not tournament.running:
                dues.append(now if _has_ended(tournament) else max(tournament.next_ms, tournament.grace_ms))
            dues += [pairing.at_ms + UNUSED_MS for pairing in tournament.running if not self.tables.is_used(pairing)]
            # A table that could not be opened, such as on a full disk, is tried again each second.
            dues += [now + 1_000 for pairing in tournament.running if not self.tables.is_open(pairing)]
        # Nothing is paired before then, so an earlier alarm would find nothing to do.
        if dues and not self._has_settled() and self._serves_since is not None:
            left = self._serves_since + _SETTLING_SECONDS - self._users.time.seconds()
            dues = [max(due, now + round(1000 * left)) if due else 0 for due in dues]
        return dues

    def _set_alarm(self, number: str, at_ms: int) -> None:
        if (alarm := self._alarms.pop(number, None)) is not None:
            alarm.cancel()
        if self._serves_since is not None:
            wait = min(max(at_ms - self.book.now_ms(), _SHORTEST_WAIT_MS), _LONGEST_WAIT_MS)
            self._alarms[number] = self._call_later(wait / 1000, lambda: self._follow_alarm(number))

    def _follow_alarm(self, number: str) -> None:
        del self._alarms[number]
        self._advance_soon(number)

    # --- users ------------------------------------------------------------------------------------------

    def _take_result(self, before: Tournament, after: Tournament) -> None:
        """Go on after the result of a table, and tell all entrants how they stand after a deal that all have played."""
        if _has_scored_deal(before, after):
            self._notices.tell_entrants(before, after)
            self._notices.tell_lobby(after)
        self._advance_soon(after.id)

    def user_connected(self, user: User) -> None:
        """Call a user to the table that waits for them, and pair them where they take part."""
        for tournament in self._list_awaited(user.id):
            if (table := self.book.find_waiting_table(tournament, user.id)) is not None:
                self.tables.call_player(tournament, table, user.id)
            elif tournament.format == "arena" or not tournament.running:
                self._advance_soon(tournament.id)

    def user_disconnected(self, user: User) -> None:
        self._forget_waits(user.id)

    def user_located(self, user: UserId, is_here: bool) -> None:
        """Pair a user who has connected to another node, or forget since when they wait: that node calls them."""
        if not is_here:
            self._forget_waits(user)
            return
        for tournament in self._list_awaited(user):
            if tournament.format == "arena" or not tournament.running:
                self._advance_soon(tournament.id)

    def _forget_waits(self, user: UserId) -> None:
        for tournament in self._list_awaited(user):
            self._free_since.pop((tournament.id, user), None)

    def _list_awaited(self, user: UserId) -> list[Tournament]:
        """List the tournaments in which a user plays, or for whose start they are waited for."""
        return [
            tournament
            for _, tournament in self.book.rows.items()
            if (tournament.stage == "running" or (tournament.stage == "announced" and tournament.grace_ms))
            and tournament.find_entrant(user) is not None
        ]

    def export_user(self, user: User) -> Mapping[str, Any]:
        mine = (each for each in self.book.list_tournaments() if each.find_entrant(user.id) is not None)
        return {"tournaments": [self.book.describe_tournament(each, user.id) for each in mine]}


# --- notices ----------------------------------------------------------------------------------------


class TournamentNotices:
    """Notifies users of changes in a tournament, after the write.

    Args:
        book: The tournaments.
        users: The users who get the notices.
        feed: Knows who watches the lobby.
    """

    def __init__(self, book: TournamentBook, users: Users, feed: LobbyFeed) -> None:
        self._book = book
        self._connections = users.connections
        self._feed = feed

    def tell_entrants(self, before: Tournament, after: Tournament) -> None:
        """Tell all entrants of a change, and remind the members of its club too, as of a date of the club."""
        is_due = after.reminded and not before.reminded and after.stage == "announced"
        make: type[TournamentDueNotice | TournamentChangedNotice]
        make = TournamentDueNotice if is_due else TournamentChangedNotice
        if after.format == "arena" and before.stage == after.stage == "running":
            return  # only its own players get the notice of a table
        for entrant in after.entrants:
            if entrant.user and entrant.stage in ("in", "out"):
                notice: Notice = make(tournament_info=self._book.describe_tournament(after, entrant.user))
                self._connections.notify_user(entrant.user, notice)
        # Users who were called less than ten minutes before the start have just heard of it.
        if is_due and after.club and after.created_ms <= after.starts_ms - REMIND_MS:
            self._tell_others(after, self._book.clubs.list_members(after.club), make)
        if after.stage != before.stage:
            self.tell_lobby(after)

    def tell_lobby(self, tournament: Tournament) -> None:
        """Tell those who watch the lobby, and take no part, that a tournament was called, begins or is over.

        One of a club reaches its members alone; that it was called reaches all whom the club may call. Each node tells
        its own users.
        """
        readers = self._feed.list_readers()
        if tournament.club:
            members = {*self._book.clubs.list_members(tournament.club)}
            readers = [user for user in readers if user in members]
            if tournament.stage == "announced":
                called = self._book.clubs.list_called(tournament.club, tournament.director)
                readers += filter(self._connections.is_at_this_node, called)
        self._tell_others(tournament, readers, TournamentChangedNotice)

    def tell_change(self, before: Tournament, after: Tournament) -> None:
        """Announce a change by a user: new or withdrawn entrants, or the end of a tournament."""
        self.tell_count(before, after)
        if after.stage != before.stage:
            self.tell_entrants(before, after)

    def tell_count(self, before: Tournament | None, after: Tournament) -> None:
        """Tell those who watch the lobby how many take part now; of a tournament of a club its members alone."""
        if before is not None and len(before.entrants) != len(after.entrants):
            members = frozenset(self._book.clubs.list_members(after.club)) if after.club else None
            self._feed.entrants_changed(after.id, len(after.entrants), members)

    def _tell_others(
        self,
        tournament: Tournament,
        users: Iterable[UserId],
        make: type[TournamentDueNotice | TournamentChangedNotice],
    ) -> None:
        entered = {entrant.user for entrant in tournament.entrants}
        # The same for all: facts that concern one user alone are left out here.
        notice = make(tournament_info=self._book.describe_tournament(tournament, UserId("")))
        self._connections.notify_all([user for user in dict.fromkeys(users) if user not in entered], notice)


# --- tournaments of clubs ---------------------------------------------------------------------------


class ClubFollower:
    """Takes out entrants who have left the club of a tournament, and cancels it when the club is closed.

    The club and the tournament are two rows. So this compares what is written of both and can do it again: a server
    that was killed between the two writes catches up at its next start. Until then nobody is paired who is no member.

    Args:
        book: The tournaments.
        users: The users who may be erased, which is no leaving.
        background: Writes the consequences of a club's change.
        change: Changes a tournament by its id. Raises ScovilleError.
        follow_tables: Lets the members of the club watch the tables of a tournament, former members no longer.
    """

    def __init__(
        self,
        book: TournamentBook,
        users: Users,
        background: BackgroundTasks,
        change: Callable[[str, Callable[[Tournament], Tournament]], Awaitable[object]],
        follow_tables: Callable[[Tournament], object],
    ) -> None:
        self._book = book
        self._users = users
        self._background = background
        self._change = change
        self._follow_tables = follow_tables

    def catch_up(self) -> None:
        """Finish work that a killed server may have left undone."""
        for club in {tournament.club for _, tournament in self._book.rows.items()} - {""}:
            self.follow_club(club)

    def follow_club(self, club: str) -> None:
        """Follow a change of a club's members, or its end."""
        for number, tournament in self._book.rows.items():
            if tournament.club != club:
                continue
            self._follow_tables(tournament)
            if tournament.is_open or not self._book.clubs.find_name(club):
                self._background.insist_on_write(partial(self._follow_changes, number, club))

    async def _follow_changes(self, number: str, club: str) -> None:
        """Raises JournalError."""
        if not self._book.clubs.find_name(club):
            # Nobody can read it any more, as the messages of the club.
            await self._book.drop_tournament(number)
            return
        try:
            await self._change(number, self._fit_to_club)
        except ScovilleError as error:
            if error.code != Code.UNKNOWN_TOURNAMENT:  # a newer one has taken its place meanwhile
                raise

    def _fit_to_club(self, tournament: Tournament) -> Tournament:
        clubs = self._book.clubs
        if not tournament.is_open:
            return tournament
        if not clubs.is_open(tournament.club):
            now = self._book.now_ms()
            return end_tournament(tournament, "cancelled", now, "Its club was closed.", "club_closed")
        members = {*clubs.list_members(tournament.club)}
        for entrant in tournament.entrants:
            known = self._users.sessions.find_user(entrant.user) if entrant.user else None
            # Of a deleted account only results are left here, which TournamentErasure makes those of a ghost.
            if known is None or entrant.user in members or entrant.stage == "removed":
                continue
            # A user who gives up the name, as before a deletion, has not left the club to get away.
            tournament = take_out(tournament, entrant) if known.claimed else withdraw_user(tournament, entrant.user)
        return tournament
