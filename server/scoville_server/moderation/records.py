"""Records of moderation: admins, bans, reports and the audit log, and the chore that deletes old ones."""

from pathlib import Path
from typing import Final

from scoville_runtime.events import Events
from scoville_server.accounts.users import Users
from scoville_server.chat.service import ChatService
from scoville_server.journal.base import Journal
from scoville_server.journal.files.generations import AUDIT
from scoville_server.journal.stores import AuditStore, KeepsStores
from scoville_server.limits.live import Live
from scoville_server.moderation.admins import Admins, Moderators, WarningHistory
from scoville_server.moderation.audit import AuditInMemory, AuditLog
from scoville_server.moderation.audit_file import AuditFile
from scoville_server.moderation.bans import Bans
from scoville_server.moderation.maintenance import Maintenance
from scoville_server.moderation.model.moderation_limits import ModerationLimits, RetentionSettings
from scoville_server.moderation.reports import Reports
from scoville_server.trusted_time import TrustedTime


class ModerationRecords:
    """The admins, of whom some are `named` by the settings, the bans, the reports and the audit log."""

    def __init__(
        self,
        limits: ModerationLimits,
        named: tuple[str, ...],
        journal: Journal,
        users: Users,
        data: Path | None,
        events: Events,
    ) -> None:
        self.admins = Admins(named, journal, users.claims)
        self.moderators = Moderators(journal)
        self.warnings = WarningHistory(journal)
        self.bans = Bans(limits.bans, journal, users.time.may_expire, users.time.doubts_since)
        self.reports = Reports(limits.reports, journal)
        self.maintenance = Maintenance(journal)
        self.audit = AuditLog(_choose_audit_store(limits, journal, data, events), journal, events)


def _choose_audit_store(limits: ModerationLimits, journal: Journal, data: Path | None, events: Events) -> AuditStore:
    if isinstance(journal, KeepsStores):
        return journal.audit
    return AuditInMemory(limits.audit_entries) if data is None else AuditFile(data / AUDIT, events.report_event)


_DAY_MS: Final = 86_400_000


class Retention:
    """Deletes rows that are older than the settings allow, by a `time` that is trusted."""

    def __init__(
        self, settings: Live[RetentionSettings], records: ModerationRecords, chat: ChatService, time: TrustedTime
    ) -> None:
        self._settings = settings
        self._records = records
        self._chat = chat
        self._time = time

    async def delete_old(self) -> None:
        """Delete rows that are too old. Raises JournalError."""
        # With a wrong clock nothing may be old.
        if not self._time.may_expire():
            return
        settings, now = self._settings.value, self._time.now_ms()
        if settings.chat_days:
            self._chat.delete_older(now - settings.chat_days * _DAY_MS)
        if settings.report_days:
            await self._records.reports.delete_older(now - settings.report_days * _DAY_MS)
        if settings.audit_days:
            await self._records.audit.delete_older(now - settings.audit_days * _DAY_MS)
