"""The club service: clubs by their ids, who is in which, and each change as one write."""

import secrets
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

from scoville_server.accounts.model.naming.permitted import looks_of
from scoville_server.accounts.sessions import User
from scoville_server.accounts.users import GHOST, UserObserver, Users
from scoville_server.background.gathered_changes import GatheredChanges
from scoville_server.background.keyed_locks import KeyedLocks
from scoville_server.background.tasks import BackgroundTasks
from scoville_server.clubs.model import club as model
from scoville_server.clubs.model.club import CLOSED_MS, Club, check_open, refuse_unknown
from scoville_server.clubs.model.season import advance_season, count_points, has_played
from scoville_server.clubs.names import NameRows, refuse_name
from scoville_server.journal.base import Journal
from scoville_server.journal.books import PackedBook
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import UserId
from scoville_shared.protocol import messages as m

MOST_CLUBS: Final = 100
"""Clubs of a server, closed ones that can still be read included. When there are so many, the club that has had its
founder alone for the longest time makes room for another."""
MOST_OF_USER: Final = 8
"""Clubs of one user, as a member."""

Act = Callable[[Club], Club]
"""Changes a club. Raises ScovilleError."""


class ClubService(UserObserver):
    """Keeps the clubs. Rights are checked in the club's lock, and each act is one write of one row.

    `on_removed` is called with the id of a club that can be read no longer, `on_changed` after each act,
    `on_members_changed` with the id of a club whose members are others, that is closed, or gone, after the write, and
    `on_season_ended` with a club and its id after the write that has ended a season with games.

    Args:
        is_banned: Whether a user is banned from the server.
    """

    def __init__(
        self,
        journal: Journal,
        users: Users,
        background: BackgroundTasks,
        is_banned: Callable[[User], bool],
    ) -> None:
        self._users = users
        self._background = background
        self._is_banned = is_banned
        self.changing = KeyedLocks()
        self._changes = GatheredChanges(self.changing, self._write_change)
        self._of: dict[UserId, tuple[str, ...]] = {}
        """The clubs in which a user is a member, invited or banned."""
        self._names: dict[str, str] = {}
        """The club that has a name with a look."""
        self._indexed: dict[str, tuple[tuple[UserId, ...], tuple[str, ...]]] = {}
        """The users of each club, and the looks of its name, as they are in the index."""
        self._book = PackedBook("clubs", Club, journal, self._follow_club)
        self._name_rows = NameRows(journal)
        self.on_removed: Callable[[str], object] = lambda _: None
        self.on_changed: Callable[[], object] = lambda: None
        self.on_members_changed: Callable[[str], object] = lambda _: None
        self.on_season_ended: Callable[[str, Club], object] = lambda _, __: None

    def restore_clubs(self) -> None:
        """Remove users who have lost their names from their clubs. Called after the users are restored."""
        for user in [*self._of]:
            if not self._owns_name(user):
                self._background.plan_tidying(partial(self._remove_user, user))
        for club_id, club in self.list_clubs():
            # A server that was killed may have left names of accounts that it had deleted: those names are retired.
            for name in {*club.invited.values(), *(ban.by for ban in club.banned.values()), club.closed_by}:
                owner = self._users.claims.find_owner(name) if name else None
                if owner is not None and self._users.sessions.find_user(owner) is None:
                    erase = partial(model.erase_name, name=name, ghost=GHOST)
                    self._background.plan_tidying(partial(self._erase_name, club_id, erase))

    def _owns_name(self, user: UserId) -> bool:
        known = self._users.sessions.find_user(user)
        return known is not None and known.claimed

    # --- what others ask --------------------------------------------------------------------------------

    def list_of_user(self, user: UserId) -> list[tuple[str, Club]]:
        """List the clubs in which a user is a member or invited, by their ids."""
        kept = ((club_id, self.find_any(club_id)) for club_id in self._of.get(user, ()))
        return [
            (club_id, club)
            for club_id, club in kept
            if club is not None and (user in club.members or user in club.invited)
        ]

    def list_ids(self) -> list[str]:
        """List the ids of all clubs."""
        return self._book.keys

    def list_ids_of(self, user: UserId) -> tuple[str, ...]:
        """List the ids of the clubs in which a user is a member, invited or banned."""
        return self._of.get(user, ())

    def list_clubs(self) -> list[tuple[str, Club]]:
        """List all clubs by their ids, as they are written."""
        return [*self._book.items()]

    def name_of(self, user: UserId) -> str:
        """Return the name of a member, a dash for a user who is forgotten and has not left yet."""
        known = self._users.sessions.find_user(user)
        return "–" if known is None else known.name

    def share_club(self, user: UserId, other: UserId) -> bool:
        """Whether two users are members of one club."""
        shared = {*self._of.get(user, ())} & {*self._of.get(other, ())}
        clubs = [club for each in shared if (club := self._book.get(each)) is not None]
        return any(user in club.members and other in club.members for club in clubs)

    def list_dates(self, user: UserId) -> list[m.ClubDate]:
        """List the dates of a user's clubs, the next one first."""
        mine = [(club_id, club) for club_id, club in self.list_of_user(user) if user in club.members]
        dates = [describe_date(club_id, club, date) for club_id, club in mine for date in club.dates]
        return sorted(dates, key=lambda date: date.starts_ms)

    def list_members(self, club: str) -> list[UserId]:
        """List the members of a club; none of one that is gone."""
        kept = self._book.get(club)
        return [] if kept is None else [*kept.members]

    def list_callable(self, club: str, by: UserId) -> list[UserId]:
        """List the members of an open club who want to be called to tables, for another member.

        Raises ScovilleError `unknown_club`, `club_closed`.
        """
        kept = self.find_club(club, by)
        check_open(kept)
        return [user for user, each in kept.members.items() if each.calls and user != by]

    def check_reader(self, club: str, user: UserId) -> None:
        """Check that a user may read the chat of a club. Raises ScovilleError `unknown_club`."""
        self.find_club(club, user)

    def check_speaker(self, club: str, user: UserId) -> None:
        """Check that a user may write in the chat of a club. Raises ScovilleError `unknown_club`, `club_closed`."""
        check_open(self.find_club(club, user))

    # --- observers --------------------------------------------------------------------------------------

    def name_changed(self, user: UserId) -> None:
        """Let a user who has released their name leave their clubs, which are for owners of names."""
        if not self._owns_name(user):
            self._forget_soon(user)

    def account_deleted(self, user: User) -> None:
        leaving = self.list_ids_of(user.id)
        for club_id, club in self.list_clubs():
            # Also in clubs that they are just leaving: the last member closes one, under the name they had then.
            if club_id in leaving or model.erase_name(club, user.name, GHOST) != club:
                erase = partial(model.erase_name, name=user.name, ghost=GHOST)
                self._background.insist_on_write(partial(self._erase_name, club_id, erase))

    async def _erase_name(self, club_id: str, erase: Act) -> None:
        await self.follow_club(club_id, erase)

    def user_forgotten(self, user: UserId) -> None:
        self._forget_soon(user)

    def export_user(self, user: User) -> Mapping[str, Any]:
        kept = [(club_id, self._book.get(club_id)) for club_id in sorted(self._of.get(user.id, ()))]
        return {
            "memberships": [
                m.ClubMembership(
                    club=club_id,
                    club_name=club.name,
                    leads=club.is_led_by(user.id),
                    since_ms=club.members[user.id].since_ms,
                    division=club.members[user.id].division,
                    season_points=count_points(club.members[user.id]),
                )
                for club_id, club in kept
                if club is not None and user.id in club.members
            ]
        }

    def _forget_soon(self, user: UserId) -> None:
        if self._of.get(user):
            self._background.insist_on_write(partial(self._remove_user, user))

    async def _remove_user(self, user: UserId) -> None:
        """Remove everything of a user who owns no name any more. Raises JournalError."""

        def forget(club: Club) -> Club:
            # Looked up at each write: their account may be deleted since the first attempt.
            known = self._users.sessions.find_user(user)
            return model.forget_user(club, user, GHOST if known is None else known.name, self._users.time.now_ms())

        for club_id in [*self._of.get(user, ())]:
            await self.follow_club(club_id, forget)

    async def delete_closed(self) -> None:
        """Delete the clubs that were closed long ago; called once an hour. Raises JournalError."""
        now = self._users.time.now_ms()
        if not self._users.time.may_expire():
            return
        for club_id, club in [*self._book.items()]:
            if not club.is_open and club.closed_ms + CLOSED_MS <= now:
                await self._delete_club(club_id)

    async def _delete_club(self, club_id: str) -> None:
        club = self._book.get(club_id)
        freed = [] if club is None else await self._name_rows.list_freed(club_id, club.name)
        await self._book.write_rows({club_id: None}, more=freed)
        self.on_removed(club_id)
        self.on_members_changed(club_id)

    # --- acts -------------------------------------------------------------------------------------------

    async def create_club(self, name: str, founder: UserId, count: Callable[[], None]) -> str:
        """Create a club and return its id; `count` counts it, once nothing else is in the way. Raises ScovilleError."""
        # In the lock of the founder, as where invitations are accepted: two requests at once must not lead to more than
        # a user may have. Who holds several locks takes those of users first, and that of one club last; no other lock
        # is taken while one is held.
        async with self.changing.hold_keys([founder]):
            self._check_name(name)
            self.check_clubs_of(founder)
            count()
            club_id = secrets.token_hex(4)
            while club_id in self._book or club_id in self._name_rows.reserved_clubs:
                club_id = secrets.token_hex(4)
            # Until it is written it counts like a club, and nobody else waits for its write.
            with self._name_rows.reserve_name(club_id, name):
                await self._make_room()
                club = model.create_club(name, founder, self._users.time.now_ms())
                await self._background.shield_task(self._name_rows.create_club(self._book, club_id, club))
        return club_id

    def _check_name(self, name: str) -> None:
        if self._name_rows.is_reserved(name) or any(look in self._names for look in looks_of(name)):
            raise refuse_name()

    def check_clubs_of(self, user: UserId) -> None:
        """Check that a user may join one club more. Raises ScovilleError `club_full`."""
        mine = [club for each in self._of.get(user, ()) if (club := self._book.get(each)) and user in club.members]
        if len(mine) >= MOST_OF_USER:
            sentence = f"You are in {MOST_OF_USER} clubs, the most allowed; leave one first."
            raise ScovilleError(Code.CLUB_FULL, sentence, {"why": "your_clubs", "most": MOST_OF_USER})

    async def _make_room(self) -> None:
        while len({*self._book.keys, *self._name_rows.reserved_clubs}) > MOST_CLUBS:
            alone = [(club.since_ms, each) for each, club in self._book.items() if len(club.members) <= 1]
            if not alone:
                raise ScovilleError(Code.CLUB_FULL, "This server has no room for more clubs.", {"why": "clubs"})
            _, oldest = min(alone)
            # Looked at again in its lock: somebody may have joined since, and then another club makes room.
            async with self.changing.hold_keys([oldest]):
                club = self._book.get(oldest)
                if club is not None and len(club.members) <= 1:
                    await self._delete_club(oldest)

    async def change_club(self, club_id: str, user: UserId, act: Act, *, invited: bool = False) -> Club:
        """Change a club of a user, and return it. Raises ScovilleError, JournalError."""

        def act_for_user(club: Club) -> Club:
            # Here, and not before: one of the changes that are written with this one may have excluded the user.
            if user not in club.members and not (invited and user in club.invited):
                raise refuse_unknown()
            return act(club)

        after = await self.follow_club(club_id, act_for_user)
        if after is None:
            raise refuse_unknown()
        return after

    async def follow_club(self, club_id: str, act: Act) -> Club | None:
        """Change a club for the server itself, and return it; None if it is gone. Raises JournalError."""
        # A shield: a client that hangs up must not part the journal from what is known here.
        return await self._background.shield_task(self._change_in_turn(club_id, act))

    async def _write_change(self, club_id: str, change: Act) -> tuple[Club | None, Club | None]:
        return await self._book.change_row(club_id, lambda kept: None if kept is None else change(kept))

    async def _change_in_turn(self, club_id: str, act: Act) -> Club | None:
        """Change a club, together with others that wait. Raises ScovilleError, JournalError."""
        changed = await self._changes.change_row(club_id, lambda kept: act(self._bring_up_to_date(kept)))
        if changed is None:
            return None
        before, after = changed
        if after != before:
            if after.season != before.season and has_played(before):
                self.on_season_ended(club_id, after)
            if after.members.keys() != before.members.keys() or after.is_open != before.is_open:
                self.on_members_changed(club_id)
            self.on_changed()
        return after

    def _bring_up_to_date(self, club: Club) -> Club:
        """Return a club as it is now, with a leader who is not banned and in the present season."""
        return advance_season(model.ensure_leader(club, self._is_banned_user), self._users.time.now_ms())

    def _is_banned_user(self, user: UserId) -> bool:
        known = self._users.sessions.find_user(user)
        return known is None or self._is_banned(known)

    def find_any(self, club_id: str) -> Club | None:
        """Return a club as it is now, for the server itself; None if there is none."""
        kept = self._book.get(club_id)
        return None if kept is None else self._bring_up_to_date(kept)

    def find_club(self, club_id: str, user: UserId, *, invited: bool = False) -> Club:
        """Return a club of a user. Raises ScovilleError `unknown_club`: others cannot tell whether there is one."""
        club = self.find_any(club_id) if club_id in self._of.get(user, ()) else None
        if club is None or not (user in club.members or (invited and user in club.invited)):
            raise refuse_unknown()
        return club

    def _follow_club(self, club_id: str, _before: Club | None, after: Club | None) -> None:
        users, looks = self._indexed.pop(club_id, ((), ()))
        for user in users:
            self._of[user] = tuple(each for each in self._of.get(user, ()) if each != club_id)
            if not self._of[user]:
                del self._of[user]
        for look in looks:
            self._names.pop(look, None)
        if after is None:
            return
        users, looks = (*after.members, *after.invited, *after.banned), looks_of(after.name)
        self._indexed[club_id] = users, looks
        for user in users:
            self._of[user] = (*self._of.get(user, ()), club_id)
        self._names.update(dict.fromkeys(looks, club_id))


def describe_date(club_id: str, club: Club, date_id: str) -> m.ClubDate:
    """Describe a date of a club."""
    date = club.dates[date_id]
    return m.ClubDate(
        date_id=date_id,
        name=date.name,
        club=club_id,
        club_name=club.name,
        starts_ms=date.starts_ms,
        weekly=date.weekly,
        zone=date.zone,
    )
