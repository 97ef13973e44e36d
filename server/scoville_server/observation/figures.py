"""Figures of events, requests, the event loop's lag, and the probe of a journal that cannot save.

Events are counted by kind, and refusals by code and network, before any quota.
"""

from collections import Counter
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Final

from scoville_runtime.clock import Alarm, Clock
from scoville_runtime.events import Event, kind_of
from scoville_runtime.figures import Durations, NetworkCounts, RecentCounts
from scoville_server.background.tasks import BackgroundTasks
from scoville_server.events import Hello, Refused
from scoville_server.journal.figures import Measured
from scoville_shared.errors import Code
from scoville_shared.networks import network_of
from scoville_shared.protocol.messages import METHOD_OF, Params, PollRequest

PROBE_SECONDS: Final = 2.0


class JournalProbe:
    """Probes while the journal is failing, since nobody may play then, and without a write nothing would show an end.

    Args:
        journal: The journal; one in memory is never probed.
        write: Writes a row that may be written at any time.
        background: Waits for the write.
        clock: The time between two probes.
    """

    def __init__(
        self,
        journal: object,
        write: Callable[[], Coroutine[Any, Any, None]],
        background: BackgroundTasks,
        clock: Clock,
    ) -> None:
        self._figures = journal.figures if isinstance(journal, Measured) else None
        self._write = write
        self._background = background
        self._clock = clock
        self._alarm: Alarm | None = None

    def start_probing(self) -> None:
        """Look every two seconds whether a probe is due."""
        if self._figures is not None:
            self._alarm = self._clock.call_later(PROBE_SECONDS, self._probe_journal)

    def stop_probing(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None

    def _probe_journal(self) -> None:
        # One at a time: on a disk that hangs they would pile up.
        figures = self._figures
        if figures is not None and figures.state == "failing" and not figures.waiting:
            self._background.write_soon(self._write())
        self.start_probing()


TICK_SECONDS: Final = 0.25
"""Seconds between two looks: often enough to see what holds the loop up, too rare to cost anything."""


class LoopLag:
    """Measures the lag four times a second, and calls `each_tick` with the time (monotonic seconds).

    `ticked_at` is when the loop ran last.
    """

    def __init__(self, clock: Clock, each_tick: Callable[[float], None] = lambda _: None) -> None:
        self._clock = clock
        self._each_tick = each_tick
        self._due = 0.0
        self._alarm: Alarm | None = None
        self.durations = Durations()
        self.ticked_at = clock.seconds()

    def start_ticking(self) -> None:
        """Begin to measure, on the running event loop."""
        self.ticked_at = self._clock.seconds()
        self._schedule_tick(self.ticked_at)

    def stop_ticking(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None

    def _schedule_tick(self, now: float) -> None:
        self._due = now + TICK_SECONDS
        self._alarm = self._clock.call_later(TICK_SECONDS, self._tick)

    def _tick(self) -> None:
        now = self.ticked_at = self._clock.seconds()
        self.durations.add_duration(max(0.0, now - self._due), now)
        self._each_tick(now)
        self._schedule_tick(now)


CLASSES: Final = ("hello", "log_in", "move", "table", "chat", "other")
"""Classes of requests that wait for different things: nothing, a password's hash, a commit and all who watch."""
_LOG_INS: Final = frozenset(
    {"account.login", "account.login_by_key", "account.login_by_web_code", "account.claim_name", "account.recover"}
)


def _classify_method(method: str) -> str:
    if method in _LOG_INS:
        return "log_in"
    if method == "table.play":
        return "move"
    feature = method.partition(".")[0]
    return feature if feature in CLASSES else "other"


class RequestFigures:
    """Times the requests that were answered without an error. `now` returns monotonic seconds.

    Attributes:
        durations: Seconds by class. When a move is answered, the notices for the others at its table are on their way.
            Requests that wait for an event are left out.
    """

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self.durations: Mapping[str, Durations] = {name: Durations() for name in CLASSES}
        self._of: dict[type[Params], Durations] = {
            params: self.durations[_classify_method(method)]
            for params, method in METHOD_OF.items()
            if params is not PollRequest
        }

    def note_answer(self, params: type[Params], began: float) -> None:
        """Count a request that was read at `began` and is answered now."""
        durations = self._of.get(params)
        if durations is not None:
            now = self._now()
            durations.add_duration(now - began, now)


GAME_RULE: Final = "game_rule"
"""Stands for every reason by which a game refuses a move: games of other packages have their own."""
_CODES: Final = frozenset(code.value for code in Code)


class EventFigures:
    """Counts events. `now` returns monotonic seconds.

    Attributes:
        kinds: Events by kind.
        refusals: Requests answered with an error and refused connections, by code.
        refused_by_network: The same by network.
    """

    def __init__(self, now: Callable[[], float]) -> None:
        self.kinds: Counter[str] = Counter()
        self.refusals = RecentCounts(now)
        self.refused_by_network = NetworkCounts(now)

    @property
    def hellos(self) -> int:
        """How many connections were greeted."""
        return self.kinds[kind_of(Hello)]

    def take_event(self, event: Event) -> None:
        """Count an event."""
        self.kinds[kind_of(event)] += 1
        if isinstance(event, Refused):
            self.refusals.add_count(event.code if event.code in _CODES else GAME_RULE)
            if event.address:
                self.refused_by_network.add_count(network_of(event.address))

    def close_sink(self) -> None:
        """Keep the counts: they may still be read."""
