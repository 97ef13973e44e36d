"""One client's connection as handlers of requests see it: its user, how well it is protected, and what they may do."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, Literal, Protocol

from scoville_server.accounts.sessions import TAKEN_OVER, Sessions, User
from scoville_server.limits.throttle import Source
from scoville_server.net.peer import Peer
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.messages import Params, Reply

Channel = Literal["in_process", "tls", "door", "loopback", "plain"]
Proof = Literal["password", "ssh_key", "token"]

PROOFS: Final[Mapping[Channel, tuple[Proof, ...]]] = {
    "in_process": ("password", "ssh_key", "token"),
    "tls": ("password", "ssh_key", "token"),
    "door": ("password", "token"),
    "loopback": ("password", "token"),
    "plain": ("token",),
}
"""Proofs by channel. On plain loopback nobody on the network listens, but another program of this machine may relay
the connection, and a signature could not name the server at its end: so passwords are taken there, and keys are not.
Through a door nobody signs either: the door has seen the proof of a key."""

_WHY: Final[Mapping[Proof, str]] = {
    "password": "This connection is not encrypted: the server takes no passwords on it. Connect with TLS.",
    "ssh_key": "SSH keys are taken on encrypted connections only. Connect with TLS.",
    "token": "This server takes no tokens.",
}


def channel_of(peer: Peer) -> Channel:
    """Return how a connection is protected."""
    if not peer.address:
        return "in_process"
    if peer.door is not None:  # the door alone knows whether its user is at this computer or behind a proxy
        return "door" if peer.secure else "plain"
    if peer.secure:
        return "tls"
    return "loopback" if peer.local else "plain"


def check_proof(peer: Peer, proof: Proof) -> None:
    """Check that a connection is protected well enough for a proof. Raises ScovilleError `insecure`."""
    if proof not in PROOFS[channel_of(peer)]:
        raise ScovilleError(Code.INSECURE, _WHY[proof])


def check_named(peer: Peer) -> None:
    """Check that a user may claim or use a name on this connection. Raises ScovilleError `insecure`."""
    if channel_of(peer) == "plain":
        raise ScovilleError(Code.INSECURE, "Without encryption you play as a guest: names need TLS or HTTPS.")


def proofs_on(peer: Peer) -> list[str]:
    """List the proofs that a connection can give, `door_key` for a key that was proved to the door."""
    proofs: list[str] = [*PROOFS[channel_of(peer)]]
    return [*proofs, "door_key"] if peer.door is not None and peer.door.key and channel_of(peer) == "door" else proofs


# A protocol: bans and seats decide it, and those belong to features above the ones that ask.
class Permits(Protocol):
    """Checks of bans, of the shutdown, and of seats that bind a user; each raises ScovilleError."""

    def check_open(self) -> None:
        """Refuse to start anything new while the server drains. Raises ScovilleError `shutting_down`."""

    def check_may_log_in(self, user: User) -> None:
        """Check that a user is not banned from the server. Raises ScovilleError `banned`."""

    def check_not_playing(self, user: User) -> None:
        """Check that a user has no seat, except in finished games. Raises ScovilleError `seated`."""

    def check_may_talk(self, user: User) -> None:
        """Check that a user may chat on this server. Raises ScovilleError `banned`."""

    def check_may_play(self, user: User) -> None:
        """Check that a user may play here. Raises ScovilleError `banned` and `shutting_down`."""


Answer = Reply | Awaitable[Reply]


class ConnectedClient:
    """A connection and its user, who comes from `hello` or a log-in alone, never from another request.

    Attributes:
        peer: The connection itself.
        known_user: The greeted user, who may have been taken over since; None before `hello`.
        nonce: That of the last challenge until it is used; empty for none.
        fresh_until: Until when (monotonic seconds) the user may change credentials.
    """

    def __init__(self, peer: Peer, sessions: Sessions) -> None:
        self.peer = peer
        self.known_user: User | None = None
        self.nonce = ""
        self.fresh_until = 0.0
        self._sessions = sessions

    @property
    def user(self) -> User:
        """The connection's user. Raises ScovilleError before `hello`, and after a takeover."""
        if self.known_user is None:
            raise ScovilleError(Code.HELLO_FIRST, "The first request of a connection must be hello.")
        if self.known_user.peer is not self.peer:
            raise ScovilleError(Code.TAKEN_OVER, TAKEN_OVER.message)
        return self.known_user

    @property
    def source(self) -> Source:
        """Where a request comes from, for the limits. Raises ScovilleError as `user` does."""
        return self._sessions.source_of(self.user)


Handlers = Mapping[type[Params], Callable[[ConnectedClient, Any], Answer]]
"""A handler per kind of request. It gets the connection and the request, and may raise ScovilleError."""
