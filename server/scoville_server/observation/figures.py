"""Figures of a running server: tables and users, events and requests, the event loop's lag, and a journal's probe.

Tables and users are counted at each change instead of at each look. Events are counted by kind, and refusals by code
and network, before any quota.
"""

from collections import Counter
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any, Final, Literal

from scoville_runtime.clock import Alarm, Clock
from scoville_runtime.events import Event, kind_of
from scoville_runtime.figures import OTHERS, Durations, NetworkCounts, RecentCounts
from scoville_server.accounts.sessions import User
from scoville_server.accounts.users import UserObserver
from scoville_server.background.tasks import BackgroundTasks
from scoville_server.events import Hello, RefusalEvent
from scoville_server.journal.figures import Measured
from scoville_server.tables.actor import Done, TableActor
from scoville_server.tables.model.table import Table
from scoville_server.tables.observers import Change, TableObserver
from scoville_shared.errors import Code
from scoville_shared.ids import TableId, UserId
from scoville_shared.networks import network_of
from scoville_shared.protocol.messages import METHOD_OF, Params, PollRequest

TableState = Literal["waiting", "playing", "paused", "finished"]
TABLE_STATES: Final[Sequence[TableState]] = ("waiting", "playing", "paused", "finished")
MOVERS: Final = ("player", "clock", "bot")
RESULTS: Final = ("finished", "closed")
MOST_GAMES: Final = 4
"""Games that are counted one by one; those after them are counted together: each has ten series of its own."""

Entrance = Literal["direct", "ssh", "web", "inside"]
"""How a user is connected: by a program of their own, through a door, or inside this process."""
ENTRANCES: Final[Sequence[Entrance]] = ("direct", "ssh", "web", "inside")


def state_of(table: Table) -> TableState:
    """Return the state of a table as hosts see it."""
    return "paused" if table.running and table.paused else table.status


class TableCensus(TableObserver):
    """Counts tables, games and moves by game. `games` are the slugs that are counted one by one.

    Attributes:
        tables: Open tables by game and state.
        started: Games that have started here.
        ended: Games that have ended here, by game and result.
        moves: Moves by game and who made them.
        recent_moves: The moves of the last minute.
    """

    observed = frozenset({Change.STATUS, Change.PAUSE, Change.MOVES})

    def __init__(self, games: Sequence[str], now: Callable[[], float]) -> None:
        self.games = tuple(games[:MOST_GAMES])
        self.tables: Counter[tuple[str, TableState]] = Counter()
        self.started: Counter[str] = Counter()
        self.ended: Counter[tuple[str, str]] = Counter()
        self.moves: Counter[tuple[str, str]] = Counter()
        self.recent_moves = RecentCounts(now)
        self._states: dict[TableId, tuple[str, TableState]] = {}

    @property
    def counted_games(self) -> Sequence[str]:
        """The games that are counted, the last one of them standing for all others."""
        return (*self.games, OTHERS)

    def table_opened(self, actor: TableActor) -> None:
        self._count_table(actor.table)

    def table_changed(self, actor: TableActor, done: Done) -> None:  # noqa: ARG002 - an observer gets both
        before, after = done
        game = self._game_of(after)
        # Perhaps several: another node's writes are read back at once.
        if len(after.moves) > len(before.moves):
            for made in after.moves[len(before.moves) :]:
                self.moves[game, made.mover] += 1
                self.recent_moves.add_count(game)
        if before.status == after.status and before.paused is after.paused and before.closed is after.closed:
            return
        if before.status == "waiting" != after.status:
            self.started[game] += 1
        if before.running and not after.running:
            self.ended[game, "finished" if after.status == "finished" else "closed"] += 1
        if after.id in self._states:
            self._count_table(after)

    def table_removed(self, actor: TableActor) -> None:
        former = self._states.pop(actor.table.id, None)
        if former is not None:
            self.tables[former] -= 1

    def _count_table(self, table: Table) -> None:
        present = (self._game_of(table), state_of(table))
        former = self._states.get(table.id)
        if former is not None:
            self.tables[former] -= 1
        self._states[table.id] = present
        self.tables[present] += 1

    def _game_of(self, table: Table) -> str:
        return table.opened.game if table.opened.game in self.games else OTHERS


