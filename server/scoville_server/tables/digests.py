"""Digests: what waits for a user who is away, sent to an address of theirs, once a day at most."""

import hmac
import json
import logging
import secrets
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, Final, Literal, NamedTuple, Protocol

from msgspec import Struct
from msgspec.structs import replace

from scoville_server.accounts.connection import ConnectedClient, Handlers
from scoville_server.accounts.orphans import IsKnown, drop_orphans
from scoville_server.accounts.sessions import User
from scoville_server.accounts.users import UserObserver
from scoville_server.background.keyed_locks import KeyedLocks
from scoville_server.background.safe_post import PrivateAddress, UnsafeAddress
from scoville_server.background.tasks import BackgroundTasks, let_others_run
from scoville_server.errors import RetryableError, name_not_claimed, slow_down
from scoville_server.journal.base import Journal
from scoville_server.journal.books import ConditionalBook
from scoville_server.limits.budgets import Budgets
from scoville_server.limits.live import Live
from scoville_server.limits.rate_budgets import Budget
from scoville_server.limits.throttle import Rate
from scoville_server.trusted_time import TrustedTime
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import UserId
from scoville_shared.protocol import messages as m

DigestReach = Literal["off", "internet", "everywhere"]
"""Where a server sends digests."""

TRIES: Final = (0.0, 60.0, 600.0)
"""Seconds before each attempt of a day: a receiver that restarts is back by the last one."""
MOST_FAILED_DAYS: Final = 7
"""Days in a row without any answer after which nothing is sent any more until the user says so."""
TESTS_AN_HOUR: Final = 6
"""Tests of one user: enough to repair a receiver, and no means to bother those of others."""
TESTS_AN_HOUR_PER_ADDRESS: Final = 30
SIGNATURE: Final = "Scoville-Signature"
_KEY_BYTES: Final = 24

_log = logging.getLogger(__name__)


class Digest(Struct, frozen=True, kw_only=True):
    """Where the digest of a user goes, and the key of its signatures; the latest one was that of `sent_day`."""

    url: str
    signing_key: str
    since_ms: int
    sent_day: int = -1
    failed_days: int = 0


class Post(Protocol):
    """Sends requests to addresses of users."""

    def check_url(self, url: str) -> None:
        """Raise UnsafeAddress for a text that can be no address of a request."""

    async def post_body(self, url: str, body: bytes, headers: Mapping[str, str]) -> int:
        """Return the status of the answer. Raises UnsafeAddress and OSError."""


class OwedMoves(NamedTuple):
    """The moves that users owe by correspondence at tables of all nodes, and whether a user is connected.

    Connected users see what waits for them.
    """

    list_deadlines: Callable[[UserId], Awaitable[Sequence[m.Deadline]]]
    is_here: Callable[[UserId], bool]


class DigestDays(NamedTuple):
    """The server's time, which does not trust a clock that jumps, and its day at a time in milliseconds since 1970."""

    time: TrustedTime
    find_day: Callable[[int], int]


class Delivery(NamedTuple):
    """Where the host lets digests go, and what sends the requests."""

    reach: Live[DigestReach]
    post: Post


