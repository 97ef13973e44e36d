"""Web codes: an owner of a name creates one where they are logged in, and logs in with it in a browser."""

import secrets
from collections.abc import Callable
from typing import Final, NamedTuple

from scoville_server.accounts.users import UserObserver
from scoville_shared.ids import UserId

SECONDS: Final = 60.0
"""How long a code is valid: as long as it takes to type it at another screen."""
_LETTERS: Final = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
"""Letters and digits that nobody takes for each other."""
_LENGTH: Final = 8
_GROUP: Final = 4


class WebCode(NamedTuple):
    """A code's user, the key of the session that created it, and when it expires (monotonic seconds)."""

    user: UserId
    session: str
    until: float


class WebCodes(UserObserver):
    """At most one code for each user, in memory alone. `now` returns monotonic seconds."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._codes: dict[str, WebCode] = {}
        self._of: dict[UserId, str] = {}

    def __len__(self) -> int:
        return len(self._codes)

    def create_code(self, user: UserId, session: str) -> str:
        """Create a code in place of an earlier one."""
        self._drop_expired()
        self._codes.pop(self._of.pop(user, ""), None)
        code = "".join(secrets.choice(_LETTERS) for _ in range(_LENGTH))
        self._codes[code] = WebCode(user, session, self._now() + SECONDS)
        self._of[user] = code
        return f"{code[:_GROUP]}-{code[_GROUP:]}"

    def use_code(self, written: str) -> WebCode | None:
        """Use a code up; None for a wrong one."""
        self._drop_expired()
        found = self._codes.pop("".join(char for char in written.upper() if char.isalnum()), None)
        if found is not None:
            del self._of[found.user]
        return found

    def user_forgotten(self, user: UserId) -> None:
        """Forget a user's code."""
        self._codes.pop(self._of.pop(user, ""), None)

    def _drop_expired(self) -> None:
        """Forget expired codes: the oldest stand first."""
        now = self._now()
        while self._codes and (oldest := next(iter(self._codes.values()))).until <= now:
            self.user_forgotten(oldest.user)
