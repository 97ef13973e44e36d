"""Contact of a node that serves with the others: as long as it may have been followed, it keeps users waiting."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from scoville_runtime.clock import Clock
from scoville_server.background.shared_reads import SharedReads
from scoville_server.errors import server_moved
from scoville_server.nodes.election import BEAT_SECONDS
from scoville_server.nodes.neighbours import Neighbours
from scoville_shared.errors import Code, ScovilleError

NO_CONTACT_SECONDS: Final = 3.0
"""How long a node in doubt keeps users waiting: clients that hear nothing for a second ask others who serves."""
_SURE_SECONDS: Final = 1.0
"""How long a node is sure that it serves after the engine has said so: the others may simply be gone."""


class Contact:
    """Tells whether a node that serves can be sure of that.

    Args:
        neighbours: What it hears of the others.
        confirm: Raises ScovilleError `moved` if the engine says that another node serves, others if it does not answer.
        clock: The clock.
    """

    def __init__(self, neighbours: Neighbours, confirm: Callable[[], Awaitable[None]], clock: Clock) -> None:
        self._neighbours = neighbours
        self._confirm = confirm
        self._clock = clock
        self._reads = SharedReads(clock)
        self._sure_until = 0.0

    def restore_contact(self) -> Awaitable[bool] | None:
        """Return None while this node is sure that it serves, else what ends once it is, or after some seconds.

        The result is whether users may come: not to a node that reaches the engine, and gets no answer.
        """
        neighbours = self._neighbours
        # What the engine has said counts for a moment, but not against the beat of a successor, which is newer.
        was_confirmed = self._clock.seconds() < self._sure_until and not neighbours.is_followed
        return None if was_confirmed or not neighbours.is_in_doubt else self._wait_for_contact()

    async def _wait_for_contact(self) -> bool:
        """Raises ScovilleError `moved` when another node serves."""
        self._check_followed()
        until = self._clock.seconds() + NO_CONTACT_SECONDS
        asking = asyncio.ensure_future(self._reads.share_read(self._ask_engine))
        try:
            while self._neighbours.is_in_doubt and self._clock.seconds() < until:
                if not asking.done():
                    await self._clock.wait(asking, seconds=BEAT_SECONDS)
                elif self._read_verdict(asking):
                    return True
                else:
                    await self._clock.sleep(BEAT_SECONDS)
                self._check_followed()
            # Without any server of the engine nobody serves elsewhere either, as far as this node can tell.
            return not self._neighbours.is_in_doubt or self._neighbours.is_cut_off
        finally:
            asking.cancel()

    def _check_followed(self) -> None:
        """Raise ScovilleError `moved` with the address of the successor, if one was heard."""
        if self._neighbours.is_followed:
            raise server_moved(self._neighbours.serving_address)

    def _read_verdict(self, asking: "asyncio.Future[None]") -> bool:
        """Return whether the engine has said that this node serves. Raises ScovilleError `moved`."""
        error = asking.exception()
        if isinstance(error, ScovilleError) and error.code == Code.MOVED:
            raise server_moved() from error
        return error is None

    async def _ask_engine(self) -> None:
        began = self._clock.seconds()
        await self._confirm()
        # An answer that took long says how it was when it was asked for.
        self._sure_until = began + _SURE_SECONDS
