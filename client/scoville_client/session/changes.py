"""What a session tells its subscribers: small, and only that something changed; the session holds the rest."""

from dataclasses import dataclass
from typing import Any, TypeAlias

from scoville_shared.engine.phrases import Phrase
from scoville_shared.protocol.messages import AnyTableEvent, MessageInfo, Reaction, TableInfo


@dataclass(frozen=True, slots=True)
class Connected:
    """The server has answered; `session.name` and `session.games` are known. `again` after a line that was down."""

    again: bool = False


@dataclass(frozen=True, slots=True)
class ConnectionDown:
    """The line is down, and the session is about to try again, for the `tries`-th time; `sentence` says so.

    `move_waits` when a move of mine is sent as soon as it is back; this is told again when there begins to be one.
    """

    sentence: Phrase
    tries: int
    move_waits: bool = False


@dataclass(frozen=True, slots=True)
class ConnectionLost:
    """The line is gone for good; `reason` is one sentence for the person."""

    reason: str


@dataclass(frozen=True, slots=True)
class TablesChanged:
    """`session.tables` is new."""


@dataclass(frozen=True, slots=True)
class PeopleChanged:
    """`session.lobby.people` is new."""


@dataclass(frozen=True, slots=True)
class Invited:
    """Somebody invites me to a table."""

    info: TableInfo
    by: str


@dataclass(frozen=True, slots=True)
class Announced:
    """Whoever looks after the server tells everybody something."""

    text: str


@dataclass(frozen=True, slots=True)
class ChatReceived:
    """A new line of chat, mine or somebody's."""

    line: MessageInfo


@dataclass(frozen=True, slots=True)
class Reacted:
    """Somebody at my table shows a reaction."""

    table: str
    name: str
    reaction: Reaction


@dataclass(frozen=True, slots=True)
class TableChanged:
    """`session.table` is another one, None, or was caught up without a story: draw it afresh.

    `presence` says that nothing but connections and spectators changed.
    """

    presence: bool = False


@dataclass(frozen=True, slots=True)
class RemovedFromTable:
    """I am at no table any more, though I did not leave: `sentence` says why, and `session.table` is None.

    `info` is the table as it was.
    """

    info: TableInfo
    sentence: Phrase


@dataclass(frozen=True, slots=True)
class EventApplied:
    """One event of the table; the session has applied it already.

    `facts` are the typed facts of a `Moved` event, empty for others. `before` and `after` are the typed Views on
    either side of it: `before` is None at the start of a game, both are None while the table still waits.
    """

    event: AnyTableEvent
    facts: tuple[Any, ...]
    before: Any
    after: Any


Change: TypeAlias = (
    Connected
    | ConnectionDown
    | ConnectionLost
    | TablesChanged
    | PeopleChanged
    | Invited
    | Announced
    | ChatReceived
    | Reacted
    | TableChanged
    | RemovedFromTable
    | EventApplied
)
