"""What the users of a run did and saw, as they saw it: all that a checker may believe."""

from typing import Any, Literal, NamedTuple

from msgspec import Struct

from scoville_shared.protocol.messages import AnyTableEvent

OpKind = Literal["hello", "open", "join", "start", "play", "say", "claim", "ban", "leave"]


class Op(Struct, kw_only=True):
    """One request of a user: its outcome is `unknown` until an answer arrives. Times are seconds of the world."""

    user: str
    kind: OpKind
    machine: int = 0
    process: str = ""
    invoked: float
    returned: float | None = None
    outcome: Literal["ok", "refused", "unknown"] = "unknown"
    table: str = ""
    seat: int | None = None
    nth: int | None = None
    move: Any = None
    text: str = ""
    seq: int | None = None
    number: int | None = None
    code: str = ""
    shown: str = ""
    resumed: bool = False
    reused: bool = False


class Seen(Struct, frozen=True, kw_only=True):
    """An event that a user was shown at a seat, by a notice or a snapshot of their connection number `connection`.

    `view` is there in a notice only.
    """

    user: str
    at: float
    connection: int
    table: str
    seat: int | None
    event: AnyTableEvent
    view: Any = None
    is_notice: bool


class Snapshot(Struct, frozen=True, kw_only=True):
    """How far a table was when a user began to watch it, and its commitment."""

    user: str
    at: float
    connection: int
    table: str
    seq: int
    known: int
    commitment: str


class ToldMissing(NamedTuple):
    """A user was told that there is no such table."""

    at: float
    user: str
    table: str


class History(Struct, kw_only=True):
    """Everything that all users of a run did and saw, in order."""

    ops: list[Op] = []
    seen: list[Seen] = []
    snapshots: list[Snapshot] = []
    gaps: list[float] = []
    told_missing: list[ToldMissing] = []

    def list_ops(self, kind: OpKind, outcome: str = "") -> list[Op]:
        return [op for op in self.ops if op.kind == kind and outcome in ("", op.outcome)]
