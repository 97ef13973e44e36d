"""The end of a server, and its restarts: the installed version takes over, and if it cannot, this process goes on.

Under a service manager that follows the main process another process takes over: it has loaded its modules and read its
settings by the time this one lets go, so that users wait for half as long. Everywhere else this process runs the
command again in its place, and keeps its process id, for which its parent waits.
"""

import asyncio
import contextlib
import logging
import os
import signal
import sys
from asyncio.subprocess import DEVNULL
from typing import Final

from scoville_runtime.clock import SYSTEM
from scoville_runtime.service_manager import ServiceManager, feed_watchdog
from scoville_runtime.succession import Successor, SuccessorFailed
from scoville_server.net.listening import ListeningSockets
from scoville_shared.errors import Code, ScovilleError

_log = logging.getLogger(__name__)

_CHECKING_SECONDS: Final = 40.0
"""Seconds that the installed version has to say its number: less than a restart has at the control socket."""


async def _start_successor() -> Successor:
    """Start this command again beside this process. Raises ScovilleError if it does not get ready."""
    try:
        return await Successor.start(SYSTEM, [sys.executable, *sys.orig_argv[1:]])
    except SuccessorFailed as failure:
        sentence = f"The installed version does not start ({str(failure).rstrip('.')}); this server goes on."
        _log.error("%s", sentence)
        raise ScovilleError(Code.INTERNAL, sentence) from failure


async def _check_installed() -> None:
    """Check that the command as it is installed now starts at all. Raises ScovilleError with its output."""
    # The command without its arguments: orig_argv has the options of the interpreter as well, and argv what follows
    # them.
    command = [sys.executable, *sys.orig_argv[1 : len(sys.orig_argv) - len(sys.argv) + 1], "--version"]
    process: asyncio.subprocess.Process | None = None
    try:
        async with SYSTEM.limit(_CHECKING_SECONDS):
            process = await asyncio.create_subprocess_exec(
                *command, stdin=DEVNULL, stdout=DEVNULL, stderr=asyncio.subprocess.PIPE
            )
            _, said = await process.communicate()
    except TimeoutError:
        if process is not None:
            process.kill()
            await process.wait()
        raise ScovilleError(Code.INTERNAL, "The installed version does not start; this server goes on.") from None
    except OSError as error:
        sentence = f"The installed version cannot be started: {error.strerror}; this server goes on."
        raise ScovilleError(Code.INTERNAL, sentence) from error
    if process.returncode:
        last = (said.decode(errors="replace").strip().splitlines() or [f"status {process.returncode}"])[-1]
        raise ScovilleError(Code.INTERNAL, f"The installed version does not start ({last}); this server goes on.")


