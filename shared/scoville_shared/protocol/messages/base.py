"""Base types of all messages."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from scoville_shared.text import LONGEST_NAME

PROTOCOL = 1
"""Version of the protocol; raised when older clients could not understand the messages any more."""

VERBATIM = "verbatim"
"""Marks a text that is taken literally and never shown; a server cleans all others."""

NAME_CHARACTERS = LONGEST_NAME
"""Characters of the longest name."""
SHORT_CHARACTERS = 64
"""Characters of the longest short text, such as a reason or the name of a tournament."""
PASSWORD_CHARACTERS = 128
"""Characters of the longest password, of a user, a table or the server."""
CODE_CHARACTERS = 64
"""Characters of the longest code that an admin gives to a user."""

# Patterns are those of ECMA-262, since the schema is read by validators everywhere. In Python `$` alone would allow for
# a line break at the end; together with the bound of the length it does not.
Name = Annotated[str, Meta(max_length=NAME_CHARACTERS)]
ShortText = Annotated[str, Meta(max_length=SHORT_CHARACTERS)]
Hash = Annotated[str, Meta(min_length=64, max_length=64, pattern=r"^[0-9a-f]{64}$")]
PublicKey = Annotated[str, Meta(min_length=64, max_length=64, pattern=r"^[0-9a-f]{64}$")]
"""The public key of a server: Ed25519, 32 bytes in hex, lower case."""
Signature = Annotated[str, Meta(min_length=128, max_length=128, pattern=r"^[0-9a-f]{128}$")]
"""A server's signature: Ed25519, 64 bytes in hex, lower case."""
Nonce = Annotated[str, Meta(min_length=64, max_length=64, pattern=r"^[0-9a-f]{64}$")]
"""32 bytes in hex, lower case."""
Password = Annotated[str, Meta(max_length=PASSWORD_CHARACTERS), VERBATIM]
Key = Annotated[str, Meta(max_length=8_192), VERBATIM]
"""An SSH public key as one line, or an SSH signature, base64."""
AdminCode = Annotated[str, Meta(max_length=CODE_CHARACTERS), VERBATIM]
"""The one-time code of an admin; case, spaces and hyphens do not matter."""
Index = Annotated[int, Meta(ge=0, le=2**53)]

LONGEST_MS = 604_800_000
"""The longest time of a clock or a pause: a week."""
Duration = Annotated[int, Meta(ge=1, le=LONGEST_MS)]
"""A time in milliseconds, up to a week; no limit is None, never 0."""

TableStatus = Literal["waiting", "playing", "finished"]


class Params(Struct, frozen=True, gc=False, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Params of a request. Every method has its own type, so the type names the method.

    Defaults are not sent: an older server would refuse a param that it does not know, even where it says nothing.
    """


class Reply(Struct, frozen=True, gc=False, kw_only=True):
    """Reply to a request."""


class Empty(Reply, frozen=True, kw_only=True):
    """Success without further content."""


class OfTable(Params, frozen=True, kw_only=True):
    """Params that name a table."""

    table: ShortText
