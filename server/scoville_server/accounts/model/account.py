"""What is kept of how somebody proves who they are. Times are milliseconds since 1970."""

from msgspec import Struct

from scoville_shared.ids import UserId


class Token(Struct, frozen=True, kw_only=True):
    """A token, kept by the SHA-256 of what its bearer shows; `id` names it to its owner and lets nobody in.

    `client` is the program it was given to.
    """

    person: UserId
    id: str
    client: str
    created_ms: int
    used_ms: int
    expires_ms: int


class SshKey(Struct, frozen=True, kw_only=True):
    """A public key of SSH: `line` is its kind and its base64, `fingerprint` is written as `ssh-keygen -l` does."""

    fingerprint: str
    line: str
    comment: str
    added_ms: int = 0


class Account(Struct, frozen=True, kw_only=True):
    """A claimed name. `password` is an argon2 hash, empty where there is none."""

    name: str
    since_ms: int
    password: str = ""
    keys: tuple[SshKey, ...] = ()

    @property
    def proofs(self) -> int:
        """By how many things its owner can prove to be it."""
        return bool(self.password) + len(self.keys)
