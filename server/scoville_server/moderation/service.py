"""Moderation service: every action of an admin is logged before it happens."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from scoville_runtime.clock import SYSTEM
from scoville_server.accounts.doors.hosted import keys_of, shown_keys
from scoville_server.accounts.login_guesses import LogInGuesses
from scoville_server.accounts.sessions import User
from scoville_server.accounts.users import Users
from scoville_server.background.tasks import BackgroundTasks
from scoville_server.chat.service import ChatService
from scoville_server.journal.base import Journal, Kept
from scoville_server.journal.files.generations import AUDIT
from scoville_server.limits.throttle import Source
from scoville_server.moderation.admin_codes import FILE as ADMIN_CODES
from scoville_server.moderation.admin_codes import AdminCodes, CodeFile
from scoville_server.moderation.admins import Admins
from scoville_server.moderation.audit import AuditInMemory, AuditLog
from scoville_server.moderation.audit_file import AuditFile
from scoville_server.moderation.bans import Ban, Bans
from scoville_server.moderation.connected import ConnectedUsers
from scoville_server.moderation.every_node import EveryNode
from scoville_server.moderation.model.ban_index import BanSubject
from scoville_server.moderation.model.limits import ModerationLimits
from scoville_server.moderation.reporting import Reporting
from scoville_server.moderation.reports import Reports
from scoville_server.net.addresses import host_of
from scoville_server.net.flushes import in_portions
from scoville_server.net.service import Peer
from scoville_server.nodes.connections import UserConnections
from scoville_server.tables.model.commands import Close
from scoville_server.tables.registry import TableRegistry
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import UserId
from scoville_shared.protocol import messages as m


class ModerationService:
    """Bans, the audit log, reports and admins. `named` are the configured admins."""

    def __init__(
        self,
        limits: ModerationLimits,
        named: tuple[str, ...],
        journal: Journal,
        connections: UserConnections,
        every_node: EveryNode,
        users: Users,
        registry: TableRegistry,
        chat: ChatService,
        background: BackgroundTasks,
        data: Path | None,
        now: Callable[[], int] = SYSTEM.date_ms,
    ) -> None:
        self.admins = Admins(named, journal, lambda user: users.claims.of(user) is not None)
        guesses = LogInGuesses(users.limits, users.time.seconds, lambda: users.sessions.arrivals)
        self.codes = AdminCodes(self.admins, CodeFile(None if data is None else data / ADMIN_CODES), guesses)
        self.bans = Bans(limits.bans, journal, users.time.may_expire, users.time.doubts)
        self.audit = AuditLog(AuditInMemory(limits.audit_entries) if data is None else AuditFile(data / AUDIT))
        self.reports = Reports(limits.reports, journal)
        self._acting = asyncio.Lock()
        """One act at a time: it is checked, logged and done before the next one is checked."""
        self._limits = limits
        self._connections = connections
        self._every_node = every_node
        self._users = users
        self._registry = registry
        self._background = background
        self._now = now
        seconds = lambda: users.time.seconds()  # noqa: E731, PLW0108 - tests set it
        self.reporting = Reporting(limits, self.reports, registry, chat, seconds, now)

    def restore(self, kept: Kept) -> None:
        """Load bans, admins, reports and the audit log."""
        for each in (self.admins, self.bans, self.reports):
            each.restore(kept)
        self._background.write(self.admins.tidy())

    async def prepare(self) -> None:
        """Write what a start adds to the data folder: codes of admins. Raises ScovilleError."""
        await self.audit.prepare()
        self.codes.prepare()

    async def subscribe(self) -> None:
        """Start to do this node's part of what moderation does at every node."""
        connected = ConnectedUsers(self._users, lambda user: self.forbids("chat", user) is not None)
        await self._every_node.subscribe(self._users.announce, self._check_bans, connected.list)

    def _check_bans(self) -> None:
        self._background.do(self._close_banned())

    def bans_name(self, name: str) -> bool:
        """Whether a name is banned, so that it is never given to users who did not ask for it."""
        return self.bans.bans_name(name, self._now())

    # --- checks -----------------------------------------------------------------------------------------

    def hello_refusal(self, hello: m.HelloRequest, peer: Peer, hosted: User | None = None) -> ScovilleError | None:
        """Return why a connection is refused before it is greeted, or None; `hosted` is whom a door's proof names."""
        known = hosted or self._users.sessions.whose(hello.token or "", self._now())
        if known is not None and known in self.admins:
            return None
        user, wanted = UserId("") if known is None else known.id, hello.name or ""
        names = [wanted] if known is None else [known.name] if known.claimed else [known.name, wanted]
        keys = self._keys(user) | shown_keys(peer)
        subjects = (BanSubject(user, name, host_of(peer.address), keys) for name in names)
        return next((error for subject in subjects if (error := self._banned("server", subject)) is not None), None)

    def forbids(self, scope: m.Scope, user: User) -> ScovilleError | None:
        """Return the ban of a user from a scope, or None. Bans do not apply to admins."""
        return None if user in self.admins else self._banned(scope, self._whom(user))

    def _banned(self, scope: m.Scope, whom: BanSubject) -> ScovilleError | None:
        ban = self.bans.find(scope, whom, self._now())
        return None if ban is None else ban.error()

    def _whom(self, user: User) -> BanSubject:
        return BanSubject(user.id, user.name, host_of(self._connections.address(user.id)), self._keys(user.id))

    def _keys(self, user: UserId) -> frozenset[str]:
        return keys_of(self._users, user)

    async def become_admin(self, user: User, code: str, source: Source) -> None:
        """Make a user an admin who gives a one-time code. Raises ScovilleError `not_claimed`, `wrong_code`."""
        await self.codes.use(user, code, source, lambda: self._note(user, "become_admin", user.name))

    # --- acts of admins ---------------------------------------------------------------------------------

    async def announce(self, admin: User, text: str) -> None:
        """Send an announcement to everybody who is connected."""
        await self._note(admin, "announce", why=text)
        self._every_node.announce(text)

    async def kick(self, admin: User, user: User, reason: str) -> None:
        """Disconnect a user. Raises ScovilleError if they are not connected."""
        if not self._connections.is_here(user.id):
            return
        await self._note(admin, "kick", user.name, reason)
        self._disconnect(user, Code.KICKED, reason or "An admin has kicked you.")

    async def ban(self, admin: User, request: m.BanRequest) -> Ban:
        """Add a ban, and disconnect the users who are banned by it."""
        bearer = self._users.sessions.by_name(request.target) if request.kind == "name" else None
        if bearer is admin:
            raise ScovilleError(Code.BAD_PARAMS, "You cannot ban yourself.", {"target": request.target})
        if bearer is not None and bearer in self.admins:
            sentence = f"{bearer.name} is an admin of this server; dismiss them first."
            raise ScovilleError(Code.BAD_PARAMS, sentence, {"target": request.target})
        now = self._now()
        asked = Ban(
            id=0,
            kind=request.kind,
            target=request.target,
            user=UserId("") if bearer is None else bearer.id,
            scope=request.scope,
            reason=request.reason or "",
            by=admin.name,
            since_ms=now,
            until_ms=None if request.duration_ms is None else now + request.duration_ms,
        )
        async with self._acting:
            self.bans.check(asked, now)
            # the log keeps no address
            target = f"ban {self.bans.next_id}" if request.kind == "address" else request.target
            await self._note(admin, f"ban {request.kind} from {request.scope}", target, request.reason or "")
            ban = await self.bans.add(asked, now)
        self._every_node.check_bans()
        return ban

    def listed(self) -> list[m.BanInfo]:
        """List the bans in force, oldest first."""
        return [ban.info for ban in self.bans.holding(self._now())]

    async def lift(self, admin: User, number: int) -> None:
        """Lift a ban."""
        async with self._acting:
            self.bans.check_held(number)
            await self._note(admin, "unban", str(number))
            await self.bans.lift(number)

    async def close(self, admin: User, table: str, reason: str) -> None:
        """Close a table."""
        actor = self._registry.lobby.find(table)
        await self._note(admin, "close", table, reason)
        await actor.do(Close(reason=reason or "An admin closed it."))

    async def appoint(self, admin: User, user: User, *, admin_from_now: bool) -> None:
        """Appoint or dismiss an admin; nothing happens if they are one already, or are none."""
        async with self._acting:
            if not self.admins.check_change(user, admin_from_now=admin_from_now):
                return
            await self._note(admin, "appoint" if admin_from_now else "dismiss", user.name)
            if admin_from_now:
                await self.admins.appoint(user, admin.name)
            else:
                await self.admins.dismiss(user)

    async def note_recovery(self, by: User, user: User, action: str, reason: str = "") -> None:
        """Log that an admin makes a recovery code for a user, or that it was used."""
        await self._note(by, action, user.name, reason)

    def forgot(self, number: UserId) -> None:
        """Delete the appointment of a forgotten user."""
        self._background.write(self.admins.forget(number))

    def reported(self) -> list[m.ReportInfo]:
        """List the open reports, oldest first."""
        return self.reports.waiting[: self._limits.reports_shown]

    async def resolve(self, admin: User, number: int, note: str) -> None:
        """Resolve a report."""
        async with self._acting:
            report = self.reports.find(number)
            await self._note(admin, "resolve", report.name, note)
            await self.reports.resolve(number)

    async def connected(self) -> list[m.AdminUserInfo]:
        """Describe the connected users to an admin. Raises ScovilleError when a node does not answer."""
        return await self._every_node.users()

    async def _note(self, admin: User, did: str, whom: str = "", why: str = "") -> None:
        await self.audit.note(self._now(), admin.name, did, whom, why)

    async def _close_banned(self) -> None:
        """Disconnect the banned users of this node, a portion in each turn of the loop."""
        async for user in in_portions(self._users.sessions.here()):
            self._close_if_banned(user)

    def _close_if_banned(self, user: User) -> None:
        error = self.forbids("server", user)
        if error is not None:
            self._disconnect(user, error.code, error.message)

    def _disconnect(self, user: User, code: str, message: str) -> None:
        self._connections.close(user.id, m.ByeNotice(code=code, message=message))
