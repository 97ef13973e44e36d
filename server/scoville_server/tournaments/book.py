"""The tournaments of a server, each kept in a row that is written whole, and as users see them.

Deleted accounts are erased from the rows: their results become those of a ghost.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Final, Protocol

from scoville_server.accounts.orphans import IsKnown
from scoville_server.accounts.sessions import User
from scoville_server.accounts.users import GHOST, UserObserver, Users
from scoville_server.background.gathered_changes import GatheredChanges
from scoville_server.background.keyed_locks import KeyedLocks
from scoville_server.background.tasks import BackgroundTasks
from scoville_server.errors import node_unreached
from scoville_server.journal.base import Conflict, Journal
from scoville_server.journal.books import ConditionalBook
from scoville_server.moderation.permits import ServerPermits
from scoville_server.nodes.directory import Directory
from scoville_server.nodes.serving import Serving
from scoville_server.tables.actor import TableActor
from scoville_server.tournaments.model.tournament import Entrant, Tournament, erase_name, erase_user, list_mentioned
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import TableId, UserId
from scoville_shared.protocol.messages import FixedDate, TournamentInfo

MOST_OPEN: Final = 20
"""Most tournaments that are announced or run at a time; a row of a large one is some 30 KB."""

MOST_KEPT: Final = 50
"""Most tournaments that have ended and are kept, the latest."""

MOST_OF_CLUB: Final = 3
"""Most tournaments of a club that are announced or run at a time: its leaders must not take up all of a server's."""

_CALLS: Final = "calls"
"""Held while a tournament is called; no id of a tournament, which are hexadecimal."""


class ClubMembers(Protocol):
    """Knows the members and leaders of clubs; a club that is gone has none."""

    def find_name(self, club: str) -> str:
        """Return the name of a club; empty once it is gone."""

    def is_open(self, club: str) -> bool:
        """Whether a club is there, and not closed."""

    def is_led_by(self, club: str, user: UserId) -> bool:
        """Whether a user leads an open club."""

    def check_leader(self, club: str, user: UserId) -> None:
        """Raise ScovilleError `unknown_club`, `club_closed`, `not_leader`."""

    def list_members(self, club: str) -> list[UserId]:
        """List the members of a club."""

    def list_called(self, club: str, by: UserId) -> list[UserId]:
        """List the other members of a club who want to be called, and who do not ignore a member."""


