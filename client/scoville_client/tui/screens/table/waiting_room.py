"""Waiting room: draws seats, players who are ready, the start of the game, and how others join."""

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from math import ceil
from typing import Any, Final, NamedTuple, cast

from rich.cells import cell_len

from scoville_client.i18n.clock_text import waiting_terms
from scoville_client.i18n.language import current_language, render, tr
from scoville_client.i18n.wrapping import wrap_lines
from scoville_client.rules import rules_pages
from scoville_client.session.identity.careers import FEATURE
from scoville_client.session.joining.invitation import Invitation
from scoville_client.session.table.table import AtTable
from scoville_client.tui.drawing.canvas import Area, Canvas, Press
from scoville_client.tui.drawing.frames import Edge, draw_frame
from scoville_client.tui.drawing.letters import HALF, SQUARE, draw_text, width_of, wrap_large
from scoville_client.tui.drawing.reading import draw_rules
from scoville_client.tui.screens.chat.chat_log import ChatEntry, rows_of_message
from scoville_client.tui.screens.table.seat_tiles import NO_RECORDS, RECORDS_FROM, Records, SeatTiles
from scoville_client.tui.screens.table.waiting_text import (
    INDENT,
    Row,
    awaited_text,
    invitation_rows,
    spectator_sentences,
    table_rows,
    tagline_of,
    unusual_terms,
)
from scoville_client.tui.shell import Shell
from scoville_client.tui.widgets.canvas_widget import TickingWidget
from scoville_client.tui.widgets.text_view import Row as Pieces
from scoville_shared.engine.phrases import Phrase

WIDE_FROM: Final = 100
"""Columns of a window from which on the waiting room has two columns."""
TILES_FROM: Final = ((74, 21), (44, 30))
"""Columns and rows of rooms from which on all else is below the tiles of the seats, what is awaited in a box."""
_WIDEST_COLUMNS: Final = 240
_EDGE: Final = 3
_APART: Final = 4
_BESIDE: Final = 3
"""Columns between two settings of a table in a row."""
_LARGE_FROM: Final = 36
"""Rows from which on the game's title is large."""
_LARGE_NAMES_FROM: Final = 60
"""Rows from which on the players' names and what is awaited are large as well."""
_LEAST_RULES: Final = 6
"""Rows from which on rules are worth reading."""
_CODE_FROM: Final = 150
"""Columns from which on a QR code stands beside the rules."""
_LARGE_CODE_FROM: Final = 250
"""Columns from which on that code is large, if there are the rows for it."""
_CHAT_ROWS: Final = 12
"""Rows of a chat beside how others join, for which the rules begin further down."""
_LEAST_CHAT: Final = 2
"""Rows that a chat needs, its heading among them."""
_FRAMED_FROM: Final = 5
"""Rows from which on a chat has a frame."""


def put_wrapped(canvas: Canvas, place: tuple[int, int], width: int, rows: Sequence[Row]) -> int:
    """Write rows from a place on, wrapped to `width` cells; returns the row below."""
    x, y = place
    for text, style in rows:
        indent = INDENT if text.startswith(INDENT) else ""
        for row in list(wrap_lines(text, width - len(indent))) or [""]:
            canvas.put(x, y, f"{indent}{row}", style)
            y += 1
    return y


def put_flowing(canvas: Canvas, place: tuple[int, int], width: int, rows: Sequence[Row]) -> int:
    """Write short rows beside each other as far as each has room whole; returns the row below."""
    x, y = place
    column = x
    for text, style in rows:
        if column > x and column + cell_len(text) > x + width:
            column, y = x, y + 1
        if cell_len(text) > width:
            column, y = x, put_wrapped(canvas, (x, y), width, [(text, style)])
        else:
            column = canvas.put(column, y, text, style) + _BESIDE
    return y + (column > x)


@lru_cache(maxsize=4)
def _draw_qr(text: str, *, inverted: bool, large: bool) -> Sequence[str]:
    """Draw a QR code in the ink of the theme, `inverted` where that is dark: its light modules are always light.

    A `large` one, for scanning from the other end of a room, has two cells for a module.
    """
    from scoville_client.tui.screens.lobby.actions import draw_modules, qr_modules  # late: small windows have none

    modules = qr_modules(text)
    shown = [[module != inverted for module in row] for row in modules]
    return ["".join(text for text, _ in row) for row in draw_modules(shown, half_blocks=not large, colour=False)]


