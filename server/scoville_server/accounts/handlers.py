"""Handlers of accounts: log-ins, claims, credentials, sessions, deletion, and what users of doors need."""

import secrets
from typing import Protocol

from scoville_runtime.events import Events
from scoville_server.accounts.connection import ConnectedClient, Handlers, Permits, channel_of, check_named, check_proof
from scoville_server.accounts.doors.client_settings import ClientSettings
from scoville_server.accounts.doors.web_codes import SECONDS, WebCodes
from scoville_server.accounts.model.account import Marks, Origin, SshKey, UserSession
from scoville_server.accounts.proofs import Proofs, Signed, refuse_unchallenged, wrong_login
from scoville_server.accounts.service import AccountService
from scoville_server.accounts.sessions import User
from scoville_server.accounts.users import Users
from scoville_server.events import LogIn
from scoville_server.identity import ServerIdentity
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol import messages as m
from scoville_shared.protocol.proofs import Purpose, proof_text

_NONCE_BYTES = 32


class Arrivals(Protocol):
    """Follows the users of connections through all features of the server."""

    def change_user(self, connection: ConnectedClient, user: User, key: str) -> None:
        """Make a connection that of another user, in the session `key`. Raises ScovilleError if it was taken over."""


class RecoveryLog(Protocol):
    """The audit log, as far as recoveries go there."""

    async def note_recovery(self, by: User, user: User, action: str) -> None:
        """Log that a recovery code was used. Raises JournalError."""


class LogIns:
    """Gives a connection to another user: one who has proved who they are, or a new guest."""

    def __init__(
        self, users: Users, accounts: AccountService, permits: Permits, arrivals: Arrivals, events: Events
    ) -> None:
        self._users = users
        self._accounts = accounts
        self._permits = permits
        self._arrivals = arrivals
        self._events = events

    def check_not_playing(self, connection: ConnectedClient) -> None:
        """Check that the connection's user has no seat that would be left behind. Raises ScovilleError `seated`."""
        self._permits.check_not_playing(connection.user)

    def become_guest(self, connection: ConnectedClient, client: str) -> m.LoginReply:
        """Make a connection that of a new guest, who watches nothing."""
        greeted = self._users.greet_connection(m.HelloRequest(protocol=m.PROTOCOL, client=client), connection.peer)
        self._arrivals.change_user(connection, greeted.user, greeted.user.session)
        return m.LoginReply(name=greeted.user.name, token=greeted.token)

    async def log_in(self, connection: ConnectedClient, user: User, origin: Origin, parent: str = "") -> m.LoginReply:
        """Make a connection that of a user who has proved who they are, once the session is kept.

        The session ends with its `parent`. Raises ScovilleError `banned`, `seated`.
        """
        # The ban may be on the user and not on the guest as whom the connection was greeted.
        self._permits.check_may_log_in(user)
        token, key = self._users.new_session(user, self._users.client_of(connection.user), origin, Marks(parent=parent))
        await self._users.write_user(user)
        # While the disk was busy, an admin may have banned the user, or the guest may have sat down.
        self._permits.check_may_log_in(user)
        self._permits.check_not_playing(connection.user)
        self._arrivals.change_user(connection, user, key)
        peer = connection.peer
        self._events.report_event(LogIn(address=peer.address, connection=peer.number, by=origin, user=user.name))
        connection.fresh_until = self._accounts.fresh_until()
        self._users.warnings.send_unseen(user)
        return m.LoginReply(name=user.name, token=token)


class ConnectionProofs:
    """Reads proofs of SSH keys that belong to one connection."""

    def __init__(self, proofs: Proofs, identity: ServerIdentity) -> None:
        self._proofs = proofs
        self._identity = identity

    def compose_proof(
        self, connection: ConnectedClient, purpose: Purpose, name: str, key: str, signature: str
    ) -> Signed:
        """Compose the text that a key must sign on a connection, and use up the nonce, whatever the result.

        Raises ScovilleError `insecure`, `bad_key`.
        """
        nonce, connection.nonce = connection.nonce, ""
        check_proof(connection.peer, "ssh_key")
        if not nonce:
            raise refuse_unchallenged()
        return Signed(key, signature, proof_text(purpose, self._identity.key.public.hex(), name, nonce))

    async def read_door_key(self, connection: ConnectedClient) -> SshKey:
        """Return the key that the user of a connection has proved to their door. Raises ScovilleError `bad_key`."""
        door = connection.peer.door
        if door is None or not door.key or channel_of(connection.peer) != "door":
            raise ScovilleError(Code.BAD_KEY, "You have proved no SSH key to a door on this connection.")
        return await self._proofs.read_key(door.key, connection.source)


