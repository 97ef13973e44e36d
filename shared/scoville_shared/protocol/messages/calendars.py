"""Messages of calendars: a secret address at which other programs read when a user must move."""

from typing import Annotated

from msgspec import Meta, Struct

from scoville_shared.protocol.messages.base import VERBATIM, Params, Reply, ShortText
from scoville_shared.protocol.messages.clubs import ClubDate
from scoville_shared.protocol.messages.doors import DoorCredential

CALENDAR_PATH = "/calendar/"
"""Path of calendars at a browser door; the secret follows."""

CalendarSecret = Annotated[str, Meta(max_length=64), VERBATIM]


class ShowCalendarRequest(Params, frozen=True, kw_only=True):
    """Requests whether the user has a calendar."""


class OpenCalendarRequest(Params, frozen=True, kw_only=True):
    """Opens a calendar in a language, or gives the user's another address; the former one ends. For claimed names."""

    language: ShortText = "en"


class CloseCalendarRequest(Params, frozen=True, kw_only=True):
    """Ends the address of the user's calendar."""


class CalendarReply(Reply, frozen=True, kw_only=True):
    """Since when the user has a calendar (milliseconds since 1970; None without one).

    `path` is its secret address at a browser door, in the reply to its opening alone: the server keeps only a hash.
    """

    since_ms: int | None = None
    path: str | None = None


class ReadCalendarRequest(Params, frozen=True, kw_only=True):
    """Requests the content of a calendar for a door; the server believes it because of the `credential`."""

    credential: DoorCredential
    secret: CalendarSecret


class Deadline(Struct, frozen=True, kw_only=True):
    """The time until which a user must make their move number `nth` at a table (milliseconds since 1970)."""

    table: str
    game: str
    title: str
    names: list[str]
    nth: int
    due_ms: int


class FixedDate(Struct, frozen=True, kw_only=True):
    """A tournament that a user has entered, or of a club of theirs; it starts at a time (milliseconds since 1970)."""

    tournament: str
    name: str
    game: str
    starts_ms: int
    club_name: str | None = None


class CalendarContent(Reply, frozen=True, kw_only=True):
    """The deadlines of a user's moves by correspondence and the dates of their tournaments and clubs, in a `language`.

    `rests_until_ms` is that of a vacation.
    """

    language: str
    deadlines: list[Deadline]
    rests_until_ms: int | None = None
    dates: list[FixedDate] = []
    club_dates: list[ClubDate] = []
