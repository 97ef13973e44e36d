"""Stored credentials of a user, and the marks of their sessions. Times are milliseconds since 1970.

Marks are the SSH key and the resume code by which a user of a door returns, and a parent session.
"""

from typing import Final, Literal, NamedTuple

from msgspec import Struct

from scoville_shared.ids import UserId

Origin = Literal["guest", "password", "ssh_key", "recovery", "web_code"]
"""How a session began: as a guest, by a credential, an admin's recovery code, or a code for the browser."""


class UserSession(Struct, frozen=True, kw_only=True):
    """A session: the programs that show its tokens are its user, one after the other.

    `id` names it to its owner and gives no access; `client` is the program for which it began. `step` and `mark` are
    those of the newest token that was used; `secret` seals its tokens (see `accounts.tokens`). `key`, `resume` and
    `parent` are its marks (see `Marks`).
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


class ClaimedBy(Struct, frozen=True):
    """Whose a look of a name is, or a key: a row of each, so that of several nodes one gives it to one user."""

    user: UserId


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


class Marks(NamedTuple):
    """Marks of a session; empty ones are none.

    `key` is the fingerprint of an SSH key that was proved to a door, `resume` the digest of a resume code, `parent` the
    key of the session that created the web code with which this one began.
    """

    key: str = ""
    resume: bytes = b""
    parent: str = ""


NO_MARKS: Final = Marks()


class MarkIndex:
    """Sessions by their marks, as their keys in `Tokens`."""

    def __init__(self) -> None:
        self._by_key: dict[str, str] = {}
        self._by_resume: dict[bytes, str] = {}
        self._children: dict[str, dict[str, None]] = {}

    @property
    def resume_codes(self) -> int:
        """How many resume codes there are."""
        return len(self._by_resume)

    def add_session(self, key: str, session: UserSession) -> None:
        """Note the marks of a session; marks move to the latest session that has them."""
        if session.key:
            self._by_key[session.key] = key
        if session.resume:
            self._by_resume[session.resume] = key
        if session.parent:
            self._children.setdefault(session.parent, {})[key] = None

    def remove_session(self, key: str, session: UserSession) -> None:
        """Forget the marks of a session."""
        # The mark may have moved to a later session, which keeps it.
        if self._by_key.get(session.key) == key:
            del self._by_key[session.key]
        if self._by_resume.get(session.resume) == key:
            del self._by_resume[session.resume]
        siblings = self._children.get(session.parent, {})
        siblings.pop(key, None)
        if not siblings:
            self._children.pop(session.parent, None)

    def of_key(self, fingerprint: str) -> str | None:
        """Find the session with an SSH key."""
        return self._by_key.get(fingerprint)

    def of_resume(self, digest: bytes) -> str | None:
        """Find the session with a resume code."""
        return self._by_resume.get(digest)

    def children_of(self, key: str) -> list[str]:
        """List the sessions that began with a web code of a session."""
        return [*self._children.get(key, ())]
