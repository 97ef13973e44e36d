"""Retention: how long the audit log, reports and messages are kept, and what deletes older ones."""

from typing import Final

from scoville_server.chat.service import ChatService
from scoville_server.limits.live import Live
from scoville_server.moderation.model.retention_settings import RetentionSettings
from scoville_server.moderation.records import ModerationRecords
from scoville_server.trusted_time import TrustedTime

_DAY_MS: Final = 86_400_000


class Retention:
    """Deletes what is older than the settings allow, by a `time` that is trusted."""

    def __init__(
        self, settings: Live[RetentionSettings], records: ModerationRecords, chat: ChatService, time: TrustedTime
    ) -> None:
        self._settings = settings
        self._records = records
        self._chat = chat
        self._time = time

    async def delete_old(self) -> None:
        """Delete what is too old. Raises JournalError."""
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