class UserCensus(UserObserver):
    """Counts connected users by how they are connected and whether they own their name."""

    def __init__(self, find_user: Callable[[UserId], User | None]) -> None:
        self._find_user = find_user
        self._kinds: dict[UserId, tuple[Entrance, bool]] = {}
        self.users: Counter[tuple[Entrance, bool]] = Counter()

    def user_connected(self, user: User) -> None:
        self._count_user(user)

    def user_disconnected(self, user: User) -> None:
        self._forget_user(user.id)

    def name_changed(self, user: UserId) -> None:
        found = self._find_user(user)
        if found is not None and found.is_here:
            self._count_user(found)

    def user_forgotten(self, user: UserId) -> None:
        self._forget_user(user)

    def _count_user(self, user: User) -> None:
        self._forget_user(user.id)
        kind = (entrance_of(user), user.claimed)
        self._kinds[user.id] = kind
        self.users[kind] += 1

    def _forget_user(self, user: UserId) -> None:
        former = self._kinds.pop(user, None)
        if former is not None:
            self.users[former] -= 1


def entrance_of(user: User) -> Entrance:
    """Return how a connected user is connected."""
    peer = user.peer
    if peer is None or not peer.address:
        return "inside"
    return "direct" if peer.door is None else peer.door.transport


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
        self._alarm = self._clock.call_later(TICK_SECONDS, self._measure_lag)

    def _measure_lag(self) -> None:
        now = self.ticked_at = self._clock.seconds()
        # A timer may ring slightly early.
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

    def note_answer(self, params: Params, began: float) -> None:
        """Count a request that was read at `began` and is answered now."""
        durations = self._of.get(type(params))
        if durations is not None:
            now = self._now()
            durations.add_duration(now - began, now)


GAME_RULE: Final = "game_rule"
"""Stands for every reason by which a game refuses a move: games of other packages have their own."""
NOT_NOW: Final = "not_now"
"""Stands for every refusal that says what cannot be done at present, at a table or with what users have of their own.

No host does anything about one of them, and a series for each would leave no room for those that matter.
"""
_NOT_NOW: Final = frozenset(
    {
        *(Code.TABLE_FULL, Code.SEAT_TAKEN, Code.NOT_SEATED, Code.NOT_HOST, Code.NO_HOST, Code.NO_REMATCH),
        *(Code.ALREADY_STARTED, Code.NOT_STARTED, Code.NOT_FINISHED, Code.GAME_OVER, Code.PAUSED),
        *(Code.NOT_REQUESTED, Code.REDRAWING, Code.NO_PLAN, Code.YOUR_TURN, Code.NO_VACATION),
        *(Code.VOTE_NEEDED, Code.VOTE_RUNNING, Code.NO_VOTE, Code.ALREADY_VOTED, Code.TOO_FEW_VOTERS),
        *(Code.DEAL_SEALED, Code.DEAL_OVER, Code.DEAL_PLAYED, Code.DEAL_NOT_PLAYED, Code.NO_DAILY, Code.NO_PUZZLE),
        *(Code.NO_CALENDAR, Code.NO_DIGEST, Code.DIGESTS_OFF, Code.UNKNOWN_TOURNAMENT, Code.TOURNAMENT_CLOSED),
    }
)
COUNTED: Final = (*(code.value for code in Code if code not in _NOT_NOW), NOT_NOW, GAME_RULE)
"""Everything by which refusals are counted."""
_CODES: Final = {code.value: NOT_NOW if code in _NOT_NOW else code.value for code in Code}


def count_code_as(code: str) -> str:
    """Return the label under which a refusal with a code is counted."""
    return _CODES.get(code, GAME_RULE)


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
        if isinstance(event, RefusalEvent):
            self.refusals.add_count(count_code_as(event.code))
            if event.address:
                self.refused_by_network.add_count(network_of(event.address))

    def close_sink(self) -> None:
        """Keep the counts: they may still be read."""
