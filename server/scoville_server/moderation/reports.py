"""Reports by users, until an admin has resolved them."""

from collections.abc import Sequence

from scoville_server.journal.base import Journal, Kept
from scoville_server.journal.books import Book
from scoville_server.limits.fair_shares import Shares
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.messages import ReportInfo, ReportRequest


class Reports:
    """The open reports, at most `most`."""

    def __init__(self, most: int, journal: Journal) -> None:
        self._most = most
        self._book = Book("reports", ReportInfo, journal)
        self._latest = 0
        self._shares: Shares[object] = Shares()

    def restore(self, kept: Kept) -> None:
        """Load the reports."""
        self._book.restore(kept.books)
        self._latest = max((int(key) for key, _ in kept.books.get(self._book.name, ())), default=0)

    @property
    def waiting(self) -> list[ReportInfo]:
        """The open reports, oldest first."""
        return [report for _, report in self._book.items()]

    def check_room(self, networks: Sequence[str]) -> None:
        """Refuse an address that has used up its share of the reports, or any if too many are open.

        Raises ScovilleError `too_many`. The reporter's address is only kept in memory.
        """
        free = self._most - max(len(self._book), len(self._shares))
        if free <= 0 or self._shares.refuses(networks, free):
            raise ScovilleError(Code.TOO_MANY, "There are too many open reports; contact an admin directly.")

    async def add(
        self, request: ReportRequest, by: str, at_ms: int, chat: Sequence[str], networks: Sequence[str] = ()
    ) -> ReportInfo:
        """Add a report. Raises JournalError and ScovilleError `too_many`."""
        self.check_room(networks)
        self._latest += 1
        number = self._latest
        self._shares.hold(str(number), networks)
        report = ReportInfo(
            id=number, at_ms=at_ms, by=by, name=request.name, table=request.table, text=request.text, context=[*chat]
        )
        try:
            await self._book.create(str(number), report)
        except BaseException:
            self._shares.release(str(number))
            raise
        return report

    def find(self, number: int) -> ReportInfo:
        """Find an open report. Raises ScovilleError `bad_params`."""
        report = self._book.get(str(number))
        if report is None:
            raise ScovilleError(Code.BAD_PARAMS, f"There is no open report {number}.", {"id": number})
        return report

    async def resolve(self, number: int) -> None:
        """Resolve a report. Raises JournalError."""
        await self._book.drop(str(number))
        self._shares.release(str(number))
