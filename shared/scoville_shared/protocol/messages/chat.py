"""Messages of chat."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from scoville_shared.protocol.messages.base import Index, Name, OfTable, Params, Reply, ShortText

MESSAGE_CHARACTERS = 500
"""Characters of the longest chat message."""

MessageText = Annotated[str, Meta(min_length=1, max_length=MESSAGE_CHARACTERS)]
Reaction = Literal["hello", "thanks", "well played", "oops", "hot!", "hurry"]
Channel = Literal["lobby", "table", "whisper", "club"]


class MessageInfo(Struct, frozen=True, kw_only=True):
    """A chat message. `number` counts the messages of its channel from 1; `at_ms` is milliseconds since 1970.

    At a `table`, `seat` is the author's seat, None for a spectator. A whisper has a recipient, `to`, a message of a
    club has its id. `claimed` says that the author's name was claimed when they wrote it, `moderator` that they were a
    moderator of the server.
    """

    number: int
    at_ms: int
    channel: Channel
    name: str
    text: str
    table: str | None = None
    club: str | None = None
    seat: int | None = None
    to: str | None = None
    claimed: bool = False
    moderator: bool = False


class SayRequest(Params, frozen=True, kw_only=True):
    """Sends a message: to a `table`, to a `club`, to one user by name, or, with none of them, to the lobby."""

    text: MessageText
    table: ShortText | None = None
    club: ShortText | None = None
    to: Name | None = None


class SayReply(Reply, frozen=True, kw_only=True):
    """The message as its readers see it."""

    message: MessageInfo


class ReactRequest(OfTable, frozen=True, kw_only=True):
    """Shows a quick reaction at a table; reactions are not kept."""

    reaction: Reaction


class ReadChatRequest(Params, frozen=True, kw_only=True):
    """Requests the messages after number `since` of a channel; of whispers, those from and to the user."""

    channel: Channel = "lobby"
    table: ShortText | None = None
    club: ShortText | None = None
    since: Index = 0


class ReadChatReply(Reply, frozen=True, kw_only=True):
    """The messages, oldest first, as many as are kept."""

    messages: list[MessageInfo]


class IgnoreRequest(Params, frozen=True, kw_only=True):
    """Ignores a user: their messages, reactions and invitations do not arrive; or ends that."""

    name: Name
    ignored: bool = True


class IgnoredRequest(Params, frozen=True, kw_only=True):
    """Requests the list of ignored users."""


class IgnoredReply(Reply, frozen=True, kw_only=True):
    """The users whom this user ignores."""

    names: list[str]


class MuteRequest(OfTable, frozen=True, kw_only=True):
    """Mutes a user at a table, or unmutes them. Only the host may."""

    name: Name
    muted: bool = True


class SaidNotice(Struct, frozen=True, kw_only=True):
    """`chat.said`: a new message in one of the user's channels."""

    message: MessageInfo


class ReactedNotice(Struct, frozen=True, kw_only=True):
    """`chat.reacted`: a reaction at one of the user's tables."""

    table: str
    name: str
    seat: int | None
    reaction: Reaction
