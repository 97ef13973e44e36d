"""The server's password in the line mode and on the screens: asked again while it is wrong."""

from scoville_client.session.start_options import Start
from scoville_server.moderation.model.community import CommunitySettings
from tests.support.listener import LOCAL, Listener, serve_cheaply
from tests.support.screens import at_the_screen, start_as

PASSWORD = "seven habaneros"
COMMUNITY = CommunitySettings(password=PASSWORD)


async def test_the_line_mode_asks_until_it_is_right() -> None:
    async with serve_cheaply(community=COMMUNITY) as server:
        anna = Listener(Start(kind="join", host=LOCAL, port=server.port, name="Anna"))
        await anna.hear("This server asks newcomers for its password")
        await anna.ask("wrong", "This is not the password of this server")
        await anna.ask(PASSWORD, "^You are Anna")
        assert await anna.end() == 0


async def test_the_line_mode_gives_up_without_one() -> None:
    async with serve_cheaply(community=COMMUNITY) as server:
        anna = Listener(Start(kind="join", host=LOCAL, port=server.port, name="Anna"))
        await anna.hear("This server asks newcomers for its password")
        assert await anna.end() == 1


async def test_the_screens_ask_until_it_is_right() -> None:
    async with serve_cheaply(community=COMMUNITY) as server, at_the_screen(start_as(server.port, "Anna")) as anna:
        await anna.sees("Password of the server")
        await anna.press(*"wrong", "enter")
        await anna.sees("This is not the password")
        assert "wrong" not in anna.text
        await anna.press(*["space" if char == " " else char for char in PASSWORD], "enter")
        await anna.sees("Anna")
        await anna.until(lambda: anna.app.client.session.connection.online)
