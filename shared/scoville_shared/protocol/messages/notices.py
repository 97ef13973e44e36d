"""What the server says unasked."""

from msgspec import Struct

from scoville_shared.protocol.messages.base import Plain
from scoville_shared.protocol.messages.events import AnyTableEvent


class EventNotice(Struct, frozen=True, kw_only=True):
    """`table.event`: an event of a watched table, and this watcher's View and everybody's time after it."""

    table: str
    event: AnyTableEvent
    view: Plain | None
    left_ms: list[int] = []


class PresenceNotice(Struct, frozen=True, kw_only=True):
    """`table.presence`: a seated person's line came or went. Not an event: it has no number and no history."""

    table: str
    seat: int
    connected: bool


class AudienceNotice(Struct, frozen=True, kw_only=True):
    """`table.audience`: who looks on has changed; these are all of them, by name. `commentators` see a hand as well."""

    table: str
    spectators: list[str]
    commentators: list[str] = []


class ByeNotice(Struct, frozen=True, kw_only=True):
    """`bye`: why the server is about to close this connection."""

    code: str
    message: str
