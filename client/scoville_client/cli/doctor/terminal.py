"""Access to the controlling terminal, in raw mode while it is read."""

import os
import select
from collections.abc import Callable
from contextlib import suppress
from typing import Final

_READ_BYTES: Final = 4_096
_MOST_BYTES: Final = 65_536


def ask(
    questions: bytes, is_complete: Callable[[bytes], bool], seconds: float, clock: Callable[[], float]
) -> bytes | None:
    """Write questions to the controlling terminal, and return its answers; None without one.

    Also where stdin and stdout are files. A terminal that never answers costs `seconds`; what it answers later is
    discarded as far as possible.
    """
    try:
        import termios
        import tty

        terminal = os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY)
    except (ImportError, OSError):
        return None
    try:
        before = termios.tcgetattr(terminal)
        tty.setraw(terminal, termios.TCSAFLUSH)
        try:
            os.write(terminal, questions)
            return read_answers(terminal, is_complete, seconds, clock)
        finally:
            termios.tcsetattr(terminal, termios.TCSAFLUSH, before)
    except (OSError, termios.error):
        return None
    finally:
        with suppress(OSError):
            os.close(terminal)


def read_answers(
    terminal: int, is_complete: Callable[[bytes], bool], seconds: float, clock: Callable[[], float]
) -> bytes:
    """Read answers until they are complete, or `seconds` are over."""
    answers, until = b"", clock() + seconds
    while not is_complete(answers) and len(answers) < _MOST_BYTES:
        left = until - clock()
        if left <= 0 or not select.select([terminal], [], [], left)[0]:
            break
        data = os.read(terminal, _READ_BYTES)
        if not data:
            break
        answers += data
    return answers
