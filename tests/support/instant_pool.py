"""A pool without processes: it does work at once, with few playouts, and the same work only once."""

from concurrent.futures import Future
from typing import Any

from scoville_shared.bots.machine import INTERPRETED

FEW = 800
"""Playouts on a fast machine; plain Python has a twentieth."""


class InstantPool:
    """Counts who has asked how often."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self._last: tuple[Any, Any] = (None, None)

    def run_work(self, work: Any, asker: tuple[str, ...]) -> "Future[Any]":
        self.asked += asker
        done: Future[Any] = Future()
        if work != self._last[0]:
            self._last = work, work._replace(playouts=FEW).run(INTERPRETED)
        done.set_result(self._last[1])
        return done
