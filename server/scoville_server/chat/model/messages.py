"""A chat message as it is sent and as it is kept, and the channels of messages."""

from msgspec import Struct

from scoville_shared.ids import Seat, UserId
from scoville_shared.protocol.messages import Channel, MessageInfo

Place = str
"""A channel in which messages are numbered: the lobby, a table, or the whispers of one user."""

LOBBY: Place = "lobby"


def at_table(table: str) -> Place:
    """Return a table's channel."""
    return f"table/{table}"


def whispers_of(user: UserId) -> Place:
    """Return the channel of a user's whispers. A whisper is in two: each side numbers, keeps and drops its own."""
    return f"whisper/{user}"


WHISPERS = whispers_of(UserId(""))
"""Prefix of whisper channels."""


class Saying(Struct, frozen=True, kw_only=True):
    """A message sent in `place` by a user called `name`; a whisper has several places.

    `at_ms` is the wall time in milliseconds since 1970, `seat` the sender's seat at that table, `to` the name of a
    whisper's recipient; `claimed` says that they own their name.
    """

    at_ms: int
    places: tuple[Place, ...]
    by: UserId
    name: str
    text: str
    seat: Seat | None = None
    to: str = ""
    claimed: bool = False

    def numbered(self, place: Place, n: int) -> "ChatMessage":
        """Return it as message `n` of a channel."""
        return ChatMessage(
            n=n,
            place=place,
            at_ms=self.at_ms,
            by=self.by,
            name=self.name,
            text=self.text,
            seat=self.seat,
            to=self.to,
            claimed=self.claimed,
        )


class ChatMessage(Struct, frozen=True, kw_only=True):
    """A message as it is kept: its author as a user, and the name they had then, which a new name does not change."""

    n: int
    place: Place
    at_ms: int
    by: UserId
    name: str
    text: str
    seat: Seat | None = None
    to: str = ""
    claimed: bool = False

    @property
    def key(self) -> str:
        """The key under which it is kept."""
        return key_of(self.place, self.n)

    @property
    def channel(self) -> Channel:
        """The channel as messages of the protocol name it."""
        if self.place == LOBBY:
            return "lobby"
        return "table" if self.place.startswith(at_table("")) else "whisper"

    @property
    def shown(self) -> MessageInfo:
        """The message as its readers get it."""
        return MessageInfo(
            number=self.n,
            at_ms=self.at_ms,
            channel=self.channel,
            name=self.name,
            text=self.text,
            table=self.place.removeprefix(at_table("")) if self.channel == "table" else None,
            seat=self.seat,
            to=self.to or None,
            claimed=self.claimed,
        )


def key_of(place: Place, n: int) -> str:
    """Return the key of message `n` of a channel."""
    return f"{place}/{n}"
