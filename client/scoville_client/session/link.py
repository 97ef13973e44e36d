"""Link that reconnects: its states, and every attempt to open it again after a loss.

The waits before each attempt back off exponentially; some errors end the attempts.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import suppress
from contextvars import ContextVar
from itertools import islice
from statistics import median_low
from typing import Any, Final

from scoville_client.i18n.delay_text import delay_text
from scoville_client.i18n.errors import error_text
from scoville_client.i18n.language import tr
from scoville_client.session.changes import Change, Connected, ConnectionDown, ConnectionLost, DelayChanged
from scoville_client.transport.base import Link, LinkError, NoServerAnswers, ServerRestarts, WrongServer
from scoville_runtime.back_off import BackOff
from scoville_runtime.clock import Clock
from scoville_shared.engine.phrases import Phrase
from scoville_shared.errors import Code, RemoteError, ScovilleError
from scoville_shared.protocol.messages import ByeNotice, Notice, Params, PingRequest, PlayRequest, Reply
from scoville_shared.protocol.state import ConnectionState, check_transition

RESTART_SECONDS = 0.3
"""Seconds over which chance spreads the first attempts of the clients of a server that restarts: there they wait in the
system's queue until it is back, and all at once would also be greeted all at once."""
IDLE_RESTART_SECONDS = 1.0
"""The same for clients at no table, for whom nobody waits: behind a door they share a processor with those who play.
One whose user wants something meanwhile connects at once."""
FIRST_SECONDS = 0.5
LONGEST_SECONDS = 15.0
"""Seconds before the first attempt, and the limit up to which they double."""
ALIVE_SECONDS = 2.0
"""The limit for a server of several nodes, while those that answer do not serve, or none answers at all: one will soon,
and an attempt burdens no node that serves. After an answer that a node is full, the pauses double as before."""
_MOST_UNSERVED: Final = 400
"""Attempts that nobody answers until the waits grow after all, some ten minutes."""

TEMPORARY = {
    Code.SHUTTING_DOWN,
    Code.RESTARTING,
    Code.MOVED,
    Code.MAINTENANCE,
    Code.BUSY,
    Code.TOO_MANY,
    Code.NOT_SAVED,
    Code.OUTCOME_UNKNOWN,
    Code.INTERNAL,
}
"""Error codes that may not come again at the next attempt."""