class Succession:
    """A successor that gets ready, and takes over once this process has let go of everything.

    Args:
        successor: It is ready.
        manager: Learns which process is the main one, and meanwhile that all is well.
        hurry: Is set when this process is to end at once, and then its successor is to end as well.
        began_ms: When the successor was started, in milliseconds since 1970: it has read the settings later.

    Attributes:
        pid: The id of the successor's process.
    """

    def __init__(self, successor: Successor, manager: ServiceManager, hurry: asyncio.Event, began_ms: int) -> None:
        self._successor, self.pid = successor, successor.pid
        self._manager = manager
        self._hurry = hurry
        self._began_ms = began_ms
        self._stops = False
        self._passing: asyncio.Task[None] | None = None

    def begin_passing(self, sockets: ListeningSockets) -> None:
        """Hand everything that is kept to the successor."""
        try:
            self._successor.hand_over(sockets.kept)
        except OSError as error:
            failure: SuccessorFailed | None = SuccessorFailed(f"it gets no connections: {error.strerror or error}")
        else:
            failure = None
        self._passing = asyncio.get_running_loop().create_task(self._pass_on(failure))

    async def is_over(self) -> bool:
        """Wait until the successor serves; returns whether it does. If not, it has ended."""
        try:
            if self._passing is None:
                raise SuccessorFailed("this server could not let go")
            await self._passing
        except (SuccessorFailed, OSError) as failure:
            await self._successor.end()
            _log.error("The new server process did not take over (%s); this one goes on.", str(failure).rstrip("."))
            return False
        return True

    def forward_signals(self, reloaded_ms: int) -> None:
        """Let the successor have the signals that came for this process when it was too late for it.

        A reload of this process, last at `reloaded_ms`, may be of settings that the successor has not read.
        """
        missed = [signal.SIGHUP] if reloaded_ms >= self._began_ms else []
        if self._hurry.is_set() and not self._stops:
            missed.append(signal.SIGTERM)
        self._successor.forward_signals(*missed)

    async def _pass_on(self, failure: SuccessorFailed | None) -> None:
        if failure is not None:
            raise failure
        # While the successor restores its tables the manager still listens to this process.
        feeding = asyncio.ensure_future(feed_watchdog(self._manager, SYSTEM))
        try:
            await self._successor.wait_until_restored()
        finally:
            feeding.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await feeding
        # Named first: from its first word on, the manager must know the successor for the one that it listens to.
        self._manager.name_main(self._successor.pid)
        self._stops = self._hurry.is_set()
        try:
            self._successor.let_serve(stops=self._stops)
        except OSError as error:
            # It has died since: unless this process is named again, the manager takes that for the service's end.
            self._manager.name_main(os.getpid())
            raise SuccessorFailed("it has ended") from error


def _already_ending() -> ScovilleError:
    return ScovilleError(Code.BUSY, "The server restarts or stops already.")


class ServerEnding:
    """How and when the server ends: each signal to stop counts.

    Attributes:
        stop: Set when it is to end.
        hurry: Set by a second signal: whatever takes its time is cut short.
        planned: Whether a host has planned the end.
        restarting: Whether the command runs again: in this process, or in that of the `succession`.
        succession: How another process takes over, if one does.
        reloaded_ms: When the settings that hold were read, in milliseconds since 1970.
        is_node: Whether this is a node of a cluster, whose place another one takes.
    """

    def __init__(self, manager: ServiceManager) -> None:
        self.stop, self.hurry = asyncio.Event(), asyncio.Event()
        self.planned = self.restarting = self.is_node = False
        self.succession: Succession | None = None
        self.reloaded_ms = 0
        self._manager = manager
        self._is_preparing = False

    def stop_server(self) -> None:
        """End the server; a second call hurries."""
        (self.hurry if self.stop.is_set() else self.stop).set()

    def quit_at_once(self) -> None:
        self.stop.set()
        self.hurry.set()

    def stop_as_planned(self) -> None:
        """End the server for good, also where connections would start it again."""
        self.planned = True
        self.stop_server()

    async def restart_server(self) -> int:
        """Begin a restart; returns the id of the process that takes over, 0 for this one.

        Raises ScovilleError if the server cannot be started again, and then it goes on.
        """
        if self.is_node:
            sentence = "A node of a cluster is stopped and started: another one serves meanwhile."
            raise ScovilleError(Code.BAD_PARAMS, sentence)
        if os.name == "nt":
            raise ScovilleError(Code.BAD_PARAMS, "On Windows a server cannot replace itself; stop and start it.")
        if self._is_preparing or self.stop.is_set():
            raise _already_ending()
        self._is_preparing = True
        try:
            if not self._manager.follows_main:
                await _check_installed()
            else:
                began_ms = SYSTEM.date_ms()
                successor = await _start_successor()
                if self.stop.is_set():  # meanwhile
                    await successor.end()
                    raise _already_ending()
                self.succession = Succession(successor, self._manager, self.hurry, began_ms)
        finally:
            self._is_preparing = False
        self.restarting = True
        self.stop.set()
        return 0 if self.succession is None else self.succession.pid

    async def is_succeeded(self) -> bool:
        """Wait until the successor serves, if there is one; returns whether this process is to end."""
        if self.succession is None or await self.succession.is_over():
            return True
        self.succession, self.restarting = None, False
        if not self.hurry.is_set():
            self.stop.clear()
        return self.stop.is_set()
