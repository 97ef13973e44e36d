"""Messages of doors: processes that host the clients of many users, over ssh or in a browser."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from scoville_shared import HIGHEST_PORT
from scoville_shared.protocol.messages.base import VERBATIM, Index, Key, Params, Reply, ShortText
from scoville_shared.values import Plain

DoorTransport = Literal["ssh", "web"]
"""How a hosted user is connected to the door."""

SETTINGS_BYTES = 4096
"""Most bytes of a user's settings as MessagePack."""

DoorCredential = Annotated[str, Meta(max_length=64), VERBATIM]
Address = Annotated[str, Meta(max_length=64), VERBATIM]
ResumeCode = Annotated[str, Meta(max_length=64), VERBATIM]
WEB_CODE_CHARACTERS = 32
"""Characters of the longest code for a browser."""
WebCode = Annotated[str, Meta(max_length=WEB_CODE_CHARACTERS), VERBATIM]


class HostedUser(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The user whom a door hosts on this connection; the server believes it because of the `credential`.

    `address` is the IP address from which they came to the door, and `port` their port, for logs. `secure` says that
    nobody between them and the door can read or change what is sent. `key` is an SSH public key (one line) that they
    have proved to the door, `key_age_ms` before this request. `resume` is the resume code of an earlier session.
    """

    credential: DoorCredential
    transport: DoorTransport
    address: Address
    port: Annotated[int, Meta(ge=0, le=HIGHEST_PORT)] | None = None
    secure: bool = True
    key: Key | None = None
    key_age_ms: Index = 0
    resume: ResumeCode | None = None


DoorCountKind = Literal["connect", "disconnect", "refusal", "flood", "crash", "read", "sent"]
"""Kind of figure that a door counts."""


class DoorCount(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How often something has happened in a door, or how many bytes there were.

    `label` tells apart what has the same `kind`: modes of sessions (`screens`, `lines`) for `connect`, reasons for
    `disconnect`, codes for `refusal`, kinds of exceptions for `crash`; empty for the others.
    """

    kind: DoorCountKind
    label: ShortText
    count: Index


class ReportDoorRequest(Params, frozen=True, kw_only=True):
    """Reports a door's figures, so that its server shows them; the server believes it because of the `credential`.

    `process` is a random text that the process of the door has chosen. `counts` have come since its last report, whose
    `number` was one less: a repeated number is counted once. `screen_sessions` and `line_sessions` are present ones.
    """

    credential: DoorCredential
    transport: DoorTransport
    process: ShortText
    number: Index
    screen_sessions: Index
    line_sessions: Index
    counts: Annotated[list[DoorCount], Meta(max_length=64)]


class ShowSettingsRequest(Params, frozen=True, kw_only=True):
    """Requests the settings of the client that the server keeps for the user."""


class SettingsReply(Reply, frozen=True, kw_only=True):
    """The settings as the user's client saved them, None if there are none."""

    client_settings: Plain | None = None


class SaveSettingsRequest(Params, frozen=True, kw_only=True):
    """Saves the settings of the user's client, in place of all earlier ones. The server does not read them."""

    client_settings: Plain


class CreateWebCodeRequest(Params, frozen=True, kw_only=True):
    """Creates a one-time code with which the user logs in in a browser; an earlier one is void."""


class CreateWebCodeReply(Reply, frozen=True, kw_only=True):
    """The code, and for how many milliseconds it is valid."""

    code: str
    valid_ms: int


class LoginByWebCodeRequest(Params, frozen=True, kw_only=True):
    """Logs in with a one-time code of `account.create_web_code`; case, spaces and hyphens do not matter."""

    code: WebCode


class AddDoorKeyRequest(Params, frozen=True, kw_only=True):
    """Adds to the user's account the SSH key that they proved to the door. Needs a fresh proof."""
