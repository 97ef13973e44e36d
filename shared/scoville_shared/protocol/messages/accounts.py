"""Messages of accounts: claimed names, log-in, tokens and SSH keys."""

from msgspec import Struct

from scoville_shared.protocol.messages.base import Key, Name, Params, Password, Reply, ShortText


class ClaimNameRequest(Params, frozen=True, kw_only=True):
    """Claims my present name: with a `password`, with a `key` and its `signature`, or both."""

    password: Password = ""
    key: Key = ""
    signature: Key = ""


class LoginRequest(Params, frozen=True, kw_only=True):
    """Logs in to a claimed name with its password."""

    name: Name
    password: Password


class ChallengeRequest(Params, frozen=True, kw_only=True):
    """Requests the text that an SSH key has to sign."""


class ChallengeReply(Reply, frozen=True, kw_only=True):
    """The text to sign, valid for one use on this connection."""

    challenge: str


class LoginByKeyRequest(Params, frozen=True, kw_only=True):
    """Logs in with an SSH key (one line) and its signature of the challenge."""

    key: Key
    signature: Key


class LoginReply(Reply, frozen=True, kw_only=True):
    """Who I am now, and the token for reconnecting."""

    name: str
    token: str


class ChangePasswordRequest(Params, frozen=True, kw_only=True):
    """Sets another password; `old` is the present one, empty if there is none."""

    new: Password
    old: Password = ""


class AddKeyRequest(Params, frozen=True, kw_only=True):
    """Adds an SSH key to my account."""

    key: Key
    signature: Key


class RemoveKeyRequest(Params, frozen=True, kw_only=True):
    """Removes an SSH key, named by its fingerprint."""

    fingerprint: ShortText


class KeyInfo(Struct, frozen=True, kw_only=True):
    """One of my SSH keys. Times are milliseconds since 1970."""

    fingerprint: str
    comment: str
    added_ms: int


class TokenInfo(Struct, frozen=True, kw_only=True):
    """One of my tokens, by a short `id` that gives no access; `current` is this connection's."""

    id: str
    client: str
    created_ms: int
    used_ms: int
    expires_ms: int
    current: bool


class ShowAccountRequest(Params, frozen=True, kw_only=True):
    """Requests what the server keeps about me."""


class AccountReply(Reply, frozen=True, kw_only=True):
    """What the server keeps about me, and my credentials."""

    name: str
    claimed: bool
    password: bool
    keys: list[KeyInfo]
    tokens: list[TokenInfo]


class RevokeTokenRequest(Params, frozen=True, kw_only=True):
    """Revokes a token and closes its connection; an empty `id` means all but this one."""

    id: ShortText = ""


class LogoutRequest(Params, frozen=True, kw_only=True):
    """Revokes this connection's token; I become a new guest."""


class ReleaseNameRequest(Params, frozen=True, kw_only=True):
    """Releases my claimed name and deletes the account. The password is required, if there is one."""

    password: Password = ""
