"""Digests: what waits for a user who is away, sent to an address of theirs, once a day at most."""

import asyncio
import hmac
import json
import logging
from collections.abc import Callable, Iterable, Mapping
from hashlib import sha256
from typing import Any, Final, Protocol

from msgspec import Struct
from msgspec.structs import replace

from scoville_runtime.clock import Clock
from scoville_server.accounts.users import UserObserver
from scoville_server.background.safe_post import UnsafeAddress
from scoville_server.background.tasks import BackgroundTasks
from scoville_server.journal.base import Journal, JournalError
from scoville_server.journal.books import Book
from scoville_server.limits.live import Live
from scoville_shared.ids import UserId
from scoville_shared.protocol.messages import Deadline

TRIES: Final = (0.0, 60.0, 600.0)
"""Seconds before each attempt of a day: a receiver that restarts is back by the last one."""
MOST_FAILED_DAYS: Final = 7
"""Days without any answer after which an address is forgotten."""
MOST_AT_ONCE: Final = 4

_log = logging.getLogger(__name__)


class DigestRow(Struct, frozen=True, kw_only=True):
    """Where the digest of a user goes, and the key of its signatures; the latest one was that of `sent_day`."""

    url: str
    secret: str
    sent_day: int = -1
    failed_days: int = 0


class Post(Protocol):
    """Sends requests to addresses of users."""

    async def post_body(self, url: str, body: bytes, headers: Mapping[str, str]) -> int:
        """Return the status of the answer. Raises UnsafeAddress and OSError."""


class DigestService(UserObserver):
    """Sends digests. The day is written before the request: a crash may cost a digest, and never sends two.

    Args:
        enabled: Whether the host allows it.
        list_deadlines: Returns the moves that a user owes by correspondence.
        is_here: Whether a user is connected: they see what waits for them.
        find_day: Returns the server's day; None while its clock is doubted.
    """

    def __init__(
        self,
        journal: Journal,
        background: BackgroundTasks,
        enabled: Live[bool],
        list_deadlines: Callable[[UserId], Iterable[Deadline]],
        is_here: Callable[[UserId], bool],
        find_day: Callable[[], int | None],
        post: Post,
        clock: Clock,
    ) -> None:
        self._book = Book("digests", DigestRow, journal)
        self._background = background
        self._enabled = enabled
        self._list_deadlines = list_deadlines
        self._is_here = is_here
        self._find_day = find_day
        self._post = post
        self._clock = clock
        self._free = asyncio.Semaphore(MOST_AT_ONCE)

    def user_forgotten(self, user: UserId) -> None:
        if user in self._book:
            self._background.write_soon(self._book.drop_row(user))

    async def send_due(self) -> None:
        """Send the digests of today that are due; called once an hour."""
        day = self._find_day()
        if day is None or not self._enabled.value:
            return
        for key, row in self._book.items():
            user = UserId(key)
            # Not `!=`: a clock that is set back sends nothing a second time.
            if row.sent_day >= day or self._is_here(user) or not (deadlines := [*self._list_deadlines(user)]):
                continue
            sent = replace(row, sent_day=day)
            try:
                await self._book.put_row(user, sent)
            except JournalError:
                return  # a full disk: the next hour tries again
            self._background.start_task(self._send_digest(user, sent, describe_deadlines(deadlines)))

    async def _send_digest(self, user: UserId, row: DigestRow, what: Mapping[str, Any]) -> None:
        body = json.dumps(what).encode()
        for wait in TRIES:
            await self._clock.sleep(wait)
            if self._book.get(user) != row:  # it has another address by now, or none
                return
            at_ms = self._clock.date_ms()
            headers = {"Scoville-Signature": f"t={at_ms},v1={sign_body(row.secret, at_ms, body)}"}
            try:
                async with self._free:
                    status = await self._post.post_body(row.url, body, headers)
            except (OSError, UnsafeAddress) as error:
                _log.info("a digest could not be sent: %s", error)
                if isinstance(error, UnsafeAddress):
                    break
            else:
                if 200 <= status < 300:
                    await self._note_result(user, row, failed_days=0)
                    return
        await self._note_result(user, row, failed_days=row.failed_days + 1)

    async def _note_result(self, user: UserId, row: DigestRow, failed_days: int) -> None:
        if self._book.get(user) != row or failed_days == row.failed_days:
            return
        if failed_days >= MOST_FAILED_DAYS:
            await self._book.drop_row(user)
        else:
            await self._book.put_row(user, replace(row, failed_days=failed_days))


def describe_deadlines(deadlines: Iterable[Deadline]) -> dict[str, Any]:
    """Describe what waits, the nearest deadline first."""
    waiting = [
        {"table": each.table, "game": each.game, "title": each.title, "due_ms": each.due_ms}
        for each in sorted(deadlines, key=lambda each: each.due_ms)
    ]
    return {"event": "digest", "waiting": waiting}


def sign_body(secret: str, at_ms: int, body: bytes) -> str:
    """Sign a body and its time, hex: a receiver can refuse what is not of this server, or old."""
    return hmac.new(secret.encode(), f"{at_ms}.".encode() + body, sha256).hexdigest()
