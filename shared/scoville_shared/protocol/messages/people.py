"""Who and what is here: the first call of a connection."""

from typing import Annotated

from msgspec import Meta, Struct

from scoville_shared.protocol.messages.base import VERBATIM, Index, Name, Params, Plain, Reply, ShortText


class Hello(Params, frozen=True, kw_only=True):
    """The first call of every connection. An empty `name` asks for a friendly one; `token` brings a person back."""

    protocol: Index
    client: ShortText = ""
    name: Name = ""
    token: ShortText = ""


class GameInfo(Struct, frozen=True, kw_only=True):
    """A game that can be played here; `options` are all its options with their defaults."""

    slug: str
    title: str
    seats: tuple[int, int]
    official: tuple[int, int]
    rules_version: int
    options: Plain


class Welcome(Reply, frozen=True, kw_only=True):
    """The server's answer to `hello`. `token` proves this person to later connections: keep it secret.

    `claimed` says that the name is theirs for good, `name_claimed` that the one they asked for is somebody else's.
    """

    protocol: int
    server: str
    name: str
    token: str
    games: list[GameInfo]
    claimed: bool = False
    name_claimed: bool = False


class Ping(Params, frozen=True, kw_only=True):
    """Asks for its `payload` back."""

    payload: Annotated[str, Meta(max_length=1024), VERBATIM] = ""


class Pong(Reply, frozen=True, kw_only=True):
    """The payload of the ping."""

    payload: str