class TournamentBook:
    """All tournaments. To change one, call `change_in_turn`, or hold its id in `changing` and call `change_row`.

    Args:
        journal: Where they are kept.
        tables: The tables of this node.
        directory: Finds those of other nodes.
        users: The users who take part.
        permits: Who is banned from tables, and who is an admin or a moderator.
        clubs: Who is in the clubs that have tournaments of their own.

    Attributes:
        on_followed: Is called with a tournament before and after a change by another node.
    """

    def __init__(
        self,
        journal: Journal,
        tables: Serving[TableActor],
        directory: Directory,
        users: Users,
        permits: ServerPermits,
        clubs: ClubMembers,
    ) -> None:
        self._own_writes: Counter[str] = Counter()
        self.on_followed: Callable[[Tournament | None, Tournament], object] = lambda *_: None
        self.rows = ConditionalBook("tournaments", Tournament, journal, self._follow_row)
        self.changing = KeyedLocks()
        self._changes = GatheredChanges(self.changing, self.change_row)
        self.clubs = clubs
        self._tables = tables
        self._directory = directory
        self._users = users
        self._permits = permits

    def now_ms(self) -> int:
        """Return the time by which tournaments begin, in milliseconds since 1970."""
        return self._users.time.now_ms()

    def _follow_row(self, number: str, before: Tournament | None, after: Tournament | None) -> None:
        if after is not None and not self._own_writes[number]:
            self.on_followed(before, after)

    async def change_in_turn(
        self, number: str, change: Callable[[Tournament], Tournament]
    ) -> tuple[Tournament, Tournament] | None:
        """Change a tournament, together with others that wait, and return it before and after; None if it is gone.

        Raises as `change_row` does.
        """
        return await self._changes.change_row(number, change)

    async def change_row(
        self, number: str, change: Callable[[Tournament], Tournament]
    ) -> tuple[Tournament | None, Tournament | None]:
        """Change a tournament whose id is held, and return it before and after; None if it is gone.

        Raises JournalError, and what the change raises, which may be called again after a change by another node.
        """
        with self._note_own_write(number):
            return await self.rows.change_row(number, lambda kept: None if kept is None else change(kept))

    async def replace_row(self, number: str, after: Tournament) -> None:
        """Write a changed tournament whose id is held.

        Raises JournalError, Conflict where another node was faster: then nothing of it may be done.
        """
        with self._note_own_write(number):
            try:
                await self.rows.replace_rows({number: after})
            except Conflict:
                await self.rows.read_row(number)
                raise

    @contextmanager
    def _note_own_write(self, number: str) -> Iterator[None]:
        self._own_writes[number] += 1
        try:
            yield
        finally:
            self._own_writes[number] -= 1
            if not self._own_writes[number]:
                del self._own_writes[number]

    def list_tournaments(self) -> list[Tournament]:
        """List the tournaments: those that run, then those to come by their start, then ended ones, latest first."""
        every = [tournament for _, tournament in self.rows.items()]
        order = {"running": 0, "announced": 1, "finished": 2, "cancelled": 2}
        return sorted(every, key=lambda each: (order[each.stage], -each.ended_ms, each.starts_ms, each.id))

    def find_tournament(self, number: str) -> Tournament:
        """Find a tournament by its id. Raises ScovilleError `unknown_tournament`."""
        found = self.rows.get(number)
        if found is None:
            raise _refuse_unknown(number)
        return found

    def find_visible(self, number: str, user: UserId) -> Tournament:
        """Find a tournament that a user may see. Raises ScovilleError `unknown_tournament`."""
        found = self.find_tournament(number)
        self.check_visible(found, user)
        return found

    def check_visible(self, tournament: Tournament, user: UserId) -> None:
        """Raise ScovilleError `unknown_tournament` for one of a club in which a user is not, staff excepted.

        Admins and moderators have to be able to cancel what is reported to them; it is not listed for them either.
        """
        if not self.is_listed_for(tournament, user) and not self.is_staff(user):
            raise _refuse_unknown(tournament.id)

    def is_listed_for(self, tournament: Tournament, user: UserId) -> bool:
        """Whether a tournament is for a user: one of a club is for its members alone."""
        return not tournament.club or user in self.clubs.list_members(tournament.club)

    def is_here(self, user: UserId) -> bool:
        """Whether a user is connected."""
        return bool(user) and self._users.connections.is_here(user)

    def list_free(self, tournament: Tournament) -> list[Entrant]:
        """List the entrants who can be paired: they are there, may play, and play at no table of the tournament."""
        here = [entrant.user for entrant in tournament.entrants if self.is_here(entrant.user)]
        if tournament.club:
            # A member who has just left is taken out by a write of its own, which may be still to come.
            members = {*self.clubs.list_members(tournament.club)}
            here = [user for user in here if user in members]
        return tournament.list_free(user for user in here if not self._is_barred(user))

    def list_barred(self, tournament: Tournament) -> set[int]:
        """List the numbers of the entrants who are banned from the tables."""
        return {entrant.number for entrant in tournament.entrants if self._is_barred(entrant.user)}

    def _is_barred(self, user: UserId) -> bool:
        found = self._users.sessions.find_user(user)
        return found is not None and self._permits.find_ban("tables", found) is not None

    def find_waiting_table(self, tournament: Tournament, user: UserId) -> TableId | None:
        """Return the table of a tournament at which a user is awaited or plays, once it is open at any node."""
        pairing = tournament.find_table(user)
        return pairing.table if pairing is not None and self.is_open(pairing.table) else None

    def find_seat(self, number: str, user: UserId) -> TableId | None:
        """Return the table of a tournament, by its id, at which a user is awaited or plays."""
        found = self.rows.get(number)
        return None if found is None else self.find_waiting_table(found, user)

    def find_actor(self, table: TableId) -> TableActor:
        """Find a table of a tournament at this node. Raises ScovilleError `busy` for one of another node."""
        if table not in self._tables:
            raise node_unreached(table)
        return self._tables.find_table(table)

    def is_open(self, table: TableId) -> bool:
        """Whether any node has a table, or had it until it was lost."""
        here, directory = self._tables, self._directory
        return table in here or directory.find_owner(table) is not None or directory.is_moving(table)

    def may_direct(self, tournament: Tournament, user: UserId) -> bool:
        """Whether a user may begin and cancel a tournament; asked again at each act.

        All present leaders direct one of a club, so that nobody leaves it without a director, nor keeps the right.
        """
        club = tournament.club
        directs = self.clubs.is_led_by(club, user) if club else user == tournament.director
        # A reader without an id is nobody, and so is a director whose account is deleted.
        return tournament.is_open and bool(user) and (directs or self.is_staff(user))

    def describe_tournament(self, tournament: Tournament, reader: UserId) -> TournamentInfo:
        """Describe a tournament as a reader sees it."""
        now, stage = self.now_ms(), tournament.stage
        table = self.find_waiting_table(tournament, reader)
        entrant = tournament.find_entrant(reader)
        arena, duplicate = tournament.format == "arena", tournament.format == "duplicate"
        # Between two rounds; an arena pairs all the time.
        pauses = stage == "running" and not arena and not tournament.running
        # The times until which missing entrants are awaited.
        waits = pauses or stage == "announced"
        return TournamentInfo(
            id=tournament.id,
            name=tournament.name,
            format=tournament.format,
            game=tournament.game,
            options=tournament.options,
            seat_count=tournament.seat_count,
            level=tournament.bot_level,
            clock=tournament.clock,
            stage=stage,
            director=tournament.director_name or None,
            starts_ms=tournament.starts_ms,
            starts_in_ms=max(0, tournament.starts_ms - now) if stage == "announced" else None,
            ends_in_ms=max(0, tournament.ends_ms - now) if arena and stage == "running" else None,
            round_count=tournament.round_count if tournament.format == "swiss" or duplicate else None,
            lasts_ms=tournament.lasts_ms if arena else None,
            round_number=tournament.round,
            entrant_count=len(tournament.entrants),
            admits=tournament.admits_entrants,
            entered=entrant is not None and entrant.stage in ("in", "out"),
            your_table=table,
            may_direct=self.may_direct(tournament, reader),
            next_in_ms=max(0, tournament.next_ms - now) if pauses and tournament.round else None,
            grace_left_ms=max(0, tournament.grace_ms - now) if waits and tournament.grace_ms else None,
            scored_count=tournament.round - bool(tournament.running) if duplicate else 0,
            half_points_per_deal=2 * (tournament.table_count - 1) if tournament.table_count else None,
            team_size=tournament.team_size or None,
            reason=tournament.reason or None,
            fault=tournament.fault or None,
            club=tournament.club or None,
            club_name=self.clubs.find_name(tournament.club) or None if tournament.club else None,
        )

    def keeps_secret(self, user: UserId, table: str | None) -> bool:
        """Whether a user knows of a deal that others have still to play, and does not talk at its table.

        Two entrants must not meet elsewhere, not even at another table.
        """
        evenings = [each for _, each in self.rows.items() if each.format == "duplicate" and each.running]
        for evening in evenings:
            entrant = evening.find_entrant(user)
            if entrant is not None:
                # Also at a table that is over, and who has withdrawn meanwhile.
                unscored = [each for each in evening.pairings if not each.points and entrant.number in each.seats]
                if unscored and all(each.table != table for each in unscored):
                    return True
        return False

    def list_dates(self, user: UserId) -> list[FixedDate]:
        """List when the tournaments start that a user has entered, and those of their clubs, the next one first."""
        return [
            FixedDate(
                tournament=each.id,
                name=each.name,
                game=each.game,
                starts_ms=each.starts_ms,
                club_name=self.clubs.find_name(each.club) or None if each.club else None,
            )
            for each in self.list_tournaments()
            if each.stage == "announced" and self._is_date_of(each, user)
        ]

    def _is_date_of(self, tournament: Tournament, user: UserId) -> bool:
        mine = tournament.find_entrant(user)
        if mine is None:
            return bool(tournament.club) and self.is_listed_for(tournament, user)
        return mine.stage == "in"

    def is_staff(self, user: UserId) -> bool:
        """Whether a user is an admin or a moderator."""
        found: User | None = self._users.sessions.find_user(user)
        return found is not None and self._permits.is_staff(found)

    async def create_tournament(self, tournament: Tournament) -> None:
        """Keep a new tournament, and drop the oldest that has ended where there are too many. Raises ScovilleError."""
        # Two requests at once must not lead to more than are allowed.
        async with self.changing.hold_keys([_CALLS]):
            running = [each for each in self.list_tournaments() if each.is_open]
            if len(running) >= MOST_OPEN or any(each.director == tournament.director for each in running):
                if len(running) >= MOST_OPEN:
                    sentence = f"There are {len(running)} tournaments at present, the most allowed."
                    raise ScovilleError(Code.TOO_MANY, sentence, {"why": "tournaments", "most": len(running)})
                sentence = "You direct a tournament already; end it first."
                raise ScovilleError(Code.TOO_MANY, sentence, {"why": "directing"})
            if tournament.club and sum(each.club == tournament.club for each in running) >= MOST_OF_CLUB:
                sentence = f"The club has {MOST_OF_CLUB} tournaments at present, the most allowed."
                raise ScovilleError(Code.TOO_MANY, sentence, {"why": "club_tournaments", "most": MOST_OF_CLUB})
            ended = [each for each in self.list_tournaments() if not each.is_open]
            changes: dict[str, Tournament | None] = {each.id: None for each in ended[MOST_KEPT - 1 :]}
            with self._note_own_write(tournament.id):
                await self.rows.write_rows({**changes, tournament.id: tournament}, new=[tournament.id])

    async def drop_tournament(self, number: str) -> None:
        """Forget a tournament. Raises JournalError."""
        async with self.changing.hold_keys([number]):
            if number in self.rows:
                await self.rows.drop_row(number)

    async def erase_user(self, number: str, user: UserId) -> None:
        """Make the results of an erased user in a tournament those of a ghost. Raises JournalError."""
        await self.change_in_turn(number, lambda tournament: erase_user(tournament, user))

    async def erase_name(self, number: str, name: str) -> None:
        """Erase the name of a deleted account from the public data of a tournament. Raises JournalError."""
        await self.change_in_turn(number, lambda tournament: erase_name(tournament, name, GHOST))


