"""Admin requests: announcements, kicks, bans, reports and the audit log."""

from scoville_client.session.changes import Request
from scoville_shared.protocol.messages import (
    AdminClubInfo,
    AdminUserInfo,
    AnnounceRequest,
    AppointModeratorRequest,
    AppointRequest,
    AuditEntry,
    AuditReply,
    AuditRequest,
    BanInfo,
    BanReply,
    BanRequest,
    BansReply,
    BansRequest,
    CloseClubAsAdminRequest,
    CloseTableRequest,
    ClubReply,
    ClubsReply,
    ClubsRequest,
    Empty,
    GivenWarning,
    KickUserRequest,
    ListWarningsReply,
    ListWarningsRequest,
    RecoverAccountReply,
    RecoverAccountRequest,
    ReportInfo,
    ReportsReply,
    ReportsRequest,
    ResolveReportRequest,
    ShowClubToAdminRequest,
    UnbanRequest,
    UsersReply,
    UsersRequest,
    WarnUserRequest,
)


class AdminActions:
    """Requests of an admin. Every method raises as `Request` does, with `not_allowed` for other users."""

    def __init__(self, request: Request) -> None:
        self._request = request

    async def list_users(self) -> list[AdminUserInfo]:
        """Request the connected users."""
        return (await self._request(UsersRequest(), UsersReply)).users

    async def list_clubs(self) -> list[AdminClubInfo]:
        """Request all clubs of the server."""
        return (await self._request(ClubsRequest(), ClubsReply)).clubs_of_server

    async def show_club(self, club: str) -> ClubReply:
        """Request a club with its members."""
        return await self._request(ShowClubToAdminRequest(club=club), ClubReply)

    async def close_club(self, club: str, reason: str) -> None:
        """Close a club for good."""
        await self._request(CloseClubAsAdminRequest(club=club, reason=reason), Empty)

    async def announce_text(self, text: str) -> None:
        """Send an announcement to everyone."""
        await self._request(AnnounceRequest(text=text), Empty)

    async def kick_user(self, name: str, reason: str = "") -> None:
        """Disconnect a user."""
        await self._request(KickUserRequest(name=name, reason=reason or None), Empty)

    async def warn_user(self, name: str, reason: str) -> None:
        await self._request(WarnUserRequest(name=name, reason=reason), Empty)

    async def list_warnings(self, name: str) -> list[GivenWarning]:
        """Request the warnings that a user was given."""
        return (await self._request(ListWarningsRequest(name=name), ListWarningsReply)).history

    async def appoint_moderator(self, name: str, *, moderator: bool = True) -> None:
        """Make a user a moderator, or take that role away."""
        await self._request(AppointModeratorRequest(name=name, moderator=moderator), Empty)

    async def add_ban(self, ban: BanRequest) -> BanInfo:
        """Ban a user, address or key."""
        return (await self._request(ban, BanReply)).ban

    async def lift_ban(self, ban: int) -> None:
        await self._request(UnbanRequest(id=ban), Empty)

    async def list_bans(self) -> list[BanInfo]:
        """Request the bans in force."""
        return (await self._request(BansRequest(), BansReply)).bans

    async def close_table(self, table: str, reason: str = "") -> None:
        await self._request(CloseTableRequest(table=table, reason=reason or None), Empty)

    async def appoint_admin(self, name: str, *, admin: bool = True) -> None:
        """Make a user an admin, or take that role away."""
        await self._request(AppointRequest(name=name, admin=admin), Empty)

    async def recover_account(self, name: str, reason: str = "") -> RecoverAccountReply:
        """Make a one-time code with which the owner of a name can log in."""
        return await self._request(RecoverAccountRequest(name=name, reason=reason or None), RecoverAccountReply)

    async def list_audit(self) -> list[AuditEntry]:
        """Request the audit log."""
        return (await self._request(AuditRequest(), AuditReply)).entries

    async def list_reports(self) -> list[ReportInfo]:
        """Request the open reports."""
        return (await self._request(ReportsRequest(), ReportsReply)).reports

    async def resolve_report(self, report: int, note: str = "") -> None:
        await self._request(ResolveReportRequest(id=report, note=note or None), Empty)
