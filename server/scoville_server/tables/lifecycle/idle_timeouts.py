"""Idle timeouts of tables: before the first player, while nobody acts, and after the end."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from msgspec import Struct

from scoville_runtime.back_off import BackOff
from scoville_runtime.clock import Alarm
from scoville_server.limits.live import Live
from scoville_server.nodes.connections import UserConnections
from scoville_server.tables.actions.close import Cause, Close
from scoville_server.tables.actions.transfer_host import ReplaceIdleHost, RestoreHost
from scoville_server.tables.actor import Done, TableActor
from scoville_server.tables.model.table import SERVER_USER, Table
from scoville_server.tables.observers import Change, TableObserver
from scoville_server.tables.registry import TableRegistry
from scoville_shared.ids import TableId, UserId
from scoville_shared.protocol.messages import AnnouncedNotice, HostTransferred

WARNING_MS = 60_000
"""Time between the warning and closing, in milliseconds; at half of the timeout if that is less than twice as much."""


BY_DAYS_SECONDS = 604_800.0
"""How long a table of a game by correspondence waits for players at least: they come when they have time."""


class IdleSeconds(Struct, frozen=True, kw_only=True):
    """Timeouts in seconds; 0 is for ever. `Settings` explains each."""

    unseated: float
    host_idle: float
    idle: float
    finished: float
    moved_on: float


class Due(NamedTuple):
    """The next action at a table, and when it is due if nothing else happens."""

    at_ms: int
    do: Callable[[TableActor], None]


class IdleTimeouts(TableObserver):
    """Warns and closes idle tables, and replaces idle hosts. Joining and leaving do not count as activity.

    Down time of the server does not count.
    """

    observed = frozenset({Change.STATUS, Change.SEATS, Change.HOST, Change.READY, Change.ADMISSION, Change.REMATCH})

    def __init__(self, registry: TableRegistry, connections: UserConnections, idle_seconds: Live[IdleSeconds]) -> None:
        self._registry = registry
        self._connections = connections
        self._of = idle_seconds
        idle_seconds.follow(self._set_all_timers)
        self._seen: dict[TableId, int] = {}
        self._host_seen: dict[TableId, int] = {}
        self._warned: dict[TableId, int] = {}
        self._timers: dict[TableId, Alarm] = {}
        self._delays: dict[TableId, BackOff] = {}
        self._replaced: set[TableId] = set()
        """Tables whose opener was replaced as host for being idle, and becomes the host again by doing something."""

    def table_opened(self, actor: TableActor) -> None:
        # From now on and not from the last act: the server's down time is nobody's idleness.
        self._seen[actor.table.id] = self._host_seen[actor.table.id] = actor.now()
        self._set_timer(actor)

    def table_changed(self, actor: TableActor, done: Done) -> None:
        self._delays.pop(actor.table.id, None)
        if done.before.host != done.after.host:
            self._note_host_change(actor.table.id, done)
        if done.after.status == "playing":
            self._cancel_timer(actor.table.id)
            return
        if done.after.status != done.before.status:
            self._seen[actor.table.id] = actor.now()
        if _readiness_changed(done, done.after.opened.user):
            self._restore_host(actor, done.after.opened.user)
        self._set_timer(actor)

    def table_removed(self, actor: TableActor) -> None:
        table = actor.table.id
        self._cancel_timer(table)
        self._replaced.discard(table)
        for noted in (self._seen, self._host_seen, self._warned, self._delays):
            noted.pop(table, None)

    def note_activity(self, actor: TableActor, user: UserId) -> None:
        """Note activity that the table itself does not know of, such as chat."""
        seat = actor.table.seat_of(user)
        if seat is not None and actor.table.id in self._seen:
            self._seen[actor.table.id] = actor.now()
            if seat == actor.table.host:
                self._host_seen[actor.table.id] = actor.now()
            self._restore_host(actor, user)

    def _note_host_change(self, table: TableId, done: Done) -> None:
        """Note whether the opener can take the role back: only from others who have it since they were idle."""
        if not _replaced_idle_host(done.after):
            self._replaced.discard(table)
        elif done.before.host is not None and done.before.seats[done.before.host].user == done.after.opened.user:
            self._replaced.add(table)

    def _restore_host(self, actor: TableActor, user: UserId) -> None:
        """Make the user who opened a table the host again, if they were replaced for being idle."""
        if actor.table.id in self._replaced and user == actor.table.opened.user:
            self._replaced.discard(actor.table.id)
            self._host_seen[actor.table.id] = actor.now()
            self._registry.commands.send_once(actor.table.id, RestoreHost(user=user))

    def stop_timers(self) -> None:
        for table in tuple(self._timers):
            self._cancel_timer(table)

    # --- what is due next ------------------------------------------------------------------------------

    def _set_timer(self, actor: TableActor, *, rang: bool = False) -> None:
        """Set the timer for the next due act; one that is still due after it `rang` waits for the back-off."""
        table = actor.table.id
        self._cancel_timer(table)
        due = min(self._list_dues(actor.table), key=lambda due: due.at_ms, default=None)
        if due is not None:
            seconds = max(0, due.at_ms - actor.now()) / 1000
            if rang and not seconds:
                seconds = self._delays.setdefault(table, self._registry.new_back_off()).next_wait()
            self._timers[table] = self._registry.clock.call_later(seconds, partial(self._do_due_acts, actor))

    def _set_all_timers(self, _: IdleSeconds) -> None:
        for actor in self._registry.tables.all_tables():
            if actor.table.id in self._seen and actor.table.status != "playing":
                self._set_timer(actor)

    def _cancel_timer(self, table: TableId) -> None:
        timer = self._timers.pop(table, None)
        if timer is not None:
            timer.cancel()

    def _do_due_acts(self, actor: TableActor) -> None:
        """Do the due act, or set the timer again if it was postponed."""
        del self._timers[actor.table.id]
        for due in self._list_dues(actor.table):
            # Asked again when the timer rings: chat may have postponed it without setting it again.
            if due.at_ms <= actor.now():
                due.do(actor)
        if actor.table.id in self._seen:
            self._set_timer(actor, rang=True)

    def _list_dues(self, table: Table) -> list[Due]:
        if table.closed is not None or table.status == "playing":
            return []
        if table.status == "finished":
            return self._dues_after_the_game(table)
        return self._dues_of_waiting_table(table) if table.human_seats else self._dues_of_empty_table(table)

    def _dues_of_empty_table(self, table: Table) -> list[Due]:
        if not self._of.value.unseated or table.opened.user == SERVER_USER:
            return []
        return [Due(self._idle_since(table) + _to_ms(self._of.value.unseated), self._registry.remove_table)]

    def _dues_of_waiting_table(self, table: Table) -> list[Due]:
        dues = []
        # A host who is alone keeps nobody waiting, and there is nobody to take over.
        if self._of.value.host_idle and len(table.human_seats) > 1:
            since = max(table.host_acted_ms, self._host_seen[table.id])
            dues.append(Due(since + self._host_idle_ms(table), self._replace_host))
        if self._of.value.idle:
            dues += self._dues_of_closing(table, self._idle_seconds(table))
        return dues

    def _idle_seconds(self, table: Table) -> float:
        """Return how long players may wait without any action."""
        return max(self._of.value.idle, BY_DAYS_SECONDS) if table.opened.clock.by_days else self._of.value.idle

    def _host_idle_ms(self, table: Table) -> int:
        """Return how long a host may do nothing: by correspondence, as long as for a move."""
        usual, clock = _to_ms(self._of.value.host_idle), table.opened.clock
        return max(usual, clock.move_ms or 0) if clock.by_days else usual

    def _dues_after_the_game(self, table: Table) -> list[Due]:
        if table.next is not None and self._of.value.moved_on:
            return [
                Due(
                    self._idle_since(table) + _to_ms(self._of.value.moved_on),
                    self._close_table("The players have moved to another table.", "moved"),
                )
            ]
        return self._dues_of_closing(table, self._of.value.finished) if self._of.value.finished else []

    def _dues_of_closing(self, table: Table, seconds: float) -> list[Due]:
        end = self._idle_since(table) + _to_ms(seconds)
        closing = Due(end, self._close_table("Nobody here has done anything for a long time.", "idle"))
        # By its end and not as a flag: activity moves the end, and then there is another warning.
        if self._warned.get(table.id) == end:
            return [closing]
        return [Due(end - min(WARNING_MS, _to_ms(seconds) // 2), self._warn_players), closing]

    def _idle_since(self, table: Table) -> int:
        return max(table.acted_ms, self._seen[table.id])

    # --- actions ---------------------------------------------------------------------------------------

    def _replace_host(self, actor: TableActor) -> None:
        """Replace the host by another connected player; if there is none, try again later."""
        self._host_seen[actor.table.id] = actor.now()
        users = (actor.table.seats[seat].user for seat in actor.table.human_seats)
        here = frozenset(user for user in users if user is not None and self._connections.is_here(user))
        self._registry.commands.send_once(
            actor.table.id, ReplaceIdleHost(after_ms=self._host_idle_ms(actor.table), here=here)
        )

    def _warn_players(self, actor: TableActor) -> None:
        waiting = actor.table.status == "waiting"
        seconds = self._idle_seconds(actor.table) if waiting else self._of.value.finished
        end = self._idle_since(actor.table) + _to_ms(seconds)
        self._warned[actor.table.id] = end
        left = max(1, round((end - actor.now()) / 1000))
        game = actor.table.game.info.title
        sentence = f"Your table of {game} closes in {left} seconds unless a player does something."
        notice = AnnouncedNotice(text=sentence, code="table_closes", data={"game": game, "seconds": left})
        for user in actor.watched.list_recipients():
            self._connections.notify_user(user, notice)

    def _close_table(self, reason: str, cause: Cause) -> Callable[[TableActor], None]:
        return lambda actor: self._registry.commands.send_once(actor.table.id, Close(reason=reason, cause=cause))


def _replaced_idle_host(table: Table) -> bool:
    """Whether the latest event at a table is that its host was replaced for being idle."""
    latest = (recorded.event for recorded in table.recorded_events[-1:])
    return any(isinstance(event, HostTransferred) and event.reason == "idle" for event in latest)


def _readiness_changed(done: Done, user: UserId) -> bool:
    """Whether a change is that a user became ready, or took it back."""
    seat = done.after.seat_of(user)
    return seat is not None and (seat in done.before.ready) != (seat in done.after.ready)


def _to_ms(seconds: float) -> int:
    return round(seconds * 1000)
