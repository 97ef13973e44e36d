"""Handlers of what users of doors need: settings kept by the server, codes for the browser, keys proved to the door."""

from typing import Protocol

from scoville_server.accounts.channel import check_named
from scoville_server.accounts.connection import Handlers
from scoville_server.accounts.doors.client_settings import ClientSettings
from scoville_server.accounts.doors.web_codes import SECONDS, WebCodes
from scoville_server.accounts.handlers.log_in import AccountConnection, LogInCore, come_in, door_key
from scoville_server.accounts.proofs import wrong_login
from scoville_shared.protocol import messages as m


class _Core(LogInCore, Protocol):
    client_settings: ClientSettings
    web_codes: WebCodes


class _Connection(AccountConnection, Protocol):
    @property
    def core(self) -> _Core:
        """The services."""


def _show_settings(connection: _Connection, _: m.ShowSettingsRequest) -> m.SettingsReply:
    return m.SettingsReply(client_settings=connection.core.client_settings.of(connection.user.id))


async def _save_settings(connection: _Connection, p: m.SaveSettingsRequest) -> m.Empty:
    await connection.core.client_settings.save(connection.user, p.client_settings, connection.source)
    return m.Empty()


def _create_web_code(connection: _Connection, _: m.CreateWebCodeRequest) -> m.CreateWebCodeReply:
    user, core = connection.user, connection.core
    core.users.claims.held(user.id)
    core.accounts.check_pace(connection.source)
    return m.CreateWebCodeReply(code=core.web_codes.create(user.id, user.session), valid_ms=round(1000 * SECONDS))


async def _log_in_by_web_code(connection: _Connection, p: m.LoginByWebCodeRequest) -> m.LoginReply:
    core, users = connection.core, connection.core.users
    check_named(connection.peer)
    core.check_not_playing(connection.user)
    with core.accounts.proofs.guesses.of_key(connection.source) as attempt:
        found = core.web_codes.use(p.code)
        user = None if found is None or users.tokens.get(found.session) is None else users.sessions.find(found.user)
        attempt.failed = user is None
    if found is None or user is None or not user.claimed:
        raise wrong_login()
    reply = await come_in(connection, user, "web_code", found.session)
    connection.fresh_until = 0.0
    return reply


async def _add_door_key(connection: _Connection, _: m.AddDoorKeyRequest) -> m.Empty:
    user, accounts = connection.user, connection.core.accounts
    accounts.check_fresh(user, connection.fresh_until)
    await accounts.add_key(user, connection.source, await door_key(connection))
    return m.Empty()


HANDLERS: Handlers[_Connection] = {
    m.ShowSettingsRequest: _show_settings,
    m.SaveSettingsRequest: _save_settings,
    m.CreateWebCodeRequest: _create_web_code,
    m.LoginByWebCodeRequest: _log_in_by_web_code,
    m.AddDoorKeyRequest: _add_door_key,
}
