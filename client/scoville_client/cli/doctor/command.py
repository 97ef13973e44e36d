"""The command: asks the terminal, remembers the answers, and prints the table."""

import os
import select
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Final

from scoville_client.cli.doctor.probe import is_complete, measured, questions
from scoville_client.cli.doctor.report import Surroundings, lines
from scoville_client.i18n.language import tr
from scoville_client.output import write_line
from scoville_client.settings.file import SettingsFile
from scoville_client.settings.terminals import Measured, Terminals
from scoville_client.tui.terminal.glyphs import encodes_unicode
from scoville_outside.guard import list_faults
from scoville_runtime.clock import SYSTEM

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


SECONDS: Final = 2.0
"""How long a terminal may take to answer; over ssh around the world it takes half a second."""

Ask = Callable[[bytes, Callable[[bytes], bool]], bytes | None]
"""Writes questions to the terminal and returns its answers, None without a terminal."""


def run_doctor(settings: SettingsFile) -> int:
    """Examine this terminal; returns the exit status."""
    here = _read_surroundings(os.environ)
    return examine_terminal(
        here, settings, Terminals.of_user(), lambda asked, is_over: ask(asked, is_over, SECONDS, SYSTEM.seconds)
    )


def examine_terminal(here: Surroundings, settings: SettingsFile, terminals: Terminals, ask: Ask) -> int:
    """Ask the terminal, remember what it answers, and print the table; returns the exit status."""
    asked = questions(here.environment)
    answers = ask(asked, is_complete) if asked else None
    found = measured(answers or b"", here.environment, encodes_unicode=encodes_unicode(here.encoding))
    for line in lines(here, found, settings.preferences, has_terminal=answers is not None):
        write_line(line)
    write_line("")
    for fault in list_faults():
        write_line(fault)
    write_line(_conclusion_text(here, terminals, found))
    return 0


def _conclusion_text(here: Surroundings, terminals: Terminals, found: Measured) -> str:
    if not found.widths:
        return tr("Nothing was measured. Run scoville doctor in the terminal in which you play.")
    if terminals.remember(here.environment, found):
        return tr("Remembered for this terminal, wherever a setting is automatic: scoville settings lists them.")
    return tr("It could not be remembered: the cache folder cannot be written.")


def _read_surroundings(environment: Mapping[str, str]) -> Surroundings:
    return Surroundings(
        environment,
        _measure_size(),
        getattr(sys.__stdout__, "encoding", None) or "ascii",
        sys.stdin is not None and sys.stdin.isatty(),
        sys.stdout is not None and sys.stdout.isatty(),
    )


def _measure_size() -> tuple[int, int] | None:
    """Return columns and rows of the terminal behind any of the standard streams."""
    for number in range(3):
        try:
            columns, rows = os.get_terminal_size(number)
            return columns, rows
        except OSError:
            continue
    return None
