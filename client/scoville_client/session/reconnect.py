"""A line that comes back by itself: how long to wait between two tries, and when there is no use in trying."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from typing import Literal

from scoville_client.clock import Clock
from scoville_client.i18n.errors import said
from scoville_client.i18n.language import words
from scoville_client.session.changes import Change, Connected, ConnectionDown, ConnectionLost
from scoville_client.transport.base import Link, LinkError
from scoville_shared.engine.phrases import Phrase
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.messages import ByeNotice, Notice, Params, PingRequest, Reply

FIRST_SECONDS = 0.5
LONGEST_SECONDS = 15.0
"""The waits double from the first to the longest, and stay there until the person quits."""

HEARTBEAT_SECONDS = 5.0
"""How often to ask for a sign of life: a line can die without a word."""

PASSING = {Code.SHUTTING_DOWN, Code.BUSY, Code.TOO_MANY, Code.NOT_SAVED, Code.OUTCOME_UNKNOWN, Code.INTERNAL}
"""Refusals that may be over at the next try."""

_FOR_GOOD = {Code.TAKEN_OVER, Code.REVOKED}
"""Goodbyes after which the same token leads nowhere: it is used on another line, or it is worth nothing."""

_DOWN = Phrase("The line to {place} is down; trying again … ({tries})")
_GOING = Phrase("{reason} Waiting for it to come back … ({tries})")


class ReconnectFailed(Exception):
    """There is no way back; `message` is one sentence for the person."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


def waits(chance: Callable[[], float]) -> Iterator[float]:
    """Give the seconds to wait before each try.

    Each is shortened by up to a half by chance, so that those whom one server has lost do not all come at once.
    """
    longest = FIRST_SECONDS
    while True:
        yield longest * (1 - chance() / 2)
        longest = min(2 * longest, LONGEST_SECONDS)


async def until_back(
    attempt: Callable[[], Awaitable[None]], trying: Callable[[int], None], clock: Clock, pauses: Iterator[float]
) -> None:
    """Try until `attempt` succeeds; `trying` hears before each try its number, from 1. Raises ReconnectFailed."""
    for number, wait in enumerate(pauses, 1):
        trying(number)
        await clock.sleep(wait)
        try:
            await attempt()
        except LinkError:
            continue
        except ScovilleError as error:
            if error.code not in PASSING:
                raise ReconnectFailed(said(error)) from error
        else:
            return


class ReconnectingLink:
    """The line of a session, a `link.base.Listener`: after every cut it is opened again, until somebody closes it.

    `hear` takes the notices. `greet` says who is there on a line that was just opened, and takes up what was left;
    it raises LinkError, ScovilleError, or ReconnectFailed to end the trying. `tell` hears how the line fares. `cuts`
    counts how often the line was lost.
    """

    def __init__(
        self,
        hear: Callable[[Notice], None],
        greet: Callable[[], Awaitable[None]],
        tell: Callable[[Change], None],
        clock: Clock,
    ) -> None:
        self.state: Literal["offline", "online", "lost"] = "offline"
        self.cuts = 0
        self._hear = hear
        self._greet = greet
        self._tell = tell
        self._clock = clock
        self._pauses = waits(clock.chance)
        self._link: Link | None = None
        self._open = False
        self._why = ""
        self._bye: ByeNotice | None = None
        self._waiting: Phrase = _DOWN
        self._decided = asyncio.Event()
        self._returning: asyncio.Task[None] | None = None
        self._beating: asyncio.Task[None] | None = None

    @property
    def place(self) -> str:
        """Name the server in a sentence."""
        return "" if self._link is None else self._link.place

    async def open(self, link: Link) -> None:
        """Reach the server for the first time. Raises LinkError and ScovilleError."""
        self._link = link
        try:
            await self._reach(link)
        except BaseException:
            await self.close()
            raise

    async def call(self, params: Params) -> Reply:
        """Ask and wait for the answer. Raises ScovilleError, and LinkError when the line is or goes down."""
        if self._link is None or not self._open:
            raise LinkError(self._no_line())
        return await self._link.call(params)

    async def settled(self) -> None:
        """Wait while the line is down. Raises LinkError when it does not come back."""
        if self.state == "lost":
            await self._decided.wait()
        if self.state == "offline":
            raise LinkError(self._why or self._no_line())

    async def close(self) -> None:
        """Hang up, and try no more."""
        self._is("offline")
        self._open = False
        for task in (self._beating, self._returning):
            if task is not None:
                task.cancel()
        if self._link is not None:
            await self._link.close()

    # --- what the link tells ----------------------------------------------------------------------------

    def notice(self, notice: Notice) -> None:
        """Hand a notice on; why the server goes is kept until it has gone."""
        if isinstance(notice, ByeNotice):
            self._bye = notice
        else:
            self._hear(notice)

    def lost(self, reason: str) -> None:
        """Begin to come back, unless the goodbye was for good: the seat was taken over by me, or my token revoked."""
        self._open, self._why = False, reason
        if self.state != "online":
            return
        self.cuts += 1
        self._is("lost")
        if self._beating is not None:
            self._beating.cancel()
        if self._bye is not None and self._bye.code in _FOR_GOOD:
            self._give_up(_goodbye(self._bye))
        else:
            self._returning = asyncio.get_running_loop().create_task(self._return())

    # --- coming back ------------------------------------------------------------------------------------

    async def _reach(self, link: Link, *, again: bool = False) -> None:
        self._bye, self._why = None, ""
        await link.open(self)
        self._open = True
        await self._greet()
        if not self._open:  # it went down behind the last answer
            raise LinkError(self._why)
        self._is("online")
        self._beating = asyncio.get_running_loop().create_task(self._beat(link))
        self._tell(Connected(again))

    async def _return(self) -> None:
        self._waiting = _DOWN if self._bye is None else _GOING.of({"reason": _goodbye(self._bye)})
        try:
            await until_back(self._attempt, self._trying, self._clock, self._pauses)
        except ReconnectFailed as end:
            self._give_up(end.message)

    async def _attempt(self) -> None:
        """Try once; whatever was opened before is closed first, and again if it leads nowhere."""
        assert self._link is not None, "what was lost has been open"
        await self._link.close()
        try:
            await self._reach(self._link, again=True)
        except (LinkError, ScovilleError, ReconnectFailed):
            self._open = False
            await self._link.close()
            raise

    def _trying(self, tries: int) -> None:
        fields = {**self._waiting.fields, "place": self.place, "tries": tries}
        self._tell(ConnectionDown(self._waiting.of(fields), tries))

    async def _beat(self, link: Link) -> None:
        """Ask for a sign of life now and then; a link that gets none calls itself lost.

        Only a connection that has lasted until the first answer begins the back-off anew: a server that drops everyone
        right after `hello` is not asked twice a second.
        """
        while self.state == "online":
            await self._clock.sleep(HEARTBEAT_SECONDS)
            try:
                with suppress(ScovilleError):  # a refusal is a sign of life
                    await link.call(PingRequest())
                self._pauses = waits(self._clock.chance)
            except LinkError as error:
                self.lost(error.message)

    def _give_up(self, reason: str) -> None:
        self._why = reason
        self._is("offline")
        self._tell(ConnectionLost(reason))

    def _is(self, state: Literal["offline", "online", "lost"]) -> None:
        self.state = state
        if state == "lost":
            self._decided.clear()
        else:
            self._decided.set()

    def _no_line(self) -> str:
        if self.state == "lost":
            return words("The line to {place} is down.", place=self.place)
        return words("There is no line to a server.")


def _goodbye(bye: ByeNotice) -> str:
    return said(ScovilleError(bye.code, bye.message))
