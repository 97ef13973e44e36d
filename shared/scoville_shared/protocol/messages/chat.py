"""What people say to each other."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from scoville_shared.protocol.messages.base import Index, Name, OfTable, Params, Reply, ShortText

Talk = Annotated[str, Meta(min_length=1, max_length=500)]
Reaction = Literal["hello", "thanks", "well played", "oops", "hot!", "hurry"]
Channel = Literal["lobby", "table", "whisper"]


class ChatLine(Struct, frozen=True, kw_only=True):
    """Something that was said. `n` counts the lines of its channel from 1; `at_ms` is milliseconds since 1970.

    At a `table`, `seat` is where the speaker sits, None for a spectator. A whisper is `to` somebody.
    """

    n: int
    at_ms: int
    channel: Channel
    name: str
    text: str
    table: str = ""
    seat: int | None = None
    to: str = ""


class Say(Params, frozen=True, kw_only=True):
    """Says something: at a `table`, to somebody alone by name, or, with neither, in the lobby."""

    text: Talk
    table: ShortText = ""
    to: Name = ""


class Said(Reply, frozen=True, kw_only=True):
    """The line as the others read it."""

    line: ChatLine


class React(OfTable, frozen=True, kw_only=True):
    """Shows a quick reaction at a table; it is not kept."""

    reaction: Reaction


class ReadChat(Params, frozen=True, kw_only=True):
    """Asks for the latest lines after number `since` of a channel; of whispers, those from and to me."""

    channel: Channel = "lobby"
    table: ShortText = ""
    since: Index = 0


class ChatHistory(Reply, frozen=True, kw_only=True):
    """The lines, oldest first, as many as are kept."""

    lines: list[ChatLine]


class Ignore(Params, frozen=True, kw_only=True):
    """Hears nothing of somebody any more, neither lines nor reactions nor invitations; or hears them again."""

    name: Name
    ignored: bool = True


class ListIgnored(Params, frozen=True, kw_only=True):
    """Asks whom I ignore."""


class Ignored(Reply, frozen=True, kw_only=True):
    """Whom I ignore."""

    names: list[str]


class MuteAt(OfTable, frozen=True, kw_only=True):
    """Lets somebody say nothing at a table any more, or again. Only the host may."""

    name: Name
    muted: bool = True


class ChatNotice(Struct, frozen=True, kw_only=True):
    """`chat.said`: somebody has said something where you are."""

    line: ChatLine


class ReactionNotice(Struct, frozen=True, kw_only=True):
    """`chat.reacted`: somebody at your table shows a reaction."""

    table: str
    name: str
    seat: int | None
    reaction: Reaction
