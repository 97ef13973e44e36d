"""Users whom doors host: who they are by a proved SSH key or a resume code, and by what they return."""

import hashlib
import hmac
from typing import Final, NamedTuple

from scoville_server.accounts.connection import channel_of
from scoville_server.accounts.login_guesses import LogInGuesses
from scoville_server.accounts.model import word_codes
from scoville_server.accounts.model.account import Marks, Origin, UserSession
from scoville_server.accounts.sessions import Opened, User
from scoville_server.accounts.users import Users
from scoville_server.limits.throttle import Source
from scoville_server.net.peer import Peer
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import UserId
from scoville_shared.networks import network_of, networks_of
from scoville_shared.protocol.messages import HelloRequest, HostedUser

_WORDS, _MORE_WORDS = 3, 4
_FEW: Final = 256
"""Codes at a time until new ones have four words. One of three words is one of 29 million, and all addresses together
guess some thousand times a day."""
_PURPOSE: Final = b"scoville/resume/1\0"


class ResumeCodes:
    """Draws codes and digests them. Only digests are kept: without the secret nobody finds the codes behind them."""

    def __init__(self) -> None:
        self._secret = b""

    def use_secret(self, secret: str) -> None:
        """Digest with a secret that is the same after a restart."""
        self._secret = secret.encode()

    def digest_code(self, written: str) -> bytes:
        """Return the digest of a code as users type it."""
        return hmac.digest(self._secret, _PURPOSE + word_codes.read_code(written).encode(), hashlib.sha256)[:16]

    def draw_code(self, taken: int) -> str:
        """Draw a code, beside so many that are in use."""
        return word_codes.draw_code(_WORDS if taken < _FEW else _MORE_WORDS)


_RESUME: Final = "\0resume codes"
"""The target of guesses beside the names."""


class ReturningUser(NamedTuple):
    """A user who returns, and the session that the new one replaces, empty for none."""

    user: User
    session: str
    marks: Marks
    origin: Origin


