"""Timers of screens and widgets, on the clock of their App."""

from collections.abc import Callable
from typing import Protocol, runtime_checkable

from textual.message_pump import MessagePump

from scoville_client.clock import Clock, Handle


@runtime_checkable
class HasClock(Protocol):
    """An App with a clock for its screens and widgets."""

    clock: Clock


def clock_of(node: MessagePump) -> Clock:
    """Return the clock of the App of a screen or widget."""
    app = node.app
    assert isinstance(app, HasClock), "the App of a screen has a clock"
    return app.clock


def call_after(node: MessagePump, seconds: float, callback: Callable[[], object]) -> Handle:
    """Call a function of a screen or widget after some seconds, in the order of its messages."""
    return clock_of(node).call_later(seconds, lambda: node.call_later(callback))
