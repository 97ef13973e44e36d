"""Signals that must not end a long-running process.

By default most signals end a process, also those that mean "reload" or "open your log again" to other servers, and the
one that a closing terminal sends to everything that was started in it.
"""

import signal
from typing import Final

_KEEP: Final = frozenset(
    {
        "SIGKILL",
        "SIGSTOP",
        # The ways to end it.
        "SIGTERM",
        "SIGINT",
        "SIGQUIT",
        # The system sends these for faults of the program itself, and systemd's watchdog SIGABRT.
        "SIGABRT",
        "SIGIOT",
        "SIGBUS",
        "SIGFPE",
        "SIGILL",
        "SIGSEGV",
        "SIGSYS",
        "SIGTRAP",
        # They end nothing: a child's end, and job control.
        "SIGCHLD",
        "SIGCLD",
        "SIGCONT",
        "SIGTSTP",
        "SIGURG",
        "SIGWINCH",
    }
)


def ignore_harmless_signals(*others: str) -> None:
    """Ignore every signal that is neither a way to end a process nor a fault of its own, except for some `others`.

    Handlers that are set afterwards replace this. Child processes start with the same signals ignored.
    """
    keep = {number for name in (*_KEEP, *others) if (number := getattr(signal, name, None)) is not None}
    for number in signal.valid_signals() - keep:
        try:
            signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError):  # taken by the C library
            continue
