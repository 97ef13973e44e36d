"""The service manager of a process, systemd: what the process tells it, and the sockets that it keeps over restarts.

The protocols are those of sd_notify(3) and sd_listen_fds(3). Without a manager nothing is sent and nothing inherited.
"""

import os
import socket
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from stat import S_ISSOCK
from typing import TYPE_CHECKING, BinaryIO, Final, NamedTuple, NoReturn, Protocol

from scoville_runtime.clock import Alarm, Clock

if TYPE_CHECKING:
    import asyncio

_FIRST: Final = 3
"""The number of the first inherited socket (SD_LISTEN_FDS_START)."""
_MOST_BYTES: Final = 200
"""Bytes of a status line that are sent."""
STATUS_SECONDS: Final = 10.0
"""Seconds between two status lines."""
_SIGNS: Final = 3
"""Signs of life in the time that the watchdog grants: one that is late or gets lost is no reason to start again."""
MOST_FILES: Final = 200
"""Files in one message: Linux takes 253 at most (SCM_MAX_FD)."""
SENDING_SECONDS: Final = 1.0
"""Seconds that the other end has to make room for a message that must not get lost."""
_VARIABLES: Final = ("LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES")


class OpenFile(Protocol):
    """A file or socket that is open."""

    def fileno(self) -> int:
        """Return the number by which the system knows it, for a message to the manager."""

    def close(self) -> None:
        """Close this process's copy; one that the manager stores stays open."""


class ServiceManager:
    """Tells systemd how a service is; every message may get lost, and none blocks.

    Args:
        address: The manager's socket, empty without a manager; an @ begins an abstract name.
        watchdog_seconds: After how many seconds without `notify_alive` the manager starts the service again.
        follows_main: Whether it has started this process itself, so that another one can become the main process.
    """

    def __init__(self, address: str = "", watchdog_seconds: float | None = None, *, follows_main: bool = False) -> None:
        self._address = "\0" + address[1:] if address.startswith("@") else address
        self.watchdog_seconds = watchdog_seconds
        self.follows_main = follows_main
        self._held: list[tuple[str, socket.socket | None]] | None = None

    @property
    def is_there(self) -> bool:
        return bool(self._address)

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> "ServiceManager":
        """Return the manager that has started this process, if one has."""
        seconds = None
        # Children inherit the variables: only the process that is named there is watched.
        if environment.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid()):
            with suppress(ValueError):
                seconds = int(environment.get("WATCHDOG_USEC", "")) / 1_000_000 or None
        address = environment.get("NOTIFY_SOCKET", "")
        # Not in a container, whose manager outside knows other process ids, nor under a program that waits for this.
        follows = sys.platform == "linux" and os.getpid() != 1 and bool(address)
        started = environment.get("SYSTEMD_EXEC_PID") == str(os.getpid())
        return cls(address, seconds, follows_main=follows and started)

    def hold_messages(self) -> None:
        """Keep messages until `send_held`: the manager takes those of the main process only."""
        self._held = []

    def send_held(self) -> None:
        """Send the held messages, and hold no more."""
        held, self._held = self._held or [], None
        for text, kept in held:
            self._send_message(text, kept)
            if kept is not None:
                kept.close()

    def name_main(self, pid: int) -> None:
        """Say which process is the main one from now on. Blocks for a moment; raises OSError."""
        self._send_blocking(f"MAINPID={pid}", [])

    def notify_ready(self, status: str = "") -> None:
        """Say that the service has started, or has read its settings again."""
        self._send_message(f"READY=1\n{_status_line(status)}")

    def notify_status(self, status: str) -> None:
        """Send the line that `systemctl status` shows."""
        self._send_message(_status_line(status))

    def notify_reloading(self, monotonic_us: int) -> None:
        """Say that the settings are read again; the manager wants to know since when in the same message."""
        self._send_message(f"RELOADING=1\nMONOTONIC_USEC={monotonic_us}")

    def notify_stopping(self) -> None:
        """Say that the service ends."""
        self._send_message("STOPPING=1")

    def notify_alive(self) -> None:
        """Feed the watchdog: only from where a service that hangs would not come by."""
        if self.watchdog_seconds is not None:
            self._send_message("WATCHDOG=1")

    def store_socket(self, name: str, kept: socket.socket) -> bool:
        """Hand a socket to the manager, which gives it to the next start by that name; returns whether it was sent."""
        return self._send_message(f"FDSTORE=1\nFDNAME={name}", kept)

    def store_files(self, name: str, kept: Sequence[OpenFile]) -> None:
        """Hand files to the manager, which gives them to the next start by that name. Blocks; raises OSError."""
        for first in range(0, len(kept), MOST_FILES):
            self._send_blocking(
                f"FDSTORE=1\nFDNAME={name}", [each.fileno() for each in kept[first : first + MOST_FILES]]
            )

    def wait_until_read(self, seconds: float) -> bool:
        """Wait until the manager has read all messages up to now. Blocks; returns whether it has."""
        if not self._address:
            return False
        end, barrier = os.pipe()
        try:
            try:
                self._send_blocking("BARRIER=1", [barrier])
            finally:
                # The manager has the last copy now, and closes it when it has read every message before this one.
                os.close(barrier)
            return _is_closed(end, seconds)
        except OSError:
            return False
        finally:
            os.close(end)

    def _send_blocking(self, text: str, handles: Sequence[int]) -> None:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as line:
            line.settimeout(SENDING_SECONDS)
            line.connect(self._address)
            socket.send_fds(line, [text.encode()], handles)

    def remove_stored(self, name: str) -> None:
        """Let the manager close the sockets of that name."""
        self._send_message(f"FDSTOREREMOVE=1\nFDNAME={name}")

    def _send_message(self, text: str, kept: socket.socket | None = None) -> bool:
        if not self._address or not hasattr(socket, "AF_UNIX"):
            return False
        if self._held is not None:
            # A copy: until the message is sent its owner may close the socket.
            self._held.append((text, None if kept is None else kept.dup()))
            return True
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as line:
                # The event loop sends: better a lost status than players who wait for a manager that hangs.
                line.setblocking(False)
                line.connect(self._address)
                if kept is None:
                    line.send(text.encode())
                else:
                    socket.send_fds(line, [text.encode()], [kept.fileno()])
        # A manager that is gone or busy must not stop the server.
        except OSError:
            return False
        return True


