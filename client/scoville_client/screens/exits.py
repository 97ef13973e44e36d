"""The ways out: of a table, back to the lobby, out of the client; a game that is not over is left after a question."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from scoville_client.screens.lobby import LobbyScreen
from scoville_client.screens.quit import LeaveDialog, Leaving

if TYPE_CHECKING:
    from scoville_client.app import ScovilleApp


class Exits:
    """Leads out of what the `app` shows."""

    def __init__(self, app: "ScovilleApp") -> None:
        self._app = app

    def leave_table(self) -> None:
        """Leave the table; a game that is not over only after a question."""
        if self._app.in_game:
            self._put_question(self._leave_when_asked)
        else:
            self._app.ask(self._leave())

    def quit(self) -> None:
        """Quit the client after a question."""
        self._put_question(self._quit_when_asked)

    async def to_lobby(self, sentence: str = "") -> None:
        """Go back to the lobby, or to the start where there is none, and say why."""
        if any(isinstance(screen, LobbyScreen) for screen in self._app.screen_stack):
            while not isinstance(self._app.screen, LobbyScreen):
                await self._app.pop_screen()
        else:
            await self._app.hang_up()
        if sentence:
            self._app.page.announce(sentence)

    def _put_question(self, answered: Callable[[Leaving | None], None]) -> None:
        if not isinstance(self._app.screen, LeaveDialog):
            kind = self._app.opened.kind
            lost = kind == "join" and self._app.session.state == "lost"
            self._app.push_screen(LeaveDialog("lost" if lost else kind), answered)

    def _leave_when_asked(self, answer: Leaving | None) -> None:
        if answer == "give up":
            self._app.ask(self._give_up(self._leave))
        elif answer == "leave":
            self._app.ask(self._leave())
        elif answer == "lobby":
            self._app.ask(self._look_at_lobby())

    def _quit_when_asked(self, answer: Leaving | None) -> None:
        if answer == "give up":
            self._app.ask(self._give_up(self._quit))
        elif answer == "leave":
            self._app.exit(0)
        elif answer == "lobby":
            self._app.ask(self._look_at_lobby())

    async def _leave(self) -> None:
        if self._app.opened.kind != "join" or self._app.session.state != "online":
            await self._app.hang_up()
            return
        session = self._app.session
        if session.table is not None:
            await (session.step_out() if session.table.closed else session.leave())
        await self.to_lobby()

    async def _look_at_lobby(self) -> None:
        await self._app.session.step_out()
        await self.to_lobby()

    async def _give_up(self, then: Callable[[], Awaitable[object]]) -> None:
        await self._app.session.leave()
        await then()

    async def _quit(self) -> None:
        self._app.exit(0)
