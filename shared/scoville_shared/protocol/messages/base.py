"""What all messages are made of."""

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

PROTOCOL = 1
"""Raised when an older client could no longer understand what it is sent."""

VERBATIM = "verbatim"
"""Marks a text that is taken as it is, and shown to nobody; a server cleans all others."""

Plain = dict[str, Any]
Name = Annotated[str, Meta(max_length=24)]
ShortText = Annotated[str, Meta(max_length=64)]
Nonce = Annotated[str, Meta(max_length=64, pattern=r"^([0-9a-f]{2})*$")]
"""Hex of up to 32 bytes."""
Password = Annotated[str, Meta(max_length=128), VERBATIM]
Key = Annotated[str, Meta(max_length=8_192), VERBATIM]
"""A public key of SSH as one line, or a signature of one, base64."""
Index = Annotated[int, Meta(ge=0, le=2**53)]

Seconds = Annotated[float, Meta(ge=0, le=604_800)]
"""Up to a week; where it limits something, 0 is no limit."""

TableStatus = Literal["waiting", "playing", "finished"]
Mover = Literal["player", "clock", "bot"]


class Params(Struct, frozen=True, gc=False, kw_only=True, forbid_unknown_fields=True):
    """What a request says. Every method has a type of its own, so the type names the method."""


class Reply(Struct, frozen=True, gc=False, kw_only=True):
    """What a request is answered with."""


class Empty(Reply, frozen=True, kw_only=True):
    """Done; there is nothing to tell."""


class OfTable(Params, frozen=True, kw_only=True):
    """Names the table it is about."""

    table: ShortText
