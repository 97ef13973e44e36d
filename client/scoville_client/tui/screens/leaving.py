"""The ways out: from a table to the lobby, from the lobby to the start, out of the client.

To leave a table, to leave the lobby and to stop the server that is hosted here are three actions. The last one is
always a choice of its own, and it names who would be disconnected.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from scoville_client.i18n.language import words
from scoville_client.session.stop_text import draining, kept_in, on_the_server, others_connected
from scoville_client.tui.screens.dialogs.leave import LeaveDialog, Leaving, StopDialog, case_of_leaving
from scoville_client.tui.screens.lobby.lobby import LobbyScreen
from scoville_shared.engine.phrases import Phrase

if TYPE_CHECKING:
    from scoville_client.tui.app import ScovilleApp


class Exits:
    """Leads out of what the `app` shows."""

    def __init__(self, app: "ScovilleApp") -> None:
        self._app = app

    # --- what the keys ask for --------------------------------------------------------------------------

    def leave_table(self) -> None:
        """Leave the table, after a question where a game is not over, or where one hosts it."""
        if self._app.in_game or self._waits_as_host:
            self._ask_to_leave(quitting=False)
        else:
            self._app.ask(self._leave())

    def leave_lobby(self) -> None:
        """Leave the server for the start; the server that is hosted here stops then, after a question."""
        if self._hurries():
            return
        if self._app.hosts:
            self._ask_to_stop(self._stop_when_asked)
        else:
            self._app.ask(self._disconnect())

    def quit(self) -> None:
        """Quit the client, after a question where that ends a game or disconnects other people.

        Asking again in the question quits; but for a server that is hosted here, the question of leaving a table comes
        before that of stopping it.
        """
        question = self._app.screen
        if self._hurries():
            return
        if isinstance(question, LeaveDialog) and question.hosts:
            question.dismiss("stay")
            self._app.call_later(self.quit)
        elif isinstance(question, LeaveDialog | StopDialog):
            question.dismiss()
            self.end()
        elif self._app.hosts and (self._app.in_game or others_connected(self._app.session)):
            self._ask_to_stop(self._quit_when_stopped)
        elif self._app.in_game:
            self._ask_to_leave(quitting=True)
        else:
            self._app.exit(0)

    def end(self, status: int = 0) -> None:
        """End the client, once the people on a server that is hosted here have finished; asked again, at once."""
        if self._app.drain_seconds and not self._hurries():
            self._app.ask(self._quit(status))
        elif not self._app.drain_seconds:
            self._app.exit(status)

    def _hurries(self) -> bool:
        """Stop the server at once if it waits for others to finish; tells whether it does."""
        line = self._app.line
        if line is None or not line.draining:
            return False
        line.hurry()
        return True

    @property
    def _waits_as_host(self) -> bool:
        """Whether I sit at a waiting table of the server that is hosted here."""
        at = self._app.session.table
        return self._app.hosts and at is not None and at.seat is not None and at.info.status == "waiting"

    # --- the questions ----------------------------------------------------------------------------------

    def _ask_to_leave(self, *, quitting: bool) -> None:
        if isinstance(self._app.screen, LeaveDialog | StopDialog):
            return
        at = self._app.session.table
        assert at is not None, "only a table is left after a question"
        lost = self._app.session.reconnecting
        case = case_of_leaving(self._app.opened.kind, at, lost=lost, quitting=quitting)
        self._app.push_screen(
            LeaveDialog(case, at.info.clock), self._quit_when_asked if quitting else self._leave_when_asked
        )

    def _ask_to_stop(self, answered: Callable[[bool | None], None]) -> None:
        if isinstance(self._app.screen, LeaveDialog | StopDialog):
            return
        sentences = [*on_the_server(self._app.session), kept_in(str(self._app.folder))]
        self._app.push_screen(StopDialog(sentences), answered)

    def _leave_when_asked(self, answer: Leaving | None) -> None:
        if answer == "leave":
            self._app.ask(self._leave())
        elif answer == "lobby":
            self._app.ask(self._look_at_lobby())

    def _quit_when_asked(self, answer: Leaving | None) -> None:
        if answer == "leave":
            self._app.exit(0)
        elif answer == "lobby":
            self._app.ask(self._look_at_lobby())

    def _stop_when_asked(self, stop: bool | None) -> None:
        if stop:
            self._app.ask(self._disconnect())

    def _quit_when_stopped(self, stop: bool | None) -> None:
        if stop:
            self.end()

    # --- how it is done ---------------------------------------------------------------------------------

    async def to_lobby(self, sentence: str = "") -> None:
        """Go back to the lobby, or to the start where there is none, and say why."""
        if any(isinstance(screen, LobbyScreen) for screen in self._app.screen_stack):
            await self._app.pop_to(lambda screen: isinstance(screen, LobbyScreen))
        else:
            await self._app.hang_up()
        if sentence:
            self._app.page.announce(sentence)

    async def _leave(self) -> None:
        """Give the seat up; without a lobby, or while the server cannot be reached, go to the start."""
        session = self._app.session
        if not self._app.among_people:
            await self._app.hang_up()
        elif not session.online:
            self.leave_lobby()
        else:
            seated = session.table is not None and session.table.seat is not None and session.table.result is None
            if session.table is not None:
                await (session.return_to_lobby() if session.table.closed else session.leave())
            await self.to_lobby(words("You have left the table.") if seated else "")

    async def _look_at_lobby(self) -> None:
        await self._app.session.return_to_lobby()
        await self.to_lobby(words("Your seat is kept: press w to go back to it."))

    async def _quit(self, status: int) -> None:
        await self._drain()
        self._app.exit(status)

    async def _drain(self) -> None:
        """Let the people on a server that is hosted here finish their moves."""
        line = self._app.line
        if line is not None and line.drain_seconds:
            text = Phrase("{sentence} Press q to stop it at once.", {"sentence": draining(line.drain_seconds)})
            self._app.page.tell(text, stays=True)
            await line.drain()

    async def _disconnect(self) -> None:
        await self._drain()
        hosts, place = self._app.hosts, self._app.session.server_name
        await self._app.hang_up()
        if hosts:
            self._app.page.announce(words("Your server has stopped. Its tables are kept: host again to go on."))
        else:
            self._app.page.announce(words("You have left {place}.", place=place))
