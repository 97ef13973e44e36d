"""Reports of a terminal about itself, such as whether its background is light, in text that is otherwise typed.

Textual knows none of them, and would take them for keys. A report may come in pieces, so that what may begin one is
held back until more comes, or until nothing has followed for a while: Alt+] begins like one.
"""

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from scoville_client.tui.notifications import has_titles

ASK_SCHEME: Final = "\x1b[?996n"
"""Asks for dark or light; terminals that know the mode below answer, others are silent."""
ASK_BACKGROUND: Final = "\x1b]11;?\x1b\\"
"""Asks for the colour of the background; most terminals answer."""
SCHEME_ON: Final = "\x1b[?2031h"
"""Lets the terminal report by itself when the user changes between dark and light."""
SCHEME_OFF: Final = "\x1b[?2031l"

_HEX: Final = "[0-9a-fA-F]{1,4}"
_REPORT: Final = re.compile(
    f"\x1b(?:\\[\\?997;(?P<scheme>[12])n"
    f"|\\]11;rgba?:(?P<red>{_HEX})/(?P<green>{_HEX})/(?P<blue>{_HEX})(?:/{_HEX})?(?:\x07|\x1b\\\\)"
    "|_Gi=31;(?P<answer>[^\x1b]{0,60})\x1b\\\\"
    "|P>\\|(?P<name>[^\x1b]{0,60})\x1b\\\\"
    "|\\[6;(?P<height>[1-9][0-9]{0,3});(?P<width>[1-9][0-9]{0,3})t)"
)
_BEGUN: Final = re.compile(
    "\x1b(?:\\[(?:\\?[0-9;]{0,8}|6(?:;[0-9;]{0,9})?)?"
    "|\\](?:1(?:1(?:;[rgba:/0-9a-fA-F]{0,32}\x1b?)?)?)?"
    "|_(?:G(?:i(?:=(?:3(?:1(?:;[^\x1b]{0,60}\x1b?)?)?)?)?)?)?"
    "|P(?:>(?:\\|[^\x1b]{0,60}\x1b?)?)?)\\Z"
)
_ESCAPE: Final = "\x1b"
_HALF: Final = 0.5


def answers_questions(environment: Mapping[str, str]) -> bool:
    """Whether a terminal may be asked: it has windows, and is not GNU screen, which prints what it does not know."""
    return has_titles(environment) and not (
        environment.get("TERM", "").startswith("screen") and "TMUX" not in environment
    )


class Report(NamedTuple):
    """A terminal's report of itself, in one of these ways.

    Attributes:
        light: Whether its background is light.
        accepts: Whether it accepts pictures.
        name: Its name with its version.
        cell: The pixels of a cell across and down.
    """

    light: bool | None = None
    accepts: bool | None = None
    name: str | None = None
    cell: tuple[int, int] | None = None


class ReportFilter:
    """Takes reports out of a terminal's input.

    Attributes:
        held: Text that may be the beginning of a report.
    """

    def __init__(self) -> None:
        self.held = ""

    def take_reports(self, text: str) -> tuple[str, list[Report]]:
        """Return the text without reports and without the beginning of one; and the reports."""
        text, self.held = self.held + text, ""
        found = [read_report(match) for match in _REPORT.finditer(text)]
        text = _REPORT.sub("", text) if found else text
        if (begun := _BEGUN.search(text)) is not None:
            text, self.held = text[: begun.start()], begun[0]
        return text, found

    def release(self) -> str:
        """Return the held text: no report has come of it."""
        held, self.held = self.held, ""
        return held


def rest_of_report(text: str) -> tuple[str, list[Report]] | None:
    """Return the same of a text that goes on where an Escape of before may have begun a report; None if it did not."""
    match = _REPORT.match(_ESCAPE + text)
    return None if match is None else ((_ESCAPE + text)[match.end() :], [read_report(match)])


def read_report(match: re.Match[str]) -> Report:
    """Return the meaning of a report."""
    if (answer := match["answer"]) is not None:
        return Report(accepts=answer == "OK")
    if (name := match["name"]) is not None:
        return Report(name=name)
    if match["width"] is not None:
        return Report(cell=(int(match["width"]), int(match["height"])))
    if (scheme := match["scheme"]) is not None:
        return Report(light=scheme == "2")
    red, green, blue = (int(part, 16) / (16 ** len(part) - 1) for part in match.group("red", "green", "blue"))
    return Report(light=bool(0.2126 * red + 0.7152 * green + 0.0722 * blue > _HALF))
