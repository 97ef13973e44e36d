"""Messages of greeting and server information."""

from typing import Annotated

from msgspec import Meta, Struct

from scoville_shared.protocol.messages.base import VERBATIM, Index, Name, Params, PublicKey, Reply, ShortText
from scoville_shared.values import Plain


class HelloRequest(Params, frozen=True, kw_only=True):
    """First request of every connection. An empty `name` requests a random one; `token` identifies a known user."""

    protocol: Index
    client: ShortText = ""
    name: Name = ""
    token: ShortText = ""


class GameInfo(Struct, frozen=True, kw_only=True):
    """A game of this server; `options` are all its options with their defaults."""

    slug: str
    title: str
    seat_range: tuple[int, int]
    official_range: tuple[int, int]
    rules_version: int
    options: Plain


class HelloReply(Reply, frozen=True, kw_only=True):
    """Reply to `hello`. `token` identifies this user on later connections: keep it secret.

    `server_key` is the server's public key: Ed25519, 32 bytes in hex.
    `claimed` says that the name is theirs for good, `name_claimed` that the requested one belongs to somebody else.
    """

    protocol: int
    server: str
    server_key: PublicKey
    name: str
    token: str
    games: list[GameInfo]
    claimed: bool = False
    name_claimed: bool = False


class PingRequest(Params, frozen=True, kw_only=True):
    """Requests its `payload` back."""

    payload: Annotated[str, Meta(max_length=1024), VERBATIM] = ""


class PingReply(Reply, frozen=True, kw_only=True):
    """The payload of the ping."""

    payload: str
