"""A program on a pseudo-terminal: how fast it draws, and how much it writes."""

import os
import pty
import select
import signal
import struct
import sys
import time
from fcntl import ioctl
from termios import TIOCSWINSZ

PATIENCE = 30.0
QUIET_SECONDS = 0.25
"""Without output for so long a picture is complete."""


class Program:
    """Python with some arguments on a pseudo-terminal of 80 × 24 in true colour. Ends it when it is closed."""

    def __init__(self, arguments: list[str]) -> None:
        self.began = time.perf_counter()
        self._child, self._terminal = pty.fork()
        if self._child == 0:
            os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
            os.environ.update(TERM="xterm-256color", COLORTERM="truecolor", PYTHONUTF8="1")
            os.execv(sys.executable, [sys.executable, *arguments])
        ioctl(self._terminal, TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.seen = b""

    def __enter__(self) -> "Program":
        return self

    def __exit__(self, *_: object) -> None:
        os.kill(self._child, signal.SIGKILL)
        os.waitpid(self._child, 0)
        os.close(self._terminal)

    def wait_for(self, word: bytes) -> float:
        """Return the seconds since the start until `word` has been written. Raises SystemExit if it never is."""
        while word not in self.seen:
            if not self._read(PATIENCE):
                raise SystemExit(f"Nothing drew {word.decode()!r} within {PATIENCE:.0f} s.")
        return time.perf_counter() - self.began

    def settle(self, quiet: float = QUIET_SECONDS) -> bytes:
        """Read until nothing has come for a while; return everything since the last look."""
        while self._read(quiet):
            pass
        seen, self.seen = self.seen, b""
        return seen

    def press(self, key: bytes) -> float:
        """Type a key; return the seconds until something was drawn."""
        self.settle(0.02)
        pressed = time.perf_counter()
        os.write(self._terminal, key)
        if not self._read(PATIENCE):
            raise SystemExit(f"The key {key!r} drew nothing.")
        return time.perf_counter() - pressed

    def _read(self, patience: float) -> bool:
        if not select.select([self._terminal], [], [], patience)[0]:
            return False
        try:
            self.seen += os.read(self._terminal, 65536)
        except OSError:
            raise SystemExit(f"The program ended. It wrote:\n{self.seen.decode(errors='replace')}") from None
        return True
