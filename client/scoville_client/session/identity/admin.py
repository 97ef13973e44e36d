"""What whoever looks after a server can ask of it; everybody else is refused."""

from scoville_client.session.requests import Ask
from scoville_shared.protocol.messages import (
    AdminUserInfo,
    AnnounceRequest,
    AppointRequest,
    AuditEntry,
    AuditReply,
    AuditRequest,
    BanInfo,
    BanReply,
    BanRequest,
    BansReply,
    BansRequest,
    CloseTableRequest,
    Empty,
    KickUserRequest,
    ReportInfo,
    ReportsReply,
    ReportsRequest,
    ResolveReportRequest,
    UnbanRequest,
    UsersReply,
    UsersRequest,
)


class AdminActions:
    """Asks the server. Every method raises as `Ask` does, with `not_allowed` for whoever is no admin."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    async def people(self) -> list[AdminUserInfo]:
        """Ask who is here."""
        return (await self._ask(UsersRequest(), UsersReply)).people

    async def announce(self, text: str) -> None:
        """Tell everybody something."""
        await self._ask(AnnounceRequest(text=text), Empty)

    async def kick(self, name: str, reason: str = "") -> None:
        """Hang up on somebody."""
        await self._ask(KickUserRequest(name=name, reason=reason), Empty)

    async def ban(self, ban: BanRequest) -> BanInfo:
        """Forbid something to somebody."""
        return (await self._ask(ban, BanReply)).ban

    async def unban(self, ban: int) -> None:
        """Lift a ban."""
        await self._ask(UnbanRequest(id=ban), Empty)

    async def bans(self) -> list[BanInfo]:
        """Ask which bans hold."""
        return (await self._ask(BansRequest(), BansReply)).bans

    async def close(self, table: str, reason: str = "") -> None:
        """Clear a table away."""
        await self._ask(CloseTableRequest(table=table, reason=reason), Empty)

    async def appoint(self, name: str, *, admin: bool = True) -> None:
        """Let somebody look after this server as well, or no more."""
        await self._ask(AppointRequest(name=name, admin=admin), Empty)

    async def audit(self) -> list[AuditEntry]:
        """Ask what the admins did."""
        return (await self._ask(AuditRequest(), AuditReply)).lines

    async def reports(self) -> list[ReportInfo]:
        """Ask which reports wait."""
        return (await self._ask(ReportsRequest(), ReportsReply)).reports

    async def resolve(self, report: int, note: str = "") -> None:
        """Close a report."""
        await self._ask(ResolveReportRequest(id=report, note=note), Empty)