class LogInHandlers:
    """Handlers of log-ins and log-outs."""

    def __init__(
        self,
        accounts: AccountService,
        users: Users,
        log_ins: LogIns,
        proofs: ConnectionProofs,
        recovery_log: RecoveryLog,
    ) -> None:
        self._accounts = accounts
        self._users = users
        self._log_ins = log_ins
        self._proofs = proofs
        self._recovery_log = recovery_log
        self.by_request: Handlers = {
            m.ChallengeRequest: self._make_challenge,
            m.LoginRequest: self._log_in,
            m.LoginByKeyRequest: self._log_in_by_key,
            m.RecoverRequest: self._recover_account,
            m.ConfirmRequest: self._confirm_identity,
            m.LogoutRequest: self._log_out,
        }

    def _make_challenge(self, connection: ConnectedClient, _: m.ChallengeRequest) -> m.ChallengeReply:
        connection.nonce = secrets.token_hex(_NONCE_BYTES)
        return m.ChallengeReply(nonce=connection.nonce)

    async def _log_in(self, connection: ConnectedClient, p: m.LoginRequest) -> m.LoginReply:
        check_proof(connection.peer, "password")
        self._log_ins.check_not_playing(connection)
        user = await self._accounts.proofs.check_password(p.name, p.password, connection.source)
        return await self._log_ins.log_in(connection, user, "password")

    async def _log_in_by_key(self, connection: ConnectedClient, p: m.LoginByKeyRequest) -> m.LoginReply:
        self._log_ins.check_not_playing(connection)
        proof = self._proofs.compose_proof(connection, "log-in", p.name, p.key, p.signature)
        user = await self._accounts.proofs.check_key(p.name, proof, connection.source)
        return await self._log_ins.log_in(connection, user, "ssh_key")

    async def _recover_account(self, connection: ConnectedClient, p: m.RecoverRequest) -> m.LoginReply:
        check_proof(connection.peer, "password")
        self._log_ins.check_not_playing(connection)
        user = await self._accounts.recover_account(p.name, p.code, p.password, connection.source)
        await self._recovery_log.note_recovery(user, user, "recovered")
        return await self._log_ins.log_in(connection, user, "recovery")

    async def _confirm_identity(self, connection: ConnectedClient, p: m.ConfirmRequest) -> m.Empty:
        user, accounts = connection.user, self._accounts
        self._users.claims.known_account(user.id)
        if p.key:
            proof = self._proofs.compose_proof(connection, "confirm", user.name, p.key, p.signature or "")
            confirmed = await accounts.proofs.check_key(user.name, proof, connection.source)
        else:
            check_proof(connection.peer, "password")
            confirmed = await accounts.proofs.check_password(user.name, p.password or "", connection.source)
        if confirmed is not connection.user:
            raise wrong_login()
        connection.fresh_until = accounts.fresh_until()
        return m.Empty()

    async def _log_out(self, connection: ConnectedClient, _: m.LogoutRequest) -> m.LoginReply:
        user, users = connection.user, self._users
        self._log_ins.check_not_playing(connection)
        self._accounts.count_change(connection.source)
        client, session = users.client_of(user), user.session
        # The session ends without closing this connection, which continues as a guest's.
        user.session = ""
        await users.end_sessions(user, [session])
        # Again: the user may have sat down while the disk was busy.
        self._log_ins.check_not_playing(connection)
        reply = self._log_ins.become_guest(connection, client)
        users.forget_if_lost(user)
        return reply


class DoorHandlers:
    """Handlers for clients without a disk of their own."""

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
            found = await self._web_codes.use_code(p.code)
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
    """Handlers of users' requests about their accounts."""

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
            m.ExportAccountRequest: self._export_data,
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

    def _export_data(self, connection: ConnectedClient, _: m.ExportAccountRequest) -> m.ExportAccountReply:
        """Return everything that the server keeps about a user, without secrets."""
        user = connection.user
        # All kept messages are looked through: counted, so that nobody does it in a loop.
        self._accounts.count_change(connection.source)
        account = self.describe_account(user)
        kept = {field: value for each in self._users.observers for field, value in each.export_user(user).items()}
        return m.ExportAccountReply(
            name=account.name,
            claimed=account.claimed,
            has_password=account.has_password,
            keys=account.keys,
            sessions=account.sessions,
            warnings=account.warnings,
            table_ids=sorted(self._users.sessions.seats.tables_of(user)),
            **kept,
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
        if users.sessions.seats.tables_of(user):
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
