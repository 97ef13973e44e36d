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


_HELD: Final = ("SIGHUP", "SIGUSR1", "SIGUSR2")
"""Signals that mean something to a server which is ready for them."""


def hold_signals() -> None:
    """Let signals to a server wait until `release_signals`, also while another program starts in this process.

    An event loop that closes, and a program that starts, give them back to the system, which ends the process by them.
    """
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_BLOCK, {getattr(signal, name) for name in _HELD})


def release_signals() -> None:
    """Take the signals that have waited, and all others from now on."""
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {getattr(signal, name) for name in _HELD})
