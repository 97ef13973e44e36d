"""A door follows the terminal between dark and light, and asks once, when its user sees a screen."""

from scoville_client.doors.hosting.terminal import Terminal
from scoville_client.tui.reports import ASK_BACKGROUND, ASK_SCHEME, SCHEME_OFF, SCHEME_ON
from scoville_client.tui.themes import DARK, LIGHT
from tests.client.doors.hosting.hosted import HostedUser, a_server, come, in_the_lobby


def theme_of(user: HostedUser) -> str:
    assert user.session._app is not None
    return user.session._app.theme


async def test_the_theme_follows_the_terminal() -> None:
    async with a_server() as server:
        anna = await in_the_lobby(come(server))
        assert anna.channel.sent.count(ASK_SCHEME.encode()) == 1
        assert ASK_BACKGROUND.encode() not in anna.channel.sent
        assert SCHEME_ON.encode() in anna.channel.sent
        anna.type("\x1b[?997;2n")
        await anna.until(lambda: theme_of(anna) == LIGHT.name)
        anna.type("\x1b[?997;1n")
        await anna.until(lambda: theme_of(anna) == DARK.name)
        anna.type("q")
        await anna.session.task
        assert SCHEME_OFF.encode() in anna.channel.sent


async def test_a_terminal_without_windows_is_asked_nothing() -> None:
    async with a_server() as server:
        anna = await in_the_lobby(come(server, terminal=Terminal(name="vt100", colours="none", titles=False)))
        assert ASK_SCHEME.encode() not in anna.channel.sent
        assert SCHEME_ON.encode() not in anna.channel.sent
        await anna.leaves()
