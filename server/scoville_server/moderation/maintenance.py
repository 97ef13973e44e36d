"""Maintenance mode: only admins and players of unfinished games may connect, until the host ends it."""

from typing import Final

from msgspec import Struct

from scoville_server.journal.base import Journal
from scoville_server.journal.books import Book
from scoville_shared.errors import Code, ScovilleError

_KEY: Final = "on"


class MaintenanceOn(Struct, frozen=True):
    """Who switched it on, why, and when (milliseconds since 1970)."""

    by: str
    reason: str
    since_ms: int


class Maintenance:
    """The mode of a server. It outlasts a restart: hosts look at an upgraded server before they let others in."""

    def __init__(self, journal: Journal) -> None:
        self._book = Book("maintenance", MaintenanceOn, journal)

    @property
    def mode(self) -> MaintenanceOn | None:
        """Who switched it on and why; None while it is off."""
        return self._book.get(_KEY)

    async def switch_mode(self, mode: MaintenanceOn | None) -> None:
        """Switch it on or off. Raises JournalError."""
        if mode is not None:
            await self._book.put_row(_KEY, mode)
        elif self.mode is not None:
            await self._book.drop_row(_KEY)

    def check_open(self) -> None:
        """Refuse a user who is no exception. Raises ScovilleError `maintenance`."""
        mode = self.mode
        if mode is not None:
            why = f": {mode.reason}" if mode.reason else ""
            end = "" if why.endswith((".", "!", "?")) else "."
            sentence = f"This server is under maintenance and takes no new users{why}{end}"
            raise ScovilleError(Code.MAINTENANCE, sentence, {"reason": mode.reason or None})
