"""A baseline of `doors.py`: the least of an app in Textual, many times in one process over asyncssh, without a game."""

import asyncio
import contextlib
import gc
import sys
from codecs import getincrementaldecoder
from functools import partial
from typing import Any

import asyncssh
import textual.app
from textual._xterm_parser import XTermParser
from textual.app import App, ComposeResult
from textual.driver import Driver
from textual.widgets import OptionList, Static

TITLE = "Minimal"


class MinimalApp(App[None]):
    """A heading and a list."""

    ENABLE_COMMAND_PALETTE = False

    def compose(self) -> ComposeResult:
        """Arrange them."""
        yield Static(TITLE)
        yield OptionList("Dicht dran", "No Thanks!", "Chilli Chase")


class ChannelDriver(Driver):
    """Writes what Textual draws, unchanged, and parses input."""

    def __init__(self, app: Any, *, channel: Any, **options: Any) -> None:
        super().__init__(app, debug=False, mouse=False, size=options.get("size"))
        self.channel = channel
        self._parser = XTermParser()
        self._decode = getincrementaldecoder("utf-8")().decode

    def write(self, data: str) -> None:
        """Send."""
        self.channel.write(data.encode())

    def receive(self, data: bytes) -> None:
        """Handle input; no thread is between, as in the hosted client."""
        for message in self._parser.feed(self._decode(data)):
            self.process_message(message)

    def send_message(self, message: Any) -> None:
        """Hand on a message."""
        self._app.post_message(message)

    def start_application_mode(self) -> None:
        """Switch to screens."""
        self.write("\x1b[?1049h\x1b[?25l")

    def stop_application_mode(self) -> None:
        """Switch back."""

    def disable_input(self) -> None:
        """Let the parser end."""


class Session(asyncssh.SSHServerSession[bytes]):
    """One user."""

    def connection_made(self, chan: Any) -> None:
        """Keep the channel."""
        self._chan = chan

    def pty_requested(self, term_type: str, term_size: Any, term_modes: Any) -> bool:  # noqa: ARG002
        """Note the size."""
        self._size = term_size[:2]
        return True

    def shell_requested(self) -> bool:
        """Take it."""
        return True

    def session_started(self) -> None:
        """Run the app."""
        driver: Any = partial(ChannelDriver, channel=self._chan)
        self._app = MinimalApp(driver_class=driver)
        self._task = asyncio.ensure_future(self._app.run_async(mouse=False, size=self._size))

    def data_received(self, data: bytes, datatype: Any) -> None:  # noqa: ARG002
        """Pass on input."""
        if self._app._driver is not None:  # noqa: SLF001 - as hosted clients do
            self._app._driver.receive(data)  # type: ignore[attr-defined]  # noqa: SLF001

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002
        """End the app."""
        self._app.exit()


class Anybody(asyncssh.SSHServer):
    """Lets everybody in."""

    def begin_auth(self, username: str) -> bool:  # noqa: ARG002
        """Ask nothing."""
        return False

    def session_requested(self) -> Session:
        """Open the session."""
        return Session()


async def serve_door(port: int, key_file: str) -> None:
    """Listen until the process is ended, with the settings of memory that doors have."""
    for name in ("redirect_stdout", "redirect_stderr"):
        setattr(textual.app, name, contextlib.nullcontext)
    await asyncssh.create_server(
        Anybody, "127.0.0.1", port, reuse_port=True, server_host_keys=[key_file], encoding=None, line_editor=False
    )
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 50, 100_000)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(serve_door(int(sys.argv[1]), sys.argv[2]))
