"""How well a connection is protected, and which proofs of identity are taken on it."""

from collections.abc import Mapping
from typing import Final, Literal

from scoville_server.net.service import Peer
from scoville_shared.errors import Code, ScovilleError

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
    """Check that a user may be somebody with a name on this connection. Raises ScovilleError `insecure`."""
    if channel_of(peer) == "plain":
        raise ScovilleError(Code.INSECURE, "Without encryption you play as a guest: names need TLS or HTTPS.")


def proofs_on(peer: Peer) -> list[str]:
    """List the proofs that a connection can give, `door_key` for a key that was proved to the door."""
    proofs: list[str] = [*PROOFS[channel_of(peer)]]
    return [*proofs, "door_key"] if peer.door is not None and peer.door.key and channel_of(peer) == "door" else proofs
