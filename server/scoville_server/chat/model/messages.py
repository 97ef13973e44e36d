"""A chat message as it is sent and as it is kept, and the channels of messages."""

from msgspec import Struct

from scoville_shared.ids import Seat, UserId
from scoville_shared.protocol.messages import Channel, MessageInfo

ChannelId = str
"""A channel in which messages are numbered: the lobby, a table, a club, or the whispers of one user."""

LOBBY: ChannelId = "lobby"
_TABLES = "table/"


def at_table(table: str) -> ChannelId:
    """Return a table's channel."""
    return f"{_TABLES}{table}"


def is_of_table(channel: ChannelId) -> bool:
    """Whether a channel is that of a table."""
    return channel.startswith(_TABLES)


def table_of_channel(channel: ChannelId) -> str:
    """Return the table of a channel that is one's."""
    return channel.removeprefix(_TABLES)


def of_club(club: str) -> ChannelId:
    """Return a club's channel."""
    return f"club/{club}"


def whispers_of(user: UserId) -> ChannelId:
    """Return the channel of a user's whispers. A whisper is in two: each side numbers, keeps and drops its own."""
    return f"whisper/{user}"


WHISPERS = whispers_of(UserId(""))
"""Prefix of whisper channels."""


class MessageContent(Struct, frozen=True, kw_only=True):
    """Contents of a message by a user called `name`; the name stays when they change theirs.

    `at_ms` is the wall time in milliseconds since 1970, `seat` the sender's seat at that table, `to` the name of a
    whisper's recipient; `claimed` says that they own their name, `moderator` that they are a moderator.
    """

    at_ms: int
    by: UserId
    name: str
    text: str
    seat: Seat | None = None
    to: str = ""
    claimed: bool = False
    moderator: bool = False


class NewMessage(MessageContent, frozen=True, kw_only=True):
    """A message to be sent in `channels`: a whisper has two."""

    channels: tuple[ChannelId, ...]

    def as_numbered(self, channel: ChannelId, n: int) -> "ChatMessage":
        """Return it as message `n` of a channel."""
        content = {field: getattr(self, field) for field in MessageContent.__struct_fields__}
        return ChatMessage(n=n, channel=channel, **content)


class ChatMessage(MessageContent, frozen=True, kw_only=True):
    """A message as it is kept: number `n` of its channel."""

    n: int
    channel: ChannelId

    @property
    def key(self) -> str:
        """The key under which it is kept."""
        return key_of(self.channel, self.n)

    @property
    def kind(self) -> Channel:
        """The kind of the channel, as the protocol names it."""
        if self.channel == LOBBY:
            return "lobby"
        if self.channel.startswith(of_club("")):
            return "club"
        return "table" if self.channel.startswith(at_table("")) else "whisper"

    @property
    def as_shown(self) -> MessageInfo:
        """The message as its readers get it."""
        return MessageInfo(
            number=self.n,
            at_ms=self.at_ms,
            channel=self.kind,
            name=self.name,
            text=self.text,
            table=table_of_channel(self.channel) if self.kind == "table" else None,
            club=self.channel.removeprefix(of_club("")) if self.kind == "club" else None,
            seat=self.seat,
            to=self.to or None,
            claimed=self.claimed,
            moderator=self.moderator,
        )


def key_of(channel: ChannelId, n: int) -> str:
    """Return the key of message `n` of a channel."""
    return f"{channel}/{n}"
