"""The client's end of a server's control socket: sends a command and waits for its reply, without an event loop.

Both the command line and the screen of `top` use it; the server's end is `scoville_server.control`.
"""

import re
import socket
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import msgspec

from scoville_runtime.short_paths import short_path_to
from scoville_shared.errors import ScovilleError

CONTROL_SOCKET: Final = "control.sock"
"""The socket's name in the data folder."""
_LONGEST_REPLY: Final = 64 * 1_048_576
"""Bytes of a reply that is read: more than any list has."""
_UNITS_MS: Final = {"s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
_DURATION: Final = re.compile(r"(?:\d+[smhd])+")
_SECONDS: Final = 15.0
"""Seconds to wait for a reply; the server gives up a command sooner."""
_CHUNK: Final = 65_536


def parse_duration(text: str) -> int:
    """Return the milliseconds of a time such as 90s, 10m or 1h30m. Raises ValueError."""
    if not _DURATION.fullmatch(text):
        raise ValueError(f"A time is written such as 30s, 10m, 12h or 7d (got {text!r}).")
    return sum(int(part[:-1]) * _UNITS_MS[part[-1]] for part in re.findall(r"\d+[smhd]", text))


class NotRunning(ScovilleError):
    """No server answers in a data folder."""

    def __init__(self, message: str) -> None:
        super().__init__("not_running", message)


class ControlClient:
    """A connection to the server of a data folder; made by the first command, and again after a loss."""

    def __init__(self, folder: Path, seconds: float = _SECONDS) -> None:
        self._folder = folder
        self._seconds = seconds
        self._line: socket.socket | None = None
        self._read = b""

    def send_command(self, name: str, arguments: Mapping[str, Any] | None = None, reason: str = "") -> Any:
        """Carry out a command and return its result. Raises NotRunning, and ScovilleError when it is refused."""
        request = {"command": name, "arguments": arguments or {}, "reason": reason}
        try:
            line = self._line or self._connect()
            with suppress(BrokenPipeError):  # it has refused us already, with a sentence that is still to be read
                line.sendall(msgspec.json.encode(request) + b"\n")
            reply = msgspec.json.decode(self._read_line(line))
        except TimeoutError as error:
            self.close()
            raise ScovilleError("not_answering", f"The server of {self._folder} runs, but does not answer.") from error
        except (OSError, msgspec.DecodeError) as error:
            self.close()
            raise NotRunning(f"The server of {self._folder} has stopped answering.") from error
        if "error" in reply:
            raise ScovilleError(reply["error"]["code"], reply["error"]["message"])
        return reply["result"]

    def close(self) -> None:
        if self._line is not None:
            self._line.close()
        self._line, self._read = None, b""

    def _connect(self) -> socket.socket:
        path = self._folder / CONTROL_SOCKET
        if not hasattr(socket, "AF_UNIX"):
            raise NotRunning("This system has no Unix sockets, by which a running server is controlled.")
        line = socket.socket(socket.AF_UNIX)
        line.settimeout(self._seconds)
        try:
            with short_path_to(path) as short:
                line.connect(short)
        except PermissionError as error:
            line.close()
            raise ScovilleError("not_allowed", _permission_text(self._folder)) from error
        except OSError as error:
            line.close()
            raise NotRunning(_absence_text(self._folder)) from error
        self._line = line
        return line

    def _read_line(self, line: socket.socket) -> bytes:
        parts = [self._read]
        size = len(self._read)
        # In the newest part alone: a long reply comes in a thousand of them.
        while b"\n" not in parts[-1]:
            part = line.recv(_CHUNK)
            size += len(part)
            if not part or size > _LONGEST_REPLY:
                raise ConnectionError
            parts.append(part)
        # Bytes after the line belong to the next reply.
        reply, _, self._read = b"".join(parts).partition(b"\n")
        return reply


def _permission_text(folder: Path) -> str:
    return (
        f"You may not open the control socket of {folder}; run this as root, as the server's user,"
        " or as a member of the group that owns the folder."
    )


def _absence_text(folder: Path) -> str:
    """Return why no server answers there: none is running, or the folder is another one."""
    try:
        missing = not folder.is_dir()
    except OSError:
        missing = False
    if missing:
        return f"There is no data folder {folder}; name the server's own with --data or --config."
    return f"No server is running on {folder}."
