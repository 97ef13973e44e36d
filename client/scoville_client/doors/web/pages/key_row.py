"""Key row: the keys of the client's key bar as buttons for a touch screen."""

from collections.abc import Iterable
from typing import Final

from scoville_client.doors.web.pages.messages import Key
from scoville_client.i18n.language import tr
from scoville_client.tui.actions import Action

_SENT: Final = {
    "space": " ",
    "question_mark": "?",
    "colon": ":",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "plus": "+",
    "minus": "-",
    "shift+tab": "\x1b[Z",
    "backspace": "\x7f",
    "home": "\x1b[H",
    "end": "\x1b[F",
    "pageup": "\x1b[5~",
    "pagedown": "\x1b[6~",
    "f1": "\x1bOP",
    "f2": "\x1bOQ",
    "f3": "\x1bOR",
    "f4": "\x1bOS",
    "f5": "\x1b[15~",
}
"""What a terminal sends for keys by Textual's names, but for those that the page's row always has."""


def key_row(actions: Iterable[Action]) -> list[Key]:
    """Return a button for each action that has a key beyond those that every row has: arrows, Enter, Esc and Tab."""
    row: dict[str, Key] = {}
    for action in actions:
        first = action.keys.partition(",")[0]
        send = first if len(first) == 1 else _SENT.get(first, "")
        if send and send not in row:
            row[send] = Key(tr(action.written).partition(" ")[0], tr(action.word), send)
    return list(row.values())