class DigestService(UserObserver):
    """Sends digests. The day is written before the request: a crash may cost a digest, and never sends two."""

    def __init__(
        self,
        journal: Journal,
        background: BackgroundTasks,
        budgets: Budgets,
        owed: OwedMoves,
        days: DigestDays,
        delivery: Delivery,
    ) -> None:
        self._book = ConditionalBook("digests", Digest, journal)
        self._background = background
        self._budgets = budgets
        self._owed = owed
        self._days = days
        self._delivery = delivery
        self._tests = Budget(Rate(TESTS_AN_HOUR, 3_600.0), Rate(TESTS_AN_HOUR_PER_ADDRESS, 3_600.0))
        self._changing = KeyedLocks()
        self.by_request: Handlers = {
            m.ShowDigestRequest: self._show_digest,
            m.SetDigestRequest: self._set_digest,
            m.ClearDigestRequest: self._clear_digest,
            m.TryDigestRequest: self._try_digest,
        }

    def export_user(self, user: User) -> Mapping[str, Any]:
        return {"digest_url": self._describe_digest(user.id).url}

    def users_restored(self, is_known: IsKnown) -> None:
        self._background.plan_tidying(lambda: drop_orphans(self._book, is_known))

    def user_forgotten(self, user: UserId) -> None:
        if user in self._book:
            self._background.insist_on_write(lambda: self._book.drop_row(user))

    # --- requests ---------------------------------------------------------------------------------------

    def _show_digest(self, connection: ConnectedClient, _: m.ShowDigestRequest) -> m.DigestReply:
        return self._describe_digest(connection.user.id)

    async def _set_digest(self, connection: ConnectedClient, p: m.SetDigestRequest) -> m.DigestReply:
        user = connection.user
        self._budgets.count_action(connection.source)
        self._check_reach()
        if not user.claimed:
            raise name_not_claimed(user.name, "have a digest")
        try:
            self._delivery.post.check_url(p.url)
        except UnsafeAddress as error:
            raise _refuse_address(error) from error
        key = secrets.token_urlsafe(_KEY_BYTES)
        digest = Digest(url=p.url, signing_key=key, since_ms=self._days.time.now_ms())

        def set_digest(kept: Digest | None) -> Digest:
            # The day stays: another address is no way to get two digests a day.
            return digest if kept is None else replace(digest, sent_day=kept.sent_day)

        async with self._changing.hold_keys([user.id]):
            await self._book.change_row(user.id, set_digest)
        return m.DigestReply(url=digest.url, since_ms=digest.since_ms, signing_key=key)

    async def _clear_digest(self, connection: ConnectedClient, _: m.ClearDigestRequest) -> m.DigestReply:
        user = connection.user
        self._budgets.count_action(connection.source)
        async with self._changing.hold_keys([user.id]):
            await self._book.change_row(user.id, lambda _: None)
        return m.DigestReply()

    async def _try_digest(self, connection: ConnectedClient, _: m.TryDigestRequest) -> m.DigestReply:
        user = connection.user
        self._check_reach()
        digest = self._book.get(user.id)
        if digest is None:
            raise ScovilleError(Code.NO_DIGEST, "You have no digest; set its address first.")
        wait = self._tests.take_use(connection.source, self._budgets.now())
        if wait is not None:
            raise slow_down("You are testing your digest too often", wait)
        try:
            status = await self._post_digest(digest, "test", None, await self._owed.list_deadlines(user.id))
        except UnsafeAddress as error:
            raise _refuse_address(error) from error
        except OSError as error:
            sentence = "Your receiver cannot be reached, has no valid certificate, or has not answered in five seconds."
            raise ScovilleError(Code.DIGEST_FAILED, sentence) from error
        if not _is_success(status):
            sentence = f"Your receiver has answered {status}; it must be 200 to 299."
            raise ScovilleError(Code.DIGEST_FAILED, sentence, {"http_status": status})
        await self._note_result(user.id, digest, failed_days=0)
        return self._describe_digest(user.id)

    def _check_reach(self) -> None:
        if self._delivery.reach.value == "off":
            raise ScovilleError(Code.DIGESTS_OFF, "This server sends no digests.")

    def _describe_digest(self, user: UserId) -> m.DigestReply:
        kept = self._book.get(user)
        if kept is None:
            return m.DigestReply()
        return m.DigestReply(url=kept.url, since_ms=kept.since_ms, failed_days=kept.failed_days)

    # --- once an hour -----------------------------------------------------------------------------------

    async def send_due(self) -> None:
        """Send the digests of today that are due; called once an hour."""
        now = self._days.time.now_ms()
        if self._delivery.reach.value == "off" or self._days.time.warning:
            return
        day = self._days.find_day(now)
        for key, digest in self._book.items():
            user = UserId(key)
            if not _is_due(digest, day):
                continue
            await let_others_run()  # to list the deadlines of one user takes a look at every table
            if self._owed.is_here(user):
                continue
            try:
                if not (deadlines := await self._owed.list_deadlines(user)):
                    continue
                sent = await self._note_day(user, day)
            except RetryableError:
                return  # a full disk, or a node that does not answer: the next hour tries again
            if sent is not None:
                self._background.start_task(self._send_digest(user, sent, deadlines))

    async def _note_day(self, user: UserId, day: int) -> Digest | None:
        """Write that the digest of a day is sent, before it is; None where none is due. Raises JournalError."""
        async with self._changing.hold_keys([user]):
            kept, sent = await self._book.change_row(
                user, lambda kept: replace(kept, sent_day=day) if kept is not None and _is_due(kept, day) else kept
            )
            return None if sent == kept else sent

    async def _send_digest(self, user: UserId, digest: Digest, deadlines: Sequence[m.Deadline]) -> None:
        for wait in TRIES:
            if wait and await self._background.closes_within(wait):
                return None
            if self._book.get(user) != digest:  # it has another address by now, or none
                return None
            try:
                status = await self._post_digest(digest, "digest", digest.sent_day, deadlines)
            except OSError as error:
                _log.info("A digest could not be sent: %s", error)
            except UnsafeAddress as error:
                _log.info("A digest could not be sent: %s", error)
                break
            else:
                if _is_success(status):
                    return await self._note_result(user, digest, failed_days=0)
        return await self._note_result(user, digest, failed_days=digest.failed_days + 1)

    async def _post_digest(self, digest: Digest, event: str, day: int | None, deadlines: Sequence[m.Deadline]) -> int:
        body = json.dumps(describe_digest(event, day, deadlines)).encode()
        at_ms = self._days.time.now_ms()
        headers = {SIGNATURE: f"t={at_ms},v1={sign_body(digest.signing_key, at_ms, body)}"}
        return await self._delivery.post.post_body(digest.url, body, headers)

    async def _note_result(self, user: UserId, digest: Digest, failed_days: int) -> None:
        async with self._changing.hold_keys([user]):
            await self._book.change_row(
                user, lambda kept: replace(digest, failed_days=failed_days) if kept == digest else kept
            )