def _halve_rows(rows: Sequence[Row], width: int, room: int) -> tuple[Sequence[Row], Sequence[Row]]:
    """Divide rows between two columns of equal width, as evenly as whole sentences can be.

    The last ones are left out that do not fit into the rows of `room`: half a sentence would say something else.
    """
    lines = [len(list(wrap_lines(text, width))) for text, _ in rows]
    for last in range(len(rows), 0, -1):
        first = min(range(last + 1), key=lambda n: max(sum(lines[:n]), sum(lines[n:last])))
        if max(sum(lines[:first]), sum(lines[first:last])) <= room:
            return rows[:first], rows[first:last]
    return [], []


def put_chat(canvas: Canvas, place: tuple[int, int], size: tuple[int, int], messages: Sequence[ChatEntry]) -> None:
    """Write the end of the chat in so many columns and rows, if these are enough; in a frame if there is room."""
    (x, y), (width, height) = place, size
    if height < _LEAST_CHAT:
        return
    if height >= _FRAMED_FROM:
        draw_frame(canvas, (x, y, width, height), Edge.PLAIN, "faint", tr("Chat (g)"))
        canvas.put(x + 2, y, f" {tr('Chat (g)')} ", "title")
        x, width, height = x + 2, width - 4, height - 1
    else:
        canvas.put(x, y, tr("Chat (g)"), "title")
    canvas.link(place[0], place[1], *size, Press("g"))
    nothing: Pieces = ((tr("There are no messages yet."), "muted"),)
    shown = [row for entry in messages for row in rows_of_message(entry, width)][1 - height :] or [nothing]
    for offset, row in enumerate(shown, 1):
        column = x
        for text, style in row:
            column = canvas.put(column, y + offset, text, style)


_WIDEST = 60


def _wrap_row(text: str, style: str, width: int) -> list[Row]:
    """Wrap a row; what others type is indented."""
    indent = INDENT if text.startswith(INDENT) else ""
    return [(f"{indent}{row}", style) for row in wrap_lines(text, width - len(indent))]


class JoinFacts(NamedTuple):
    """Ways to join a table that a client knows, beside the table itself.

    Attributes:
        usual: The default options of its game.
        ways: Returns the text that others type to join the server.
        folder: Where the hosted server saves its tables; empty for another server.
        key: The commentators' key, if the user opened the table; else empty.
        invitation: Returns every way to join.
    """

    usual: Mapping[str, Any]
    ways: Callable[[], list[str]]
    folder: str = ""
    key: str = ""
    invitation: Callable[[], Invitation] = lambda: Invitation(())


class Awaited(NamedTuple):
    """Lines about the awaited players, in large letters or not."""

    lines: Sequence[Row]
    large: bool

    @property
    def rows(self) -> int:
        """Rows of the box around it."""
        return len(self.lines) * (HALF.height + 1) + 1 if self.large else len(self.lines) + 2


