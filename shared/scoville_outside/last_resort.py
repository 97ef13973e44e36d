"""Last resort against a call that no exception ends, since it hangs in code that is not Python: the process ends.

A signal handler of Python runs between two instructions of Python; `sum(range(10**12))`, a huge power or a regular
expression that tries everything is one instruction. The system itself ends the process then. What remains is a page of
memory that belongs to a file, with the name of the game that was called, and the dump of `faulthandler`: where it was.
"""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from io import FileIO
from threading import current_thread, main_thread
from typing import Final

HANG_SECONDS: Final = 3.0
"""CPU seconds of the whole process in one call: many times those after which an exception would have ended it."""
IMPORT_HANG_SECONDS: Final = 60.0
"""Seconds of one import: many times those after which an exception would have ended it, also on a busy machine."""
PAGE_BYTES: Final = 256
"""Bytes of the page, with zeros behind the name."""


class LastResort:
    """Ends the process by SIGVTALRM when a call does not end.

    Args:
        page: A file of `PAGE_BYTES`, open for reading and writing.
        dump: An empty file for the place in the code; it stays empty as long as no call hangs.
    """

    def __init__(self, page: FileIO, dump: FileIO) -> None:
        # Late, as below: a client has no last resort, and its users wait for its start.
        import faulthandler
        import mmap

        self._page = mmap.mmap(page.fileno(), PAGE_BYTES)
        self._dump = dump
        signal.signal(signal.SIGVTALRM, signal.SIG_DFL)
        faulthandler.register(signal.SIGVTALRM, file=dump, all_threads=False, chain=True)

    def begin_call(self, game: str) -> None:
        """Note that a game is called. Nothing is written to the file here: the system does that, even after a kill."""
        self._page[:] = game.encode()[:PAGE_BYTES].ljust(PAGE_BYTES, b"\0")
        signal.setitimer(signal.ITIMER_VIRTUAL, HANG_SECONDS)

    def end_call(self) -> None:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        self._page[0] = 0

    def close(self) -> None:
        """Stop watching calls, and close the files."""
        import faulthandler

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


@contextmanager
def end_if_hanging() -> Iterator[None]:
    """End the process, if it may end, when an import hangs: its log then has the place, and who waits for it goes on.

    Nothing is noted in a data folder: a package is imported before the settings say where that is. By real time, since
    a thread of the interpreter watches, which runs also while none of Python can.
    """
    if not _may_end or current_thread() is not main_thread():
        yield
        return
    import faulthandler

    faulthandler.dump_traceback_later(IMPORT_HANG_SECONDS, exit=True)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()
