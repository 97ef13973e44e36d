"""Handlers of accounts: claim a name, credentials, sessions, release and deletion."""

from scoville_server.accounts.channel import check_proof
from scoville_server.accounts.connection import Handlers
from scoville_server.accounts.handlers.log_in import AccountConnection, become_guest, door_key, signed
from scoville_server.accounts.model.account import SshKey, UserSession
from scoville_server.accounts.sessions import User
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol import messages as m


async def _claim(connection: AccountConnection, p: m.ClaimNameRequest) -> m.Empty:
    user, accounts, key = connection.user, connection.core.accounts, None
    if p.password:
        check_proof(connection.peer, "password")
    if p.door_key:
        key = await door_key(connection)
    elif p.key:
        proof = signed(connection, "claim", user.name, p.key, p.signature or "")
        key = await accounts.proofs.proved(proof, connection.source)
    await accounts.claim(connection.user, p.password or "", key, connection.source)
    connection.fresh_until = accounts.fresh_until()
    return m.Empty()


async def _change_password(connection: AccountConnection, p: m.ChangePasswordRequest) -> m.ChangePasswordReply:
    check_proof(connection.peer, "password")
    user, users = _proved(connection), connection.core.users
    before = len(users.tokens.of(user.id))
    await connection.core.accounts.change_password(user, p.new, connection.source, ends=lambda key: key != user.session)
    account = users.claims.held(user.id)
    ended = before - len(users.tokens.of(user.id))
    return m.ChangePasswordReply(sessions_ended=ended, keys=[_key_info(key) for key in account.keys])


async def _add_key(connection: AccountConnection, p: m.AddKeyRequest) -> m.Empty:
    user = _proved(connection)
    proof = signed(connection, "add-key", user.name, p.key, p.signature)
    key = await connection.core.accounts.proofs.proved(proof, connection.source)
    await connection.core.accounts.add_key(user, connection.source, key)
    return m.Empty()


async def _remove_key(connection: AccountConnection, p: m.RemoveKeyRequest) -> m.Empty:
    user = _proved(connection)
    await connection.core.accounts.remove_key(user, connection.source, p.fingerprint)
    return m.Empty()


def _show(connection: AccountConnection, _: m.ShowAccountRequest) -> m.AccountReply:
    user, users = connection.user, connection.core.users
    account = users.claims.of(user.id)
    return m.AccountReply(
        name=user.name,
        claimed=account is not None,
        has_password=account is not None and bool(account.password),
        keys=[_key_info(key) for key in (account.keys if account else ())],
        sessions=[_session_info(each, current=key == user.session) for key, each in users.tokens.of(user.id)],
        warnings=[*users.warnings.of(user.id)],
    )


async def _end_session(connection: AccountConnection, p: m.EndSessionRequest) -> m.Empty:
    user, users = connection.user, connection.core.users
    mine = users.tokens.of(user.id)
    ended = [key for key, session in mine if (session.id == p.id if p.id else key != user.session)]
    if p.id and not ended:
        raise ScovilleError(Code.BAD_PARAMS, f"You have no session {p.id}.")
    connection.core.accounts.check_pace(connection.source)
    await users.end_sessions(user, ended)
    return m.Empty()


async def _release(connection: AccountConnection, _: m.ReleaseNameRequest) -> m.Empty:
    await connection.core.accounts.release(_proved(connection), connection.source)
    connection.fresh_until = 0.0
    return m.Empty()


async def _delete(connection: AccountConnection, _: m.DeleteAccountRequest) -> m.LoginReply:
    user, users = _proved(connection), connection.core.users
    if user.tables:
        raise ScovilleError(Code.SEATED, "Leave your tables first, finished ones too.")
    client = users.client_of(user)
    await connection.core.accounts.delete(user, connection.source)
    try:
        return become_guest(connection, client)
    except ScovilleError:
        connection.peer.close()  # the account is gone, and there is no room for a guest
        raise
    finally:
        users.forget(user)


def _proved(connection: AccountConnection) -> User:
    """Return the connection's user. Raises ScovilleError `not_claimed`, and `proof_required` without a fresh proof."""
    connection.core.accounts.check_fresh(connection.user, connection.fresh_until)
    return connection.user


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


HANDLERS: Handlers[AccountConnection] = {
    m.ClaimNameRequest: _claim,
    m.ChangePasswordRequest: _change_password,
    m.AddKeyRequest: _add_key,
    m.RemoveKeyRequest: _remove_key,
    m.ShowAccountRequest: _show,
    m.EndSessionRequest: _end_session,
    m.ReleaseNameRequest: _release,
    m.DeleteAccountRequest: _delete,
}
