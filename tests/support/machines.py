"""What runs kernels and playouts: machines by name, each made when a test needs it, and a pool without processes."""

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from scoville_shared.bots.machine import INTERPRETED, Machine
from scoville_thinking.machines import fastest_machine

MACHINES: dict[str, Callable[[], Machine]] = {"interpreted": lambda: INTERPRETED, "compiled": fastest_machine}


def make_quick_machine() -> Machine:
    """Make the fastest machine, which does no more than plain Python has time for: the answers are the same."""
    return fastest_machine()._replace(divisor=INTERPRETED.divisor)


FEW = 800
"""Playouts on a fast machine; plain Python has a twentieth."""


class InstantPool:
    """Counts who has asked how often; does on a machine what plain Python has time for.

    Machine code reviews a whole game in a quarter of the time, but to load it takes as long as a single question.
    """

    def __init__(self, machine: Machine = INTERPRETED) -> None:
        self.asked: list[str] = []
        self._machine = machine
        self._last: tuple[Any, Any] = (None, None)

    def run_work(self, work: Any, asker: tuple[str, ...]) -> "Future[Any]":
        self.asked += asker
        done: Future[Any] = Future()
        if work != self._last[0]:
            few = FEW * self._machine.divisor // INTERPRETED.divisor
            self._last = work, work._replace(playouts=few).run(self._machine)
        done.set_result(self._last[1])
        return done
