"""A node that serves follows what others write: it looks for their rows, and tells who follows users."""

import asyncio
import logging
from collections.abc import Callable

import msgspec

from scoville_runtime.clock import Clock
from scoville_server.events import Damage, ReportDamage
from scoville_server.journal.base import JournalError, Row, StoredUser
from scoville_server.journal.books import UserFollowers
from scoville_server.journal.jetstream.mirror import Mirror
from scoville_shared.ids import UserId

_log = logging.getLogger(__name__)

FOLLOW_SECONDS = 0.25
"""Seconds between two looks at the rows that others have written."""


class RowFollower:
    """Looks again and again for the rows that others have written, as long as this node serves.

    Args:
        mirror: Reads them, and tells their followers.
        serves: Returns whether this node serves.
        report_damage: Is called for each row that cannot be used.
        place: The name of the stream.
        clock: The clock.
    """

    def __init__(
        self, mirror: Mirror, serves: Callable[[], bool], report_damage: ReportDamage, place: str, clock: Clock
    ) -> None:
        self._mirror = mirror
        self._serves = serves
        self._report_damage = report_damage
        self._place = place
        self._clock = clock
        self._task: asyncio.Task[None] | None = None

    def begin_following(self) -> None:
        """Begin; `stop_following` ends it."""
        self._task = asyncio.get_running_loop().create_task(self._follow_others(), name="follow")

    def stop_following(self) -> None:
        """Stop."""
        if self._task is not None:
            self._task.cancel()

    async def _follow_others(self) -> None:
        while self._serves():
            await self._clock.sleep(FOLLOW_SECONDS)
            try:
                await self._mirror.follow_rows()
            except JournalError:
                pass  # once the engine is back, all of it is read
            except Exception:  # noqa: BLE001 - a follower has failed, which must not end the others
                _log.exception("A change by another server process could not be taken over.")
            for error in self._mirror.take_damage().values():
                self._report_damage(Damage(path=self._place, reason=error.message))


class UserRowFollowers(UserFollowers):
    """`UserFollowers` to call for the rows of a book."""

    def notify_of_row(self, key: str, row: Row | None) -> None:
        """Call the functions for a row that has changed."""
        known = None if row is None else msgspec.msgpack.decode(row.value, type=StoredUser)
        self.notify_change(UserId(key), known)