class ServiceReports:
    """Reports a service to its manager from its start to its end. Works on the running event loop.

    Args:
        manager: The manager.
        clock: Time between two reports.
        describe: Returns the status line.
        check_alive: Returns whether the service works; awaited before each sign of life. A service that hangs in it, or
            whose event loop stands still, gives none.
    """

    def __init__(
        self,
        manager: ServiceManager,
        clock: Clock,
        describe: Callable[[], str],
        check_alive: Callable[[], Awaitable[bool]],
    ) -> None:
        self.manager = manager
        self._clock = clock
        self._describe = describe
        self._check_alive = check_alive
        self._alarm: Alarm | None = None
        self._watching: asyncio.Task[None] | None = None

    def report_ready(self) -> None:
        """Report that the service is ready, and how it is from now on."""
        if not self.manager.is_there:
            return
        self.manager.notify_ready(self._describe())
        self._schedule_status()
        if self.manager.watchdog_seconds is not None:
            import asyncio

            signs = feed_watchdog(self.manager, self._clock, self._check_alive)
            self._watching = asyncio.get_running_loop().create_task(signs, name="watchdog")

    def report_reloading(self) -> None:
        """Report that the settings are read again; `report_reloaded` follows."""
        self.manager.notify_reloading(int(self._clock.seconds() * 1_000_000))

    def report_reloaded(self) -> None:
        """Report that the settings were read."""
        if self.manager.is_there:
            self.manager.notify_ready(self._describe())

    def report_stopping(self) -> None:
        """Report that the service ends, and nothing more."""
        self.manager.notify_stopping()
        self.stop_reporting()

    def stop_reporting(self) -> None:
        """Stop the status lines and the signs of life, on which the watchdog relies."""
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
        if self._watching is not None:
            self._watching.cancel()
            self._watching = None

    def _schedule_status(self) -> None:
        self._alarm = self._clock.call_later(STATUS_SECONDS, self._report_status)

    def _report_status(self) -> None:
        self.manager.notify_status(self._describe())
        self._schedule_status()


