"""Last resort against a call that no exception ends, since it hangs in code that is not Python: the process ends.

A signal handler of Python runs between two instructions of Python; `sum(range(10**12))`, a huge power or a regular
expression that tries everything is one instruction. The system itself ends the process then. What remains is a page of
memory that belongs to a file, with the name of the game that was called, and the dump of `faulthandler`: where it was.
"""

import faulthandler
import mmap
import signal
from io import FileIO
from typing import Final

HANG_SECONDS: Final = 3.0
"""CPU seconds of the whole process in one call: many times those after which an exception would have ended it."""
PAGE_BYTES: Final = 256
"""Bytes of the page, with zeros behind the name."""


class LastResort:
    """Ends the process by SIGVTALRM when a call does not end.

    Args:
        page: A file of `PAGE_BYTES`, open for reading and writing.
        dump: An empty file for the place in the code; it stays empty as long as no call hangs.
    """

    def __init__(self, page: FileIO, dump: FileIO) -> None:
        self._page = mmap.mmap(page.fileno(), PAGE_BYTES)
        self._dump = dump
        signal.signal(signal.SIGVTALRM, signal.SIG_DFL)
        faulthandler.register(signal.SIGVTALRM, file=dump, all_threads=False, chain=True)

    def begin_call(self, game: str) -> None:
        """Note that a game is called. Nothing is written to the file here: the system does that, even after a kill."""
        self._page[:] = game.encode()[:PAGE_BYTES].ljust(PAGE_BYTES, b"\0")
        signal.setitimer(signal.ITIMER_VIRTUAL, HANG_SECONDS)

    def end_call(self) -> None:
        """Note that the call has ended."""
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        self._page[0] = 0

    def close(self) -> None:
        """End no process any more."""
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        faulthandler.unregister(signal.SIGVTALRM)
        self._page.close()
        self._dump.close()


_may_end = False


def allow_end() -> None:
    """Allow that calls end this process: that of a server which somebody starts again, and of no client."""
    global _may_end  # noqa: PLW0603 - one for the process, as its end is
    _may_end = hasattr(signal, "setitimer")


def may_end() -> bool:
    """Whether calls may end this process; never on a system without such a timer."""
    return _may_end
