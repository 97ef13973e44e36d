"""`scoville-server`: a server without a screen, for others to join."""

import asyncio
import contextlib
import errno
import logging
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, NoReturn

from cyclopts import App, Parameter
from cyclopts.validators import Number

from scoville_server.app import Server
from scoville_server.config import DEFAULT_PORT, BadSettings, Settings, read_pepper_file
from scoville_shared import __version__

_USAGE, _FAILED = 2, 1

Host = Annotated[str, Parameter(show_default=False)]
Port = Annotated[int, Parameter(validator=Number(gte=0, lte=65535))]

app = App(name="scoville-server", version=__version__, help_format="plaintext")


@app.default
def serve(*, host: Host = "", port: Port = DEFAULT_PORT, data: Path | None = None, peppers: Path | None = None) -> None:
    """Run a Scoville server, without a screen, until it is stopped (Ctrl+C).

    It is meant for others, so it listens on every address of this machine unless --host says otherwise.

    Parameters
    ----------
    host
        The address to listen on: 127.0.0.1 for this machine alone. Every address by default.
    port
        The port to listen on; 0 takes any free one.
    data
        A folder for finished games, each a file games/TABLE.jsonl. Without it nothing is kept.
    peppers
        A text file with the peppers of Dicht dran's cards 1 to 100: a hundred digits 1, 2 or 3, with spaces or
        lines between them; what follows a # is a comment.
    """
    logging.basicConfig(format="%(levelname)s: %(message)s")
    try:
        table = None if peppers is None else read_pepper_file(peppers)
    except BadSettings as error:
        _give_up(error.message, _USAGE)
    settings = Settings(host=host, port=port, data=data, peppers=table)
    with asyncio.Runner(loop_factory=_loop_factory()) as runner, contextlib.suppress(KeyboardInterrupt):
        runner.run(_serve(settings))


def main() -> None:
    """Run the command line."""
    app()


async def _serve(settings: Settings) -> None:
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        with contextlib.suppress(NotImplementedError):
            asyncio.get_running_loop().add_signal_handler(number, stop.set)
    server = Server(settings)
    try:
        await server.start()
    except OSError as error:
        _give_up(_cannot_listen(settings, error), _FAILED)
    _say(_listening(settings.host, server.port))
    try:
        await stop.wait()
    finally:
        await server.close()
    _say("Stopped.")


def _listening(host: str, port: int) -> str:
    where = f"{host}, port {port}" if host else f"every address of this machine, port {port}"
    return f"scoville-server {__version__} listens on {where}. Players type: scoville join {host or 'ADDRESS'}:{port}"


def _cannot_listen(settings: Settings, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"Port {settings.port} is in use by another program; choose another one with --port."
    reason = error.strerror or str(error)
    return f"Cannot listen on {settings.host or 'this machine'}, port {settings.port}: {reason}."


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """Prefer uvloop, the faster loop, where it is installed."""
    try:
        import uvloop
    except ImportError:
        return None
    return uvloop.new_event_loop


def _say(sentence: str) -> None:
    sys.stdout.write(sentence + "\n")
    sys.stdout.flush()


def _give_up(sentence: str, status: int) -> NoReturn:
    sys.stderr.write(sentence + "\n")
    raise SystemExit(status)
