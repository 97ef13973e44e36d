"""A process's memory, and its growth."""

import asyncio
from pathlib import Path
from statistics import linear_regression

WARM_UP, LAST = 0.4, 0.7
"""The shares of the time after which a server has seen everything once, and after which its bounds are reached."""
GROWTH = 1.5
"""MiB a minute that it may grow by then: users, careers and connections that are kept, up to their bounds."""
LONG = 300.0
"""Seconds of a soak that says anything about memory."""


def measure_resident(pid: int) -> float:
    """Return a process's memory in MiB. Raises OSError where the system has no such figure."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    [line] = [line for line in status.splitlines() if line.startswith("VmRSS:")]
    return int(line.split()[1]) / 1024


class Scales:
    """Measures a process's memory periodically."""

    def __init__(self, pid: int, every: float) -> None:
        self.weights: list[tuple[float, float]] = []
        """Pairs of seconds since the beginning and MiB."""
        self._pid = pid
        self._every = every

    async def weigh(self) -> None:
        """Run until cancelled."""
        began = asyncio.get_running_loop().time()
        while True:
            self.weights.append((asyncio.get_running_loop().time() - began, measure_resident(self._pid)))
            await asyncio.sleep(self._every)

    def growth(self, after: float, until: float) -> float:
        """Return the growth in MiB a minute between two times in seconds."""
        late = [(seconds, weight) for seconds, weight in self.weights if after <= seconds <= until]
        if len(late) < 3:
            return 0.0
        return 60 * linear_regression([seconds for seconds, _ in late], [weight for _, weight in late]).slope

    def faults(self, seconds: float) -> list[str]:
        """Return the signs of a leak in a soak of some seconds; none if it was shorter than `LONG`."""
        if seconds < LONG:
            return []
        late, last = self.growth(seconds * WARM_UP, seconds), self.growth(seconds * LAST, seconds)
        found = [f"the server grows by {late:.2f} MiB a minute"] * (late > GROWTH)
        return found + [f"the server still grows by {last:.2f} MiB a minute in the end"] * (last > GROWTH)

    def by_quarter(self) -> list[float]:
        """Growth in each quarter of the time in MiB a minute; near 0 at the end on a plateau."""
        end = self.weights[-1][0]
        return [self.growth(end * quarter / 4, end * (quarter + 1) / 4) for quarter in range(4)]

    def by_minute(self) -> list[float]:
        """The memory at the beginning of each minute, and at the end."""
        minutes = {int(seconds // 60): weight for seconds, weight in reversed(self.weights)}
        return [*(minutes[minute] for minute in sorted(minutes)), self.weights[-1][1]]
