"""Changes that a session publishes to its subscribers, and how its parts send requests; the session holds the data."""

from collections.abc import Callable
from typing import Any, Literal, Protocol, TypeAlias, TypeVar

from msgspec import Struct

from scoville_shared.engine.phrases import Phrase
from scoville_shared.protocol.messages import (
    AnyTableEvent,
    MessageInfo,
    Params,
    Reaction,
    Reply,
    TableInfo,
    TournamentInfo,
)
from scoville_shared.values import Plain


class Connected(Struct, frozen=True):
    """The server has answered `hello`; `again` after a lost connection."""

    again: bool = False


class ConnectionDown(Struct, frozen=True):
    """The connection is lost, and attempt number `tries` begins; `sentence` says so.

    `move_waits` is set when a move will be sent after reconnecting; the change is published again for the first such
    move. `restarting` is set while a server that has announced its restart is expected back at once.
    """

    sentence: Phrase
    tries: int
    move_waits: bool = False
    restarting: bool = False


class ConnectionLost(Struct, frozen=True):
    """The connection is lost for good; `reason` is a sentence for the user."""

    reason: str


class DelayChanged(Struct, frozen=True):
    """`session.connection.link.delay` has changed by more than users notice."""


class TablesChanged(Struct, frozen=True):
    """`session.lobby.tables` has changed.

    `tables` were added or changed, and the ids of `removed` are gone; `replaced` means that the whole list is another
    one, which they do not name.
    """

    tables: tuple[TableInfo, ...] = ()
    removed: tuple[str, ...] = ()
    replaced: bool = False


class UsersChanged(Struct, frozen=True):
    """`session.lobby.users` has changed."""


class DailyChanged(Struct, frozen=True):
    """`session.daily.shown` or `session.daily.puzzle.shown` has changed."""


class TournamentNews(Struct, frozen=True):
    """A tournament has `changed`; or one that the user has entered is `due` soon, or has `seated` them at a table.

    Users who take no part see it only where the tournaments are listed.
    """

    info: TournamentInfo
    kind: Literal["changed", "due", "seated"]


class EntrantsChanged(Struct, frozen=True):
    """How many take part in tournaments of `session.tournaments.listed` has changed."""


class ClubChanged(Struct, frozen=True):
    """Something has happened in a club of the user; `sentence` says what, None for what they have done themselves."""

    club: str
    sentence: Phrase | None


class Invited(Struct, frozen=True):
    """The user is invited to a table."""

    info: TableInfo
    by: str


class Announced(Struct, frozen=True):
    """An announcement of the admins, or of the server itself, which has a `code`."""

    text: str
    code: str | None = None
    data: Plain | None = None


class ShutdownAnnounced(Struct, frozen=True):
    """The server will end, or will not after all; `sentence` says so, `session.shutdown.planned` has the time."""

    sentence: Phrase


class AccountWarned(Struct, frozen=True):
    """Something happened to the user's account that they should know; `sentence` says what."""

    sentence: Phrase


class PlaysBySentences(Struct, frozen=True):
    """The user is at a table whose game this client does not have: `sentence` says why, and how it is played."""

    sentence: Phrase


class DoorEnded(Struct, frozen=True):
    """A door beside the hosted server has ended and is started again; `sentence` says so."""

    sentence: Phrase


class PlanEnded(Struct, frozen=True):
    """The user's plan for the current table has ended; `sentence` says why."""

    sentence: Phrase


class ChatReceived(Struct, frozen=True):
    """A new chat message, of this user or another."""

    line: MessageInfo


class Reacted(Struct, frozen=True):
    """A user at the table shows a reaction."""

    table: str
    name: str
    reaction: Reaction


class TableChanged(Struct, frozen=True):
    """`session.table` is another one, None, or was caught up without events: draw it afresh.

    `presence` means that only connections and spectators changed.
    """

    presence: bool = False


class RemovedFromTable(Struct, frozen=True):
    """The user is not at the table any more, without having left: `sentence` says why.

    `info` is the table as it was; `session.table` is None.
    """

    info: TableInfo
    sentence: Phrase


class EventApplied(Struct, frozen=True):
    """An event of the table that the session has applied.

    `facts` are the typed facts of a `Played` event, empty for others. `before` and `after` are the typed Views on
    either side of it: `before` is None at the start of a game, both are None while the table waits.
    """

    event: AnyTableEvent
    facts: tuple[Any, ...]
    before: Any
    after: Any


Change: TypeAlias = (
    Connected
    | ConnectionDown
    | ConnectionLost
    | DelayChanged
    | TablesChanged
    | UsersChanged
    | DailyChanged
    | TournamentNews
    | EntrantsChanged
    | ClubChanged
    | Invited
    | Announced
    | ShutdownAnnounced
    | AccountWarned
    | DoorEnded
    | PlaysBySentences
    | PlanEnded
    | ChatReceived
    | Reacted
    | TableChanged
    | RemovedFromTable
    | EventApplied
)


R = TypeVar("R", bound=Reply)
Publish = Callable[[Change], None]


class Request(Protocol):
    """Sends requests. Raises ScovilleError for a refusal, and LinkError without an answer."""

    async def __call__(self, params: Params, kind: type[R], /) -> R:
        """Send a request and return its reply, which is of `kind`."""