class WaitingRoom(TickingWidget):
    """Shows the table that `at` returns, and how others join it.

    In wide windows it has two columns, with every way to join, and the messages that `talk` returns unless a side
    column shows them. `role_of` says by name who moderates the server, `records` what they have done before.
    """

    def __init__(
        self,
        at: Callable[[], AtTable],
        joining: JoinFacts,
        talk: Callable[[], Sequence[ChatEntry]] = lambda: (),
        role_of: Callable[[str], str] = lambda _: "",
        records: Records = NO_RECORDS,
    ) -> None:
        super().__init__()
        self._records = records
        self._current = at
        self._joining = joining
        self._talk = talk
        self._role_of = role_of

    def changes_in(self) -> float | None:
        left = 0.0 if self._at.starts_at is None else self._at.starts_at - self.now()
        # A little later than the number changes: a timer that is early would draw the same one again.
        return left - ceil(left) + 1.02 if left > 0 else None

    def repaint(self) -> None:
        """Draw again; the records of players who have just come are read, if there is room for them."""
        super().repaint()
        if self._records.read_missing is not None and self.size.height >= RECORDS_FROM - 2:
            seats = self._at.info.seats
            self._records.read_missing(
                [each.name for each in seats if each.name and each.kind == "human"], self._redraw
            )

    def _redraw(self) -> None:
        if self.is_attached:
            super().repaint()

    # --- drawing ---------------------------------------------------------------------------------------

    @property
    def _at(self) -> AtTable:
        return self._current()

    @property
    def _tiles(self) -> SeatTiles:
        return SeatTiles(self._at, self._role_of, self._records)

    def draw(self, width: int, height: int) -> Canvas:
        """Draw a tile for each seat, then the awaited players."""
        canvas = self._draw_room(width, height)
        for way in self._joining.invitation().ways:
            if way.link:
                canvas.open_address(way.link)
        return canvas

    def _draw_room(self, width: int, height: int) -> Canvas:
        if self.is_attached and self.app.size.width >= WIDE_FROM:
            return self._draw_wide(width, height)
        if any(width >= least and height >= rows for least, rows in TILES_FROM):
            return self._draw_stacked(width, height)
        canvas = Canvas(width, height)
        at = self._at
        x = max(2, (width - _WIDEST) // 2)
        wide = width - 2 * x
        canvas.put(x, 1, at.game.info.title, "title")
        canvas.put_right(width - x, 1, tr("{n} seats", n=len(at.info.seats)), "muted")
        y = self._tiles.draw_flat_tiles(canvas, (x, 2, wide))
        sentences = self._spread_sentences(wide, height - y)
        for number, (row, style) in enumerate(sentences, y):
            canvas.put(x, number, row, style)
        y += len(sentences)
        self._draw_rules(canvas, (x, y, wide, height - y))
        return canvas

    def _draw_wide(self, width: int, height: int) -> Canvas:
        """Draw the seats and what is awaited, beside them how others join, the settings and the chat; rules below."""
        canvas = Canvas(width, height)
        whole = width - 2 * _EDGE
        joining = [*invitation_rows(self._joining.invitation()), *((row, "text") for row in self._key_rows())]
        # Typed lines stay whole: one that is broken cannot be copied.
        line = max((cell_len(text) for text, style in joining if style == "strong"), default=0)
        code = self._find_code(width, height // 2) if width >= _CODE_FROM else ()
        needed = line + (len(code[0]) + _APART if code else 0)
        left = whole - _APART - max(min(needed, whole * 3 // 5), whole * 2 // 5)
        area = (_EDGE + left + _APART, 1, whole - left - _APART, height)
        beneath, talk = self._draw_joining_side(canvas, area, joining, code), self._talk()
        chat = max(_LEAST_CHAT, min(_CHAT_ROWS, 2 + len(talk), height - beneath))
        # In large rooms half of the rows are for who comes; elsewhere the rules need them.
        half = height * 11 // 20 if height >= _LARGE_NAMES_FROM else 0
        bottom = max(beneath + chat, len(code) + 3, half)
        y = self._draw_seats_side(canvas, (_EDGE, 1, left, bottom))
        y = max(y, bottom + 1)
        columns = area[2] - (len(code[0]) + _APART if code and beneath <= len(code) + 1 else 0)
        put_chat(canvas, (area[0], beneath), (columns, min(y, height) - 1 - beneath), talk)
        self._draw_rules(canvas, (_EDGE, y, whole, height - y))
        return canvas

    def _draw_joining_side(self, canvas: Canvas, area: Area, joining: Sequence[Row], code: Sequence[str]) -> int:
        """Draw how others join and the settings; returns the row below, after a blank one."""
        x, top, width, height = area
        y, room = top, width
        if code:
            room -= len(code[0]) + _APART
            canvas.put(x + room + _APART, top, tr("Scan to join (I)"), "title")
            for offset, row in enumerate(code, 1):
                canvas.put(x + room + _APART, top + offset, row, "text")
        name = self._at.info.code
        if height >= _LARGE_NAMES_FROM and name and width_of(name, HALF) <= room:
            draw_text(canvas, x, y, name, HALF, "target")
            y += HALF.height + 1
        heading, *settings = table_rows(self._at, self._joining.usual)
        rest = [(sentence, "muted") for sentence in (*spectator_sentences(self._at), *self._folder_sentences())]
        y = put_wrapped(canvas, (x, y), room, joining) + bool(joining)
        y = put_wrapped(canvas, (x, y), room, [heading])
        # Each row is one less for the chat and the rules.
        y = (put_flowing if height < _LARGE_NAMES_FROM else put_wrapped)(canvas, (x, y), room, settings)
        return put_wrapped(canvas, (x, y), room, rest) + 1

    def _draw_seats_side(self, canvas: Canvas, area: Area) -> int:
        """Draw the game, the tiles of the seats and what is awaited, down to a row if they fit; returns the row below.

        `area` has the first column and row, the columns, and the row down to which there is room.
        """
        x, top, width, bottom = area
        y = top
        title, number = self._at.game.info.title, len(self._at.info.seats)
        pen = next((pen for pen in (SQUARE, HALF) if width_of(title, pen) <= width), None)
        if canvas.height < _LARGE_FROM or pen is None:
            canvas.put(x, y, title, "title")
            y += 1
        else:
            pen = pen if canvas.height >= _LARGE_NAMES_FROM else HALF
            draw_text(canvas, x, y, title, pen, "title")
            y += pen.height + 1
        canvas.put_right(x + width, top, tr("{n} seats", n=number), "muted")
        y = put_wrapped(canvas, (x, y), width, [(tagline_of(self._at), "text")]) + 1
        y = self._tiles.draw_tiles(canvas, (x, y, width), bottom - y - self._list_awaited(width, canvas.height).rows)
        return self._draw_awaited(canvas, x, y, width)

    def _draw_stacked(self, width: int, height: int) -> Canvas:
        """Draw the seats as tiles and what is awaited in a box, then how others join, in the whole width."""
        canvas, at = Canvas(width, height), self._at
        x, whole = _EDGE, width - 2 * _EDGE
        canvas.put(x, 0, at.game.info.title, "title")
        canvas.put_right(x + whole, 0, tr("{n} seats", n=len(at.info.seats)), "muted")
        y = put_wrapped(canvas, (x, 1), whole, [(tagline_of(at), "muted")])
        y = self._tiles.draw_tiles(canvas, (x, y, whole), height // 4 if height >= _LARGE_NAMES_FROM else 0)
        y = self._draw_awaited(canvas, x, y, whole) - 1
        joining = list(invitation_rows(self._joining.invitation()))
        joining = (
            [*joining, *((row, "text") for row in self._key_rows())] if joining else [*self._invitation_rows(whole)]
        )
        y = put_wrapped(canvas, (x, y), whole, joining)
        each = (whole - _APART) // 2
        heading, *rows = table_rows(at, self._joining.usual)
        rows += [(sentence, "muted") for sentence in (*spectator_sentences(at), *self._folder_sentences())]
        left, right = _halve_rows(rows, each, height - y - 1)
        if height - y > 2:
            canvas.put(x, y, *heading)
            beneath = put_wrapped(canvas, (x, y + 1), each, left)
            y = max(beneath, put_wrapped(canvas, (x + each + _APART, y + 1), each, right))
        self._draw_rules(canvas, (x, y + 1, whole, height - y - 1))
        return canvas

    def _list_awaited(self, width: int, height: int) -> "Awaited":
        """Write the awaited players into a box of `width` columns, in large letters in tall rooms."""
        said = [(text, style) for text, style in (
            (self._countdown_text(), "target"), (awaited_text(self._at), "text")) if text]  # fmt: skip
        if height >= _LARGE_NAMES_FROM:
            lines = [(line, style) for text, style in said for line in wrap_large(text, width - 4, HALF)]
            if all(width_of(text, HALF) <= width - 4 for text, _ in lines):
                return Awaited(lines, large=True)
        return Awaited([(row, style) for text, style in said for row in wrap_lines(text, width - 4)], large=False)

    def _draw_awaited(self, canvas: Canvas, x: int, y: int, width: int) -> int:
        """Draw the awaited players in a box; returns the row below, after a blank one."""
        awaited = self._list_awaited(width, canvas.height)
        draw_frame(canvas, (x, y, width, awaited.rows), Edge.HEAVY, "selected")
        for number, (text, style) in enumerate(awaited.lines):
            if awaited.large:
                draw_text(canvas, x + 2, y + 1 + number * (HALF.height + 1), text, HALF, style)
            else:
                canvas.put(x + 2, y + 1 + number, text, style)
        return y + awaited.rows + 1

    def _draw_rules(self, canvas: Canvas, area: Area) -> None:
        """Write how the game is played, where there are rows for it: one may read while one waits."""
        x, y, width, height = area
        game = self._at.info.game
        if height >= _LEAST_RULES and self._at.by_sentences is None and rules_pages(game, current_language()):
            canvas.put(x, y, tr("How it is played (r)"), "title")
            draw_rules(canvas, (x, y + 1, width, height - 2), game)

    def _find_code(self, width: int, height: int) -> Sequence[str]:
        """Return the rows of the QR code; none where they are more than `height`, or the terminal cannot show them."""
        text, shell = self._joining.invitation().qr_text, cast("Shell", self.app)
        if not text or not shell.terminal.half_blocks:
            return ()
        inverted = not self.app.current_theme.dark
        sizes = (True, False) if width >= _LARGE_CODE_FROM else (False,)
        codes = (_draw_qr(text, inverted=inverted, large=large) for large in sizes)
        return next((code for code in codes if len(code) < height), ())

    def _key_rows(self) -> Iterator[str]:
        if self._joining.key:
            yield tr("The commentators' key: {key}. It lets a spectator see all hands (K).", key=self._joining.key)

    def _spread_sentences(self, width: int, height: int) -> list[Row]:
        """Wrap the sentences, with blank rows between them if there is room."""
        said = [*self._write_sentences(width)]
        about = [(tagline_of(self._at), "muted")]
        if sum(len(list(wrap_lines(text, width))) for text, _ in (*said, *about)) <= height:
            said += about  # a waiting player may ask what the game is about
        wrapped = list[list[Row]]()
        for sentence, style in said:
            rows = _wrap_row(sentence, style, width)
            if sentence.startswith(INDENT) and wrapped:
                wrapped[-1] += rows  # the typed text stands below its heading
            else:
                wrapped.append(rows)
        apart = [row for rows in wrapped for row in (*rows, ("", "blank"))]
        return apart if len(apart) <= height + 1 else [row for rows in wrapped for row in rows]

    # --- sentences -------------------------------------------------------------------------------------

    def _write_sentences(self, width: int) -> Iterator[Row]:
        countdown = self._countdown_text()
        if countdown:
            yield countdown, "target"
        yield awaited_text(self._at), "text"
        yield from self._invitation_rows(width)
        yield from (
            (sentence, "muted")
            for sentence in (*waiting_terms(self._at.info.clock), *unusual_terms(self._at, self._joining.usual))
        )
        yield from ((sentence, "muted") for sentence in (*spectator_sentences(self._at), *self._folder_sentences()))

    def _countdown_text(self) -> str:
        if self._at.starts_at is None:
            return ""
        n = max(0, ceil(self._at.starts_at - self.now()))
        return render(
            Phrase("The game starts in {n} second.", {"n": n}, many="The game starts in {n} seconds.", number=n)
        )

    def _invitation_rows(self, width: int) -> Iterator[Row]:
        """Write how others join in `width` columns; the table code stands out."""
        ways = self._joining.ways()
        if self._at.info.code:
            more = f"   {tr('I: QR code')}" if ways else ""
            yield f"{tr('Table code: {code}', code=self._at.info.code)}{more}", "target"
        typed = [way.typed for way in self._joining.invitation().ways]
        # The text to type stays whole where it has room: broken it cannot be copied.
        if typed and all(cell_len(INDENT + each) <= width for each in typed):
            yield tr("How others join"), "title"
            yield from ((f"{INDENT}{each}", "strong") for each in typed)
        else:
            yield from ((sentence, "text") for sentence in ways)
        yield from ((sentence, "text") for sentence in self._key_rows())

    def _folder_sentences(self) -> Iterator[str]:
        if self._joining.folder:
            yield tr("This table is saved in: {folder}", folder=self._joining.folder)


def waiting_room(shell: Shell, at: Callable[[], AtTable]) -> WaitingRoom:
    """Make the waiting room of the table that `at` returns."""
    usual = {game.slug: game.options for game in shell.session.games}.get(at().info.game, {})
    folder = "" if shell.client.folder is None else str(shell.client.folder)
    key = shell.session.lobby.commentary_keys.get(at().id, "")

    def talk() -> list[ChatEntry]:
        lines, mine = shell.session.chat.lines_of(at().id), shell.conversations.is_mine
        return [ChatEntry(line, mine(line), line.seat is None) for line in lines]

    careers = shell.session.account.careers

    def read_missing(names: Sequence[str], on_read: Callable[[], None]) -> None:
        if missing := careers.list_missing(names):
            shell.send_request(_read_then(careers.read_missing(missing), on_read))

    has_records = FEATURE in shell.session.connection.features
    records = Records(careers.find_profile, read_missing if has_records else None)
    facts = JoinFacts(usual, shell.client.join_instructions, folder, key, shell.client.make_invitation)
    return WaitingRoom(at, facts, talk, shell.session.lobby.describe_role, records)


async def _read_then(reading: Awaitable[None], on_read: Callable[[], None]) -> None:
    await reading
    on_read()
