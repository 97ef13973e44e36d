"""Census of doors: what door processes report, added up for status and metrics."""

import hmac
from collections import Counter
from collections.abc import Callable
from typing import Final, NamedTuple, get_args

from scoville_runtime.figures import OTHERS, RecentCounts
from scoville_runtime.host_status import DoorStatus
from scoville_server.accounts.connection import ConnectedClient, Handlers
from scoville_server.accounts.users import UserObserver
from scoville_server.net.peer import Peer
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol import messages as m

TRANSPORTS: Final[tuple[str, ...]] = get_args(m.DoorTransport)
MODES: Final = ("screens", "lines")
LABELS: Final = {
    "connect": MODES,
    "disconnect": ("left", "lost", "idle", "crash", "closed"),
    "refusal": ("too_many", "slow_down", "no_cookie", "origin"),
    # The usual ones of bugs. Known beforehand, because an alert on the increase misses the first value of a new series.
    "crash": ("AssertionError", "AttributeError", "IndexError", "KeyError", "RuntimeError", "TypeError", "ValueError"),
}
"""The labels with a series of their own, by kind; all others that a door may send are counted together."""
MOST_DOORS: Final = 64
"""Door processes that report at a time."""


class _Report(NamedTuple):
    """State of one door process: its latest report, and the connection from which it came."""

    peer: Peer
    transport: str
    sessions: dict[str, int]


class DoorCensus(UserObserver):
    """Adds up the figures of doors. A process counts as long as the connection of its reports is open.

    Args:
        now: Returns monotonic seconds.

    Attributes:
        counts: By transport, kind and label, since the start.
    """

    def __init__(self, now: Callable[[], float]) -> None:
        self.counts: Counter[tuple[str, str, str]] = Counter()
        self._now = now
        self._recent_crashes = {transport: RecentCounts(now) for transport in TRANSPORTS}
        self._secret = b""
        self._latest: dict[str, _Report] = {}
        self._numbers: dict[str, int] = {}
        """The number of the latest report, by door; kept while a door connects again."""
        self.by_request: Handlers = {m.ReportDoorRequest: self._take_report}

    def use_secret(self, credential: str) -> None:
        """Believe doors that have a credential."""
        self._secret = credential.encode()

    def check_door(self, connection: ConnectedClient, credential: str) -> None:
        """Raise ScovilleError unless a connection is that of a door with the server's credential."""
        if not self._secret:
            raise ScovilleError(Code.DOOR_REFUSED, "This server accepts no doors; its host starts it with --doors.")
        if not connection.peer.secure:
            raise ScovilleError(Code.INSECURE, "A door connects over the server's Unix socket or with TLS.")
        if not hmac.compare_digest(self._secret, credential.encode()):
            raise ScovilleError(Code.DOOR_REFUSED, "This is not the server's door credential.")

    def _take_report(self, connection: ConnectedClient, p: m.ReportDoorRequest) -> m.Empty:
        self.check_door(connection, p.credential)
        former = self._latest.get(p.process)
        if former is None and len(self._latest) >= MOST_DOORS:
            raise ScovilleError(Code.TOO_MANY, f"{MOST_DOORS} door processes report to this server already.")
        sessions = {"screens": p.screen_sessions, "lines": p.line_sessions}
        self._latest[p.process] = _Report(connection.peer, p.transport, sessions)
        # A door that got no answer sends the same report again, over another connection.
        if self._numbers.get(p.process) != p.number:
            self._note_number(p.process, p.number)
            for count in p.counts:
                self._add_count(p.transport, count)
        return m.Empty()

    def _note_number(self, door: str, number: int) -> None:
        self._numbers[door] = number
        if len(self._numbers) > MOST_DOORS:
            gone = next((each for each in self._numbers if each not in self._latest), None)
            if gone is not None:
                del self._numbers[gone]

    def _add_count(self, transport: str, count: m.DoorCount) -> None:
        label = ""
        if count.kind in LABELS:
            label = count.label if count.label in LABELS[count.kind] else OTHERS
        if count.kind == "crash":
            self._recent_crashes[transport].add_count("", count.count)
        self.counts[transport, count.kind, label] += count.count

    def connection_released(self, peer: Peer) -> None:
        """Forget the sessions of a door whose connection is gone."""
        for door in [door for door, report in self._latest.items() if report.peer is peer]:
            del self._latest[door]

    def count_processes(self, transport: str) -> int:
        """Return how many door processes of a kind report."""
        return sum(report.transport == transport for report in self._latest.values())

    def count_sessions(self, transport: str, mode: str) -> int:
        """Return the present sessions of a kind of door in a mode."""
        return sum(report.sessions[mode] for report in self._latest.values() if report.transport == transport)

    def count_total(self, transport: str, kind: str) -> int:
        """Return how often something has happened in the doors of a kind, with whatever label."""
        return sum(count for (way, what, _), count in self.counts.items() if (way, what) == (transport, kind))

    def describe_doors(self) -> dict[str, DoorStatus]:
        """Describe the doors of each kind that has ever reported."""
        return {
            transport: DoorStatus(
                processes=self.count_processes(transport),
                sessions=sum(self.count_sessions(transport, mode) for mode in MODES),
                connects=self.count_total(transport, "connect"),
                refusals=self.count_total(transport, "refusal"),
                floods=self.count_total(transport, "flood"),
                crashes=self.count_total(transport, "crash"),
                crashes_per_minute=self._recent_crashes[transport].count_recent().get("", 0),
                read_bytes=self.count_total(transport, "read"),
                sent_bytes=self.count_total(transport, "sent"),
            )
            for transport in TRANSPORTS
            if self.count_processes(transport) or any(way == transport for way, _, _ in self.counts)
        }
