"""Handlers of accounts: claim, log in, password, SSH keys, release."""

import secrets
from typing import Final, Protocol

from scoville_server.accounts.connection import Connection, Handlers
from scoville_server.accounts.model.account import Origin, SshKey, UserSession
from scoville_server.accounts.model.ssh_keys import NAMESPACE
from scoville_server.accounts.service import AccountService, Signed
from scoville_server.accounts.sessions import User
from scoville_server.accounts.users import Users
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol import messages as m

_CHALLENGE: Final = f"{NAMESPACE.decode()} log-in "


class _Core(Protocol):
    accounts: AccountService
    people: Users

    def check_may_come(self, user: User) -> None: ...

    def check_not_playing(self, user: User) -> None: ...


class _Connection(Connection, Protocol):
    challenge: str

    def become(self, user: User, key: str) -> None: ...

    @property
    def core(self) -> _Core: ...


async def _claim(connection: _Connection, p: m.ClaimNameRequest) -> m.Empty:
    signed = _signed(connection, p.key or "", p.signature or "")
    key = await connection.core.accounts.proved(signed, connection.source) if p.key else None
    await connection.core.accounts.claim(connection.user, p.password or "", key, connection.source)
    return m.Empty()


async def _log_in(connection: _Connection, p: m.LoginRequest) -> m.LoginReply:
    connection.core.check_not_playing(connection.user)
    user = await connection.core.accounts.by_password(p.name, p.password, connection.source)
    return await _come_in(connection, user, "password")


def _challenge(connection: _Connection, _: m.ChallengeRequest) -> m.ChallengeReply:
    connection.challenge = _CHALLENGE + secrets.token_urlsafe(24)
    return m.ChallengeReply(challenge=connection.challenge)


async def _log_in_by_key(connection: _Connection, p: m.LoginByKeyRequest) -> m.LoginReply:
    connection.core.check_not_playing(connection.user)
    user = await connection.core.accounts.by_key(_signed(connection, p.key, p.signature), connection.source)
    return await _come_in(connection, user, "ssh_key")


async def _change_password(connection: _Connection, p: m.ChangePasswordRequest) -> m.Empty:
    await connection.core.accounts.change_password(connection.user, p.new, p.old or "", connection.source)
    return m.Empty()


async def _add_key(connection: _Connection, p: m.AddKeyRequest) -> m.Empty:
    key = await connection.core.accounts.proved(_signed(connection, p.key, p.signature), connection.source)
    await connection.core.accounts.add_key(connection.user, connection.source, key)
    return m.Empty()


async def _remove_key(connection: _Connection, p: m.RemoveKeyRequest) -> m.Empty:
    await connection.core.accounts.remove_key(connection.user, connection.source, p.fingerprint)
    return m.Empty()


def _show(connection: _Connection, _: m.ShowAccountRequest) -> m.AccountReply:
    user, people = connection.user, connection.core.people
    account = people.claims.of(user.id)
    return m.AccountReply(
        name=user.name,
        claimed=account is not None,
        has_password=account is not None and bool(account.password),
        keys=[_key_info(key) for key in (account.keys if account else ())],
        sessions=[_session_info(each, current=key == user.session) for key, each in people.tokens.of(user.id)],
        warnings=[*people.warnings.of(user.id, people.time.now_ms())],
    )


async def _end_session(connection: _Connection, p: m.EndSessionRequest) -> m.Empty:
    user, people = connection.user, connection.core.people
    mine = people.tokens.of(user.id)
    ended = [key for key, session in mine if (session.id == p.id if p.id else key != user.session)]
    if p.id and not ended:
        raise ScovilleError(Code.BAD_PARAMS, f"You have no session {p.id}.")
    connection.core.accounts.check_pace(connection.source)
    await people.end_sessions(user, ended)
    return m.Empty()


async def _log_out(connection: _Connection, _: m.LogoutRequest) -> m.LoginReply:
    user, people = connection.user, connection.core.people
    connection.core.check_not_playing(connection.user)
    connection.core.accounts.check_pace(connection.source)
    session, hello = user.session, m.HelloRequest(protocol=m.PROTOCOL, client=people.client_of(user))
    user.session = ""
    await people.end_sessions(user, [session])
    connection.core.check_not_playing(connection.user)
    greeted = people.greet(hello, connection.peer)
    connection.become(greeted.user, greeted.user.session)
    people.forget_if_lost(user)
    return m.LoginReply(name=greeted.user.name, token=greeted.token)


async def _release(connection: _Connection, p: m.ReleaseNameRequest) -> m.Empty:
    await connection.core.accounts.release(connection.user, p.password or "", connection.source)
    return m.Empty()


async def _come_in(connection: _Connection, user: User, origin: Origin) -> m.LoginReply:
    """Make a connection that of a user who has logged in, once the token for reconnecting is kept.

    Raises ScovilleError `banned`: the guest as whom the connection was greeted may not have been.
    """
    people = connection.core.people
    connection.core.check_may_come(user)
    token, key = people.new_session(user, people.client_of(connection.user), origin)
    await people.remember(user)
    connection.core.check_may_come(user)
    connection.core.check_not_playing(connection.user)
    connection.become(user, key)
    people.send_warnings(user)
    return m.LoginReply(name=user.name, token=token)


def _signed(connection: _Connection, key: str, signature: str) -> Signed:
    """Use up the challenge, whatever the result."""
    challenge, connection.challenge = connection.challenge, ""
    return Signed(key, signature, challenge)


def _key_info(key: SshKey) -> m.KeyInfo:
    return m.KeyInfo(fingerprint=key.fingerprint, comment=key.comment or None, added_ms=key.added_ms)


def _session_info(session: UserSession, *, current: bool) -> m.SessionInfo:
    return m.SessionInfo(
        id=session.id,
        client=session.client or None,
        origin=session.origin,
        created_ms=session.created_ms,
        used_ms=session.used_ms,
        expires_ms=session.expires_ms,
        current=current,
    )


HANDLERS: Handlers[_Connection] = {
    m.ClaimNameRequest: _claim,
    m.LoginRequest: _log_in,
    m.ChallengeRequest: _challenge,
    m.LoginByKeyRequest: _log_in_by_key,
    m.ChangePasswordRequest: _change_password,
    m.AddKeyRequest: _add_key,
    m.RemoveKeyRequest: _remove_key,
    m.ShowAccountRequest: _show,
    m.EndSessionRequest: _end_session,
    m.LogoutRequest: _log_out,
    m.ReleaseNameRequest: _release,
}