async def loop_runs() -> bool:
    """Return that the event loop runs: the check of a service that has nothing else that could hang."""
    return True


async def feed_watchdog(
    manager: ServiceManager, clock: Clock, check_alive: Callable[[], Awaitable[bool]] = loop_runs
) -> None:
    """Give signs of life for as long as this is awaited; none is due without a watchdog."""
    while manager.watchdog_seconds is not None:
        if await check_alive():
            manager.notify_alive()
        await clock.sleep(manager.watchdog_seconds / _SIGNS)


def replace_process(kept: Mapping[str, Sequence[OpenFile]], environment: Mapping[str, str] = os.environ) -> NoReturn:
    """Run this process's command again in its place, from the files as they are now, with the same process id.

    Its successor inherits the files and sockets by their names, as from systemd. Raises OSError if the command is gone.
    """
    names = [name for name, sockets in kept.items() for _ in sockets]
    # Copied out of the way first: any of them may have a number that another one needs.
    above = _FIRST + len(names)
    copies = [_copy_above(each, above) for sockets in kept.values() for each in sockets]
    for at, copy in enumerate(copies):
        os.dup2(copy, _FIRST + at, inheritable=True)
    listen = {"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": str(len(names)), "LISTEN_FDNAMES": ":".join(names)}
    os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], {**environment, **listen})  # noqa: S606


def _is_closed(end: int, seconds: float) -> bool:
    """Wait until nobody has the other end of a pipe; returns whether that came in time."""
    import select

    look = select.poll()
    look.register(end, select.POLLHUP)
    return bool(look.poll(seconds * 1000))


def _copy_above(kept: OpenFile, first: int) -> int:
    import fcntl  # not on Windows, which replaces no processes

    return fcntl.fcntl(kept.fileno(), fcntl.F_DUPFD_CLOEXEC, first)


class Inherited(NamedTuple):
    """Files and sockets that a process has inherited, by name; without one it is called `unknown`, as systemd does.

    Attributes:
        sockets: Listening ones, and those that were stored.
        files: Everything that is no socket, opened for reading and writing.
    """

    sockets: dict[str, list[socket.socket]]
    files: dict[str, BinaryIO]


def take_inherited(environment: Mapping[str, str] = os.environ) -> Inherited:
    """Return the files and sockets from the service manager, or from the process that this one has replaced."""
    if environment is os.environ:
        # Taken once: a process that this one starts has inherited nothing.
        environment = {name: os.environ.pop(name) for name in _VARIABLES if name in os.environ}
    inherited = Inherited({}, {})
    # Of the parent: its children inherit the variables, and not the sockets.
    if environment.get("LISTEN_PID", str(os.getpid())) != str(os.getpid()):
        return inherited
    number = int(environment.get("LISTEN_FDS", "0") or 0)
    names = environment.get("LISTEN_FDNAMES", "").split(":")
    for at in range(number):
        name = names[at] if at < len(names) and names[at] else "unknown"
        with suppress(OSError):  # none that is open
            os.set_inheritable(_FIRST + at, False)
            adopt_file(inherited, name, _FIRST + at)
    return inherited


def adopt_file(inherited: Inherited, name: str, handle: int) -> None:
    """Add an open file or socket to the inherited ones. Raises OSError if it is not open."""
    if S_ISSOCK(os.fstat(handle).st_mode):
        inherited.sockets.setdefault(name, []).append(socket.socket(fileno=handle))
    else:
        inherited.files[name] = os.fdopen(handle, "r+b")


def _status_line(status: str) -> str:
    # Without ends of lines, behind which a status could forge other messages; cut between two characters.
    line = " ".join(status.split()).encode()[:_MOST_BYTES].decode(errors="ignore")
    return f"STATUS={line}" if line else ""
