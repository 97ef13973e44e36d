"""The command `scoville doctor`: measures the terminal, remembers the answers, and prints a table for bug reports.

The table has what was found of the terminal and what is used, without names and addresses. The last question to the
terminal is one that every terminal answers (primary device attributes): when that answer has come, all others have come
or never will. Terminals that print what they do not understand get only questions that the oldest know.
"""

import os
import platform
import re
import select
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Final, NamedTuple

from rich.cells import cell_len, set_cell_size

from scoville_client.i18n.language import tr
from scoville_client.output import write_line
from scoville_client.settings.file import SettingsFile
from scoville_client.settings.preferences import Characters, Colours, Preferences
from scoville_client.settings.terminals import CHILLI, EMOJI, Measured, Terminals, find_multiplexer, find_ssh_address
from scoville_client.tui.terminal.colours import colours_of
from scoville_client.tui.terminal.glyphs import encodes_unicode
from scoville_client.tui.terminal.pictures import ASK_ACCEPTANCE, may_show_pictures, shows_placeholders
from scoville_outside.guard import list_faults
from scoville_runtime.clock import SYSTEM
from scoville_shared import __version__

GLYPHS: Final = ("╭─╮│╰╯", "┏━┓┃┗┛", "╔═╗║╚╝", "▸◂▲▼►◄", "←→↑↓↗↘↙↖", "▀▄█▒", "●◆■□", "−×÷√…·✓")
"""Signs with which the screens draw, each group of one kind."""
SAMPLES: Final = (*GLYPHS, CHILLI, EMOJI, "é", "語")
WITHOUT_QUESTIONS: Final = ("", "dumb", "unknown")
"""Terminals (TERM) that are asked nothing."""
_OLD: Final = ("linux", "vt", "ansi", "cygwin")

_POSITION: Final = b"\x1b[6n"
_LAST: Final = b"\x1b[c"
_CLEAR: Final = b"\r\x1b[K"
_MODES: Final = {2026: "synchronized", 1006: "mouse"}
_COLOUR: Final = b"\x1b[48;2;1;2;3m\x1bP$qm\x1b\\\x1b[49m"
"""A background in 24 bits, the question for the colours now, and the background of before."""

_POSITIONS: Final = re.compile(rb"\x1b\[\d+;(\d+)R")
_END: Final = re.compile(rb"\x1b\[\?[\d;]*c")
_MODE: Final = re.compile(rb"\x1b\[\?(\d+);(\d)\$y")
_BACKGROUND: Final = re.compile(rb"\x1b\]11;rgb:([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})")
_VERSION: Final = re.compile(rb"\x1bP>\|([^\x1b]{1,60})\x1b\\")
_SEEN: Final = re.compile(rb"\x1bP1\$r[^\x1b]*48[:;]2:*;?[\d:;]*1[:;]2[:;]3m?\x1b\\")
_ACCEPTED: Final = re.compile(rb"\x1b_Gi=31;OK\x1b\\")
_HALF: Final = 0.5


def write_questions(environment: Mapping[str, str]) -> bytes:
    """Return the bytes to write to a terminal; empty for one that answers nothing."""
    term = environment.get("TERM", "")
    if term in WITHOUT_QUESTIONS:
        return b""
    widths = b"".join(_CLEAR + sample.encode() + _POSITION for sample in SAMPLES) + _CLEAR
    if term.startswith(_OLD):
        return widths + _LAST
    modes = b"".join(b"\x1b[?%d$p" % number for number in _MODES)
    pictures = ASK_ACCEPTANCE.encode() if may_show_pictures(environment) else b""
    return widths + modes + b"\x1b]11;?\x1b\\" + b"\x1b[>0q" + pictures + _COLOUR + _LAST + _CLEAR


def is_complete(answers: bytes) -> bool:
    """Whether no further answer will come."""
    return _END.search(answers) is not None


