"""Doors beside a hosted server: a process for each, and how others join through it."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from typing import Final

from scoville_client.i18n.language import tr
from scoville_client.processes import Supervised
from scoville_client.session.joining.invitation import MOST_ADDRESSES, WayOf, WayToJoin
from scoville_client.session.start_options import Start
from scoville_client.transport.address import Address, port_refused
from scoville_client.transport.base import LinkError
from scoville_runtime.clock import SYSTEM, Clock
from scoville_shared.engine.phrases import Phrase

LOG: Final = "door.log"
"""File in the folder of a hosted server that the output of its doors is appended to."""
_NAMES: Final = {"ssh": Phrase("The SSH door"), "web": Phrase("The browser door")}
_REPORTED: Final = {
    1: Phrase("{door} has ended and is being started again; the reason is in {file}."),
    4: Phrase("{door} ends again and again; the reason is in {file}."),
}
"""Sentences for the host when a door ends the first time and the fourth time in a row."""
_TRIES, _PAUSE_SECONDS = 4, 0.5
"""How often a port is tried: a door whose host was killed lets go of it a moment later."""


def wants_doors(start: Start) -> bool:
    """Whether a hosted server has doors beside it."""
    return start.ssh is not None or start.web is not None


async def open_doors(
    start: Start,
    socket: Path,
    credential: Path,
    folder: Path,
    stack: AsyncExitStack,
    clock: Clock = SYSTEM,
    report: Callable[[Phrase], None] = lambda _: None,
) -> None:
    """Start a process for each door, which `stack` stops. Raises LinkError where a port cannot be opened.

    Args:
        start: Ports of the doors, and the address that they listen on.
        socket: The server's socket for doors.
        credential: File by which the server believes them.
        folder: The server's data folder.
        stack: Stops the processes.
        clock: Measures pauses.
        report: Called with a sentence when a door has ended, and once more when it keeps ending.
    """
    log = folder / LOG

    def on_end(kind: str, times: int) -> None:
        if times in _REPORTED:
            report(_REPORTED[times].with_fields({"door": _NAMES[kind], "file": str(log)}))

    for option, port in (("--ssh", start.ssh), ("--web", start.web)):
        if port is not None:
            await _check_port(start.host, port, option, clock)
    for command in door_commands(start, socket, credential, folder):
        door = Supervised(command, log, clock, partial(on_end, command[1]))
        door.start()
        stack.push_async_callback(door.close)


def door_commands(start: Start, socket: Path, credential: Path, folder: Path) -> list[list[str]]:
    """Return the command line of each door."""
    common = [str(socket), f"--credential={credential}", f"--listen={start.host}", "--supervised"]
    commands = []
    if start.ssh is not None:
        commands.append(["door", "ssh", *common, f"--port={start.ssh}"])
    if start.web is not None:
        ssh = [] if start.ssh is None else [f"--ssh={start.ssh}"]
        commands.append(["door", "web", *common, f"--port={start.web}", f"--state={folder / 'web'}", *ssh])
    return commands


def ways_by_doors(start: Start, addresses: Sequence[str]) -> tuple[WayOf, ...]:
    """Return how others join through the doors; `addresses` are this machine's for others, the likeliest first."""
    hosts = [*addresses[:MOST_ADDRESSES]] or ["localhost"]
    ways: list[WayOf] = []
    if start.ssh is not None:
        ways.append(partial(_by_ssh, hosts[0], start.ssh))
    if start.web is not None:
        ways += [partial(_in_browser, host, start.web) for host in hosts]
    return tuple(ways)


def _by_ssh(host: str, port: int, code: str) -> WayToJoin:
    return WayToJoin(tr("By ssh:"), f"ssh -p {port} {code}@{host}" if code else f"ssh -p {port} {host}")


def _in_browser(host: str, port: int, code: str) -> WayToJoin:
    page = f"http://{Address(host, port)}/"
    # After #: browsers do not send that part, so no proxy or log on the way has the code.
    page = f"{page}#{code}" if code else page
    return WayToJoin(tr("In a browser:"), page, page)


async def _check_port(host: str, port: int, option: str, clock: Clock) -> None:
    """Open a port for a moment: a door that cannot would only write it into its log. Raises LinkError."""
    for attempt in range(1, _TRIES + 1):
        try:
            server = await asyncio.start_server(lambda _reader, writer: writer.close(), host or None, port)
        except OSError as error:
            if attempt == _TRIES:
                raise LinkError(port_refused(error, port, option)) from error
            await clock.sleep(_PAUSE_SECONDS)
        else:
            server.close()
            return
