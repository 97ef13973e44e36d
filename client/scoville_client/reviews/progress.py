"""Progress bar of a command, on stderr where that is a terminal."""

import sys
from contextlib import suppress

from scoville_client.i18n.language import tr

CELLS = 30


def show_progress(done: int, total: int) -> None:
    """Redraw the bar; at the end it goes away."""
    with suppress(OSError):  # a terminal that has vanished
        if sys.stderr is not None and sys.stderr.isatty():
            sys.stderr.write("\r\x1b[K" if done == total else f"\r{progress_bar(done, total)}")
            sys.stderr.flush()


def progress_bar(done: int, total: int, cells: int = CELLS) -> str:
    """Draw a bar of so many cells, and how much is done."""
    filled = cells * done // max(1, total)
    return tr("thinking [{bar}] {done}/{total}", bar="#" * filled + "." * (cells - filled), done=done, total=total)
