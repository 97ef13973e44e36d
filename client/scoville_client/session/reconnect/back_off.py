"""Exponential back-off: the waits before each attempt to reconnect, and which errors end the attempts."""

from collections.abc import Awaitable, Callable, Iterator

from scoville_client.i18n.errors import error_text
from scoville_client.transport.base import LinkError, WrongServer
from scoville_runtime.back_off import BackOff
from scoville_shared.errors import Code, ScovilleError

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
"""The limit while nodes of the server answer, of which none serves."""

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

    def __next__(self) -> float:
        first, self._first = self._first, None
        return self._back_off.next_wait() if first is None else first

    def note_alive(self) -> None:
        """Bound the next wait: a node of the server has answered that it waits, so one serves soon."""
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
