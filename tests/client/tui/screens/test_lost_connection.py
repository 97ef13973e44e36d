"""A lost connection during a game: the table stays visible with a sentence, until the connection is given up."""

from scoville_client.session.link import FIRST_SECONDS
from scoville_client.session.start_options import Start
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from tests.support.proxy import Proxy
from tests.support.screens import at_the_screen

LOCAL = "127.0.0.1"


async def test_a_lost_connection_keeps_the_screen_and_continues() -> None:
    server = Server(Settings(host=LOCAL, port=0))
    await server.start()
    async with Proxy(server.port) as proxy, at_the_screen(Start(kind="join", host=LOCAL, port=proxy.port)) as player:
        await player.sees("There are no tables yet")
        await player.press("c", "enter", "enter")
        await player.until(lambda: player.where == "play")
        circle = player.text.splitlines()[:10]
        proxy.cut()
        await player.sees("is lost; reconnecting … (1)")
        await player.sees("Press Esc")
        await player.press("right")
        assert "is lost; reconnecting" in player.notices
        assert player.text.splitlines()[:5] == circle[:5]
        proxy.mend()
        player.clock.advance(FIRST_SECONDS)
        await player.until(lambda: player.app.session.connection.online)
        await player.until(lambda: "reconnecting" not in player.notices)
        assert player.where == "play"
        await player.press("enter")
        await player.until(lambda: player.app.session.table.played[0] == 1)
    await server.close()
