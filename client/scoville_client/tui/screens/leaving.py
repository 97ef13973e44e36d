"""Leaving: from a table to the lobby, from the lobby to the start, out of the client.

To leave a table, to leave the lobby and to stop a hosted server are three actions. The last one is always a choice of
its own, and its question names who would be disconnected.
"""

from collections.abc import Callable

from scoville_client.i18n.language import tr
from scoville_client.session.hosting import count_other_users, draining_text, kept_in, on_the_server
from scoville_client.tui.screens.dialogs.leave import LeaveAnswer, LeaveDialog, StopDialog, leave_case
from scoville_client.tui.shell import Shell
from scoville_shared.engine.phrases import Phrase


class LeaveFlow:
    """Asks the questions before leaving, and leaves; it holds no state of its own."""

    def __init__(self, shell: Shell) -> None:
        self._shell = shell
        self._client = shell.client
        self._session = shell.session

    def leave_table(self) -> None:
        """Leave the table, after a question where a game is not over, or where the user hosts it."""
        if self._client.in_game or self._waits_as_host:
            self._ask_to_leave(quitting=False)
        else:
            self._shell.send_request(self._leave_table())

    def leave_lobby(self) -> None:
        """Leave the server for the start; a hosted server stops, after a question."""
        if self._stop_draining():
            return
        if self._client.is_hosting:
            self._ask_to_stop(self._on_stop_lobby)
        else:
            self._shell.send_request(self._leave_server())

    def quit_client(self) -> None:
        """Quit the client, after a question where that ends a game or disconnects other users.

        To quit again in the question quits; but for a hosted server, the question whether to leave a table comes before
        the one whether to stop the server.
        """
        question = self._shell.screen
        if self._stop_draining():
            return
        if isinstance(question, LeaveDialog) and question.hosts:
            question.dismiss("stay")
            # Once that question is gone: two of them must not lie over each other.
            self._shell.call_later(self.quit_client)
        elif isinstance(question, LeaveDialog | StopDialog):
            question.dismiss()
            self.end_client()
        elif self._client.is_hosting and (
            self._client.in_game or count_other_users(self._session, self._client.running)
        ):
            self._ask_to_stop(self._on_stop_client)
        elif self._client.in_game:
            self._ask_to_leave(quitting=True)
        else:
            self._shell.exit(0)

    def end_client(self, status: int = 0) -> None:
        """End the client once a hosted server has drained; while it drains, at once."""
        # The first time the other players finish their moves; a user who quits again does not wait for them.
        if self._client.drain_seconds and not self._stop_draining():
            self._shell.send_request(self._drain_and_exit(status))
        elif not self._client.drain_seconds:
            self._shell.exit(status)

    def _stop_draining(self) -> bool:
        """End the wait of a hosted server that drains; returns whether it did drain."""
        running = self._client.running
        if running is None or not running.draining:
            return False
        running.hurry_drain()
        return True

    @property
    def _waits_as_host(self) -> bool:
        """Whether the user sits at a waiting table of the server that is hosted here."""
        at = self._session.table
        return self._client.is_hosting and at is not None and at.seat is not None and at.info.status == "waiting"

    # --- questions --------------------------------------------------------------------------------------

    def _ask_to_leave(self, *, quitting: bool) -> None:
        if isinstance(self._shell.screen, LeaveDialog | StopDialog):
            return
        at = self._session.table
        assert at is not None, "only a table is left after a question"
        lost = self._session.connection.reconnecting
        # The loss decides the question: a hosted game is saved, a practice game is not.
        kept = self._client.is_kept
        case = leave_case(self._client.start.kind, at, lost=lost, quitting=quitting, kept=kept)
        on_close = self._on_quit_table if quitting else self._on_leave_table
        self._shell.open_dialog(LeaveDialog(case, at.info.clock), on_close)

    def _ask_to_stop(self, on_close: Callable[[bool | None], None]) -> None:
        if isinstance(self._shell.screen, LeaveDialog | StopDialog):
            return
        sentences = [*on_the_server(self._session, self._client.running), kept_in(str(self._client.folder))]
        self._shell.open_dialog(StopDialog(sentences), on_close)

    def _on_leave_table(self, answer: LeaveAnswer | None) -> None:
        if answer == "leave":
            self._shell.send_request(self._leave_table())
        elif answer == "lobby":
            self._shell.send_request(self._visit_lobby())

    def _on_quit_table(self, answer: LeaveAnswer | None) -> None:
        if answer == "leave":
            self._shell.exit(0)
        elif answer == "lobby":
            self._shell.send_request(self._visit_lobby())

    def _on_stop_lobby(self, stop: bool | None) -> None:
        if stop:
            self._shell.send_request(self._leave_server())

    def _on_stop_client(self, stop: bool | None) -> None:
        if stop:
            self.end_client()

    # --- what the answers do ----------------------------------------------------------------------------

    async def _leave_table(self) -> None:
        """Give the seat up; without a lobby, or while the server cannot be reached, go to the start."""
        session = self._session
        if not self._client.is_multiplayer:
            await self._shell.navigation.leave_server()
        # The server keeps the seat until its grace is over: it cannot be given up now.
        elif not session.connection.online:
            self.leave_lobby()
        else:
            seated = session.table is not None and session.table.seat is not None and session.table.result is None
            if session.table is not None:
                await (session.return_to_lobby() if session.table.notes.closed else session.leave_table())
            await self._shell.navigation.open_lobby(tr("You have left the table.") if seated else "")

    async def _visit_lobby(self) -> None:
        """Go to the lobby and keep the seat."""
        await self._session.return_to_lobby()
        await self._shell.navigation.open_lobby(tr("You keep your seat: press w to go back to it."))

    async def _drain_and_exit(self, status: int) -> None:
        await self._drain_server()
        self._shell.exit(status)

    async def _drain_server(self) -> None:
        """Let the other players of a hosted server finish their moves."""
        running = self._client.running
        if running is not None and running.drain_seconds:
            text = Phrase("{sentence} Press q to stop it at once.", {"sentence": draining_text(running.drain_seconds)})
            self._shell.show_notice(text, sticky=True)
            await running.drain_server()

    async def _leave_server(self) -> None:
        await self._drain_server()
        # Before the session is gone.
        hosted, place = self._client.is_hosting, self._session.connection.server_name
        await self._shell.navigation.leave_server()
        if hosted:
            self._shell.announce(tr("Your server has stopped. Its tables are saved: host again to resume them."))
        else:
            self._shell.announce(tr("You have left {place}.", place=place))
