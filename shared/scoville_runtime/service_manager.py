"""The service manager of a process, systemd: what the process tells it, and the sockets that it keeps over restarts.

The protocols are those of sd_notify(3) and sd_listen_fds(3). Without a manager nothing is sent and nothing inherited.
"""

import os
import socket
from collections.abc import Mapping
from contextlib import suppress
from typing import Final

_FIRST: Final = 3
"""The number of the first inherited socket (SD_LISTEN_FDS_START)."""
_MOST_BYTES: Final = 200
"""Bytes of a status line that are sent."""


class ServiceManager:
    """Tells systemd how a service is; every message may get lost, and none blocks.

    Args:
        address: The manager's socket, empty without a manager; an @ begins an abstract name.
        watchdog_seconds: After how many seconds without `notify_alive` the manager starts the service again.
    """

    def __init__(self, address: str = "", watchdog_seconds: float | None = None) -> None:
        self._address = "\0" + address[1:] if address.startswith("@") else address
        self.watchdog_seconds = watchdog_seconds

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


def take_inherited(environment: Mapping[str, str] = os.environ) -> dict[str, list[socket.socket]]:
    """Return the sockets that this process has inherited, by name: listening ones, and those that were stored.

    What a process without a name for it has inherited is called `unknown`, as systemd does.
    """
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
