"""Timers of screens and widgets, on the clock of their App."""

from collections.abc import Callable
from typing import Protocol, runtime_checkable

from textual.message_pump import MessagePump

from scoville_runtime.clock import Alarm, Clock


@runtime_checkable
class HasClock(Protocol):
    """An App with a clock for its screens and widgets."""

    clock: Clock


def clock_of(node: MessagePump) -> Clock:
    """Return the clock of the App of a screen or widget."""
    app = node.app
    assert isinstance(app, HasClock), "the App of a screen has a clock"
    return app.clock


class Throttle:
    """Calls `callback` at most once in `seconds`: at once where the last time is long ago, else a little later."""

    def __init__(self, node: MessagePump, seconds: float, callback: Callable[[], object]) -> None:
        self._node = node
        self._seconds = seconds
        self._callback = callback
        self._called_at = float("-inf")
        self._waiting: Alarm | None = None

    def request_call(self) -> None:
        """Call now, or once the time since the last call is over."""
        if self._waiting is None:
            left = self._called_at + self._seconds - clock_of(self._node).seconds()
            if left > 0:
                self._waiting = call_after(self._node, left, self.call_now)
            else:
                self.call_now()

    def call_now(self) -> None:
        """Call now; what waits is done with it."""
        self.cancel()
        self._called_at = clock_of(self._node).seconds()
        self._callback()

    def cancel(self) -> None:
        """Drop the call that waits, if one does."""
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None


def call_after(node: MessagePump, seconds: float, callback: Callable[[], object]) -> Alarm:
    """Call a function of a screen or widget after some seconds, in the order of its messages."""
    return _CallAfter(node, seconds, callback)


class _CallAfter:
    """A call that can be cancelled until it is made, also while it waits among the messages of its node."""

    def __init__(self, node: MessagePump, seconds: float, callback: Callable[[], object]) -> None:
        self._callback: Callable[[], object] | None = callback
        self._timer = clock_of(node).call_later(seconds, lambda: node.call_later(self._call_unless_cancelled))

    def cancel(self) -> None:
        # The timer alone is not enough: a key that came before the queued call may end the work of the call.
        self._timer.cancel()
        self._callback = None

    def _call_unless_cancelled(self) -> object:
        return None if self._callback is None else self._callback()
