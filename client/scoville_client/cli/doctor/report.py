"""The table of the doctor: what was found of the terminal and what is used, without names and addresses."""

import platform
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from rich.cells import cell_len, set_cell_size

from scoville_client.cli.doctor.probe import GLYPHS
from scoville_client.i18n.language import tr
from scoville_client.settings.preferences import Preferences
from scoville_client.settings.terminals import CHILLI, EMOJI, Measured, multiplexer, remote
from scoville_shared import __version__

Row = tuple[str, str, str]
"""A subject, what was found, and what is chosen."""


class Surroundings(NamedTuple):
    """Where the client runs: its environment, the size of the terminal, the encoding of stdout, and what is a tty."""

    environment: Mapping[str, str]
    size: tuple[int, int] | None
    encoding: str
    stdin: bool
    stdout: bool


def lines(here: Surroundings, known: Measured, preferences: Preferences, *, has_terminal: bool) -> Iterator[str]:
    """Yield the lines of the table; `has_terminal` says whether there was one to ask."""
    rows = list(_rows(here, known, preferences, has_terminal=has_terminal))
    widths = [max(cell_len(row[column]) for row in rows) for column in (0, 1)]
    for first, second, third in rows:
        yield f"{set_cell_size(first, widths[0])}  {set_cell_size(second, widths[1])}  {third}".rstrip()


def _rows(here: Surroundings, known: Measured, preferences: Preferences, *, has_terminal: bool) -> Iterator[Row]:
    environment = here.environment
    yield "", tr("found"), tr("used")
    yield tr("program"), f"scoville {__version__}, Python {platform.python_version()}, {platform.system()}", ""
    yield tr("terminal"), _named(environment, known), ""
    yield tr("connection"), _connection(environment), ""
    yield tr("size"), "?" if here.size is None else f"{here.size[0]} x {here.size[1]}", ""
    yield tr("input and output"), f"{_tty(is_tty=here.stdin)}, {_tty(is_tty=here.stdout)}", ""
    yield tr("text"), f"{_locale(environment)}, {here.encoding}", preferences.language
    yield tr("asked"), _answered(known) if has_terminal else tr("no terminal to ask"), ""
    yield tr("colours"), _variables(environment), _used(preferences.colours, known.colours)
    yield tr("background"), _choice(known.light, tr("light"), tr("dark")), _theme(preferences, known)
    yield tr("characters"), _glyphs(known), _used(preferences.characters, known.characters)
    yield tr("emoji"), _width(known, EMOJI), _shown(known, EMOJI, preferences)
    yield tr("chilli"), _width(known, CHILLI), _shown(known, CHILLI, preferences)
    yield tr("synchronized output"), _choice(known.synchronized, tr("yes"), tr("no")), ""
    yield tr("mouse"), _choice(known.mouse, tr("yes"), tr("no")), ""


def _named(environment: Mapping[str, str], known: Measured) -> str:
    named = [f"TERM={environment.get('TERM', '')}", environment.get("TERM_PROGRAM", ""), known.version]
    return ", ".join(filter(None, named))


def _connection(environment: Mapping[str, str]) -> str:
    ways = ["ssh" if remote(environment) else tr("this computer"), multiplexer(environment)]
    return ", ".join(filter(None, ways))


def _tty(*, is_tty: bool) -> str:
    return tr("terminal") if is_tty else tr("no terminal")


def _locale(environment: Mapping[str, str]) -> str:
    return next(
        (environment[name] for name in ("LC_ALL", "LC_CTYPE", "LANG") if environment.get(name)), tr("no locale")
    )


def _answered(known: Measured) -> str:
    return tr("it answered") if known.widths else tr("it did not answer")


def _variables(environment: Mapping[str, str]) -> str:
    names = ("COLORTERM", "NO_COLOR")
    return ", ".join(f"{name}={environment[name]}" for name in names if environment.get(name)) or "–"


def _used(chosen: str, found: str) -> str:
    return found if chosen == "auto" else tr("{value} (setting)", value=chosen)


def _theme(preferences: Preferences, known: Measured) -> str:
    return _used(preferences.theme, "light" if known.light else "dark")


def _glyphs(known: Measured) -> str:
    if not known.widths:
        return tr("not measured")
    wrong = [glyphs for glyphs in GLYPHS if not known.shows(glyphs)]
    return tr("wrong width: {glyphs}", glyphs=" ".join(wrong)) if wrong else tr("all as wide as expected")


def _width(known: Measured, sample: str) -> str:
    if sample not in known.widths:
        return tr("not measured")
    return tr("{n} of {expected} cells", n=known.widths[sample], expected=known.expected[sample])


def _shown(known: Measured, sample: str, preferences: Preferences) -> str:
    if preferences.emoji != "auto":
        return tr("{value} (setting)", value=preferences.emoji)
    return tr("shown") if known.shows(sample) else tr("not shown")


def _choice(value: bool | None, yes: str, no: str) -> str:
    return tr("no answer") if value is None else yes if value else no
