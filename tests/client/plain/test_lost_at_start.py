"""The line mode stays when its first command loses the connection, and says it again once that has come back."""

import pytest

from scoville_client.plain import main
from scoville_client.plain.app import LineModeApp
from scoville_client.plain.command_table import run_line
from scoville_client.session.start_options import Start
from scoville_client.transport.base import LinkError
from tests.support.listener import LOCAL, Listener, serve_cheaply


async def test_code_survives_a_lost_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    commands = list[str]()

    async def lose_first(app: LineModeApp, line: str, *, due: bool = False) -> None:
        commands.append(line)
        if len(commands) == 1:
            app.session.connection.link.note_loss("cut")
            raise LinkError("The connection is lost.")
        await run_line(app, line, due=due)

    monkeypatch.setattr(main, "run_line", lose_first)
    async with serve_cheaply() as server:
        anna = Listener(Start(kind="join", host=LOCAL, port=server.port, name="Anna", code="brave-otter"))
        await anna.hear("is lost; reconnecting")
        await anna.hear("No table has the code 'brave-otter'")
        await anna.ask("users", "^1 user is here: Anna")
        assert commands == ["enter brave-otter", "enter brave-otter", "users"]
        assert await anna.end() == 0
