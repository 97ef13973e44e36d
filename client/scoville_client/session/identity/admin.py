"""What whoever looks after a server can ask of it; everybody else is refused."""

from scoville_client.session.requests import Ask
from scoville_shared.protocol.messages import (
    AdminPerson,
    Announce,
    Appoint,
    Audit,
    AuditLine,
    Ban,
    BanInfo,
    Banned,
    Bans,
    CloseTable,
    Empty,
    ListBans,
    ListPeople,
    ListReports,
    People,
    ReadAudit,
    ReportInfo,
    Reports,
    Resolve,
    SendAway,
    Unban,
)


class AdminActions:
    """Asks the server. Every method raises as `Ask` does, with `not_allowed` for whoever is no admin."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    async def people(self) -> list[AdminPerson]:
        """Ask who is here."""
        return (await self._ask(ListPeople(), People)).people

    async def announce(self, text: str) -> None:
        """Tell everybody something."""
        await self._ask(Announce(text=text), Empty)

    async def send_away(self, name: str, reason: str = "") -> None:
        """Hang up on somebody."""
        await self._ask(SendAway(name=name, reason=reason), Empty)

    async def ban(self, ban: Ban) -> BanInfo:
        """Forbid something to somebody."""
        return (await self._ask(ban, Banned)).ban

    async def unban(self, ban: int) -> None:
        """Lift a ban."""
        await self._ask(Unban(id=ban), Empty)

    async def bans(self) -> list[BanInfo]:
        """Ask which bans hold."""
        return (await self._ask(ListBans(), Bans)).bans

    async def close(self, table: str, reason: str = "") -> None:
        """Clear a table away."""
        await self._ask(CloseTable(table=table, reason=reason), Empty)

    async def appoint(self, name: str, *, admin: bool = True) -> None:
        """Let somebody look after this server as well, or no more."""
        await self._ask(Appoint(name=name, admin=admin), Empty)

    async def audit(self) -> list[AuditLine]:
        """Ask what the admins did."""
        return (await self._ask(ReadAudit(), Audit)).lines

    async def reports(self) -> list[ReportInfo]:
        """Ask which reports wait."""
        return (await self._ask(ListReports(), Reports)).reports

    async def resolve(self, report: int, note: str = "") -> None:
        """Close a report."""
        await self._ask(Resolve(id=report, note=note), Empty)