def _refuse_unknown(number: str) -> ScovilleError:
    """Return the error for a tournament that does not exist, or that a user may not see."""
    sentence = f"There is no tournament {number!r} here; tournament.list lists them."
    return ScovilleError(Code.UNKNOWN_TOURNAMENT, sentence, {"tournament": number})


# --- deleted accounts -------------------------------------------------------------------------------


class TournamentErasure(UserObserver):
    """Erases deleted accounts from tournaments."""

    def __init__(self, book: TournamentBook, users: Users, background: BackgroundTasks) -> None:
        self._book = book
        self._users = users
        self._background = background

    def users_restored(self, is_known: IsKnown) -> None:
        """Plan to erase data of deleted accounts that a killed server may have left."""
        plan, find_owner = self._background.plan_tidying, self._users.claims.find_owner
        for number, tournament in self._book.rows.items():
            for user in {tournament.director, *(entrant.user for entrant in tournament.entrants)}:
                if user and not is_known(user):
                    plan(partial(self._book.erase_user, number, user))
            for name in list_mentioned(tournament):
                owner = find_owner(name)
                if owner is not None and not is_known(owner):
                    plan(partial(self._book.erase_name, number, name))

    def account_deleted(self, user: User) -> None:
        for number, tournament in self._book.rows.items():
            if erase_name(tournament, user.name, GHOST) != tournament:
                self._background.insist_on_write(partial(self._book.erase_name, number, user.name))

    def user_forgotten(self, user: UserId) -> None:
        """Make the results of an erased user those of a ghost."""
        for number, tournament in self._book.rows.items():
            if tournament.find_entrant(user) is not None or tournament.director == user:
                self._background.insist_on_write(partial(self._book.erase_user, number, user))
