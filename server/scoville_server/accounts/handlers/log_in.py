"""Handlers of log-ins: challenge, password, SSH key, recovery code, fresh proofs, and logging out."""

import secrets
from typing import Protocol

from scoville_server.accounts.channel import channel_of, check_proof
from scoville_server.accounts.connection import Connection, Handlers
from scoville_server.accounts.model.account import Origin, SshKey
from scoville_server.accounts.model.marks import Marks
from scoville_server.accounts.proofs import Signed, wrong_login
from scoville_server.accounts.service import AccountService
from scoville_server.accounts.sessions import User
from scoville_server.accounts.users import Users
from scoville_server.identity.key import ServerKey
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol import messages as m
from scoville_shared.protocol.proofs import Purpose, proof_text

_NONCE_BYTES = 32


class LogInCore(Protocol):
    """The services that log-ins need."""

    accounts: AccountService
    users: Users
    server_key: ServerKey

    def check_may_come(self, user: User) -> None:
        """Check that a user is not banned. Raises ScovilleError."""

    def check_not_playing(self, user: User) -> None:
        """Check that a user has no seat in a game. Raises ScovilleError."""

    async def note_recovery(self, user: User) -> None:
        """Write a recovery to the audit log."""


class AccountConnection(Connection, Protocol):
    """The interface of a connection for the handlers of accounts.

    `nonce` is that of the last challenge until it is used; `fresh_until` is how long credentials may be changed.
    """

    nonce: str
    fresh_until: float

    def become(self, user: User, key: str) -> None:
        """Make this the connection of another user, in the session `key`."""

    @property
    def core(self) -> LogInCore:
        """The services."""


def _challenge(connection: AccountConnection, _: m.ChallengeRequest) -> m.ChallengeReply:
    connection.nonce = secrets.token_hex(_NONCE_BYTES)
    return m.ChallengeReply(nonce=connection.nonce)


async def _log_in(connection: AccountConnection, p: m.LoginRequest) -> m.LoginReply:
    check_proof(connection.peer, "password")
    connection.core.check_not_playing(connection.user)
    user = await connection.core.accounts.proofs.by_password(p.name, p.password, connection.source)
    return await come_in(connection, user, "password")


async def _log_in_by_key(connection: AccountConnection, p: m.LoginByKeyRequest) -> m.LoginReply:
    connection.core.check_not_playing(connection.user)
    proof = signed(connection, "log-in", p.name, p.key, p.signature)
    user = await connection.core.accounts.proofs.by_key(p.name, proof, connection.source)
    return await come_in(connection, user, "ssh_key")


async def _recover(connection: AccountConnection, p: m.RecoverRequest) -> m.LoginReply:
    check_proof(connection.peer, "password")
    connection.core.check_not_playing(connection.user)
    user = await connection.core.accounts.recover(p.name, p.code, p.password, connection.source)
    await connection.core.note_recovery(user)
    return await come_in(connection, user, "recovery")


async def _confirm(connection: AccountConnection, p: m.ConfirmRequest) -> m.Empty:
    user, core = connection.user, connection.core
    core.users.claims.held(user.id)
    if p.key:
        proof = signed(connection, "confirm", user.name, p.key, p.signature or "")
        confirmed = await core.accounts.proofs.by_key(user.name, proof, connection.source)
    else:
        check_proof(connection.peer, "password")
        confirmed = await core.accounts.proofs.by_password(user.name, p.password or "", connection.source)
    if confirmed is not connection.user:
        raise wrong_login()
    connection.fresh_until = core.accounts.fresh_until()
    return m.Empty()


async def _log_out(connection: AccountConnection, _: m.LogoutRequest) -> m.LoginReply:
    user, users = connection.user, connection.core.users
    connection.core.check_not_playing(connection.user)
    connection.core.accounts.check_pace(connection.source)
    client, session = users.client_of(user), user.session
    user.session = ""
    await users.end_sessions(user, [session])
    connection.core.check_not_playing(connection.user)
    reply = become_guest(connection, client)
    users.forget_if_lost(user)
    return reply


def become_guest(connection: AccountConnection, client: str) -> m.LoginReply:
    """Make a connection that of a new guest, who watches nothing."""
    greeted = connection.core.users.greet(m.HelloRequest(protocol=m.PROTOCOL, client=client), connection.peer)
    connection.become(greeted.user, greeted.user.session)
    return m.LoginReply(name=greeted.user.name, token=greeted.token)


async def come_in(connection: AccountConnection, user: User, origin: Origin, parent: str = "") -> m.LoginReply:
    """Make a connection that of a user who has logged in, once the session is kept; it ends with its `parent`.

    Raises ScovilleError `banned`: the guest as whom the connection was greeted may not have been.
    """
    users = connection.core.users
    connection.core.check_may_come(user)
    token, key = users.new_session(user, users.client_of(connection.user), origin, Marks(parent=parent))
    await users.remember(user)
    connection.core.check_may_come(user)
    connection.core.check_not_playing(connection.user)
    connection.become(user, key)
    connection.fresh_until = connection.core.accounts.fresh_until()
    users.warnings.send(user)
    return m.LoginReply(name=user.name, token=token)


def signed(connection: AccountConnection, purpose: Purpose, name: str, key: str, signature: str) -> Signed:
    """Compose what a key must have signed on this connection, and use up the nonce, whatever the result.

    Raises ScovilleError `insecure`, `bad_key`.
    """
    nonce, connection.nonce = connection.nonce, ""
    check_proof(connection.peer, "ssh_key")
    if not nonce:
        raise ScovilleError(Code.BAD_KEY, "Request a challenge first; each one is valid for a single signature.")
    server_key = connection.core.server_key.public.hex()
    return Signed(key, signature, proof_text(purpose, server_key, name, nonce))


async def door_key(connection: AccountConnection) -> SshKey:
    """Return the key that the user of a connection has proved to their door. Raises ScovilleError `bad_key`."""
    door = connection.peer.door
    if door is None or not door.key or channel_of(connection.peer) != "door":
        raise ScovilleError(Code.BAD_KEY, "You have proved no SSH key to a door on this connection.")
    return await connection.core.accounts.proofs.read(door.key, connection.source)


HANDLERS: Handlers[AccountConnection] = {
    m.ChallengeRequest: _challenge,
    m.LoginRequest: _log_in,
    m.LoginByKeyRequest: _log_in_by_key,
    m.RecoverRequest: _recover,
    m.ConfirmRequest: _confirm,
    m.LogoutRequest: _log_out,
}
