"""Session of an SSH user: their terminal, what they ask for, and the hosted client that serves it."""

from collections.abc import Callable
from typing import Final

import asyncssh

from scoville_client.doors.hosting.lines import HostedLines
from scoville_client.doors.hosting.session import HostedSession, Shared, own_language
from scoville_client.doors.hosting.terminal import Terminal, describe_terminal
from scoville_client.doors.hosting.visitor import Visitor
from scoville_client.doors.ssh.connection import BUFFER_BYTES, SshConnection
from scoville_client.doors.ssh.request import SshRequest, help_lines, parse_request
from scoville_client.i18n.language import tr
from scoville_client.output import make_harmless
from scoville_client.settings.file import asks_for_lines
from scoville_shared.engine.phrases import Phrase

Serve = Callable[[SshRequest], Visitor]
"""Returns the visitor of a request."""
_FAILED: Final = 1


class SshSession(asyncssh.SSHServerSession[bytes]):
    """The session of one user; `Channel` of the client that it hosts.

    Args:
        connection: The connection, which knows the user.
        visitor: Makes the visitor of a request.
        shared: State that all sessions share.
        port: Port of the door, for the help.
        on_end: Called when it is over.
    """

    def __init__(
        self,
        connection: SshConnection,
        visitor: Serve,
        shared: Shared,
        port: int,
        on_end: Callable[["SshSession"], None],
    ) -> None:
        self._connection = connection
        self._visitor = visitor
        self._shared = shared
        self._port = port
        self._on_end = on_end
        self._chan: asyncssh.SSHServerChannel[bytes] | None = None
        self._term: str | None = None
        self._size = (0, 0)
        self._command = ""
        self._hosted: HostedSession | HostedLines | None = None

    # --- what asyncssh calls ----------------------------------------------------------------------------

    def connection_made(self, chan: asyncssh.SSHServerChannel[bytes]) -> None:
        """Bound the bytes that wait to be sent."""
        self._chan = chan
        chan.set_write_buffer_limits(high=BUFFER_BYTES)

    def pty_requested(self, term_type: str, term_size: tuple[int, int, int, int], term_modes: object) -> bool:  # noqa: ARG002
        """Note the terminal."""
        self._term, self._size = term_type, term_size[:2]
        return True

    def shell_requested(self) -> bool:
        """Open the page of the user name."""
        return True

    def exec_requested(self, command: str) -> bool:
        """Open the page of the command; nothing is executed."""
        self._command = command
        return True

    def session_started(self) -> None:
        """Serve the user."""
        self._connection.session_started()
        assert self._chan is not None, "a session starts on a channel"
        environment = {
            name.decode("ascii", "replace"): value.decode("utf-8", "replace")
            for name, value in self._chan._env.items()  # noqa: SLF001 - get_environment() decodes for each caller
        }
        terminal = describe_terminal(self._term or "", self._size, environment)
        # In a context of its own: one process has users of all languages.
        own_language(terminal).run(self._serve_request, terminal, wants_lines=asks_for_lines(environment))

    def data_received(self, data: bytes, datatype: object) -> None:  # noqa: ARG002 - users send one kind
        """Pass on input."""
        if self._hosted is not None:
            self._hosted.receive(data)

    def eof_received(self) -> bool:
        """End the input of the line mode; the output goes on."""
        if isinstance(self._hosted, HostedLines):
            self._hosted.input_ended()
        # The other direction stays open: requests are still answered.
        return True

    def terminal_size_changed(self, width: int, height: int, pixwidth: int, pixheight: int) -> None:  # noqa: ARG002
        """Pass on the size."""
        if self._hosted is not None:
            self._hosted.resize((width, height))

    def pause_writing(self) -> None:
        """Let nothing more be drawn."""
        if self._hosted is not None:
            self._hosted.pause()

    def resume_writing(self) -> None:
        """Let the screen be drawn again."""
        if self._hosted is not None:
            self._hosted.resume()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - all ends are alike
        """Let the seat wait for the user."""
        self._chan = None
        if self._hosted is not None:
            self._hosted.lose_connection()
        self._on_end(self)

    # --- what is served ---------------------------------------------------------------------------------

    def _serve_request(self, terminal: Terminal, *, wants_lines: bool) -> None:
        """Serve the user's request in their language, as lines of text where the user `wants_lines`."""
        request = parse_request(self._connection.user, self._command)
        has_terminal = self._term is not None
        if request.kind == "help":
            fault = [request.fault, ""] if request.fault else []
            self._print_lines([*fault, *help_lines(self._port)], _FAILED if fault else 0)
        elif request.kind == "rules":
            from scoville_client.rules import rules_lines

            self._print_lines(*rules_lines(request.game))
        elif request.kind == "screens" and has_terminal and terminal.has_screens and not wants_lines:
            self._hosted = HostedSession(self._visitor(request), self, terminal, self._shared)
        else:
            self._hosted = HostedLines(
                self._visitor(request), self, terminal, self._shared, typed_on_terminal=has_terminal
            )

    def _print_lines(self, lines: list[str], status: int) -> None:
        end = "\n" if self._term is None else "\r\n"
        self.write("".join(f"{make_harmless(line)}{end}" for line in lines).encode("utf-8", "replace"))
        self.end(status)

    def end_session(self, reason: Phrase) -> None:
        """End the session because the door closes."""
        if self._hosted is not None:
            self._hosted.end(reason)

    # --- the channel of the hosted client -----------------------------------------------------------------

    def write(self, data: bytes) -> None:
        """Send bytes to the terminal."""
        if self._chan is not None and not self._chan.is_closing():
            self._chan.write(data)

    def end(self, status: int) -> None:
        if self._chan is not None:
            self._chan.exit(status)

    def abort(self) -> None:
        """Cut the connection."""
        self._connection.abort()


def return_sentence(code: str) -> str:
    """Return how to come back with a resume code."""
    return tr("To come back to your seat: connect as the user {user}", user=f"resume-{code}")
