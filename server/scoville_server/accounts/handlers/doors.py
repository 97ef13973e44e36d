"""Handlers of what users of doors need: settings kept by the server, codes for the browser, keys proved to the door."""

from scoville_server.accounts.channel import check_named
from scoville_server.accounts.connection import ConnectedClient, Handlers
from scoville_server.accounts.doors.client_settings import ClientSettings
from scoville_server.accounts.doors.web_codes import SECONDS, WebCodes
from scoville_server.accounts.handlers.log_in import ConnectionProofs, LogIns
from scoville_server.accounts.proofs import wrong_login
from scoville_server.accounts.service import AccountService
from scoville_server.accounts.users import Users
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