class ReconnectFailed(Exception):
    """There is no use in reconnecting; `message` is one sentence for the user."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class ReconnectWaits(Iterator[float]):
    """The seconds to wait before each attempt.

    Chance (0 to 1) shortens each wait by up to a half, so that the clients of a restarted server do not all connect at
    the same moment. After the goodbye of a server that is `restarting` the first attempt comes nearly at once.
    """

    def __init__(self, chance: Callable[[], float], *, restarting: bool = False, idle: bool = False) -> None:
        self._first = (IDLE_RESTART_SECONDS if idle else RESTART_SECONDS) * chance() if restarting else None
        self._back_off = BackOff(FIRST_SECONDS, LONGEST_SECONDS, chance, 0.5)
        self._unserved = 0

    def __next__(self) -> float:
        first, self._first = self._first, None
        return self._back_off.next_wait() if first is None else first

    def note_failure(self, error: Exception, *, has_nodes: bool) -> None:
        """Bound the next wait if a node serves soon: one has answered that it waits, or none of several answers.

        Those that have been away for long may be so for good.
        """
        waits = isinstance(error, ScovilleError) and error.code == Code.MOVED
        if has_nodes and isinstance(error, NoServerAnswers):
            self._unserved += 1
            waits = self._unserved < _MOST_UNSERVED
        if waits:
            self._back_off.shorten_next(ALIVE_SECONDS)


async def retry_connecting(
    attempt: Callable[[], Awaitable[None]],
    trying: Callable[[int], None],
    sleep: Callable[[float], Awaitable[None]],
    pauses: Iterator[float],
) -> None:
    """Call `attempt` after each of the pauses until it succeeds.

    Args:
        attempt: Raises LinkError, or ScovilleError with a code of `TEMPORARY`, when it is to be called again.
        trying: Called before each pause with the number of the attempt, from 1.
        sleep: Waits for so many seconds.
        pauses: Seconds before each attempt.

    Raises:
        ReconnectFailed: The server refuses this user, or is another one.
    """
    for number, wait in enumerate(pauses, 1):
        trying(number)
        await sleep(wait)
        try:
            await attempt()
        except WrongServer as error:
            raise ReconnectFailed(error.message) from error
        # Not final, whatever the reason: a server that restarts refuses, resets or does not answer.
        except LinkError:
            continue
        except ScovilleError as error:
            if error.code not in TEMPORARY:
                raise ReconnectFailed(error_text(error)) from error
        else:
            return


HEARTBEAT_SECONDS = 5.0
"""Seconds between two pings: a connection can be lost without any sign."""
PLAYING_SECONDS = 1.0
"""The same for users at a table of a server that has several nodes: another node takes over within two seconds, and a
client that notices later keeps its table waiting."""

_DELAYS: Final = 3
"""Pings whose median is the delay: one that waited for something else says nothing."""


class Heartbeat:
    """Pings a link at intervals, from its opening until `stop`.

    Args:
        clock: Clock for the pauses.
        answered: Called after each answer, with the delay before it.
        lost: Called with the reason when there is no answer; a link that is lost reports that only once.
        is_idle: Returns whether nobody waits for this user.
    """

    def __init__(
        self,
        clock: Clock,
        answered: Callable[[float | None], None],
        lost: Callable[[str], None],
        is_idle: Callable[[], bool],
    ) -> None:
        self._clock = clock
        self._answered = answered
        self._lost = lost
        self._is_idle = is_idle
        self._delays: deque[float] = deque(maxlen=_DELAYS)
        self._task: asyncio.Task[None] | None = None

    @property
    def delay(self) -> float | None:
        """The seconds that answers take lately; None before the first one."""
        return median_low(self._delays) if self._delays else None

    def start(self, link: Link) -> None:
        """Ping a link that has been opened."""
        self._task = asyncio.get_running_loop().create_task(self._ping_link(link))

    def stop(self) -> None:
        """Stop the pings, and ignore the answer of one that is under way."""
        if self._task is not None:
            self._task.cancel()

    async def _ping_link(self, link: Link) -> None:
        while True:
            await self._clock.sleep(
                PLAYING_SECONDS if link.has_other_nodes and not self._is_idle() else HEARTBEAT_SECONDS
            )
            asked = self._clock.seconds()
            try:
                with suppress(ScovilleError):  # a refusal is a sign of life
                    await link.call(PingRequest())
                before = self.delay
                self._delays.append(self._clock.seconds() - asked)
                self._answered(before)
            except LinkError as error:
                self._lost(error.message)
                return


_FINAL = {Code.TAKEN_OVER, Code.REVOKED, Code.TOKEN_REUSED}
"""Codes of goodbyes after which the token is of no use: another connection uses it, or its session was ended."""

_DOWN = Phrase("The connection to {place} is lost; reconnecting … ({tries})")
_GOING = Phrase("{reason} Reconnecting … ({tries})")
_RESTARTS = Phrase("The server is restarting and will be back in a moment.")
_greets: ContextVar[bool] = ContextVar("greets", default=False)
"""Whether this is the greeting of a new connection, for which all other requests wait."""
_QUIET_TRIES: Final = 2
"""Attempts after the goodbye of a server that restarts during which there is no reason to worry."""
_FIRST_TRIES: Final = 3
"""Attempts to connect for the first time to a server that restarts."""
_FIRST_TRIES_OF_NODES: Final = 5
"""The same for a server of several nodes, over some six seconds: any of them may be lost at that moment, and the next
one takes over in two."""
_MOST_MOVES: Final = 4
"""Nodes to which one attempt is sent on: while one takes over, the others may still name its predecessor."""
_MOVE_SECONDS: Final = 0.25
"""Seconds over which chance spreads the next step of such an attempt."""
_BETWEEN_RESTARTS: Final = 1.0
"""Seconds between two restarts that are believed: a server that says so after each hello is asked less often."""


_S = ConnectionState

_TRANSITIONS: Final[Mapping[ConnectionState, frozenset[ConnectionState]]] = {
    _S.CLOSED: frozenset({_S.CONNECTING}),
    _S.CONNECTING: frozenset({_S.GREETING, _S.CLOSING, _S.CLOSED}),
    _S.GREETING: frozenset({_S.OPEN, _S.CONNECTING, _S.CLOSING}),
    _S.OPEN: frozenset({_S.CONNECTING, _S.CLOSING}),
    _S.CLOSING: frozenset({_S.CLOSED}),
}
"""The states that may follow each state of a link that reconnects: a loss leads back to CONNECTING."""


class ReconnectingLink:
    """A `Listener` that opens its link again after every loss, until `close`.

    Its state is that of the present connection; while it reconnects that is CONNECTING, then GREETING.

    Args:
        on_notice: Receives the notices.
        greet: Logs in on a connection that was just opened, and restores what was watched. Raises LinkError,
            ScovilleError, or ReconnectFailed to stop reconnecting.
        publish: Receives ConnectionDown, Connected and ConnectionLost.
        clock: Clock for pauses and the heartbeat.
        is_idle: Returns whether nobody waits for this user.

    Attributes:
        state: CLOSED before `open` and after `close`.
        losses: How often an open connection was lost.
    """

    def __init__(
        self,
        on_notice: Callable[[Notice], None],
        greet: Callable[[], Awaitable[None]],
        publish: Callable[[Change], None],
        clock: Clock,
        is_idle: Callable[[], bool] = lambda: False,
    ) -> None:
        self.state = ConnectionState.CLOSED
        self.losses = 0
        self._on_notice = on_notice
        self._greet = greet
        self._publish = publish
        self._clock = clock
        self._is_idle = is_idle
        self._wanted = asyncio.Event()
        self._pauses = ReconnectWaits(clock.chance)
        self._restarted_at = float("-inf")
        self._quiet_tries = 0
        self._link: Link | None = None
        self._reason = ""
        self._bye: ByeNotice | None = None
        self._down_text: Phrase = _DOWN
        self._settled = asyncio.Event()
        self._restart_over = asyncio.Event()
        self._restart_over.set()
        self._returning: asyncio.Task[None] | None = None
        self._heartbeat = Heartbeat(clock, self._note_answer, self.note_loss, is_idle)

    @property
    def server_name(self) -> str:
        """The server's name in a sentence."""
        return "" if self._link is None else self._link.server_name

    @property
    def server_keys(self) -> tuple[str, ...]:
        """The server's public key in hex, as the present connection proves it, and the keys that it has replaced."""
        return () if self._link is None else self._link.server_keys

    @property
    def local(self) -> bool:
        """Whether the server is on this computer."""
        return self._link is not None and self._link.local

    @property
    def reconnecting(self) -> bool:
        """Whether a connection was lost and is being opened again."""
        return self.losses > 0 and self._connecting

    @property
    def _restarting(self) -> bool:
        """Whether the server has said goodbye for a restart, and is not back yet, but expected."""
        return not self._restart_over.is_set()

    @property
    def _connecting(self) -> bool:
        return self.state in (ConnectionState.CONNECTING, ConnectionState.GREETING)

    async def open(self, link: Link) -> None:
        """Connect for the first time. Raises LinkError and ScovilleError."""
        self._link = link
        self._enter_state(ConnectionState.CONNECTING)
        try:
            await self._connect_first(link)
        # A cancel, too: half a connection would stay open.
        except BaseException:
            await self.close()
            raise

    async def send_request(self, params: Params) -> Reply:
        """Send a request and wait for its reply. Raises ScovilleError, and LinkError while there is no connection.

        A restart of the server is waited for: what it has not answered before its goodbye, it has not done.
        """
        # A move may have been made: its sender compares the table first, and sends it again only then.
        if _greets.get() or isinstance(params, PlayRequest):
            return await self._send_now(params)
        while True:
            await self._until_restarted()
            try:
                return await self._send_now(params)
            except LinkError:
                if not self._restarting:
                    raise

    async def _send_now(self, params: Params) -> Reply:
        # Before the user is known again only the greeting itself may ask; a node that waits keeps it for seconds.
        usable = (ConnectionState.OPEN, ConnectionState.GREETING) if _greets.get() else (ConnectionState.OPEN,)
        if self._link is None or self.state not in usable:
            raise LinkError(self._no_connection())
        return await self._link.call(params)

    async def _until_restarted(self) -> None:
        """Wait while the server restarts, as long as that is no reason to worry."""
        while self._restarting:
            self._wanted.set()
            await self._restart_over.wait()

    async def wait_until_open(self) -> None:
        """Wait until the connection is open. Raises LinkError when it is given up."""
        while self._connecting:
            await self._settled.wait()
        if self.state is not ConnectionState.OPEN:
            raise LinkError(self._reason or self._no_connection())

    async def close(self) -> None:
        """Close the connection and stop reconnecting."""
        if self.state in (ConnectionState.CLOSING, ConnectionState.CLOSED):
            return
        self._enter_state(ConnectionState.CLOSING)
        self._heartbeat.stop()
        if self._returning is not None:
            self._returning.cancel()
        if self._link is not None:
            await self._link.close()
        self._enter_state(ConnectionState.CLOSED)

    # --- Listener ---------------------------------------------------------------------------------------

    def receive_notice(self, notice: Notice) -> None:
        """Pass a notice on; a goodbye is kept until the connection ends."""
        if isinstance(notice, ByeNotice):
            self._bye = notice
        else:
            self._on_notice(notice)

    def note_loss(self, reason: str) -> None:
        """Note the loss and reconnect, unless the goodbye was final: connected elsewhere, or the session was ended."""
        self._reason = reason
        if self.state is ConnectionState.GREETING:
            self._enter_state(ConnectionState.CONNECTING)
        elif self.state is ConnectionState.OPEN:
            # Counted only for open connections: by it `MoveSender` knows whether a request may have been lost.
            self.losses += 1
            self._enter_state(ConnectionState.CONNECTING)
            self._heartbeat.stop()
            self._leave_moved_node()
            if _goes_on(self._bye) and self._clock.seconds() - self._restarted_at >= _BETWEEN_RESTARTS:
                self._restarted_at, self._quiet_tries = self._clock.seconds(), _QUIET_TRIES
                self._restart_over.clear()  # in this turn: the requests that were lost look next
                self._wanted.clear()
                self._pauses = ReconnectWaits(self._clock.chance, restarting=True, idle=self._is_idle())
            else:
                self._quiet_tries = 0
            if self._bye is not None and self._bye.code in _FINAL:
                self._give_up(_goodbye_text(self._bye))
            else:
                self._returning = asyncio.get_running_loop().create_task(self._reconnect_until_open())

    # --- attempts ---------------------------------------------------------------------------------------

    async def _connect_first(self, link: Link) -> None:
        """Connect; again, if it is only that the server restarts at this moment, or that another node serves."""
        tries = _FIRST_TRIES_OF_NODES if link.has_other_nodes else _FIRST_TRIES
        for wait in islice(ReconnectWaits(self._clock.chance, restarting=True), tries):
            try:
                return await self._connect_to_serving(link)
            except (LinkError, ScovilleError) as error:
                if not _may_pass_soon(error, self._bye, link):
                    raise
                if self.state is ConnectionState.GREETING:
                    self._enter_state(ConnectionState.CONNECTING)
                await link.close()
            await self._clock.sleep(wait)
        return await self._connect_to_serving(link)

    async def _connect_to_serving(self, link: Link, *, again: bool = False) -> None:
        """Connect, and go on to the node that serves when another one has answered."""
        for _ in range(_MOST_MOVES):
            try:
                return await self._connect_once(link, again=again)
            except (LinkError, ScovilleError) as error:
                if not self._connecting or not _is_sent_on(error, self._bye):
                    raise
            self._leave_moved_node()
            if self.state is ConnectionState.GREETING:
                self._enter_state(ConnectionState.CONNECTING)
            await link.close()
            await self._clock.sleep(_MOVE_SECONDS * self._clock.chance())
        return await self._connect_once(link, again=again)

    def _leave_moved_node(self) -> None:
        if self._link is not None and self._bye is not None and self._bye.code == Code.MOVED:
            self._link.leave_node()

    async def _connect_once(self, link: Link, *, again: bool) -> None:
        # They are the former connection's; its goodbye must not end this one.
        self._bye, self._reason = None, ""
        await link.open(self)
        if not self._is_in(ConnectionState.CONNECTING):  # it was closed while it connected
            await link.close()
            raise LinkError(self._no_connection())
        self._enter_state(ConnectionState.GREETING)
        # Between GREETING and OPEN: requests of others wait in `settled` until the user is known again.
        greets = _greets.set(True)
        try:
            await self._greet()
        finally:
            _greets.reset(greets)
        if not self._is_in(ConnectionState.GREETING):  # it was lost right after the last reply
            raise LinkError(self._reason)
        self._enter_state(ConnectionState.OPEN)
        self._heartbeat.start(link)
        self._publish(Connected(again))

    async def _reconnect_until_open(self) -> None:
        self._down_text = _DOWN if self._bye is None else _GOING.with_fields({"reason": _goodbye_text(self._bye)})
        try:
            await retry_connecting(self._connect_again, self._announce_attempt, self._sleep_unless_wanted, self._pauses)
        except ReconnectFailed as end:
            self._give_up(end.message)

    async def _sleep_unless_wanted(self, seconds: float) -> None:
        """Wait between two attempts; during a restart until a request waits for the connection."""
        ends: list[asyncio.Future[Any]] = [asyncio.ensure_future(self._clock.sleep(seconds))]
        if self._restarting:
            ends.append(asyncio.ensure_future(self._wanted.wait()))
        try:
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        finally:
            # Waits that nobody awaits any more would live on until their time is over.
            for end in ends:
                end.cancel()

    async def _connect_again(self) -> None:
        """Connect once. The previous connection is closed first, and this one when it fails."""
        assert self._link is not None, "what was lost has been open"
        await self._link.close()
        try:
            await self._connect_to_serving(self._link, again=True)
        except (LinkError, ScovilleError, ReconnectFailed) as error:
            self._pauses.note_failure(error, has_nodes=self._link.has_other_nodes)
            if self.state is ConnectionState.GREETING:
                self._enter_state(ConnectionState.CONNECTING)
            await self._link.close()
            raise

    def _announce_attempt(self, tries: int) -> None:
        fields = {**self._down_text.fields, "place": self.server_name, "tries": tries}
        restarting = tries <= self._quiet_tries
        if not restarting:
            self._restart_over.set()
        sentence = _RESTARTS if restarting else self._down_text
        self._publish(ConnectionDown(sentence.with_fields(fields), tries, restarting=restarting))

    @property
    def delay(self) -> float | None:
        """The seconds that answers take lately; None before the first one."""
        return self._heartbeat.delay

    def _note_answer(self, before: float | None) -> None:
        """Show how long a ping took, and begin with the shortest wait again.

        Not before: a server that drops every client right after `hello` is not asked twice a second.
        """
        self._pauses = ReconnectWaits(self._clock.chance)
        if delay_text(self.delay) != delay_text(before):
            self._publish(DelayChanged())

    def _give_up(self, reason: str) -> None:
        self._reason = reason
        self._enter_state(ConnectionState.CLOSED)
        self._publish(ConnectionLost(reason))

    def _is_in(self, state: ConnectionState) -> bool:
        """Compare in a call: a type checker takes an attribute to stay the same while its owner waits."""
        return self.state is state

    def _enter_state(self, state: ConnectionState) -> None:
        self.state = check_transition(self.state, state, _TRANSITIONS)
        if not self._connecting:
            self._restart_over.set()
        if self._connecting:
            # Cleared, or `settled` would spin while the link connects.
            self._settled.clear()
        else:
            self._settled.set()

    def _no_connection(self) -> str:
        if self.reconnecting:
            return tr("The connection to {place} is lost.", place=self.server_name)
        return tr("There is no connection to a server.")


