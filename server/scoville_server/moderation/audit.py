"""The audit log: what those who look after a server did, and why."""

from scoville_server.journal.base import Journal, Kept
from scoville_server.journal.books import Book
from scoville_shared.wire.messages import AuditLine


class AuditLog:
    """Numbered lines, the latest `most` of them."""

    def __init__(self, most: int, journal: Journal) -> None:
        self._most = most
        self._book = Book("audit", AuditLine, journal)
        self._latest = 0

    def restore(self, kept: Kept) -> None:
        """Take up the lines of an earlier run."""
        self._book.restore(kept.books)
        self._latest = max((line.n for _, line in self._book.items()), default=0)

    async def note(self, at_ms: int, by: str, did: str, whom: str = "", why: str = "") -> AuditLine:
        """Write down what somebody is about to do. Raises JournalError: what is not written down is not done."""
        self._latest += 1
        line = AuditLine(n=self._latest, at_ms=at_ms, by=by, did=did, whom=whom, why=why)
        old = str(line.n - self._most)
        await self._book.write({str(line.n): line, **({old: None} if old in self._book else {})})
        return line

    def since(self, number: int, most: int = 200) -> list[AuditLine]:
        """List the first lines after a number, oldest first."""
        return [line for _, line in self._book.items() if line.n > number][:most]