class HostedUsers:
    """Finds the users of doors. A key belongs to the account that has it, else to one guest; a code to one guest.

    Both are marks of the guest's session, so that they end with it, and are as durable.
    """

    def __init__(self, users: Users, guesses: LogInGuesses) -> None:
        self._users = users
        self._guesses = guesses
        self._codes = ResumeCodes()

    def use_secret(self, secret: str) -> None:
        """Digest resume codes with a secret that is the same after a restart."""
        self._codes.use_secret(secret)

    def is_known_user(self, hello: HelloRequest) -> bool:
        """Whether a hello that a door has proved comes from a user who owns a name, has a seat, or was here before."""
        try:
            found = (
                None if hello.door is None else self._find_by_code(hello.door) or self._find_by_key(key_of(hello.door))
            )
        except ScovilleError:
            return False
        return found is not None and self._users.sessions.is_known(found.user)

    def find_returning(self, hello: HelloRequest, peer: Peer) -> ReturningUser | None:
        """Find the user whom a door hosts, if no valid token says who it is; nothing changes but counts of guesses.

        Raises ScovilleError `bad_key`, `insecure`, `wrong_code`, `slow_down`.
        """
        door = peer.door
        if door is None:
            return None
        fingerprint = key_of(door)
        by_token = self._users.sessions.find_by_token(hello.token or "", self._users.time.now_ms())
        if channel_of(peer) == "plain" and (fingerprint or (by_token is not None and by_token.claimed)):
            raise ScovilleError(Code.INSECURE, "Without encryption you play as a guest: names need HTTPS.")
        # The token names the user already; what the door has proved only binds the guest (`bind_guest`).
        if by_token is not None:
            return None
        return self._find_by_guess(door, peer) if door.resume else self._find_by_key(fingerprint)

    def _find_by_guess(self, door: HostedUser, peer: Peer) -> ReturningUser:
        """Find a guest by a resume code; a wrong one counts. Raises ScovilleError `wrong_code`, `slow_down`."""
        arrivals = self._users.sessions.arrivals
        networks = networks_of(peer.address)
        source = Source(f"{_RESUME} {network_of(peer.address)}", networks, 0, arrivals + 1, arrivals)
        with self._guesses.of_name(source, _RESUME, ()) as attempt:
            found = self._find_by_code(door)
            attempt.failed = found is None
        if found is None:
            raise ScovilleError(Code.WRONG_CODE, "No guest has this resume code; it may have ended.")
        return found

    def _find_by_code(self, door: HostedUser) -> ReturningUser | None:
        tokens = self._users.tokens
        key = tokens.marks.of_resume(self._codes.digest_code(door.resume)) if door.resume else None
        return None if key is None else self._find_guest(key)

    def _find_by_key(self, fingerprint: str) -> ReturningUser | None:
        if not fingerprint:
            return None
        tokens, key = self._users.tokens, self._users.tokens.marks.of_key(fingerprint)
        owner = self._users.claims.find_key_owner(fingerprint)
        if owner is None:
            return None if key is None else self._find_guest(key)
        user = self._users.sessions.find_user(owner)
        assert user is not None, "a user with a claimed name is remembered"
        session = None if key is None else tokens.get_session(key)
        # The key may still mark the session of a guest, from before it was added to the account.
        mine = key is not None and session is not None and session.user == owner
        return ReturningUser(user, key if mine and key else "", Marks(key=fingerprint), "ssh_key")

    def _find_guest(self, key: str) -> ReturningUser | None:
        """Find the guest of a session; the owner of a name comes back by their credentials alone."""
        session = self._users.tokens.get_session(key)
        user = None if session is None else self._users.sessions.find_user(session.user)
        if session is None or user is None or user.claimed:
            return None
        return ReturningUser(user, key, marks_of(session), session.origin)

    def open_session(self, found: ReturningUser, client: str) -> Opened:
        """Begin the session of a user who returns, in place of the one that was found."""
        tokens, user = self._users.tokens, found.user
        shown, key = tokens.issue_token(
            user.id, client, found.origin, user.claimed, self._users.time.now_ms(), found.marks
        )
        # Browsers that logged in by a web code of the former session stay logged in.
        for child in tokens.marks.children_of(found.session):
            session = tokens.get_session(child)
            assert session is not None
            tokens.mark_session(child, marks_of(session)._replace(parent=key))
        if tokens.get_session(found.session) is not None:
            tokens.drop_sessions([found.session])
        return Opened(user, shown, key)

    def bind_guest(self, user: User, peer: Peer) -> str | None:
        """Bind a greeted guest to their key, or return the code by which they return; None if they have one."""
        door = peer.door
        tokens, session = self._users.tokens, self._users.tokens.get_session(user.session)
        if door is None or session is None or user.claimed:
            return None
        marks, code = marks_of(session), None
        fingerprint = key_of(door)
        if fingerprint:
            if self._find_by_key(fingerprint) is None:
                marks = marks._replace(key=fingerprint)
        elif door.transport == "ssh" and not marks.resume:
            code = self._codes.draw_code(tokens.marks.resume_codes)
            marks = marks._replace(resume=self._codes.digest_code(code))
        elif door.resume and marks.resume == self._codes.digest_code(door.resume):
            code = word_codes.read_code(door.resume)
        if marks != marks_of(session):
            tokens.mark_session(user.session, marks)
            self._users.write_sessions_soon(user)
        return code

    def fresh_until(self, user: User, peer: Peer) -> float:
        """Return until when (monotonic seconds) the owner of a name has freshly proved one of its keys to the door."""
        fingerprint = "" if peer.door is None else key_of(peer.door)
        if peer.door is None or not fingerprint or self._users.claims.find_key_owner(fingerprint) != user.id:
            return 0.0
        return self._users.time.seconds() + self._users.limits.value.proof_seconds - peer.door.key_age_ms / 1000


def key_of(door: HostedUser) -> str:
    """Return the fingerprint of the key that a user has proved to their door, empty for none. Raises BadKey."""
    if not door.key:
        return ""
    from scoville_server.accounts.model.ssh_keys import fingerprint_of  # late: see proofs.py

    return fingerprint_of(door.key)


def marks_of(session: UserSession) -> Marks:
    """Return the marks of a session."""
    return Marks(session.key, session.resume, session.parent)


def shown_keys(peer: Peer) -> frozenset[str]:
    """Return the fingerprint of the key that a door has seen proved on a connection, if any."""
    return frozenset(filter(None, () if peer.door is None else (key_of(peer.door),)))


def keys_of(users: Users, user: UserId) -> frozenset[str]:
    """Return the fingerprints of a user's keys: those of the account, and those that they have proved to doors."""
    account = users.claims.account_of(user)
    at_doors = frozenset(session.key for _, session in users.tokens.sessions_of(user) if session.key)
    return at_doors if account is None else at_doors | {key.fingerprint for key in account.keys}
