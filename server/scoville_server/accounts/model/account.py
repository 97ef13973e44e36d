"""Stored credentials of a user. Times are milliseconds since 1970."""

from typing import Literal

from msgspec import Struct

from scoville_shared.ids import UserId

Origin = Literal["guest", "password", "ssh_key", "recovery", "web_code"]
"""How a session began: as a guest, by a credential, an admin's recovery code, or a code for the browser."""


class UserSession(Struct, frozen=True, kw_only=True):
    """A session: the programs that show its tokens are its user, one after the other.

    `id` names it to its owner and gives no access; `client` is the program for which it began. `step` and `mark` are
    those of the newest token that was used; `secret` seals its tokens (see `accounts.tokens`). `key`, `resume` and
    `parent` are its marks (see `accounts.model.marks`).
    """

    user: UserId
    id: str
    client: str
    origin: Origin
    secret: bytes
    step: int
    mark: bytes
    created_ms: int
    used_ms: int
    expires_ms: int
    key: str = ""
    resume: bytes = b""
    parent: str = ""


class SshKey(Struct, frozen=True, kw_only=True):
    """A public SSH key: `line` is its type and base64, `fingerprint` has the format of `ssh-keygen -l`."""

    fingerprint: str
    line: str
    comment: str
    added_ms: int = 0


class RetiredName(Struct, frozen=True, kw_only=True):
    """The name of a deleted account: nobody can claim it until the time given here."""

    name: str
    until_ms: int


class Account(Struct, frozen=True, kw_only=True):
    """A claimed name. `password` is an argon2 hash, empty for none."""

    name: str
    since_ms: int
    password: str = ""
    keys: tuple[SshKey, ...] = ()

    @property
    def proof_count(self) -> int:
        """The number of credentials by which its owner can log in."""
        return bool(self.password) + len(self.keys)
