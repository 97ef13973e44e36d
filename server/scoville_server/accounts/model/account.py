"""What is stored of a user's credentials. Times are milliseconds since 1970."""

from msgspec import Struct

from scoville_shared.ids import UserId


class Token(Struct, frozen=True, kw_only=True):
    """A token, stored as the SHA-256 of its secret; `id` names it to its owner and gives no access.

    `client` is the program it was issued to.
    """

    user: UserId
    id: str
    client: str
    created_ms: int
    used_ms: int
    expires_ms: int


class SshKey(Struct, frozen=True, kw_only=True):
    """A public SSH key: `line` is its type and base64, `fingerprint` has the format of `ssh-keygen -l`."""

    fingerprint: str
    line: str
    comment: str
    added_ms: int = 0


class Account(Struct, frozen=True, kw_only=True):
    """A claimed name. `password` is an argon2 hash, empty for none."""

    name: str
    since_ms: int
    password: str = ""
    keys: tuple[SshKey, ...] = ()

    @property
    def proofs(self) -> int:
        """The number of credentials by which its owner can log in."""
        return bool(self.password) + len(self.keys)