def _is_due(digest: Digest, day: int) -> bool:
    # A clock that is set back a little sends nothing twice. A day farther ahead was that of a wrong clock, which has
    # been doubted for a day since.
    return digest.failed_days < MOST_FAILED_DAYS and not day <= digest.sent_day <= day + 1


def describe_digest(event: str, day: int | None, deadlines: Iterable[m.Deadline]) -> dict[str, Any]:
    """Describe the waiting moves and dates, the nearest deadline first; `text` is for chat programs."""
    first = sorted(deadlines, key=lambda each: each.due_ms)
    waiting = [{"table": each.table, "game": each.game, "title": each.title, "due_ms": each.due_ms} for each in first]
    if not first:
        text = "No game waits for your move."
    else:
        until = datetime.fromtimestamp(first[0].due_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M UTC")
        many = "1 game waits" if len(first) == 1 else f"{len(first)} games wait"
        text = f"{many} for your move, {first[0].title} until {until}."
    return {"event": event, "day": day, "waiting": waiting, "text": text}


def sign_body(key: str, at_ms: int, body: bytes) -> str:
    """Sign a body and its time, hex: a receiver can refuse what is not of this server, or old."""
    return hmac.new(key.encode(), f"{at_ms}.".encode() + body, sha256).hexdigest()


def _is_success(status: int) -> bool:
    return 200 <= status < 300


def _refuse_address(error: UnsafeAddress) -> ScovilleError:
    if isinstance(error, PrivateAddress):
        sentence = "That address is in a private network; this server sends nothing there."
        return ScovilleError(Code.PRIVATE_URL, sentence)
    sentence = (
        f"The address of a digest begins with https:// and a host, and has up to {m.LONGEST_URL} characters, no "
        "blanks, user or fragment."
    )
    return ScovilleError(Code.BAD_URL, sentence)
