"""Observers of tables, and the kinds of change to which they subscribe."""

from collections.abc import Callable, Sequence
from enum import Enum
from operator import attrgetter
from typing import ClassVar, Final

from scoville_server.tables.actor import Done, TableActor
from scoville_server.tables.model.table import Table


class Change(Enum):
    """A part of a table that may have changed."""

    STATUS = "the game starts or ends, or the table is closed"
    SEATS = "somebody takes a seat or leaves one, or a bot takes over"
    HOST = "another player is the host"
    READY = "a player is ready, or not ready any more"
    COUNTDOWN = "an automatic start is due, or due no more"
    PAUSE = "the game is paused or goes on"
    ADMISSION = "a user may enter, or may not any more"
    CODE = "another code leads to the table"
    REMATCH = "the rematch is open"
    MOVES = "a move was made"
    TURN = "other players are to move"
    OWNER = "this node has adopted it"
    SEAL = "others have played its deal too, so its result is no secret any more"


_PARTS: Final[Sequence[tuple[Callable[[Table], object], Change]]] = (
    (attrgetter("status"), Change.STATUS),
    (attrgetter("closed"), Change.STATUS),
    (attrgetter("seats"), Change.SEATS),
    (attrgetter("host"), Change.HOST),
    (attrgetter("ready"), Change.READY),
    (attrgetter("countdown"), Change.COUNTDOWN),
    (attrgetter("paused"), Change.PAUSE),
    (attrgetter("admitted"), Change.ADMISSION),
    (attrgetter("kicked"), Change.ADMISSION),
    (attrgetter("opened.code"), Change.CODE),
    (attrgetter("next"), Change.REMATCH),
    (attrgetter("played"), Change.MOVES),
    (attrgetter("to_move"), Change.TURN),
    (attrgetter("owner"), Change.OWNER),
    (attrgetter("unsealed"), Change.SEAL),
)


def list_changes(before: Table, after: Table) -> frozenset[Change]:
    """List the kinds of change from a table to a later one."""
    # By identity first: tables share their unchanged parts, and comparing these would cost a walk at every move.
    return frozenset(
        [
            change
            for part, change in _PARTS
            if (former := part(before)) is not (present := part(after)) and former != present
        ]
    )


class TableObserver:
    """Observes all tables; called after the watchers were notified. It may send commands to tables, but never wait.

    Attributes:
        observed: The kinds of change for which `table_changed` is called.
    """

    observed: ClassVar[frozenset[Change]] = frozenset()

    def table_opened(self, actor: TableActor) -> None:
        """A table was opened or restored."""

    def table_changed(self, actor: TableActor, done: Done) -> None:
        """A table has changed in at least one of the `observed` ways."""

    def table_removed(self, actor: TableActor) -> None:
        """A table was removed."""

    def table_moved(self, actor: TableActor) -> None:
        """Another node has adopted a table: forget it here, and leave what is stored of it to that node."""
        self.table_removed(actor)

    def presence_changed(self, actor: TableActor) -> None:
        """The spectators or the connected players of a table have changed."""


class TableObservers:
    """Notifies each observer of what it observes, in the order in which they are listed, and `last` behind them."""

    def __init__(self, last: TableObserver | None = None) -> None:
        self._last = (last,) if last is not None else ()
        self._observers: tuple[TableObserver, ...] = self._last
        self._interested: dict[frozenset[Change], tuple[TableObserver, ...]] = {}
        """Found once for each set of changes that occurs: there are some twenty."""

    def connect_observers(self, observers: Sequence[TableObserver]) -> None:
        """Set the observers; once, before the first table."""
        assert self._observers == self._last, "observers are connected once"
        self._observers = (*observers, *self._last)

    def list_interested(self, changes: frozenset[Change]) -> tuple[TableObserver, ...]:
        interested = self._interested.get(changes)
        if interested is None:
            interested = tuple(observer for observer in self._observers if observer.observed & changes)
            self._interested[changes] = interested
        return interested

    def notify_opened(self, actor: TableActor) -> None:
        for observer in self._observers:
            observer.table_opened(actor)

    def notify_changed(self, actor: TableActor, done: Done) -> None:
        for observer in self.list_interested(list_changes(done.before, done.after)):
            observer.table_changed(actor, done)

    def notify_removed(self, actor: TableActor) -> None:
        for observer in self._observers:
            observer.table_removed(actor)

    def notify_moved(self, actor: TableActor) -> None:
        for observer in self._observers:
            observer.table_moved(actor)

    def notify_presence(self, actor: TableActor) -> None:
        for observer in self._observers:
            observer.presence_changed(actor)
