"""Tables of the lobby: tiles where they have room, rows where there are many; and what is played on the server."""

from collections.abc import Callable, Sequence
from typing import Final

from rich.cells import cell_len

from scoville_client.i18n.language import tr
from scoville_client.i18n.table_text import Listed
from scoville_client.i18n.wrapping import wrap_lines
from scoville_client.rules import Page
from scoville_client.tui.drawing.canvas import Area, Canvas, edge_of, fit_text
from scoville_client.tui.drawing.frames import Edge, draw_frame
from scoville_client.tui.drawing.letters import HALF, draw_text, width_of
from scoville_client.tui.drawing.reading import draw_games, draw_games_beside_picture, pages_beside_games
from scoville_client.tui.widgets.key_hints import put_hints
from scoville_client.tui.widgets.menu import Item, Menu
from scoville_client.tui.widgets.timers import call_after
from scoville_runtime.clock import Alarm

_GAME, _SEATS, _STATE = 13, 5, 12
_INDENT = 5
_MOST_TERMS, _MOST_TERMS_BELOW = 3, 6
"""Rows of settings below the marked table, and below tiles; the others have one, with an ellipsis for the rest."""
_ROOMY = 60
_TILE_WIDTH: Final = 36
_AROUND_TITLE: Final = 8
_AROUND_TILE: Final = 6
"""Columns of a tile that its text leaves free."""
_TILE, _TILE_WHOLE, _TILE_LARGE, _TILE_FROM = 5, 7, 8, 17
"""Rows of a table's tile, at most of one for more text, of one with large letters, and of a list that has tiles."""
_MOST_BESIDE = 14
"""Rows below the tables up to which the game of the marked one has its picture there; more are for rules."""
_LEAST_GAMES = 5
"""Rows below the tables from which on they tell what is played here."""
_PICTURE_SECONDS = 0.4
"""How long a table is marked before the picture is of its game: with each key it would be three times the bytes."""


