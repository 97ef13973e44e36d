"""Reports by users, until an admin has resolved them."""

from collections.abc import Sequence

from scoville_runtime.events import Events
from scoville_server.accounts.sessions import User
from scoville_server.chat.model.messages import LOBBY, at_table
from scoville_server.chat.service import ChatService
from scoville_server.errors import slow_down
from scoville_server.events import Report
from scoville_server.journal.base import Conflict, Journal, Row
from scoville_server.journal.books import Book
from scoville_server.limits.fair_shares import Shares
from scoville_server.limits.live import Adjustable, as_live
from scoville_server.limits.rate_budgets import Budget
from scoville_server.limits.throttle import Rate, Source
from scoville_server.moderation.model.moderation_limits import ModerationLimits
from scoville_server.nodes.serving import Serving
from scoville_server.tables.actor import TableActor
from scoville_server.trusted_time import TrustedTime
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.messages import ReportClubRequest, ReportInfo, ReportRequest


class Reports:
    """The open reports, at most `most`."""

    def __init__(self, most: int, journal: Journal) -> None:
        self._most = most
        self._shares: Shares[object] = Shares()
        self._book = Book("reports", ReportInfo, journal, self._follow_report)
        self._latest = 0
        journal.follow(self._book.name, self._note_number)

    def _follow_report(self, key: str, _before: ReportInfo | None, after: ReportInfo | None) -> None:
        if after is None:
            # Resolved, perhaps at another node.
            self._shares.release_thing(key)

    def _note_number(self, key: str, _row: Row | None) -> None:
        # Also of a row that this version cannot read: its number is taken.
        self._latest = max(self._latest, int(key))

    @property
    def open_reports(self) -> list[ReportInfo]:
        """The open reports, oldest first."""
        return [report for _, report in self._book.items()]

    def check_room(self, networks: Sequence[str]) -> None:
        """Refuse an address that has used up its share of the reports, or any if too many are open.

        Raises ScovilleError `too_many`. The reporter's address is only kept in memory.
        """
        # The shares include reports that are being written, the book also those of an earlier run.
        free = self._most - max(len(self._book), len(self._shares))
        if free <= 0 or self._shares.refuses_more(networks, free):
            sentence = "There are too many open reports; contact an admin directly."
            raise ScovilleError(Code.TOO_MANY, sentence, {"why": "reports"})

    async def add_report(
        self,
        request: ReportRequest,
        by: str,
        at_ms: int,
        chat: Sequence[str],
        networks: Sequence[str] = (),
        club: str | None = None,
    ) -> ReportInfo:
        """Add a report, about a `club` perhaps. Raises JournalError and ScovilleError `too_many`."""
        self.check_room(networks)
        while True:
            # Counted on at once, not after the write: two reports at a time must not ask for one number.
            self._latest += 1
            number = self._latest
            self._shares.hold_thing(str(number), networks)
            report = ReportInfo(
                id=number,
                at_ms=at_ms,
                by=by,
                name=request.name,
                table=request.table,
                text=request.text,
                context=[*chat],
                club=club,
            )
            try:
                await self._book.create_row(str(number), report)
            except Conflict:
                # Another node has taken the number, and knows the share of its reporter.
                self._shares.release_thing(str(number))
            except BaseException:
                self._shares.release_thing(str(number))
                raise
            else:
                return report

    def find_report(self, number: int) -> ReportInfo:
        """Find an open report. Raises ScovilleError `bad_params`."""
        report = self._book.get(str(number))
        if report is None:
            raise ScovilleError(Code.BAD_PARAMS, f"There is no open report {number}.", {"id": number})
        return report

    async def remove_report(self, number: int) -> None:
        """Resolve a report. Raises JournalError."""
        await self._book.drop_row(str(number))

    async def delete_older(self, at_ms: int) -> None:
        """Delete the reports before a time. Raises JournalError."""
        for report in [each for each in self.open_reports if each.at_ms < at_ms]:
            await self.remove_report(report.id)


class ReportDesk:
    """Accepts reports at a bounded rate, each with the latest messages of its channel as evidence."""

    def __init__(
        self,
        limits: Adjustable[ModerationLimits],
        reports: Reports,
        tables: Serving[TableActor],
        chat: ChatService,
        time: TrustedTime,
        events: Events,
    ) -> None:
        live = as_live(limits)
        self._reported_messages = live.value.reported_messages
        self._reports = reports
        self._tables = tables
        self._chat = chat
        self._time = time
        self._events = events
        self._budget = Budget(
            live.select(lambda limits: Rate(limits.reports_per_user, limits.reports_seconds)),
            live.select(lambda limits: Rate(limits.reports_per_address, limits.reports_seconds)),
        )

    async def add_report(self, by: User, source: Source, request: ReportRequest) -> None:
        """Add a report with the latest messages of its channel. Raises ScovilleError, JournalError."""
        self._count_report(source)
        channel = at_table(self._tables.find_table(request.table).table.id) if request.table else LOBBY
        sent = self._chat.channels.messages_since(channel, 0)[-self._reported_messages :]
        quoted = [f"{message.name}: {message.text}" for message in sent]
        report = await self._reports.add_report(request, by.name, self._time.now_ms(), quoted, source.networks)
        self._announce_report(report)

    async def add_report_of_club(self, by: User, source: Source, request: ReportClubRequest, name: str) -> None:
        """Add a report about a club with a name; its chat stays private. Raises ScovilleError, JournalError."""
        self._count_report(source)
        about, now = ReportRequest(name=name, text=request.text), self._time.now_ms()
        # Without messages: admins do not read what a club says among its members.
        report = await self._reports.add_report(about, by.name, now, (), source.networks, request.club)
        self._announce_report(report)

    def _count_report(self, source: Source) -> None:
        # Before the rate: a report for which there is no room must not count against its author.
        self._reports.check_room(source.networks)
        wait = self._budget.take_use(source, self._time.seconds())
        if wait is not None:
            raise slow_down("You have sent many reports", wait)

    def _announce_report(self, report: ReportInfo) -> None:
        self._events.report_event(Report(number=report.id, table=report.table or "", by=report.by, user=report.name))
