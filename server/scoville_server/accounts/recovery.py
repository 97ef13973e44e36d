"""Recovery codes: an admin gives one to the owner of a name who has lost every credential."""

import base64
import hashlib
import hmac
import secrets
from typing import Final

from msgspec import Struct

from scoville_server.journal.books import Book
from scoville_shared.ids import UserId

_BYTES: Final = 10
"""Random bytes of a code: 80 bits, 16 characters of base32."""
_GROUP: Final = 4


class Recovery(Struct, frozen=True, kw_only=True):
    """A code that was not used yet, as its SHA-256. `by` is the admin's name."""

    digest: str
    by: str
    expires_ms: int


class Recoveries:
    """At most one code for each user, in a `book`: each is valid once, until it expires."""

    def __init__(self, book: Book[Recovery]) -> None:
        self._book = book

    async def make_code(self, user: UserId, by: str, expires_ms: int) -> str:
        """Make a code for a user, in place of an earlier one. Raises JournalError."""
        code = base64.b32encode(secrets.token_bytes(_BYTES)).decode().lower()
        await self._book.put_row(user, Recovery(digest=_digest_code(code), by=by, expires_ms=expires_ms))
        return "-".join(code[start : start + _GROUP] for start in range(0, len(code), _GROUP))

    def is_valid_code(self, user: UserId, code: str, now_ms: int) -> bool:
        """Whether a code, with or without its hyphens, is that of a user, and still valid."""
        held = self._book.get(user)
        shown = _digest_code("".join(char for char in code.lower() if char.isalnum()))
        return held is not None and hmac.compare_digest(held.digest, shown) and now_ms < held.expires_ms

    async def delete_code(self, user: UserId) -> None:
        """Delete a user's code. Raises JournalError."""
        if user in self._book:
            await self._book.drop_row(user)

    async def delete_expired(self, now_ms: int) -> None:
        """Delete the codes that have expired. Raises JournalError."""
        over = {user: None for user, recovery in self._book.items() if recovery.expires_ms <= now_ms}
        if over:
            await self._book.write_rows(over)


def _digest_code(code: str) -> str:
    return hashlib.sha256(code.encode()).hexdigest()
