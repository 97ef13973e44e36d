"""Signal handling of the line mode: the terminal is restored, and a hosted server drains."""

import asyncio
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Final

ENDING: Final = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
"""Signals that end the line mode."""


class Received(list[signal.Signals]):
    """Received signals, in order."""

    @property
    def status(self) -> int:
        """The exit status that shells expect; Ctrl+C is a normal way to quit."""
        return 0 if self[0] == signal.SIGINT else 128 + self[0]


@contextmanager
def handling(
    numbers: Sequence[signal.Signals], stop: Callable[[], None], hurry: Callable[[], None]
) -> Iterator[Received]:
    """Call `stop` at the first signal and `hurry` at the second; a third one ends the process."""
    loop, received = asyncio.get_running_loop(), Received()
    handled: list[signal.Signals] = []

    def receive(number: signal.Signals) -> None:
        received.append(number)
        if len(received) == 1:
            stop()
            return
        hurry()
        # The next signal has its usual effect, for a client that does not end by itself.
        for each in handled:
            loop.remove_signal_handler(each)

    for number in numbers:
        if signal.getsignal(number) is not signal.SIG_IGN:  # nohup wants to survive
            with suppress(NotImplementedError):  # Windows: Ctrl+C is an exception there
                loop.add_signal_handler(number, receive, number)
                handled.append(number)
    try:
        yield received
    finally:
        for number in handled:
            loop.remove_signal_handler(number)
