"""Names that are somebody's own, and how they prove it."""

from msgspec import Struct

from scoville_shared.protocol.messages.base import Key, Name, Params, Password, Reply, ShortText


class ClaimName(Params, frozen=True, kw_only=True):
    """Makes the name I bear mine for good: by a `password`, by a `key` with its `signature`, or by both."""

    password: Password = ""
    key: Key = ""
    signature: Key = ""


class LogIn(Params, frozen=True, kw_only=True):
    """Proves by a password that a claimed name is mine."""

    name: Name
    password: Password


class AskChallenge(Params, frozen=True, kw_only=True):
    """Asks for what a key has to sign to prove that it is mine."""


class Challenge(Reply, frozen=True, kw_only=True):
    """What the key signs: text, good for one use on this connection."""

    challenge: str


class LogInByKey(Params, frozen=True, kw_only=True):
    """Proves by a key of SSH (one line) and its signature of the challenge who I am."""

    key: Key
    signature: Key


class LoggedIn(Reply, frozen=True, kw_only=True):
    """Who I am from now on, and the token by which later connections are me."""

    name: str
    token: str


class ChangePassword(Params, frozen=True, kw_only=True):
    """Sets another password; `old` is the one before, empty when there was none."""

    new: Password
    old: Password = ""


class AddKey(Params, frozen=True, kw_only=True):
    """Lets a key of SSH prove that I am I as well."""

    key: Key
    signature: Key


class RemoveKey(Params, frozen=True, kw_only=True):
    """Lets a key, named by its fingerprint, prove nothing any more."""

    fingerprint: ShortText


class KeyInfo(Struct, frozen=True, kw_only=True):
    """A key of mine. Times are milliseconds since 1970."""

    fingerprint: str
    comment: str
    added_ms: int


class TokenInfo(Struct, frozen=True, kw_only=True):
    """A token of mine, by a short `id` that lets nobody in; `current` is this connection's."""

    id: str
    client: str
    created_ms: int
    used_ms: int
    expires_ms: int
    current: bool


class AskAccount(Params, frozen=True, kw_only=True):
    """Asks what is kept of me."""


class Account(Reply, frozen=True, kw_only=True):
    """What is kept of me, and how I can prove who I am."""

    name: str
    claimed: bool
    password: bool
    keys: list[KeyInfo]
    tokens: list[TokenInfo]


class RevokeToken(Params, frozen=True, kw_only=True):
    """Makes a token worthless, and hangs up on whoever came in by it; an empty `id` means all but this one."""

    id: ShortText = ""


class LogOut(Params, frozen=True, kw_only=True):
    """Makes this connection's token worthless, and me a new guest."""


class ReleaseName(Params, frozen=True, kw_only=True):
    """Gives the claimed name up, with everything that is kept of it. A password, where there is one, is asked for."""

    password: Password = ""
