"""Careers of players at a table: each profile is requested once, and again after a game in which it has changed."""

from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from typing import Final

from scoville_client.transport.base import LinkError
from scoville_shared.errors import ScovilleError
from scoville_shared.protocol.messages import ProfileReply

FEATURE: Final = "ratings"
"""The feature of servers that have profiles."""
_MOST: Final = 200
"""Profiles that are kept; then all are forgotten."""


class Careers:
    """Profiles by name, as far as the server has sent them; `read` requests one."""

    def __init__(self, read: Callable[[str], Awaitable[ProfileReply]]) -> None:
        self._read = read
        self._profiles: dict[str, ProfileReply] = {}
        self._requested: set[str] = set()

    def find_profile(self, name: str) -> ProfileReply | None:
        """Return the profile of a player; None until it was read, and of one whom the server does not describe."""
        return self._profiles.get(name)

    def list_missing(self, names: Iterable[str]) -> list[str]:
        """Return those whose profile was not requested yet."""
        return [name for name in names if name not in self._requested]

    async def read_missing(self, names: Iterable[str]) -> None:
        """Request the profiles that were not requested yet, one after the other.

        A refusal is an answer: the player has no profile to show. Without a connection they are requested next time.
        """
        for name in self.list_missing(names):
            if len(self._requested) >= _MOST:
                self.forget_players(list(self._requested))
            self._requested.add(name)
            try:
                with suppress(ScovilleError):
                    self._profiles[name] = await self._read(name)
            except LinkError:
                self._requested.discard(name)
                return

    def forget_players(self, names: Iterable[str]) -> None:
        """Forget profiles that have changed."""
        for name in names:
            self._requested.discard(name)
            self._profiles.pop(name, None)
