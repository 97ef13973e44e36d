"""What moderation keeps: admins, bans, reports and the audit log."""

from pathlib import Path

from scoville_runtime.events import Events
from scoville_server.accounts.users import Users
from scoville_server.journal.base import Journal
from scoville_server.journal.files.generations import AUDIT
from scoville_server.moderation.admins import Admins
from scoville_server.moderation.audit import AuditInMemory, AuditLog
from scoville_server.moderation.audit_file import AuditFile
from scoville_server.moderation.bans import Bans
from scoville_server.moderation.maintenance import Maintenance
from scoville_server.moderation.model.moderation_limits import ModerationLimits
from scoville_server.moderation.moderators import Moderators, WarningHistory
from scoville_server.moderation.reports import Reports


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
        store = AuditInMemory(limits.audit_entries) if data is None else AuditFile(data / AUDIT, events.report_event)
        self.audit = AuditLog(store, journal, events)

    def restore_records(self) -> None:
        """Index what an earlier run has kept."""
        self.bans.restore_bans()
        self.audit.restore_entries()
