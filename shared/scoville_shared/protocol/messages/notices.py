"""Notices of the server."""

from msgspec import UNSET, Struct, UnsetType

from scoville_shared.protocol.messages.events import AnyTableEvent
from scoville_shared.protocol.messages.tables import TableSentences
from scoville_shared.values import Plain


class EventNotice(Struct, frozen=True, kw_only=True):
    """`table.event`: an event of a watched table, with this watcher's View and all thinking times after it.

    `sentences` says in sentences what the View shows, for a watcher who has requested that.
    """

    table: str
    event: AnyTableEvent
    view: Plain | None
    left_ms: list[int] | None = None
    sentences: TableSentences | UnsetType = UNSET


class PresenceNotice(Struct, frozen=True, kw_only=True):
    """`table.presence`: a player connected or disconnected. Not an event: it has no number and is not kept."""

    table: str
    seat: int
    connected: bool


class SpectatorsNotice(Struct, frozen=True, kw_only=True):
    """`table.spectators`: the spectators have changed; all of them by name.

    `commentators` are all users who have ever been sent what only the commentators' key shows, also by `table.poll`.
    `claimed_spectators` and `claimed_commentators` are the positions in these lists, from 0, of users who owned their
    names when they came.
    """

    table: str
    spectators: list[str]
    commentators: list[str] = []
    claimed_spectators: list[int] = []
    claimed_commentators: list[int] = []


class ShutdownNotice(Struct, frozen=True, kw_only=True):
    """`shutdown`: the server shuts down in `ends_in_ms` for a reason; None when that was called off.

    It is sent when the end is planned, again at certain times before it, and to each user who connects meanwhile.
    """

    ends_in_ms: int | None
    reason: str | None = None


class ByeNotice(Struct, frozen=True, kw_only=True):
    """`bye`: the reason why the server closes this connection."""

    code: str
    message: str
