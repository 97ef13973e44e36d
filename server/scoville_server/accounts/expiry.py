"""Expiry of sessions, recovery codes and retired names, checked in the background."""

import asyncio
from typing import Final

from scoville_server.accounts.claims import Claims
from scoville_server.accounts.recovery import Recoveries
from scoville_server.accounts.tokens import Tokens
from scoville_server.trusted_time import TrustedTime

_AT_ONCE: Final = 1_000
"""Sessions checked in one turn of the loop: less than a millisecond."""


class Expiry:
    """Deletes what has expired by a `time` that is trusted."""

    def __init__(self, time: TrustedTime, tokens: Tokens, claims: Claims, recoveries: Recoveries) -> None:
        self._time = time
        self._tokens = tokens
        self._claims = claims
        self._recoveries = recoveries

    async def delete_expired(self) -> None:
        """Delete everything that has expired. Raises JournalError.

        After the clock has jumped ahead, sessions are renewed instead.
        """
        now, jumped = self._time.now_ms(), self._time.jumped
        if not self._time.warning:
            self._tokens.put_right(self._tokens.keys, lambda user: self._claims.account_of(user) is not None, now)
        await self._check_sessions(now, jumped)
        self._time.jumped = self._time.jumped and not jumped
        await self._tokens.write_dropped()
        if self._time.may_expire():
            await self._recoveries.delete_expired(now)
            await self._claims.expire_retired_names(now)

    async def _check_sessions(self, now: int, jumped: bool) -> None:
        """Drop or renew the sessions that have expired, some at a time so that nobody waits."""
        keys = self._tokens.keys
        for start in range(0, len(keys), _AT_ONCE):
            some = keys[start : start + _AT_ONCE]
            if jumped:
                self._tokens.renew_sessions(some, lambda user: self._claims.account_of(user) is not None, now)
            else:
                self._tokens.drop_sessions(self._tokens.expired_sessions(some, now))
            await asyncio.sleep(0)
