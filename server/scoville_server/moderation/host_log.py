"""What the audit log has though no admin acts: backups, and what was damaged."""

from collections.abc import Callable, Coroutine
from typing import Any, Final

from scoville_runtime.events import Event
from scoville_server.events import Backup, BackupFailed, Damage, HostEvent
from scoville_server.journal.base import JournalError
from scoville_server.moderation.audit import AuditLog

SERVER: Final = "the server itself, without an admin"
"""Who acts then; longer than any name of a user, so that no user can be mistaken for it."""
MOST_KINDS: Final = 256
"""Different damages that one run writes down: a disk that dies must not fill the audit log as well."""


class HostLog:
    """Sink that writes such events to the audit log, once the start has made that ready.

    Args:
        audit: The audit log.
        now_ms: Returns the time in milliseconds since 1970.
        start_task: Starts what the server finishes before it ends.
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
            # Who exports a damaged game again and again must not fill the log.
            if event in self._known or len(self._known) >= MOST_KINDS:
                return
            self._known.add(event)
        if self._waiting is None:
            self._start_task(self._write_events([event]))
        else:
            self._waiting.append(event)

    def begin_writing(self) -> None:
        """Write what has waited for the audit log, and from now on everything at once."""
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
