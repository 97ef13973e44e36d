"""The machines that run kernels, by name; each is made when a test needs it."""

from collections.abc import Callable

from scoville_shared.bots.machine import INTERPRETED, Machine
from scoville_thinking.machines import fastest_machine

MACHINES: dict[str, Callable[[], Machine]] = {"interpreted": lambda: INTERPRETED, "compiled": fastest_machine}