def _goodbye_text(bye: ByeNotice) -> str:
    if bye.code == Code.KICKED:  # from the server, by an admin: as an error it is about a table
        kicked = tr("An admin or moderator has disconnected you.")
        return tr("An admin or moderator has disconnected you: {reason}", reason=bye.reason) if bye.reason else kicked
    return error_text(RemoteError(bye.code, bye.message, {"reason": bye.reason}))


def _goes_on(bye: ByeNotice | None) -> bool:
    """Whether another process answers at once after a goodbye, and the game is where it was."""
    return bye is not None and bye.code in (Code.RESTARTING, Code.MOVED)


def _is_sent_on(error: Exception, bye: ByeNotice | None) -> bool:
    """Whether a node that waits has named the one that serves, or has itself begun to serve at that moment."""
    if isinstance(error, ScovilleError):
        return error.code == Code.MOVED and "address" in error.data
    return bye is not None and bye.code == Code.MOVED


def _may_pass_soon(error: Exception, bye: ByeNotice | None, link: Link) -> bool:
    """Whether the server restarts, another node serves, or the one that was asked may just have been lost."""
    if isinstance(error, ScovilleError):
        may_pass = error.code == Code.MOVED or (link.has_other_nodes and error.code == Code.BUSY)
    else:
        # Where nobody answers at all, all nodes have been asked.
        is_lost_node = link.has_other_nodes and not isinstance(error, (NoServerAnswers, WrongServer))
        may_pass = is_lost_node or isinstance(error, ServerRestarts)
    return may_pass or _goes_on(bye)
