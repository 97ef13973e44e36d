"""Timers of screens and widgets, by the clock of their App."""

from collections.abc import Callable
from typing import Protocol, runtime_checkable

from textual.message_pump import MessagePump

from scoville_client.clock import Clock, Handle


@runtime_checkable
class HasClock(Protocol):
    """What an App has whose screens follow a clock."""

    clock: Clock


def clock_of(node: MessagePump) -> Clock:
    """Find the clock that a screen or a widget follows."""
    app = node.app
    assert isinstance(app, HasClock), "an App says by which clock its widgets go"
    return app.clock


def call_after(node: MessagePump, seconds: float, callback: Callable[[], object]) -> Handle:
    """Call a function of a screen or widget after some seconds, between two of its messages."""
    return clock_of(node).call_later(seconds, lambda: node.call_later(callback))