class TableList(Menu):
    """A menu of tables; `has_details` says whether the marked one is described beside it.

    `is_compact` says whether only the marked one has its settings below it. Rows that the tables leave free describe
    the `games` of the server, given by slug and title.
    """

    def __init__(
        self,
        has_details: Callable[[], bool] = lambda: False,
        is_compact: Callable[[], bool] = lambda: False,
        games: Callable[[], Sequence[tuple[str, str]]] = lambda: (),
    ) -> None:
        super().__init__([])
        self._has_details = has_details
        self._is_compact = is_compact
        self._games = games
        self._tables: dict[str, Listed] = {}
        self._pictured = ""
        self._picture_due: Alarm | None = None
        """The title of the game whose picture is shown, and what turns to the next one."""

    def show_tables(self, tables: Sequence[Listed]) -> bool:
        """Show other tables; the marked one stays marked. Returns whether any is another: then `Marked` follows."""
        shown = {table.table: table for table in tables}
        if list(shown.items()) == list(self._tables.items()):  # the order counts
            return False
        self._tables = shown
        self.show_items([Item(table.table, table.game) for table in tables])
        self._turn_picture_later()
        return True

    def mark_item(self, item: str | None) -> None:
        super().mark_item(item)
        self._turn_picture_later()

    def _turn_picture_later(self) -> None:
        if self._picture_due is not None:
            self._picture_due.cancel()
            self._picture_due = None
        row = self.marked_row
        if row is not None and row.game != self._pictured:
            if self._pictured:
                self._picture_due = call_after(self, _PICTURE_SECONDS, self._turn_picture)
            else:
                self._pictured = row.game

    def _turn_picture(self) -> None:
        self._picture_due = None
        if (row := self.marked_row) is not None:
            self._pictured = row.game
            self.repaint()

    @property
    def marked_row(self) -> Listed | None:
        """The row of the marked table."""
        return None if self.marked is None else self._tables.get(self.marked)

    def text_of(self, item: Item) -> str:
        table = self._tables[item.id]
        return " ".join([*table[:5], *table.terms])

    def list_untold(self, slug: str) -> Sequence[Page] | None:
        """Return the part of a game's rules that fits below the tables; None if they have no room for rules at all."""
        width, height = self.size
        # Drawn nowhere: only how many rows the tables take counts.
        rows = self._count_rows_of_games(height, self._draw_tables(Canvas(width, 0), height))
        size = width - 2 * (edge_of(width) + 1), rows
        return pages_beside_games(size, self._games(), slug) if rows > _MOST_BESIDE else None

    def draw_items(self, canvas: Canvas, height: int) -> None:
        y = self._draw_tables(canvas, height)
        edge, games, rows = edge_of(canvas.width) + 1, self._games(), self._count_rows_of_games(height, y)
        if rows < _LEAST_GAMES:
            return
        canvas.put(edge, height - rows - 1, tr("What is played here"), "caption")
        area = (edge, height - rows, canvas.width - 2 * edge, rows)
        pictured = next((slug for slug, title in games if title == self._pictured), games[0][0])
        if rows > _MOST_BESIDE or not draw_games_beside_picture(canvas, area, games, pictured):
            draw_games(canvas, area, games)

    def _count_rows_of_games(self, height: int, y: int) -> int:
        """Return the rows about games, below its heading and the tables that end above row `y`."""
        return max(0, height - y - bool(y) - 1) if self._games() else 0

    def _draw_tables(self, canvas: Canvas, height: int) -> int:
        """Draw tiles, or rows of text; returns the row below."""
        shown = [self._tables[item.id] for item in self.items]
        tile = 0 if self._is_compact() else tile_height(shown, canvas.width, height)
        return self._draw_tiles(canvas, shown, tile) if tile else self._draw_rows(canvas, shown, height)

    def _draw_tiles(self, canvas: Canvas, shown: Sequence[Listed], tile: int) -> int:
        """Draw a tile of so many rows for each table; returns the row below."""
        columns = columns_of(shown, canvas.width)
        edge, cut = edge_of(canvas.width), None
        each = (canvas.width - 2 * edge) // columns
        for number, table in enumerate(shown):
            area = (edge + number % columns * each, number // columns * tile, each, tile)
            canvas.link(*area, table.table)
            is_cut = draw_tile(canvas, area, table, marked=number == self.index)
            if number == self.index and is_cut and not self._has_details():
                cut = table
        number = len(shown)
        if number % columns or not number // columns:  # the place of the next table
            area = (edge + number % columns * each, number // columns * tile, each, tile)
            draw_frame(canvas, area, Edge.GHOST, "faint")
            hints = [("c", tr("new table")), ("s", tr("quick match"))]
            for offset, hint in enumerate(hints):
                put_hints(canvas, area[0] + 3, area[1] + max(1, (tile - 2) // 2) + offset, [hint])
        y = -(-number // columns) * tile
        if cut is None:
            return y
        # Lines without room in the marked tile are below all tiles: named, or they would seem to be of the last one.
        name = fit_text(f"▸ {cut.game} · {cut.users}", canvas.width - 2 * edge - 2).rstrip()
        canvas.put(edge + 1, y, name, "title")
        y += 1
        terms = self._wrap_terms(cut, canvas.width, most=_MOST_TERMS_BELOW)
        for offset, row in enumerate(terms):
            canvas.put(edge + 3, y + offset, row, "text")
        return y + len(terms)

    def _draw_rows(self, canvas: Canvas, shown: Sequence[Listed], height: int) -> int:
        """Draw a row for each table, and its settings below; returns the row below."""
        width = canvas.width
        details = self._has_details()
        compact = self._is_compact()

        def terms_of(number: int) -> list[str]:
            marked = number == self.index
            if details or (compact and not marked):
                return []
            return self._wrap_terms(shown[number], width, most=_MOST_TERMS if marked else 1)

        y = _draw_heading(canvas) if details and shown else 0
        for number in range(self._first_shown(lambda number: 1 + len(terms_of(number)), height - y), len(shown)):
            if y >= height:  # there may be a thousand tables
                break
            terms = terms_of(number)
            canvas.link(0, y, width, 1 + len(terms), shown[number].table)
            self._draw_table(canvas, y, shown[number], marked=number == self.index)
            for offset, row in enumerate(terms, 1):
                canvas.put(_INDENT, y + offset, row, "text" if number == self.index else "muted")
            y += 1 + len(terms)
        return y

    def _first_shown(self, height_of: Callable[[int], int], height: int) -> int:
        """Find the first table to draw, so that the marked one is visible with its settings."""
        first = self.index
        room = height - height_of(first) if self.items else 0
        while first > 0 and (room := room - height_of(first - 1)) >= 0:
            first -= 1
        return first

    @staticmethod
    def _wrap_terms(table: Listed, width: int, *, most: int) -> list[str]:
        """Wrap the settings of a table into a few rows: as many whole ones as have room."""
        room = width - _INDENT - 2
        for count in range(len(table.terms), 0, -1):
            rows = list(wrap_lines(" · ".join([*table.terms[:count], *["…"] * (count < len(table.terms))]), room))
            if len(rows) <= most:
                return rows
        return [fit_text(table.terms[0], room)] if table.terms else []

    @staticmethod
    def _draw_table(canvas: Canvas, y: int, table: Listed, *, marked: bool) -> None:
        other = "text" if marked else "muted"
        state = "you" if table.urgent else "text"
        canvas.put(1, y, "▸" if marked else " ", "target")
        cells = (table.game, table.seats, table.state, table.users)
        _draw_cells(canvas, y, cells, ("title" if marked else "text", other, state, other))


def columns_of(tables: Sequence[Listed], width: int) -> int:
    """Return how many tiles stand beside each other: of the tables, and of a new one."""
    return max(1, min(len(tables) + 1, width // _TILE_WIDTH))


def tile_height(tables: Sequence[Listed], width: int, height: int) -> int:
    """Return the rows of a table's tile; 0 where a list of rows is better: there are many, or there is little room."""
    if not tables or width < _TILE_WIDTH or height < _TILE_FROM:
        return 0
    columns = columns_of(tables, width)
    lines = -(-len(tables) // columns)
    if height // lines < _TILE:  # before the texts of many tables are wrapped, only to find that none has room
        return 0
    inside = width // columns - _AROUND_TITLE
    large = all(width_of(table.game, HALF) <= inside for table in tables) and height // lines >= 2 * _TILE_LARGE
    if large:
        return _TILE_LARGE
    # Not at the cost of the games here: these have half of the rows.
    each = width // columns - _AROUND_TILE
    needed = min(_TILE_WHOLE, 3 + max(len(_list_tile_rows(table, each)) for table in tables))
    if needed > _TILE and height // lines >= 2 * needed:
        return needed
    return _TILE


def _list_tile_rows(table: Listed, room: int) -> list[tuple[str, str]]:
    """Write who sits at a table and its settings into rows of `room` columns, each with its style."""
    rows = [(row, "text") for row in wrap_lines(table.users, room)]
    return rows + [(row, "muted") for row in wrap_lines(" · ".join(table.terms), room)]


def draw_tile(canvas: Canvas, area: Area, table: Listed, *, marked: bool) -> bool:
    """Draw a table as a tile: game and state in its edge, seats as dots, players and settings inside.

    Returns whether something had no room.
    """
    x, y, width, height = area
    style = "you" if table.urgent else "selected" if marked else "muted"
    draw_frame(canvas, area, Edge.DOUBLE if marked else Edge.PLAIN, style, foot=table.state)
    taken, seats = map(int, table.seats.split("/"))
    inside, room = x + 3, width - _AROUND_TILE
    if height >= _TILE_LARGE and width_of(table.game, HALF) <= room:
        draw_text(canvas, inside, y + 1, table.game, HALF, "title" if marked else "text")
        y += HALF.height
    else:
        canvas.put(x + 2, y, f" {fit_text(table.game, min(cell_len(table.game), width - 6))} ", "title")
    dots = canvas.put(inside, y + 1, "●" * taken, "good")
    dots = canvas.put(dots, y + 1, "○" * (seats - taken), "muted") + 2
    canvas.put(dots, y + 1, tr("{taken} of {seats} seats", taken=taken, seats=seats), "muted")
    rows = _list_tile_rows(table, room)
    left = area[1] + height - 1 - (y + 2)
    shown = rows if len(rows) <= left else _shorten_terms(table, room, left)
    for offset, (row, style) in enumerate(shown):
        canvas.put(inside, y + 2 + offset, row, style)
    return len(rows) > left


def _shorten_terms(table: Listed, room: int, most: int) -> list[tuple[str, str]]:
    """Write as many whole settings as have room in so many rows of a tile; without room for one the last row is cut."""
    for count in range(len(table.terms) - 1, 0, -1):
        rows = _list_tile_rows(table._replace(terms=[*table.terms[:count], "…"]), room)
        if len(rows) <= most:
            return rows
    rows = _list_tile_rows(table, room)[:most]
    return [*rows[:-1], *((fit_text(f"{row} …", room), style) for row, style in rows[-1:])]


def _draw_heading(canvas: Canvas) -> int:
    """Name the columns; returns the row of the first table."""
    heading = (tr("Game"), tr("Seats"), tr("State"), tr("Players"))
    _draw_cells(canvas, 0, heading, ("faint",) * len(heading))
    return 1


def _draw_cells(canvas: Canvas, y: int, cells: Sequence[str], styles: Sequence[str]) -> None:
    gap = 2 if canvas.width >= _ROOMY else 0
    x = canvas.put(3, y, fit_text(cells[0], _GAME), styles[0]) + gap
    x = canvas.put(x, y, fit_text(cells[1], _SEATS), styles[1]) + gap
    x = canvas.put(x, y, fit_text(cells[2], _STATE), styles[2]) + max(gap, 1)
    canvas.put(x, y, fit_text(cells[3], max(canvas.width - x - 2, 1)), styles[3])
