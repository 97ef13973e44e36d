"""Handlers of `club.*` requests, and the notices that they send to members."""

import secrets
from collections.abc import Callable, Iterable
from typing import NamedTuple

from msgspec.structs import replace

from scoville_runtime.local_time import find_zone
from scoville_server.accounts.connection import ConnectedClient, Handlers, Permits
from scoville_server.accounts.model.naming.permitted import check_permitted
from scoville_server.accounts.sessions import User
from scoville_server.accounts.users import Users
from scoville_server.clubs.calls import IgnoreLists
from scoville_server.clubs.model import club as model
from scoville_server.clubs.model.club import Ban, Club, Date
from scoville_server.clubs.model.dates import add_date, remove_date
from scoville_server.clubs.names import refuse_name
from scoville_server.clubs.service import Act, ClubService, describe_date
from scoville_server.errors import slow_down
from scoville_server.limits.budgets import Budgets
from scoville_server.limits.rate_budgets import Budget
from scoville_server.limits.throttle import Rate
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import UserId
from scoville_shared.protocol import messages as m


class Changed(NamedTuple):
    """A club before an act and after it; the same if the act has changed nothing."""

    before: Club
    after: Club


class ClubHandlers:
    """Handlers of clubs; rights are checked by the model, in the lock of the club."""

    def __init__(
        self, clubs: ClubService, users: Users, budgets: Budgets, permits: Permits, ignore_lists: IgnoreLists
    ) -> None:
        self._clubs = clubs
        self._ignore_lists = ignore_lists
        self._users = users
        self._budgets = budgets
        self._permits = permits
        # Per day: two of a user, ten from an address. A club stays, and the server has room for a hundred.
        self._foundings = Budget(Rate(2, 86_400.0), Rate(10, 86_400.0))
        self.by_request: Handlers = {
            m.ListClubsRequest: self._list_clubs,
            m.CreateClubRequest: self._create_club,
            m.ShowClubRequest: self._show_club,
            m.InviteToClubRequest: self._invite_user,
            m.AcceptClubRequest: self._accept_invitation,
            m.DeclineClubRequest: self._decline_invitation,
            m.LeaveClubRequest: self._leave_club,
            m.PromoteMemberRequest: self._promote_member,
            m.DemoteLeaderRequest: self._demote_leader,
            m.BanFromClubRequest: self._ban_user,
            m.UnbanFromClubRequest: self._unban_user,
            m.CloseClubRequest: self._close_club,
            m.SetCallsRequest: self._set_calls,
            m.AddDateRequest: self._add_date,
            m.RemoveDateRequest: self._remove_date,
        }

    def _list_clubs(self, connection: ConnectedClient, _: m.ListClubsRequest) -> m.ListClubsReply:
        user = connection.user.id
        found = [
            self._describe_club(club_id, club, user)
            for club_id, club in self._clubs.list_of_user(user)
            if user in club.members or self._sees_invitation(club, user)
        ]
        return m.ListClubsReply(clubs=sorted(found, key=lambda each: (each.club_name.casefold(), each.club)))

    def _show_club(self, connection: ConnectedClient, p: m.ShowClubRequest) -> m.ClubReply:
        return self._describe_members(p.club, connection.user.id)

    async def _create_club(self, connection: ConnectedClient, p: m.CreateClubRequest) -> m.ClubReply:
        user = connection.user
        self._permits.check_may_talk(user)
        if not user.claimed:
            sentence = "Only owners of a claimed name have clubs; claim yours first."
            raise ScovilleError(Code.NOT_CLAIMED, sentence, {"name": user.name})
        if not p.name or check_permitted(p.name) is not None:
            raise refuse_name()
        club_id = await self._clubs.create_club(p.name, user.id, lambda: self._count_founding(connection))
        return self._describe_members(club_id, user.id)

    def _count_founding(self, connection: ConnectedClient) -> None:
        wait = self._foundings.take_use(connection.source, self._budgets.now())
        if wait is not None:
            raise slow_down("You are creating clubs too fast", wait)

    async def _invite_user(self, connection: ConnectedClient, p: m.InviteToClubRequest) -> m.Empty:
        whom, by = self._users.sessions.known_user(p.name), connection.user
        if not whom.claimed:
            raise _refuse_guest(whom)
        self._budgets.count_invitation(connection.source, whom.id)
        changed = await self._change_club(
            connection, p.club, lambda club: model.invite_user(club, by.id, by.name, whom.id)
        )
        invited = [whom.id] if self._sees_invitation(changed.after, whom.id) else []
        self._notify_change(p.club, changed, "invited", whom, by, [*invited, *_leaders_of(changed.after)])
        return m.Empty()

    def _sees_invitation(self, club: Club, user: UserId) -> bool:
        """Whether a user is invited by a member whom they do not ignore."""
        by = club.invited.get(user)
        inviter = self._users.sessions.find_by_name(by) if by else None
        return by is not None and (inviter is None or self._ignore_lists.receives_from(user, inviter.id))

    async def _accept_invitation(self, connection: ConnectedClient, p: m.AcceptClubRequest) -> m.Empty:
        user = connection.user
        # Two invitations that are accepted at once must not lead to more clubs than a user may have.
        async with self._clubs.changing.hold_keys([user.id]):
            self._clubs.find_club(p.club, user.id, invited=True)
            self._clubs.check_clubs_of(user.id)
            now = self._users.time.now_ms()
            changed = await self._change_club(
                connection, p.club, lambda club: model.accept_invitation(club, user.id, now), invited=True
            )
        self._notify_change(p.club, changed, "joined", user)
        return m.Empty()

    async def _decline_invitation(self, connection: ConnectedClient, p: m.DeclineClubRequest) -> m.Empty:
        user = connection.user
        changed = await self._change_club(
            connection, p.club, lambda club: model.decline_invitation(club, user.id), invited=True
        )
        self._notify_change(p.club, changed, "declined", user, to=_leaders_of(changed.after))
        return m.Empty()

    async def _leave_club(self, connection: ConnectedClient, p: m.LeaveClubRequest) -> m.Empty:
        user, now = connection.user, self._users.time.now_ms()
        changed = await self._change_club(
            connection, p.club, lambda club: model.leave_club(club, user.id, user.name, now)
        )
        self._notify_change(p.club, changed, "left", user)
        return m.Empty()

    async def _promote_member(self, connection: ConnectedClient, p: m.PromoteMemberRequest) -> m.Empty:
        whom, changed = await self._change_user(connection, p, model.promote_member)
        self._notify_change(p.club, changed, "promoted", whom, connection.user)
        return m.Empty()

    async def _demote_leader(self, connection: ConnectedClient, p: m.DemoteLeaderRequest) -> m.Empty:
        whom, changed = await self._change_user(connection, p, model.demote_leader)
        self._notify_change(p.club, changed, "demoted", whom, connection.user)
        return m.Empty()

    async def _ban_user(self, connection: ConnectedClient, p: m.BanFromClubRequest) -> m.Empty:
        whom, by = self._users.sessions.known_user(p.name), connection.user
        if not whom.claimed:
            raise _refuse_guest(whom)
        if p.reason:
            self._permits.check_may_talk(by)
        ban = Ban(by=by.name, at_ms=self._users.time.now_ms(), reason=p.reason or "")
        changed = await self._change_club(connection, p.club, lambda club: model.ban_user(club, by.id, whom.id, ban))
        before, after = changed
        if whom.id not in before.banned:
            # Strangers hear nothing of a club that they do not know: its name and its leaders could annoy them.
            knows = whom.id in before.members or self._sees_invitation(before, whom.id)
            told = [whom.id, *after.members] if knows else after.members
            self._notify_change(p.club, changed, "banned", whom, by, told)
        return m.Empty()

    async def _unban_user(self, connection: ConnectedClient, p: m.UnbanFromClubRequest) -> m.Empty:
        whom, changed = await self._change_user(connection, p, model.unban_user)
        self._notify_change(p.club, changed, "unbanned", whom, connection.user, _leaders_of(changed.after))
        return m.Empty()

    async def _change_user(
        self, connection: ConnectedClient, p: m.OfClubUser, act: Callable[[Club, UserId, UserId], Club]
    ) -> tuple[User, Changed]:
        """Change another user's role in a club for the connection's user. Returns that user and the change."""
        whom, by = self._users.sessions.known_user(p.name), connection.user
        return whom, await self._change_club(connection, p.club, lambda club: act(club, by.id, whom.id))

    async def _close_club(self, connection: ConnectedClient, p: m.CloseClubRequest) -> m.Empty:
        user, now = connection.user, self._users.time.now_ms()
        changed = await self._change_club(
            connection, p.club, lambda club: model.close_club(club, user.id, user.name, now)
        )
        self._notify_change(p.club, changed, "closed", user)
        return m.Empty()

    async def _set_calls(self, connection: ConnectedClient, p: m.SetCallsRequest) -> m.Empty:
        user = connection.user
        await self._change_club(connection, p.club, lambda club: model.set_calls(club, user.id, calls=p.calls))
        return m.Empty()

    async def _add_date(self, connection: ConnectedClient, p: m.AddDateRequest) -> m.ClubReply:
        user, name = connection.user, p.name.strip()
        if not name:
            raise ScovilleError(Code.BAD_PARAMS, "A date needs a name.")
        self._permits.check_may_talk(user)
        starts_ms = self._users.time.now_ms() + p.starts_in_ms
        date = Date(name=name, starts_ms=starts_ms, weekly=p.weekly)
        if p.weekly and p.zone is not None and find_zone(p.zone) is not None:
            date = replace(date, zone=p.zone, first_ms=starts_ms)
        await self._change_club(connection, p.club, lambda club: add_date(club, user.id, secrets.token_hex(4), date))
        return self._describe_members(p.club, user.id)

    async def _remove_date(self, connection: ConnectedClient, p: m.RemoveDateRequest) -> m.ClubReply:
        user = connection.user
        await self._change_club(connection, p.club, lambda club: remove_date(club, user.id, p.date_id))
        return self._describe_members(p.club, user.id)

    async def _change_club(
        self, connection: ConnectedClient, club_id: str, act: Act, *, invited: bool = False
    ) -> Changed:
        """Change a club of the connection's user. Raises ScovilleError, JournalError."""
        self._budgets.count_action(connection.source)
        seen: list[Club] = []

        def follow_act(club: Club) -> Club:
            seen.append(club)  # as it is in its lock
            return act(club)

        after = await self._clubs.change_club(club_id, connection.user.id, follow_act, invited=invited)
        return Changed(seen[-1], after)

    # --- what is shown ----------------------------------------------------------------------------------

    def _describe_club(self, club_id: str, club: Club, user: UserId) -> m.ClubInfo:
        member = club.members.get(user)
        return m.ClubInfo(
            club=club_id,
            club_name=club.name,
            member_count=len(club.members),
            leads=member is not None and member.leads,
            calls=member is not None and member.calls,
            invited_by=club.invited.get(user),
            closed_by=None if club.is_open else club.closed_by,
            closed_reason=club.closed_reason or None,
        )

    def _describe_members(self, club_id: str, user: UserId) -> m.ClubReply:
        return self.describe_members(club_id, self._clubs.find_club(club_id, user), user)

    def describe_members(self, club_id: str, club: Club, user: UserId) -> m.ClubReply:
        """Describe a club with its members to a user, who may be an admin of the server."""
        members = [
            m.ClubMember(
                name=self._clubs.name_of(each),
                leads=member.leads,
                connected=self._users.connections.is_here(each),
                since_ms=member.since_ms,
                you=each == user,
            )
            for each, member in club.members.items()
        ]
        bans = [
            m.ClubBan(name=self._clubs.name_of(each), by=ban.by, at_ms=ban.at_ms, reason=ban.reason or None)
            for each, ban in club.banned.items()
        ]
        return m.ClubReply(
            info_of_club=self._describe_club(club_id, club, user),
            members=sorted(members, key=lambda each: (not each.leads, each.since_ms, each.name)),
            invited_names=[self._clubs.name_of(each) for each in club.invited],
            club_bans=bans,
            club_dates=sorted(
                (describe_date(club_id, club, date) for date in club.dates), key=lambda date: date.starts_ms
            ),
        )

    def _notify_change(
        self,
        club_id: str,
        changed: Changed,
        change: m.ClubChange,
        whom: User,
        by: User | None = None,
        to: Iterable[UserId] | None = None,
    ) -> None:
        """Notify users of an act, all members by default; nobody if it has changed nothing."""
        if changed.after != changed.before:
            self.notify_members(club_id, changed.after, change, whom, by, to)

    def notify_members(
        self,
        club_id: str,
        club: Club,
        change: m.ClubChange,
        whom: User,
        by: User | None = None,
        to: Iterable[UserId] | None = None,
    ) -> None:
        """Notify users, all members by default, after the write."""
        notice = m.ClubChangedNotice(
            club=club_id,
            club_name=club.name,
            club_change=change,
            name=whom.name,
            by=None if by is None or by is whom else by.name,
            reason=club.closed_reason or None if change == "closed" else None,
        )
        self._users.connections.notify_all(dict.fromkeys(club.members if to is None else to), notice)


def _leaders_of(club: Club) -> list[UserId]:
    return [user for user, member in club.members.items() if member.leads]


def _refuse_guest(whom: User) -> ScovilleError:
    sentence = f"{whom.name} is a guest; clubs are for owners of names."
    return ScovilleError(Code.CLUB_GUEST, sentence, {"name": whom.name})
