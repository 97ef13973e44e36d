"""Repairs at the server's machine while it is stopped: its remembered time after a wrong clock, and recovery codes.

A recovery code is for the owner of a claimed name, when no admin is left to make one.
"""

from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple

from scoville_runtime.clock import SYSTEM, Clock
from scoville_runtime.events import EventLog, Events
from scoville_server.accounts.model.account_limits import AccountLimits
from scoville_server.accounts.service import AccountService
from scoville_server.accounts.users import Users
from scoville_server.background.tasks import BackgroundTasks
from scoville_server.journal.base import JournalError
from scoville_server.journal.files import generations
from scoville_server.journal.files.generations import AUDIT
from scoville_server.journal.sqlite import SqliteJournal
from scoville_server.moderation.audit import AuditLog
from scoville_server.moderation.audit_file import AuditFile
from scoville_server.nodes.nodes import single_node
from scoville_server.settings.model import Settings
from scoville_server.trusted_time import RememberedTime, TrustedTime
from scoville_shared.errors import Code, ScovilleError


class ClockReset(NamedTuple):
    """The newest known time before and after, in milliseconds since 1970."""

    before_ms: int
    now_ms: int

    def __str__(self) -> str:
        return (
            f"The server now takes {_format_date(self.now_ms)} for the newest time, "
            f"and no longer {_format_date(self.before_ms)}. "
            "Its next start puts right tokens that would be valid for too long."
        )


async def reset_clock(data: Path, clock: Clock = SYSTEM) -> ClockReset:
    """Let a server that is not running trust the machine's clock. Raises JournalError, FolderTaken."""
    _check_is_server(data)
    journal = SqliteJournal(data, Settings().pending_writes, clock=clock)
    try:
        before = (await journal.open()).newest_ms
        now = clock.date_ms()
        await RememberedTime(journal).remember_time(now)
        return ClockReset(before, now)
    finally:
        await journal.close()


def _check_is_server(data: Path) -> None:
    if not data.is_dir() or generations.current_generation(data) is None:
        raise JournalError(f"There is no server in {data}; choose its folder with --data.")


def _format_date(ms: int) -> str:
    return datetime.fromtimestamp(ms / 1000, UTC).strftime("%Y-%m-%d %H:%M UTC")


BY: Final = "scoville-server recover"
"""Who has made the code, in the audit log."""


class RecoveryCode(NamedTuple):
    """A code for the owner of `name`, valid once within so many hours."""

    name: str
    code: str
    hours: int

    def __str__(self) -> str:
        return (
            f"Recovery code for {self.name}: {self.code}. It is valid once, for {self.hours} hours; it is audited. "
            f"Start the server; then {self.name} opens Account in the client and sets a new password with this code "
            f'(in line mode: "recover {self.name}").'
        )


async def make_recovery_code(settings: Settings, name: str, clock: Clock = SYSTEM) -> RecoveryCode:
    """Make a recovery code in the data folder of a server that is not running, written to its audit log first.

    Raises JournalError, FolderTaken while a server uses the folder, ScovilleError `not_claimed` for a name that nobody
    has claimed.
    """
    data = settings.data
    assert data is not None, "a server without a folder has no accounts to recover"
    _check_is_server(data)
    journal = SqliteJournal(data, settings.pending_writes, clock=clock)
    background, events = BackgroundTasks(clock), Events(EventLog(clock))
    try:
        time = TrustedTime(clock, settings.clock)
        users = Users(settings.guests, settings.accounts, journal, background, single_node().connections, time)
        audit = AuditLog(AuditFile(data / AUDIT, events.report_event), journal, events)
        time.compare_with((await journal.open()).newest_ms)
        users.restore_users(await journal.users())
        audit.restore_entries()
        await audit.prepare_store()
        return await _make_code(users, AccountService(users, background, events), audit, name, settings.accounts)
    finally:
        await background.close()
        await journal.close()


async def _make_code(
    users: Users, accounts: AccountService, audit: AuditLog, name: str, limits: AccountLimits
) -> RecoveryCode:
    owner = users.claims.find_owner(name)
    user = None if owner is None else users.sessions.find_user(owner)
    if user is None or users.claims.account_of(user.id) is None:
        raise ScovilleError(Code.NOT_CLAIMED, f"Nobody has claimed the name {name} on this server.")
    await audit.log_act(users.time.now_ms(), BY, "recovery code", user.name)
    code, _ = await accounts.begin_recovery(user, BY)
    accounts.close()
    return RecoveryCode(user.name, code, limits.recovery_hours)
