"""Requests that wait for an event: a bounded number at a time, in fair shares by address."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from scoville_server.limits.fair_shares import Shares
from scoville_shared.errors import Code, ScovilleError


class Polls:
    """Counts the waiting requests, at most `most` at a time."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._count = 0
        self._shares: Shares[object] = Shares()

    @contextmanager
    def count_poll(self, networks: Sequence[str]) -> Iterator[None]:
        """Count one request while it waits. Raises ScovilleError `too_many`."""
        free = self._most - self._count
        if free <= 0 or self._shares.refuses(networks, free):
            raise ScovilleError(Code.TOO_MANY, "Too many requests are waiting for events; poll with wait_ms 0.")
        request = object()
        self._count += 1
        self._shares.hold(request, networks)
        try:
            yield
        finally:
            self._count -= 1
            self._shares.release(request)
