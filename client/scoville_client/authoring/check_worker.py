"""The process that runs checks, one after the other, and writes a line of JSON about each.

A check that does not end is ended from inside: `faulthandler` writes where it was, and ends the process, whatever the
code of the package catches. The one that started this process goes on with the next check in another one.

A step is measured by its processor time where the system has a timer of it: on a machine with other work a healthy game
would else be told that it does not end.
"""

import faulthandler
import os
import signal
import sys
from contextlib import suppress
from typing import Final, NamedTuple, TextIO

import msgspec

from scoville_client.authoring.checks import CHECKS, CheckFailed
from scoville_runtime.clock import SYSTEM

_STDERR: Final = 2
"""The file of stderr itself: on a screen `sys.stderr` is something else."""
_MEMORY: Final = 4 << 30
"""Bytes of memory: what is collected without end must not fill the machine."""
_HAS_TIMER: Final = hasattr(signal, "setitimer")
"""Whether the system has a timer of processor time; Windows has none."""
_WAITING_FACTOR: Final = 5
"""A step that waits without working, or beside other work, may take so much longer by the clock."""


_ALIVE_SECONDS: Final = 1.0
"""How often a check says that its steps go on: on a busy machine one that is healthy may take minutes."""


class Line(NamedTuple):
    """A line that the process writes: a check begins, is still `alive`, or has ended as `ok` or `failed`."""

    check: str
    status: str
    message: str = ""


class _Steps:
    """The steps of the checks: each is ended after so many seconds of work, and while they go on that is written."""

    def __init__(self, seconds: float, out: TextIO) -> None:
        self._seconds = seconds
        self._out = out
        self._check, self._said_at = "", 0.0

    def begin_check(self, name: str) -> None:
        self._check, self._said_at = name, SYSTEM.seconds()
        _write_line(self._out, Line(name, "begin"))
        self.keep_alive()

    def keep_alive(self) -> None:
        """Begin another step."""
        if (now := SYSTEM.seconds()) - self._said_at >= _ALIVE_SECONDS:
            self._said_at = now
            _write_line(self._out, Line(self._check, "alive"))
        if _HAS_TIMER:
            signal.setitimer(signal.ITIMER_PROF, self._seconds)
        longest = self._seconds * (_WAITING_FACTOR if _HAS_TIMER else 1)
        faulthandler.dump_traceback_later(longest, exit=True, file=_STDERR)

    def end(self) -> None:
        if _HAS_TIMER:
            signal.setitimer(signal.ITIMER_PROF, 0)
        faulthandler.cancel_dump_traceback_later()


def run_checks(slug: str, step_seconds: float, names: list[str], out: TextIO) -> None:
    """Run checks by their names, each step within so many seconds of work, and write a line before and after each."""
    if _HAS_TIMER:
        # Chained: after the stacks are written, the signal's default action ends the process.
        faulthandler.register(signal.SIGPROF, file=_STDERR, chain=True)
    steps = _Steps(step_seconds, out)
    for check in CHECKS:
        if check.name not in names:
            continue
        steps.begin_check(check.name)
        try:
            line = Line(check.name, "ok", check.run(slug, steps.keep_alive))
        except CheckFailed as failed:
            line = Line(check.name, "failed", str(failed))
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - SystemExit too: the code of the package may raise anything
            line = Line(check.name, "failed", f"{type(error).__name__}: {error}".rstrip(": "))
        _write_line(out, line)
    steps.end()


def _write_line(out: TextIO, line: Line) -> None:
    out.write(msgspec.json.encode(line._asdict()).decode() + "\n")
    out.flush()


def main() -> None:
    """Run the checks that the command line names, after the game and the seconds of a step."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        # Of addresses: Linux ignores the limit of pages in use.
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    # A line printed by a package must not be taken for one of ours.
    out = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    run_checks(sys.argv[1], float(sys.argv[2]), sys.argv[3:], out)
    out.flush()
    os._exit(0)  # threads of the package, and of what it has imported, hold nobody up


if __name__ == "__main__":
    main()
