"""Columns of the waiting room in wide windows: how others join, and the chat."""

from collections.abc import Iterator, Sequence
from typing import Final

from rich.cells import cell_len

from scoville_client.i18n.language import tr
from scoville_client.i18n.wrapping import wrap
from scoville_client.session.joining.invitation import Invitation
from scoville_client.tui.drawing.canvas import Canvas
from scoville_client.tui.screens.chat.chat_log import ChatEntry, rows_of_message
from scoville_client.tui.widgets.text_view import Row as Pieces

WIDE_FROM: Final = 100
"""Columns of a window from which on the waiting room has two columns."""
_WIDEST: Final = 140
_EDGE: Final = 3
_APART: Final = 4
_INDENT: Final = "  "
_LEAST_LEFT: Final = 28
_LEAST_CHAT: Final = 3
"""Rows that a chat needs, its heading among them."""

Row = tuple[str, str]
"""Text, and the name of its style."""


def columns(width: int, rows: Sequence[Row]) -> tuple[int, int, int, int]:
    """Return where two columns begin and how wide they are: first column, its width, second column, its width.

    The second one has room for every word of its `rows`: an address that is broken cannot be copied.
    """
    whole = min(width - 2 * _EDGE, _WIDEST)
    longest = max((cell_len(word) for text, _ in rows for word in text.split()), default=0) + len(_INDENT)
    left = min((whole - _APART) // 2, max(whole - _APART - longest, _LEAST_LEFT))
    x = (width - whole) // 2
    return x, left, x + left + _APART, whole - left - _APART


def invitation_rows(invitation: Invitation) -> Iterator[Row]:
    """Write every way to join, what others type bright, the table code and the key of the QR code."""
    if not invitation.ways and not invitation.code:
        return
    yield tr("How others join"), "title"
    before = ""
    for way in invitation.ways:
        if way.title != before:
            yield way.title, "muted"
        yield f"{_INDENT}{way.typed}", "strong"
        before = way.title
    if invitation.code:
        yield tr("Table code: {code}", code=invitation.code), "target"
    if invitation.qr_text:
        yield tr("I: QR code"), "muted"
    if invitation.note:
        yield invitation.note, "muted"


def put_wrapped(canvas: Canvas, place: tuple[int, int], width: int, rows: Sequence[Row]) -> int:
    """Write rows from a place on, wrapped to `width` cells; returns the row beneath."""
    x, y = place
    for text, style in rows:
        indent = _INDENT if text.startswith(_INDENT) else ""
        for row in list(wrap(text, width - len(indent))) or [""]:
            canvas.put(x, y, f"{indent}{row}", style)
            y += 1
    return y


def put_chat(canvas: Canvas, place: tuple[int, int], width: int, messages: Sequence[ChatEntry]) -> None:
    """Write the end of the chat in the rows that are left, if there are enough."""
    x, y = place
    room = canvas.height - y - 1
    if room < _LEAST_CHAT:
        return
    canvas.put(x, y, tr("Chat (g)"), "title")
    nothing: Pieces = ((tr("There are no messages yet."), "muted"),)
    shown = [row for entry in messages for row in rows_of_message(entry, width)][-room:] or [nothing]
    for offset, row in enumerate(shown, 1):
        column = x
        for text, style in row:
            column = canvas.put(column, y + offset, text, style)
