"""Settings of hosted users: the server keeps what they have chosen, and nothing that their terminal has said."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from scoville_client.doors.hosting.platform import SAVE_SECONDS
from scoville_client.doors.hosting.process import share_process
from scoville_client.doors.hosting.session import HostedSession
from scoville_client.doors.hosting.terminal import Terminal
from scoville_client.doors.hosting.visitor import Visitor
from scoville_client.doors.upstream import Upstream
from scoville_client.session.identity.hosted import HostedIdentity, Origin
from scoville_client.session.start_options import Start
from scoville_client.tui.themes import DARK, LIGHT
from scoville_server.net.doors.settings import DoorSettings
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from tests.client.doors.hosting.hosted import HostedUser, TapedChannel, shared_by
from tests.support.accounts import ed25519_keys
from tests.support.clock import FakeClock
from tests.support.server import core_of

KEY = ed25519_keys().line


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Server]:
    server = Server(Settings(data=tmp_path / "data", port=0, host="127.0.0.1", doors=DoorSettings(enabled=True)))
    await server.start()
    yield server
    await server.close()


async def come(server: Server, language: str = "en", key: str = KEY) -> HostedUser:
    """Let a user with a key come through a door, on a terminal that speaks a language."""
    share_process()
    assert server.door_socket is not None
    clock, channel = FakeClock(), TapedChannel((80, 24))
    upstream = Upstream(server.door_socket, server.door_credential_file)
    identity = HostedIdentity(upstream.read_credential, Origin("ssh", "192.0.2.7"), key=key, clock=clock.clock)
    visitor = Visitor(Start(kind="join", host="localhost"), lambda: upstream.make_link(clock.clock), identity)
    terminal = Terminal(colours="true", language=language)
    user = HostedUser(HostedSession(visitor, channel, terminal, shared_by(clock)), channel, clock)
    await user.until(lambda: user.session._app is not None and user.session._app.is_running)
    clock.advance(0.1)
    await user.until(lambda: user.session._app.page_stack.pages)  # type: ignore[union-attr]
    await user.until(lambda: user.session._app.page_stack.page.KEY_CONTEXT == "lobby" and user.is_up_to_date)  # type: ignore[union-attr]
    return user


async def choose(user: HostedUser, key: str, server: Server) -> None:
    """Press a key that changes a setting, and wait until the server keeps it."""
    before = kept(server)
    user.type(key)
    await user.until(lambda: user.clock.alarms and user.session._app.platform._saving is not None)  # type: ignore[union-attr]
    user.clock.advance(SAVE_SECONDS)
    await user.until(lambda: kept(server) != before)


def kept(server: Server) -> list[object]:
    core = core_of(server)
    return [core.client_settings.settings_of(user) for user in core.users.sessions._by_id]


async def test_a_theme_is_kept_and_languages_follow_terminals(server: Server) -> None:
    german = await come(server, "de")
    await german.sees("du bist")
    await choose(german, "T", server)
    await german.leaves()
    english = await come(server, "en")
    await english.sees("you are")
    assert english.session._app is not None
    assert english.session._app.theme == LIGHT.name
    await english.leaves()


async def test_a_chosen_language_wins_over_the_terminals(server: Server) -> None:
    first = await come(server, "en")
    await choose(first, "L", server)
    await first.sees("du bist")
    await first.leaves()
    again = await come(server, "fr")
    await again.sees("du bist")
    assert again.session._app is not None
    assert again.session._app.theme == DARK.name
    await again.leaves()


async def test_another_user_has_settings_of_their_own(server: Server) -> None:
    first = await come(server)
    await choose(first, "T", server)
    other = await come(server, key=ed25519_keys().line)
    assert other.session._app is not None
    assert other.session._app.theme == DARK.name
    await first.leaves()
    await other.leaves()
