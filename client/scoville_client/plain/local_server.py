"""The server that the line mode runs for a session: how others join it, and its orderly end."""

import asyncio

from scoville_client.plain.input.stdin import TypedLines
from scoville_client.plain.output import TextOutput
from scoville_client.session.hosting import Running, draining_text
from scoville_shared.engine.phrases import Phrase


class LocalServer:
    """Server in this process for the current session, if any. It drains at its end while other users are connected.

    Args:
        output: Where the sentences go.
        reader: The typed lines; `quit` ends the draining at once.

    Attributes:
        running: The server, its doors and its folder; None while nothing runs.
    """

    def __init__(self, output: TextOutput, reader: TypedLines) -> None:
        self._output = output
        self._reader = reader
        self.running: Running | None = None
        self._stopping: Running | None = None

    @property
    def is_hosting(self) -> bool:
        """Whether others can connect to it."""
        return self.running is not None and self.running.address is not None

    @property
    def stopping(self) -> bool:
        """Whether it stops as soon as others have finished their moves."""
        return self._stopping is not None

    def note_start(self, running: Running, code: str) -> None:
        """Announce how others join what has been started, by its code, and where the table is saved."""
        self.running = running
        if running.address is not None:
            for sentence in running.join_instructions(code):
                self._output.say("{message}", message=sentence)
        if running.folder is not None:
            kept = Phrase(
                "It has been reopened." if running.again else "To resume it later, host a table from this folder again."
            )
            self._output.say("This table is saved in {folder}. {kept}", folder=str(running.folder), kept=kept)

    async def stop_server(self) -> None:
        """Close the connection and stop the server; with other users on it, it drains first."""
        running, self.running = self.running, None
        if running is None:
            return
        if running.drain_seconds:
            self._stopping = running
            self._output.say("{message}", message=draining_text(running.drain_seconds))
            self._output.say("Type quit again to stop it now.")
            await self._drain_server(running)
            self._stopping = None
        await running.close()

    def hurry_stop(self) -> None:
        """Stop draining at once."""
        if self._stopping is not None:
            self._stopping.hurry()

    async def _drain_server(self, running: Running) -> None:
        """Wait for the end of the games, or until `quit` is typed."""
        end = asyncio.ensure_future(running.drain())
        while not end.done():
            typed = asyncio.ensure_future(self._reader.next())
            await asyncio.wait((end, typed), return_when=asyncio.FIRST_COMPLETED)
            if not typed.done():
                typed.cancel()
            # The end of the input hurries no game: only a typed quit does.
            elif (line := typed.result()) is None:
                await end
            elif line.strip().casefold() == "quit":
                running.hurry()