def read_measured(answers: bytes, environment: Mapping[str, str], *, encodes_unicode: bool) -> Measured:
    """Read a terminal's answers, and choose by them."""
    # Each sample was written at the beginning of a line: where the cursor is behind it, is its width.
    columns = [int(column) - 1 for column in _POSITIONS.findall(answers)]
    widths = dict(zip(SAMPLES, columns, strict=False))
    expected = {sample: cell_len(sample) for sample in SAMPLES}
    # 0 is for a mode that the terminal does not know.
    modes = {_MODES.get(int(number)): code in b"1234" for number, code in _MODE.findall(answers)}
    version = _VERSION.search(answers)
    name = "" if version is None else version[1].decode("ascii", "replace")
    seen = _SEEN.search(answers) is not None
    return Measured(
        colours=_choose_colours(environment, seen=seen),
        characters=_choose_characters(widths, expected, environment, encodes_unicode=encodes_unicode),
        widths=widths,
        expected=expected,
        light=_is_light(answers),
        synchronized=modes.get("synchronized"),
        mouse=modes.get("mouse"),
        version=name,
        pictures=bool(_ACCEPTED.search(answers) and shows_placeholders(name)) if columns else None,
    )


def _choose_colours(environment: Mapping[str, str], *, seen: bool) -> Colours:
    """Return the colours: all if the terminal has shown one of them. NO_COLOR is read at each start."""
    by_name = colours_of(environment.get("TERM", ""), {**environment, "NO_COLOR": ""})
    return "true" if seen and by_name != "none" else by_name


def _choose_characters(
    widths: Mapping[str, int], expected: Mapping[str, int], environment: Mapping[str, str], *, encodes_unicode: bool
) -> Characters:
    if not encodes_unicode:
        return "ascii"
    if environment.get("TERM") == "linux" and not find_multiplexer(environment):
        return "light"
    wrong = any(widths.get(glyphs, expected[glyphs]) != expected[glyphs] for glyphs in GLYPHS)
    return "ascii" if wrong else "unicode"


def _is_light(answers: bytes) -> bool | None:
    found = _BACKGROUND.search(answers)
    if found is None:
        return None
    red, green, blue = (int(part, 16) / (16 ** len(part) - 1) for part in found.groups())
    return bool(0.2126 * red + 0.7152 * green + 0.0722 * blue > _HALF)


Row = tuple[str, str, str]
"""A subject, what was found, and what is chosen."""


class Surroundings(NamedTuple):
    """Where the client runs: its environment, the size of the terminal, the encoding of stdout, and what is a tty."""

    environment: Mapping[str, str]
    size: tuple[int, int] | None
    encoding: str
    stdin: bool
    stdout: bool


def list_lines(here: Surroundings, known: Measured, preferences: Preferences, *, has_terminal: bool) -> Iterator[str]:
    """Yield the lines of the table; `has_terminal` says whether there was one to ask."""
    rows = list(_list_rows(here, known, preferences, has_terminal=has_terminal))
    widths = [max(cell_len(row[column]) for row in rows) for column in (0, 1)]
    for first, second, third in rows:
        yield f"{set_cell_size(first, widths[0])}  {set_cell_size(second, widths[1])}  {third}".rstrip()


def _list_rows(here: Surroundings, known: Measured, preferences: Preferences, *, has_terminal: bool) -> Iterator[Row]:
    environment = here.environment
    yield "", tr("found"), tr("used")
    yield tr("program"), f"scoville {__version__}, Python {platform.python_version()}, {platform.system()}", ""
    yield tr("terminal"), _name_terminal(environment, known), ""
    yield tr("connection"), _describe_connection(environment), ""
    yield tr("size"), "?" if here.size is None else f"{here.size[0]} x {here.size[1]}", ""
    yield tr("input and output"), f"{_describe_tty(is_tty=here.stdin)}, {_describe_tty(is_tty=here.stdout)}", ""
    yield tr("text"), f"{_find_locale(environment)}, {here.encoding}", preferences.language
    yield tr("asked"), _describe_answers(known) if has_terminal else tr("no terminal to ask"), ""
    yield tr("colours"), _describe_variables(environment), _describe_used(preferences.colours, known.colours)
    yield tr("background"), _describe_choice(known.light, tr("light"), tr("dark")), _describe_theme(preferences, known)
    yield tr("characters"), _describe_glyphs(known), _describe_used(preferences.characters, known.characters)
    yield tr("emoji"), _describe_width(known, EMOJI), _describe_sample(known, EMOJI, preferences)
    yield tr("chilli"), _describe_width(known, CHILLI), _describe_sample(known, CHILLI, preferences)
    yield tr("synchronized output"), _describe_choice(known.synchronized, tr("yes"), tr("no")), ""
    yield tr("mouse"), _describe_choice(known.mouse, tr("yes"), tr("no")), ""
    yield (
        tr("card pictures"),
        _describe_choice(known.pictures, tr("yes"), tr("no")),
        _describe_pictures(known, preferences),
    )


