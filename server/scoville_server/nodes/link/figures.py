"""Counters of the links of one node."""

from collections import deque
from collections.abc import Callable
from typing import Final

from scoville_runtime.host_status import LinkStatus

RECENT_SECONDS: Final = 600.0
"""How long a lost link counts as a recent one."""
_MOST_RECENT: Final = 100


class LinkFigures:
    """Counts links, in both directions, and the bytes on them; `now` returns monotonic seconds."""

    def __init__(self, now: Callable[[], float]) -> None:
        self.open_links = 0
        self.sent_bytes = self.received_bytes = 0
        self.lost_links = 0
        self._now = now
        self._losses: deque[float] = deque(maxlen=_MOST_RECENT)

    def note_open(self) -> None:
        """Count a link on which both nodes have greeted each other."""
        self.open_links += 1

    def note_end(self, *, was_open: bool) -> None:
        """Count a link that has ended, or that could not be opened."""
        self.open_links -= was_open
        self.lost_links += 1
        self._losses.append(self._now())

    def describe_links(self) -> LinkStatus:
        """Describe the links for hosts."""
        since = self._now() - RECENT_SECONDS
        return LinkStatus(
            open=self.open_links,
            sent_bytes=self.sent_bytes,
            received_bytes=self.received_bytes,
            lost=self.lost_links,
            lost_recently=sum(at > since for at in self._losses),
        )
