"""Servers in this process send what they gather for a moment with the next frame, so that no test waits for it."""

from collections.abc import Callable
from typing import Any

import pytest

from scoville_server import clock
from scoville_server.tables.lifecycle.heartbeat import Pulse
from tests.support.idle import FRAME

LONGEST_BATCH = 0.5
"""Seconds for which a server gathers changes of a lobby, of presence or of spectators at most."""


def send_batches_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the waits of every server that runs by the system's time; a heartbeat is no batch, and repeats."""
    later = clock.SYSTEM.call_later

    def call_later(seconds: float, callback: Callable[[], Any]) -> clock.Alarm:
        batch = seconds <= LONGEST_BATCH and not isinstance(getattr(callback, "__self__", None), Pulse)
        return later(min(seconds, FRAME / 2) if batch else seconds, callback)

    monkeypatch.setattr(clock.SYSTEM, "call_later", call_later)