def _name_terminal(environment: Mapping[str, str], known: Measured) -> str:
    named = [f"TERM={environment.get('TERM', '')}", environment.get("TERM_PROGRAM", ""), known.version]
    return ", ".join(filter(None, named))


def _describe_connection(environment: Mapping[str, str]) -> str:
    ways = ["ssh" if find_ssh_address(environment) else tr("this computer"), find_multiplexer(environment)]
    return ", ".join(filter(None, ways))


def _describe_tty(*, is_tty: bool) -> str:
    return tr("terminal") if is_tty else tr("no terminal")


def _find_locale(environment: Mapping[str, str]) -> str:
    return next(
        (environment[name] for name in ("LC_ALL", "LC_CTYPE", "LANG") if environment.get(name)), tr("no locale")
    )


def _describe_answers(known: Measured) -> str:
    return tr("it answered") if known.widths else tr("it did not answer")


def _describe_variables(environment: Mapping[str, str]) -> str:
    names = ("COLORTERM", "NO_COLOR")
    return ", ".join(f"{name}={environment[name]}" for name in names if environment.get(name)) or "–"


def _describe_used(chosen: str, found: str) -> str:
    return found if chosen == "auto" else tr("{value} (setting)", value=chosen)


def _describe_theme(preferences: Preferences, known: Measured) -> str:
    return _describe_used(preferences.theme, "light" if known.light else "dark")


def _describe_glyphs(known: Measured) -> str:
    if not known.widths:
        return tr("not measured")
    wrong = [glyphs for glyphs in GLYPHS if not known.is_as_reckoned(glyphs)]
    return tr("wrong width: {glyphs}", glyphs=" ".join(wrong)) if wrong else tr("all as wide as expected")


def _describe_width(known: Measured, sample: str) -> str:
    if sample not in known.widths:
        return tr("not measured")
    return tr("{n} of {expected} cells", n=known.widths[sample], expected=known.expected[sample])


def _describe_sample(known: Measured, sample: str, preferences: Preferences) -> str:
    if preferences.emoji != "auto":
        return tr("{value} (setting)", value=preferences.emoji)
    return tr("shown") if known.is_as_reckoned(sample) else tr("not shown")


def _describe_pictures(known: Measured, preferences: Preferences) -> str:
    if not preferences.pictures:
        return tr("{value} (setting)", value=tr("off"))
    return tr("shown") if known.pictures else tr("not shown")


def _describe_choice(value: bool | None, yes: str, no: str) -> str:
    return tr("no answer") if value is None else yes if value else no


_READ_BYTES: Final = 4_096
_MOST_BYTES: Final = 65_536


def ask_terminal(
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
    # Windows has no termios, and a service has no terminal: then there is nobody to ask.
    except (ImportError, OSError):
        return None
    try:
        before = termios.tcgetattr(terminal)
        # Flushed: keys typed before would be taken for an answer.
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
        here,
        settings,
        Terminals.of_user(),
        lambda asked, is_over: ask_terminal(asked, is_over, SECONDS, SYSTEM.seconds),
    )


def examine_terminal(here: Surroundings, settings: SettingsFile, terminals: Terminals, ask: Ask) -> int:
    """Ask the terminal, remember what it answers, and print the table; returns the exit status."""
    asked = write_questions(here.environment)
    answers = ask(asked, is_complete) if asked else None
    found = read_measured(answers or b"", here.environment, encodes_unicode=encodes_unicode(here.encoding))
    for line in list_lines(here, found, settings.preferences, has_terminal=answers is not None):
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
        # Redirected: one of the others may still be a terminal.
        except OSError:
            continue
    return None
