"""Side of the lobby: the marked table in detail, the users, and the lobby's chat, beside the list in wide windows."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from scoville_client.i18n.game_text import game_tagline
from scoville_client.i18n.language import current_language, render, tr
from scoville_client.i18n.name_text import with_mark
from scoville_client.i18n.option_text import bot_of_level
from scoville_client.i18n.table_text import Listed
from scoville_client.i18n.wrapping import wrap_lines
from scoville_client.rules import rules_pages
from scoville_client.session.chat_channels import LOBBY
from scoville_client.session.session import Session
from scoville_client.tui.drawing.canvas import Canvas, fitted
from scoville_client.tui.drawing.reading import draw_rules
from scoville_client.tui.screens.chat.chat_log import ChatEntry, rows_of_message
from scoville_client.tui.screens.lobby.dates import DateLine, draw_dates
from scoville_client.tui.screens.lobby.lines import Offer, draw_offers
from scoville_client.tui.widgets.canvas_widget import CanvasWidget
from scoville_client.tui.widgets.text_view import Row
from scoville_shared.engine.phrases import Phrase
from scoville_shared.protocol.messages import TableInfo

_EDGE = 2
"""Columns of the line at the left and the blank after it; one more is blank at the right."""
_LEAST_RULES = 8
"""Rows of rules from which on they are worth reading."""
_MOST_NAMES = 3
"""Rows of names; those who are not named are counted."""
Line = tuple[str, str]
"""Text, and the name of its style."""


class Beside(NamedTuple):
    """Contents of the column beside the list: the marked table (server and list description), names, and chat.

    `here` counts all users; `names` are those whose names are known. `role_of` says by name who moderates the server,
    `dates` are the user's next ones, `offers` what else there is to do.
    """

    table: TableInfo | None
    listed: Listed | None
    names: Sequence[str]
    here: int
    chat: Sequence[ChatEntry]
    role_of: Callable[[str], str] = lambda _: ""
    dates: Sequence[DateLine] = ()
    offers: Sequence[Offer] = ()


def facts_beside(session: Session, table: TableInfo | None, listed: Listed | None) -> Beside:
    """Return what a session knows beside its list."""
    entries = [ChatEntry(line, line.name == session.name, aside=False) for line in session.chat.lines_of(LOBBY)]
    lobby = session.lobby
    return Beside(table, listed, sorted(lobby.users, key=str.casefold), lobby.here, entries, lobby.describe_role)


class LobbySide(CanvasWidget):
    """Shows what `shown` returns."""

    def __init__(self, shown: Callable[[], Beside]) -> None:
        super().__init__()
        self._shown = shown

    def draw(self, width: int, height: int) -> Canvas:
        """Draw the table, the users and the end of the chat."""
        return draw_side(self._shown(), width, height)


def draw_side(beside: Beside, width: int, height: int) -> Canvas:
    """Draw everything in `width` x `height` cells.

    The rows that the chat does not need tell how the game of the marked table is played.
    """
    canvas = Canvas(width, height)
    for y in range(height):
        canvas.put(0, y, "│", "faint")
    room = width - _EDGE - 1
    y = 0
    if beside.dates:
        canvas.put(_EDGE, y, tr("My next dates"), "title")
        y = draw_dates(canvas, _EDGE, y + 1, room, beside.dates) + 1
    if beside.offers:
        canvas.put(_EDGE, y, tr("What there is to do"), "title")
        y = draw_offers(canvas, (_EDGE, y + 1), room, beside.offers, in_one_row=False) + 1
    for text, style in [*_table_lines(beside, room), *_user_lines(beside, room)]:
        canvas.put(_EDGE, y, text, style)
        y += 1
    chat = [row for entry in beside.chat for row in rows_of_message(entry, room)] or [
        ((tr("There are no messages yet."), "muted"),)
    ]
    free = height - y - 1 - min(len(chat), max(1, (height - y) // 2)) - 3
    if beside.table is not None and free >= _LEAST_RULES and rules_pages(beside.table.game, current_language()):
        canvas.put(_EDGE, y, tr("How it is played (r)"), "title")
        draw_rules(canvas, (_EDGE, y + 1, room, free), beside.table.game)
        y += free + 2
    if y < height - 1:
        canvas.put(_EDGE, y, tr("Chat (g)"), "title")
        _draw_chat(canvas, y + 1, chat)
    return canvas


def _table_lines(beside: Beside, width: int) -> Iterator[Line]:
    """Write the marked table: game, what it is about, its seats, its settings and its code."""
    table, listed = beside.table, beside.listed
    if table is None or listed is None:
        return
    yield fitted(listed.game, width), "title"
    yield from ((row, "muted") for row in wrap_lines(game_tagline(table.game), width))
    for number, seat in enumerate(table.seats):
        yield fitted(f"{number + 1}  {_seat_text(beside, table, number)}", width), "text" if seat.name else "faint"
    yield from ((row, "text") for row in wrap_lines(" · ".join(listed.terms), width))
    if table.code:
        yield fitted(tr("Table code: {code}", code=table.code), width), "target"
    yield "", "blank"


def _seat_text(beside: Beside, table: TableInfo, number: int) -> str:
    seat = table.seats[number]
    if seat.kind == "open":
        return tr("free seat")
    notes = [bot_of_level(seat.level)] if seat.kind == "bot" else []
    notes += [tr("host")] if number == table.host else []
    notes += [role] if seat.kind == "human" and (role := beside.role_of(seat.name or "")) else []
    notes += [tr("ready")] if number in table.ready_seats and table.status == "waiting" else []
    name = with_mark(seat.name or "", claimed=seat.claimed)
    return f"{name}  {', '.join(notes)}" if notes else name


def _user_lines(beside: Beside, width: int) -> Iterator[Line]:
    yield tr("Here: {n} (p)", n=beside.here), "title"
    yield from ((row, "text") for row in names_in(beside.names, beside.here, width))
    yield "", "blank"


def names_in(names: Sequence[str], here: int, width: int, most: int = _MOST_NAMES) -> list[str]:
    """Write as many names as fit in `most` rows, and count the others."""
    for named in range(len(names), 0, -1):
        others = here - named
        more = [render(Phrase("{n} other", {"n": others}, "{n} others", others))] if others > 0 else []
        rows = list(wrap_lines(", ".join([*names[:named], *more]), width))
        if len(rows) <= most:
            return rows
    return []


def _draw_chat(canvas: Canvas, y: int, rows: Sequence[Row]) -> None:
    """Draw the end of the chat down to the bottom."""
    for offset, row in enumerate(rows[-(canvas.height - y) :]):
        x = _EDGE
        for text, style in row:
            x = canvas.put(x, y + offset, text, style)
