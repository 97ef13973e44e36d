"""Acts of the server's admins on clubs: list them, look at one, close one; and reports about clubs."""

from functools import partial

from scoville_server.accounts.connection import ConnectedClient, Handlers
from scoville_server.accounts.sessions import User
from scoville_server.accounts.users import Users
from scoville_server.clubs.handlers import ClubHandlers
from scoville_server.clubs.model.club import Club, check_open, refuse_unknown, shut_club
from scoville_server.clubs.service import ClubService
from scoville_server.moderation.reports import ReportDesk
from scoville_server.moderation.service import ModerationService
from scoville_shared.protocol import messages as m


class ClubAdministration:
    """Handlers of `admin.*` that concern clubs, and of `club.report`."""

    def __init__(
        self,
        clubs: ClubService,
        handlers: ClubHandlers,
        moderation: ModerationService,
        reporting: ReportDesk,
        users: Users,
    ) -> None:
        self._clubs = clubs
        self._handlers = handlers
        self._moderation = moderation
        self._reporting = reporting
        self._users = users
        self.by_request: Handlers = {
            m.ClubsRequest: self._list_clubs,
            m.ShowClubToAdminRequest: self._show_club,
            m.CloseClubAsAdminRequest: self._close_club,
            m.ReportClubRequest: self._report_club,
        }

    def _check_admin(self, connection: ConnectedClient) -> User:
        return self._moderation.check_admin(connection.user)

    def _find_club(self, club_id: str) -> Club:
        club = self._clubs.find_any(club_id)
        if club is None:
            raise refuse_unknown()
        return club

    def _list_clubs(self, connection: ConnectedClient, _: m.ClubsRequest) -> m.ClubsReply:
        self._check_admin(connection)
        clubs = [
            m.AdminClubInfo(
                club=club_id,
                club_name=club.name,
                member_count=len(club.members),
                leader_names=[self._clubs.name_of(user) for user in club.members if club.is_led_by(user)],
                since_ms=club.since_ms,
                closed_by=None if club.is_open else club.closed_by,
            )
            for club_id, club in self._clubs.list_clubs()
        ]
        return m.ClubsReply(clubs_of_server=sorted(clubs, key=lambda each: (each.club_name.casefold(), each.club)))

    def _show_club(self, connection: ConnectedClient, p: m.ShowClubToAdminRequest) -> m.ClubReply:
        admin = self._check_admin(connection)
        return self._handlers.describe_members(p.club, self._find_club(p.club), admin.id)

    async def _close_club(self, connection: ConnectedClient, p: m.CloseClubAsAdminRequest) -> m.Empty:
        admin = self._check_admin(connection)
        club = self._find_club(p.club)
        check_open(club)
        # Logged before it happens: an act that cannot be logged must not happen.
        await self._moderation.log_act(admin, "close club", club.name, p.reason)
        close = partial(shut_club, by_name=admin.name, now_ms=self._users.time.now_ms(), reason=p.reason)
        after = await self._clubs.follow_club(p.club, close)
        if after is not None:
            self._handlers.notify_members(p.club, after, "closed", admin)
        return m.Empty()

    async def _report_club(self, connection: ConnectedClient, p: m.ReportClubRequest) -> m.Empty:
        user = connection.user
        club = self._clubs.find_club(p.club, user.id, invited=True)
        await self._reporting.add_report_of_club(user, connection.source, p, club.name)
        return m.Empty()
