"""Base of all actions of a table: commands, records, refusals, and how an action is registered.

A command is what users, bots and the server ask of a table. Its decider judges it and returns records, or a refusal;
the table itself does not change. The evolver of a record returns the next table with the events that users see. Both
are pure, and the same records always make the same table. `state_machine` finds the actions.
"""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, NamedTuple, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from scoville_server.tables.model.clock import Clocks
from scoville_server.tables.model.records import Record
from scoville_server.tables.model.table import RecordedEvent, Table
from scoville_shared.engine.contract import Step
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import Seat, UserId
from scoville_shared.protocol.messages import AnyTableEvent, OfTable
from scoville_shared.values import Plain

T = TypeVar("T")


class Command(Struct, frozen=True, kw_only=True):
    """Base of all commands."""


class RepeatableRecord(Record, frozen=True, kw_only=True):
    """Base of records that players can cause again and again in a running game.

    They are counted for the seat that causes them, because all of them are kept as long as the game. One that is not
    `refusable` follows an earlier one that is.
    """

    refusable: ClassVar[bool] = True

    seat: Seat

    def causing_seat(self, before: Table) -> Seat | None:  # noqa: ARG002 - a new host is caused by the former one
        return self.seat


Records = tuple[Record, ...]


class Refused(Struct, frozen=True):
    """A refusal: a stable code, a sentence, and the values that it mentions.

    `passing` marks a failure of the server, such as a full disk: the same command may succeed later.
    """

    code: str
    message: str
    data: dict[str, Any] = {}
    passing: bool = False

    def to_error(self) -> ScovilleError:
        return ScovilleError(self.code, self.message, self.data)


def require_granted(answer: T | Refused) -> T:
    """Return a result that is no refusal. Raises ScovilleError for a refusal."""
    if isinstance(answer, Refused):
        raise answer.to_error()
    return answer


class DecidedMove(NamedTuple):
    """Records that begin with a move, and the game's step by it, so that it is computed once."""

    records: Records
    step: Step[Any, Any]


Decider = Callable[[Table, Any, int], Records | DecidedMove | Refused]
"""Decides a command: table, command, wall time in milliseconds since 1970. No records mean that nothing changes."""

Evolver = Callable[..., Table]
"""Applies a record: table and record in, next table out. That of a move also takes the step if it is known."""

ClockChange = Callable[[Table, Clocks, Any], Clocks]
"""Effect of a record on the clocks, beyond the passing of time: table and clocks before it, and the record."""


class RequestedCommand(NamedTuple):
    """The command of a request that needs only its user and its fields; others have handlers of their own.

    One that `ends` something follows a request that was counted, and is refused only by its user's own count.
    """

    make_command: Callable[[UserId, Any], Command]
    ends: bool = False


class Action(NamedTuple):
    """An action as it is registered: by kind of command, of record and of request."""

    deciders: Mapping[type[Command], Decider] = {}
    evolvers: Mapping[type[Record], Evolver] = {}
    clock_changes: Mapping[type[Record], ClockChange] = {}
    requests: Mapping[type[OfTable], RequestedCommand] = {}


def with_event(table: Table, event: AnyTableEvent, facts: tuple[tuple[Seat | None, Plain], ...] = ()) -> Table:
    """Append an event whose `facts` are each for one seat (None: for all)."""
    return replace(table, recorded_events=table.recorded_events.with_item(RecordedEvent(event, facts)))


def refuse_unseated(table: Table) -> Refused:
    return Refused(Code.NOT_SEATED, "You have no seat at this table; join it first.", {"table": table.id})


def refuse_unless_running(table: Table, before: str = "The game has not started yet.") -> Refused | None:
    """Return why something cannot be done that only a running game allows, or None; `before` says so until it starts.

    A paused game runs.
    """
    if table.status == "waiting":
        return Refused(Code.NOT_STARTED, before)
    return Refused(Code.GAME_OVER, "The game is over.") if table.status == "finished" else None


def refuse_unknown_seat(table: Table, seat: int) -> Refused:
    last = len(table.seats) - 1
    return Refused(Code.BAD_SEATS, f"There is no seat {seat}; the seats are 0 to {last}.", {"seat": seat})


def require_host(table: Table, seat: Seat | None, what: str) -> Seat | Refused:
    """Return the host's seat, or a refusal for anyone else: only the host `what`."""
    if seat is None:
        return refuse_unseated(table)
    return seat if seat == table.host else _refuse_guest(table, what)


def _refuse_guest(table: Table, what: str) -> Refused:
    if table.opened.settings.hostless:
        return Refused(Code.NO_HOST, f"This table has no host, and nobody {what}; it starts when everybody is ready.")
    host = "" if table.host is None else table.seats[table.host].name
    return Refused(Code.NOT_HOST, f"Only the host, {host or 'nobody'}, {what}.", {"host": host})
