"""The service manager of a process, systemd: what the process tells it, and the sockets that it keeps over restarts.

The protocols are those of sd_notify(3) and sd_listen_fds(3). Without a manager nothing is sent and nothing inherited.
"""

import os
import socket
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final, NoReturn

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
_VARIABLES: Final = ("LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES")


class ServiceManager:
    """Tells systemd how a service is; every message may get lost, and none blocks.

    Args:
        address: The manager's socket, empty without a manager; an @ begins an abstract name.
        watchdog_seconds: After how many seconds without `notify_alive` the manager starts the service again.
    """

    def __init__(self, address: str = "", watchdog_seconds: float | None = None) -> None:
        self._address = "\0" + address[1:] if address.startswith("@") else address
        self.watchdog_seconds = watchdog_seconds

    @property
    def is_there(self) -> bool:
        """Whether there is a manager."""
        return bool(self._address)

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> "ServiceManager":
        """Return the manager that has started this process, if one has."""
        seconds = None
        # Children inherit the variables: only the process that is named there is watched.
        if environment.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid()):
            with suppress(ValueError):
                seconds = int(environment.get("WATCHDOG_USEC", "")) / 1_000_000 or None
        return cls(environment.get("NOTIFY_SOCKET", ""), seconds)

    def notify_ready(self, status: str = "") -> None:
        """Say that the service has started, or has read its settings again."""
        self._send(f"READY=1\n{_status_line(status)}")

    def notify_status(self, status: str) -> None:
        """Send the line that `systemctl status` shows."""
        self._send(_status_line(status))

    def notify_reloading(self, monotonic_us: int) -> None:
        """Say that the settings are read again; the manager wants to know since when in the same message."""
        self._send(f"RELOADING=1\nMONOTONIC_USEC={monotonic_us}")

    def notify_stopping(self) -> None:
        """Say that the service ends."""
        self._send("STOPPING=1")

    def notify_alive(self) -> None:
        """Feed the watchdog: only from where a service that hangs would not come by."""
        if self.watchdog_seconds is not None:
            self._send("WATCHDOG=1")

    def store_socket(self, name: str, kept: socket.socket) -> bool:
        """Hand a socket to the manager, which gives it to the next start by that name; returns whether it was sent."""
        return self._send(f"FDSTORE=1\nFDNAME={name}", kept)

    def remove_stored(self, name: str) -> None:
        """Let the manager close the sockets of that name."""
        self._send(f"FDSTOREREMOVE=1\nFDNAME={name}")

    def _send(self, text: str, kept: socket.socket | None = None) -> bool:
        if not self._address or not hasattr(socket, "AF_UNIX"):
            return False
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as line:
                line.setblocking(False)
                line.connect(self._address)
                if kept is None:
                    line.send(text.encode())
                else:
                    socket.send_fds(line, [text.encode()], [kept.fileno()])
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

            seconds = self.manager.watchdog_seconds / _SIGNS
            self._watching = asyncio.get_running_loop().create_task(self._give_signs(seconds), name="watchdog")

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
        """Report nothing more."""
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

    async def _give_signs(self, seconds: float) -> None:
        while True:
            if await self._check_alive():
                self.manager.notify_alive()
            await self._clock.sleep(seconds)


async def loop_runs() -> bool:
    """Return that the event loop runs: the check of a service that has nothing else that could hang."""
    return True


def replace_process(
    kept: Mapping[str, Sequence[socket.socket]], environment: Mapping[str, str] = os.environ
) -> NoReturn:
    """Run this process's command again in its place, from the files as they are now, with the same process id.

    Its successor inherits the sockets by their names, as from systemd. Raises OSError if the command is gone.
    """
    names = [name for name, sockets in kept.items() for _ in sockets]
    # Copied out of the way first: any of them may have a number that another one needs.
    above = _FIRST + len(names)
    copies = [_copy_above(each, above) for sockets in kept.values() for each in sockets]
    for at, copy in enumerate(copies):
        os.dup2(copy, _FIRST + at, inheritable=True)
    listen = {"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": str(len(names)), "LISTEN_FDNAMES": ":".join(names)}
    os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], {**environment, **listen})  # noqa: S606


def _copy_above(kept: socket.socket, first: int) -> int:
    import fcntl  # not on Windows, which replaces no processes

    return fcntl.fcntl(kept.fileno(), fcntl.F_DUPFD_CLOEXEC, first)


def take_inherited(environment: Mapping[str, str] = os.environ) -> dict[str, list[socket.socket]]:
    """Return the sockets that this process has inherited, by name: listening ones, and those that were stored.

    What a process without a name for it has inherited is called `unknown`, as systemd does.
    """
    if environment is os.environ:
        # Taken once: a process that this one starts has inherited nothing.
        environment = {name: os.environ.pop(name) for name in _VARIABLES if name in os.environ}
    if environment.get("LISTEN_PID", str(os.getpid())) != str(os.getpid()):
        return {}
    number = int(environment.get("LISTEN_FDS", "0") or 0)
    names = environment.get("LISTEN_FDNAMES", "").split(":")
    found: dict[str, list[socket.socket]] = {}
    for at in range(number):
        name = names[at] if at < len(names) and names[at] else "unknown"
        with suppress(OSError):  # a file that is no socket
            os.set_inheritable(_FIRST + at, False)
            found.setdefault(name, []).append(socket.socket(fileno=_FIRST + at))
    return found


def _status_line(status: str) -> str:
    line = " ".join(status.split()).encode()[:_MOST_BYTES].decode(errors="ignore")
    return f"STATUS={line}" if line else ""
