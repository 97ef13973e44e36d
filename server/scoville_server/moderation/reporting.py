"""Reports of users about others, with the latest messages of the channel as evidence."""

from collections.abc import Callable

from scoville_server.accounts.sessions import User
from scoville_server.chat.model.messages import LOBBY, at_table
from scoville_server.chat.service import ChatService
from scoville_server.errors import slow_down
from scoville_server.limits.rate_budgets import Budget
from scoville_server.limits.throttle import Rate, Source
from scoville_server.moderation.model.limits import ModerationLimits
from scoville_server.moderation.reports import Reports
from scoville_server.tables.registry import TableRegistry
from scoville_shared.protocol.messages import ReportRequest


class Reporting:
    """Accepts reports at a bounded rate. `seconds` is a monotonic clock, `now_ms` the wall time."""

    def __init__(
        self,
        limits: ModerationLimits,
        reports: Reports,
        registry: TableRegistry,
        chat: ChatService,
        seconds: Callable[[], float],
        now_ms: Callable[[], int],
    ) -> None:
        self._limits = limits
        self._reports = reports
        self._registry = registry
        self._chat = chat
        self._seconds = seconds
        self._now_ms = now_ms
        period = limits.reports_seconds
        self._budget = Budget(Rate(limits.reports_per_user, period), Rate(limits.reports_per_address, period))

    async def report(self, by: User, source: Source, request: ReportRequest) -> None:
        """Add a report with the latest messages of its channel. Raises ScovilleError, JournalError."""
        self._reports.check_room(source.networks)
        wait = self._budget.take(source, self._seconds())
        if wait is not None:
            raise slow_down("You have sent many reports", wait)
        channel = at_table(self._registry.lobby.find(request.table).table.id) if request.table else LOBBY
        sent = self._chat.channels.since(channel, 0)[-self._limits.reported_messages :]
        quoted = [f"{message.name}: {message.text}" for message in sent]
        await self._reports.add(request, by.name, self._now_ms(), quoted, source.networks)
