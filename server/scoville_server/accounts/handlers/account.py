"""Handlers of accounts: claim a name, credentials, sessions, release and deletion, and what users of doors need."""

from scoville_server.accounts.connection import ConnectedClient, Handlers, check_named, check_proof
from scoville_server.accounts.doors.client_settings import ClientSettings
from scoville_server.accounts.doors.web_codes import SECONDS, WebCodes
from scoville_server.accounts.handlers.log_in import ConnectionProofs, LogIns
from scoville_server.accounts.model.account import SshKey, UserSession
from scoville_server.accounts.proofs import wrong_login
from scoville_server.accounts.service import AccountService
from scoville_server.accounts.sessions import User
from scoville_server.accounts.users import Users
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol import messages as m


class DoorHandlers:
    """Handlers of what clients without a disk of their own need."""

    def __init__(
        self,
        accounts: AccountService,
        users: Users,
        log_ins: LogIns,
        proofs: ConnectionProofs,
        client_settings: ClientSettings,
        web_codes: WebCodes,
    ) -> None:
        self._accounts = accounts
        self._users = users
        self._log_ins = log_ins
        self._proofs = proofs
        self._client_settings = client_settings
        self._web_codes = web_codes
        self.by_request: Handlers = {
            m.ShowSettingsRequest: self._show_settings,
            m.SaveSettingsRequest: self._save_settings,
            m.CreateWebCodeRequest: self._create_web_code,
            m.LoginByWebCodeRequest: self._log_in_by_web_code,
            m.AddDoorKeyRequest: self._add_door_key,
        }

    def _show_settings(self, connection: ConnectedClient, _: m.ShowSettingsRequest) -> m.SettingsReply:
        return m.SettingsReply(client_settings=self._client_settings.settings_of(connection.user.id))

    async def _save_settings(self, connection: ConnectedClient, p: m.SaveSettingsRequest) -> m.Empty:
        await self._client_settings.save_settings(connection.user, p.client_settings, connection.source)
        return m.Empty()

    def _create_web_code(self, connection: ConnectedClient, _: m.CreateWebCodeRequest) -> m.CreateWebCodeReply:
        user = connection.user
        self._users.claims.known_account(user.id)
        self._accounts.count_change(connection.source)
        code = self._web_codes.create_code(user.id, user.session)
        return m.CreateWebCodeReply(code=code, valid_ms=round(1000 * SECONDS))

    async def _log_in_by_web_code(self, connection: ConnectedClient, p: m.LoginByWebCodeRequest) -> m.LoginReply:
        users = self._users
        check_named(connection.peer)
        self._log_ins.check_not_playing(connection)
        with self._accounts.proofs.guesses.of_key(connection.source) as attempt:
            found = self._web_codes.use_code(p.code)
            user = (
                None
                if found is None or users.tokens.get_session(found.session) is None
                else users.sessions.find_user(found.user)
            )
            attempt.failed = user is None
        if found is None or user is None or not user.claimed:
            raise wrong_login()
        reply = await self._log_ins.log_in(connection, user, "web_code", found.session)
        # A code was only read off another screen: it proves no credential, so it may change none.
        connection.fresh_until = 0.0
        return reply

    async def _add_door_key(self, connection: ConnectedClient, _: m.AddDoorKeyRequest) -> m.Empty:
        user = connection.user
        self._accounts.check_fresh(user, connection.fresh_until)
        await self._accounts.add_key(user, connection.source, await self._proofs.read_door_key(connection))
        return m.Empty()


