"""Bans of a name, a key or an address, from everything or a scope, for a time or for good."""

from collections.abc import Callable

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from scoville_server.journal.base import Journal
from scoville_server.journal.books import Book
from scoville_server.moderation.model.ban_index import BanIndex, BanSubject
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import UserId
from scoville_shared.networks import parse_network
from scoville_shared.protocol.messages import BanInfo, BanKind, Scope

_SENTENCES: dict[Scope, str] = {
    "server": "You are banned from this server",
    "chat": "You may not chat on this server",
    "tables": "You may not open or join tables on this server",
}


class Ban(Struct, frozen=True, kw_only=True):
    """A ban, by the admin `by`. `target` is as it was written; `user` had a banned name then, empty if nobody did.

    Times are milliseconds since 1970; `until_ms` is None for good.
    """

    id: int
    kind: BanKind
    target: str
    user: UserId = UserId("")
    scope: Scope
    reason: str
    by: str
    since_ms: int
    until_ms: int | None

    @property
    def info(self) -> BanInfo:
        """The ban as admins see it."""
        info = msgspec.convert(self, BanInfo, from_attributes=True)
        return replace(info, reason=self.reason or None)

    def is_in_force(self, now_ms: int) -> bool:
        """Whether it has not ended yet."""
        return self.until_ms is None or now_ms < self.until_ms

    def as_error(self) -> ScovilleError:
        """Return the error for a banned user."""
        given = f": {self.reason}" if self.reason else ""
        end = "" if given.endswith((".", "!", "?")) else "."
        sentence, reason = f"{_SENTENCES[self.scope]}{given}{end}", self.reason or None
        if self.scope == "tables":
            return ScovilleError(Code.BANNED, sentence, {"why": "tables", "reason": reason, "until_ms": self.until_ms})
        code = Code.MUTED if self.scope == "chat" else Code.BANNED
        return ScovilleError(code, sentence, {"reason": reason, "until_ms": self.until_ms})


class Bans:
    """The bans in force, at most `most`.

    Ended ones stay in the book until `may_expire` returns true: with a wrong clock they may not have ended. While the
    clock is doubted, older bans stay in force: `doubts` is called with the time when a ban was made.

    Attributes:
        on_added: Is called after a ban was added, by this node or another one.
    """

    def __init__(
        self,
        most: int,
        journal: Journal,
        may_expire: Callable[[], bool] = lambda: True,
        doubts: Callable[[int], bool] = lambda _: False,
    ) -> None:
        self._most = most
        self._may_expire = may_expire
        self._doubts = doubts
        self.on_added: Callable[[], object] = lambda: None
        self._latest = 0
        self._index: BanIndex[Ban] = BanIndex()
        self._book = Book("bans", Ban, journal, self._follow_ban)

    def _follow_ban(self, _key: str, before: Ban | None, after: Ban | None) -> None:
        if before is not None:
            self._index.remove_ban(before)
        if after is not None:
            self._index.add_ban(after)
            self._latest = max(self._latest, after.id)
            self.on_added()

    def bans_in_force(self, now_ms: int) -> list[Ban]:
        """List the bans in force, oldest first."""
        return [ban for _, ban in self._book.items() if self._is_in_force(ban, now_ms)]

    def _is_in_force(self, ban: Ban, now_ms: int) -> bool:
        return ban.is_in_force(now_ms) or self._doubts(ban.since_ms)

    def find_ban(self, scope: Scope, whom: BanSubject, now_ms: int) -> Ban | None:
        """Find a ban that applies to a user and a scope; a ban from the server applies to every scope."""
        about = (
            ban
            for ban in self._index.bans_of(whom)
            if ban.scope in ("server", scope) and self._is_in_force(ban, now_ms)
        )
        # The oldest, so that the user reads the same reason each time.
        return min(about, key=lambda ban: ban.id, default=None)

    def bans_name(self, name: str, now_ms: int) -> bool:
        """Whether a name is banned from anything: a user with it would be banned."""
        return any(self._is_in_force(ban, now_ms) for ban in self._index.bans_of(BanSubject(UserId(""), name, "")))

    def check_new(self, ban: Ban, now_ms: int) -> None:
        """Check that a ban can be added. Raises ScovilleError `bad_params` and `too_many`."""
        _check_target(ban)
        if len(self.bans_in_force(now_ms)) >= self._most:
            sentence = f"There are already {self._most} bans; lift one first."
            raise ScovilleError(Code.TOO_MANY, sentence, {"why": "bans", "most": self._most})

    def known_ban(self, number: int) -> Ban:
        """Return a ban by its number. Raises ScovilleError `bad_params` for an unknown one."""
        ban = self._book.get(str(number))
        if ban is None:
            raise ScovilleError(Code.BAD_PARAMS, f"There is no ban {number}.", {"id": number})
        return ban

    async def add_ban(self, ban: Ban, now_ms: int) -> Ban:
        """Add a ban and give it its number. Raises JournalError, and ScovilleError `bad_params` and `too_many`."""
        self.check_new(ban, now_ms)
        # Before the write: a ban that is added meanwhile gets another number.
        self._latest += 1
        numbered = replace(ban, id=self._latest)
        over = (
            [each for _, each in self._book.items() if not self._is_in_force(each, now_ms)]
            if self._may_expire()
            else []
        )
        ended = {str(each.id): None for each in over}
        await self._book.write_rows({**ended, str(numbered.id): numbered}, new=[str(numbered.id)])
        return numbered

    @property
    def next_id(self) -> int:
        """The number of the next ban."""
        return self._latest + 1

    async def lift_ban(self, number: int) -> Ban:
        """Lift a ban. Raises JournalError, and ScovilleError `bad_params` for an unknown number."""
        ban = self.known_ban(number)
        await self._book.drop_row(str(number))
        return ban


def _check_target(ban: Ban) -> None:
    """Check that the ban can apply to any user. Raises ScovilleError `bad_params`."""
    if ban.kind == "address":
        try:
            parse_network(ban.target)
        except ValueError:
            sentence = f"{ban.target!r} is not an address; write 192.0.2.7, 192.0.2.0/24 or 2001:db8::/64."
            raise ScovilleError(Code.BAD_PARAMS, sentence, {"target": ban.target}) from None
    if ban.kind == "key" and not ban.target.startswith("SHA256:"):
        sentence = (
            f"{ban.target!r} is not the fingerprint of a key; it begins with SHA256:, as ssh-keygen -l prints it."
        )
        raise ScovilleError(Code.BAD_PARAMS, sentence, {"target": ban.target})
