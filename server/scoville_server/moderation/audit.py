"""The audit log: what admins did and why, and what the host should know, such as backups and damage.

Entries are added and never changed.
"""

from collections import deque
from collections.abc import Callable, Coroutine
from typing import Any, Final

from msgspec import Struct

from scoville_runtime.events import Event, Events
from scoville_server.events import AdminAct, Backup, BackupFailed, Damage, HostEvent
from scoville_server.journal.base import Journal, JournalError
from scoville_server.journal.books import Book, WrittenBook
from scoville_server.journal.stores import AuditStore
from scoville_shared.protocol.messages import AuditEntry

PAGE = 200
"""Entries per reply."""
_NEWEST = "newest"


class AuditInMemory:
    """The latest `most` entries, for a server without a data folder."""

    def __init__(self, most: int) -> None:
        self._lines: deque[AuditEntry] = deque(maxlen=most)
        self.latest_number = 0

    async def load_entries(self) -> None:
        """Do nothing: memory starts empty."""

    def continue_after(self, number: int) -> None:
        """Do nothing: memory starts empty."""

    def protect_entries(self) -> None:
        """Do nothing: memory is private."""

    async def add_entry(self, line: AuditEntry) -> AuditEntry:
        """Store an entry under the next number."""
        self.latest_number += 1
        numbered = AuditEntry(
            number=self.latest_number,
            at_ms=line.at_ms,
            by=line.by,
            action=line.action,
            target=line.target,
            reason=line.reason,
        )
        self._lines.append(numbered)
        return numbered

    async def entries_since(self, number: int, most: int) -> list[AuditEntry]:
        """Return the first entries after a number, oldest first."""
        return [line for line in self._lines if line.number > number][:most]

    async def delete_older(self, at_ms: int) -> None:
        """Delete the entries before a time, but never the newest one."""
        while len(self._lines) > 1 and self._lines[0].at_ms < at_ms:
            self._lines.popleft()


class Noted(Struct, frozen=True):
    """The number of the newest entry, as the journal knows it: a log that ends earlier has lost entries."""

    number: int


class AuditLog:
    """Numbered entries in a store; the journal notes how many there are. Each is also reported as an event."""

    def __init__(self, store: AuditStore, journal: Journal, events: Events) -> None:
        self._store = store
        self._events = events
        self._noted = Book("audit.latest", Noted, journal)
        self._book = WrittenBook("audit", AuditEntry, journal)
        self._of_journal: list[AuditEntry] = []

    @property
    def latest_number(self) -> int:
        """The number of the newest entry, 0 for none."""
        return self._store.latest_number

    async def load_entries(self) -> None:
        """Load the entries of earlier runs from their store. Raises JournalError."""
        await self._store.load_entries()

    def restore_entries(self) -> None:
        """Continue after the newest entry that the journal knows."""
        of_journal = [entry for _, entry in self._book.release_rows()]
        if self._store.latest_number == 0:
            self._of_journal = of_journal
        noted = self._noted.get(_NEWEST)
        if noted is not None:
            self._store.continue_after(noted.number)

    async def prepare_store(self) -> None:
        """Protect the store, and add the entries that an older version has left in the journal. Raises JournalError."""
        self._store.protect_entries()
        entries, self._of_journal = self._of_journal, []
        for entry in entries:
            await self._store.add_entry(entry)

    async def log_act(self, at_ms: int, by: str, did: str, whom: str = "", why: str = "") -> AuditEntry:
        """Log an action before it happens. Raises JournalError: an action that cannot be logged must not happen."""
        entry = await self.write_entry(at_ms, by, did, whom, why)
        self._events.report_event(AdminAct(number=entry.number, action=did, by=by, target=whom, reason=why))
        return entry

    async def write_entry(self, at_ms: int, by: str, did: str, whom: str = "", why: str = "") -> AuditEntry:
        """Write an entry about an event without an admin, which has been reported already. Raises JournalError."""
        entry = await self._store.add_entry(
            AuditEntry(number=0, at_ms=at_ms, by=by, action=did, target=whom or None, reason=why or None)
        )
        # After the log, so that the note is never ahead of it. The action's own commit fails if this one does.
        await self._noted.put_row(_NEWEST, Noted(entry.number))
        return entry

    async def delete_older(self, at_ms: int) -> None:
        """Delete the entries before a time, but never the newest one. Raises JournalError."""
        await self._store.delete_older(at_ms)

    async def list_acts(self, number: int) -> list[AuditEntry]:
        """Return the first entries after a number, oldest first, at most one page. Raises JournalError."""
        return await self._store.entries_since(number, PAGE)


SERVER: Final = "the server itself, without an admin"
"""Who acts then; longer than any name of a user, so that no user can be mistaken for it."""
MOST_KINDS: Final = 256
"""Different damages that one run writes down: a disk that dies must not fill the audit log as well."""


class HostLog:
    """Sink that writes such events to the audit log, once the start has made that ready.

    Args:
        audit: The audit log.
        now_ms: Returns the time in milliseconds since 1970.
        start_task: Starts tasks that the server finishes before it ends.
    """

    def __init__(
        self,
        audit: AuditLog,
        now_ms: Callable[[], int],
        start_task: Callable[[Coroutine[Any, Any, None]], object],
    ) -> None:
        self._audit, self._now_ms, self._start_task = audit, now_ms, start_task
        self._waiting: list[HostEvent] | None = []
        """Events before the audit log is ready; None from then on."""
        self._known: set[Damage] = set()

    def take_event(self, event: Event) -> None:
        """Write down an event that concerns the host."""
        if not isinstance(event, HostEvent):
            return
        if isinstance(event, Damage):
            # Users who export a damaged game again and again must not fill the log.
            if event in self._known or len(self._known) >= MOST_KINDS:
                return
            self._known.add(event)
        if self._waiting is None:
            self._start_task(self._write_events([event]))
        else:
            self._waiting.append(event)

    def begin_writing(self) -> None:
        """Write the waiting entries, and from now on each one at once."""
        waiting, self._waiting = self._waiting, None
        if waiting:
            self._start_task(self._write_events(waiting))

    def close_sink(self) -> None:
        """Keep nothing: what is written is written by tasks that the server waits for."""

    async def _write_events(self, events: list[HostEvent]) -> None:
        for event in events:
            try:
                await self._audit.write_entry(self._now_ms(), *_describe_event(event))
            except JournalError:  # it is in the log as well, and a full disk takes no entries
                return


def _describe_event(event: HostEvent) -> tuple[str, str, str, str]:
    if isinstance(event, Backup):
        held = f"{event.tables} tables, {event.games} finished games, {event.seconds:g} s"
        return event.by or SERVER, "backup", event.path or "through a pipe", held
    if isinstance(event, BackupFailed):
        return event.by or SERVER, "backup failed", "", event.reason
    return SERVER, "damage", event.path, event.reason