class AccountHandlers:
    """Handlers of what users do with their accounts."""

    def __init__(self, accounts: AccountService, users: Users, log_ins: LogIns, proofs: ConnectionProofs) -> None:
        self._accounts = accounts
        self._users = users
        self._log_ins = log_ins
        self._proofs = proofs
        self.by_request: Handlers = {
            m.ClaimNameRequest: self._claim_name,
            m.ChangePasswordRequest: self._change_password,
            m.AddKeyRequest: self._add_key,
            m.RemoveKeyRequest: self._remove_key,
            m.ShowAccountRequest: self._show_account,
            m.EndSessionRequest: self._end_session,
            m.ReleaseNameRequest: self._release_name,
            m.DeleteAccountRequest: self._delete_account,
        }

    async def _claim_name(self, connection: ConnectedClient, p: m.ClaimNameRequest) -> m.Empty:
        user, accounts, key = connection.user, self._accounts, None
        if p.password:
            check_proof(connection.peer, "password")
        if p.door_key:
            key = await self._proofs.read_door_key(connection)
        elif p.key:
            proof = self._proofs.compose_proof(connection, "claim", user.name, p.key, p.signature or "")
            key = await accounts.proofs.prove_key(proof, connection.source)
        await accounts.claim_name(connection.user, p.password or "", key, connection.source)
        connection.fresh_until = accounts.fresh_until()
        return m.Empty()

    async def _change_password(self, connection: ConnectedClient, p: m.ChangePasswordRequest) -> m.ChangePasswordReply:
        check_proof(connection.peer, "password")
        user, users = self._proved_user(connection), self._users
        before = len(users.tokens.sessions_of(user.id))
        await self._accounts.change_password(user, p.new, connection.source, ends=lambda key: key != user.session)
        account = users.claims.known_account(user.id)
        ended = before - len(users.tokens.sessions_of(user.id))
        return m.ChangePasswordReply(sessions_ended=ended, keys=[_key_info(key) for key in account.keys])

    async def _add_key(self, connection: ConnectedClient, p: m.AddKeyRequest) -> m.Empty:
        user = self._proved_user(connection)
        proof = self._proofs.compose_proof(connection, "add-key", user.name, p.key, p.signature)
        key = await self._accounts.proofs.prove_key(proof, connection.source)
        await self._accounts.add_key(user, connection.source, key)
        return m.Empty()

    async def _remove_key(self, connection: ConnectedClient, p: m.RemoveKeyRequest) -> m.Empty:
        user = self._proved_user(connection)
        await self._accounts.remove_key(user, connection.source, p.fingerprint)
        return m.Empty()

    def _show_account(self, connection: ConnectedClient, _: m.ShowAccountRequest) -> m.AccountReply:
        return self.describe_account(connection.user)

    def describe_account(self, user: User) -> m.AccountReply:
        """Describe a user's account to themselves."""
        users = self._users
        account = users.claims.account_of(user.id)
        return m.AccountReply(
            name=user.name,
            claimed=account is not None,
            has_password=account is not None and bool(account.password),
            keys=[_key_info(key) for key in (account.keys if account else ())],
            sessions=[
                _session_info(each, current=key == user.session) for key, each in users.tokens.sessions_of(user.id)
            ],
            warnings=[*users.warnings.warnings_of(user.id)],
        )

    async def _end_session(self, connection: ConnectedClient, p: m.EndSessionRequest) -> m.Empty:
        user, users = connection.user, self._users
        mine = users.tokens.sessions_of(user.id)
        ended = [key for key, session in mine if (session.id == p.id if p.id else key != user.session)]
        if p.id and not ended:
            raise ScovilleError(Code.BAD_PARAMS, f"You have no session {p.id}.")
        self._accounts.count_change(connection.source)
        await users.end_sessions(user, ended)
        return m.Empty()

    async def _release_name(self, connection: ConnectedClient, _: m.ReleaseNameRequest) -> m.Empty:
        await self._accounts.release_name(self._proved_user(connection), connection.source)
        connection.fresh_until = 0.0
        return m.Empty()

    async def _delete_account(self, connection: ConnectedClient, _: m.DeleteAccountRequest) -> m.LoginReply:
        user, users = self._proved_user(connection), self._users
        if user.tables:
            raise ScovilleError(Code.SEATED, "Leave your tables first, finished ones too.")
        client = users.client_of(user)
        await self._accounts.delete_account(user, connection.source)
        try:
            return self._log_ins.become_guest(connection, client)
        except ScovilleError:
            connection.peer.close()  # the account is gone, and there is no room for a guest
            raise
        finally:
            users.forget_user(user)

    def _proved_user(self, connection: ConnectedClient) -> User:
        """Return the connection's user. Raises ScovilleError `not_claimed`, `proof_required` without a fresh proof."""
        self._accounts.check_fresh(connection.user, connection.fresh_until)
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
