"""Board of a game without its own: the players, the table in sentences, the log, and the legal moves as cards."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, ClassVar, Final

from rich.cells import cell_len
from textual.binding import BindingType

from scoville_client.i18n.language import render, tr
from scoville_client.i18n.wrapping import wrap_lines
from scoville_client.session.changes import EventApplied
from scoville_client.session.table.table_text import describe_seen_table
from scoville_client.tui.actions import Action, bindings
from scoville_client.tui.boards.actions import MOVES
from scoville_client.tui.boards.board import Board
from scoville_client.tui.boards.layout import Band, draw_header, share_rows
from scoville_client.tui.drawing.canvas import Area, Canvas, edge_of, fit_text
from scoville_client.tui.drawing.chances import Chance, draw_chance
from scoville_client.tui.drawing.digits import draw_figure, fit_block
from scoville_client.tui.drawing.frames import Edge, count_rows, draw_frame, draw_log, draw_shade, inside_of, list_tiles
from scoville_client.tui.drawing.letters import draw_paragraph, fit_pen
from scoville_client.tui.drawing.status import BoardStatus, mark_of, mark_seats, put_head
from scoville_shared.engine.phrases import Phrase, Who
from scoville_shared.ids import Seat

MOST_DRAWN: Final = 500
"""Moves that can be chosen on the screen; a game with more has the most useful ones first."""
_TILE = 3
"""Rows of a card or of a player's tile at least."""
_LEAST_TILE = 14
"""Columns of a player's tile at least."""
_BESIDE = 90
"""Columns from which on the log is beside the sentences."""
_LEAST_TILED = 18
"""Rows of the sentences from which on each has a tile."""
_SHAPE = 5
"""Columns of a tile for each of its rows, where its letters leave the choice."""
_BODY = 5
"""Rows from which on a tile is shaded."""


class SentencesBoard(Board):
    """Shows players, `text.table`, the log's end and the moves; left and right go through the moves.

    A game that draws something of its own has `OWN_ROWS` rows for it, between the sentences and the log. The areas
    `players`, `table` and `moves` are marked for callouts.
    """

    OWN_ROWS: ClassVar[int] = 0
    ACTIONS: ClassVar[Sequence[Action]] = MOVES
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("play", ACTIONS)]
    _index = 0
    _offered: Sequence[Any] = ()

    def show_event(self, change: EventApplied) -> None:  # noqa: ARG002
        offered = self._list_moves()
        if offered != self._offered:  # another decision: its first answer is the selected one
            self._offered, self._index = offered, 0
        self.show_table(self.at)

    def draw_table(self, width: int, height: int) -> Canvas:
        """Draw bands from edge to edge: the players, what is to be said of the table, the log, the moves."""
        canvas, at, status = Canvas(width, height), self.at, self.status
        edge = edge_of(width)
        x, room = edge, width - 2 * edge
        moves = self._list_moves()
        labels = [render(at.game.text.describe_move(move), at.names) for move in moves]
        # Moves of a game that is only known by its sentences are no keys, and no coach knows them.
        chances = [self.chances.get(move) if self.chances else None for move in moves]
        log = [render(line.phrase, at.names) for line in at.log[-height:]] if self.shows_log else []
        said = [render(phrase, at.names) for phrase in self._table_phrases(status)]

        beside = room >= _BESIDE and bool(log)
        # The moves are worth more rows than the log; both are smaller than the table.
        grid, carded = _rows_of_moves(labels, room, height // 3)
        wide = room * 3 // 5 if beside else room
        written = sum(len(list(wrap_lines(sentence, wide))) for sentence in said)
        across = _share_evenly(len(at.names), room // (_LEAST_TILE + status.room))
        seated = -(-len(at.names) // across) * _TILE
        # A tile says no more than a name in a row; the table and the moves must have room.
        left = height - 1 - self.OWN_ROWS - grid - written
        tiled = seated * 3 <= height and seated <= left
        named = seated if tiled else self._draw_times(None, x, 0, room, status)
        # Tiles grow only for names in block letters, three rows high: plain names are in the border already.
        large_names = all(fit_pen([name], room // across - 2, 3 * _TILE - 2) is not None for name in at.names)
        logged = 0 if beside or not log else count_rows(log, room, max(1, height // 6))
        logged = max(0, min(logged, left - named))

        for large in (True, False):  # without room for tiles the sentences take only the rows that they need
            table = Band(max(2, min(written, height // 3)), height, 5)
            if not large:
                least = max(2, min(written + 1, left + written - named - logged))
                table = Band(least, written + 1, 0 if tiled else 1)
            bands = [
                Band(1, 1, 0),
                Band(seated, seated * 3, 2) if tiled and large_names else Band(named, named, 0),
                table,
                Band(self.OWN_ROWS, self.OWN_ROWS, 0),
                Band(logged, logged, 0),
                Band(grid, height, 3) if carded else Band(grid, grid, 0),
            ]
            rows = share_rows(height, bands)
            if _choose_across(said, wide, rows[2]):
                break

        tops = [sum(rows[:number]) for number in range(len(rows))]
        draw_header(canvas, (x, 0, room), Phrase(at.game.info.title).text, "", "", paused=status.paused)
        if tiled:
            self._draw_seats(canvas, (x, tops[1], room, rows[1]), across, status)
        else:
            self._draw_times(canvas, x, tops[1], room, status)

        middle = (x, tops[2], wide, rows[2])
        _draw_said(canvas, middle, said)
        if beside:
            right = middle[0] + middle[2] + 1
            box = (right, tops[2], x + room - right, rows[2])
            draw_frame(canvas, box, Edge.PLAIN, "muted", tr("Log"))
            left, top, wide, high = inside_of(box)
            draw_log(canvas, left + 1, top, wide - 2, high, log)
        else:
            draw_log(canvas, x, tops[4], room, rows[4], log)

        moved = (x, tops[5], room, rows[5])
        _draw_moves(canvas, moved, labels, chances, self._index)
        canvas.marks |= {"players": (x, tops[1], room, rows[1]), "table": middle, "moves": moved}
        self.draw_own(canvas, x, tops[3], room, rows[3])
        return canvas

    def draw_own(self, canvas: Canvas, x: int, y: int, width: int, height: int) -> None:
        """Draw the parts of the game beside its sentences, from (x, y) on: `OWN_ROWS` rows, fewer in a small window."""

    def _table_phrases(self, status: BoardStatus) -> Iterator[Phrase]:
        """Describe the table; to a spectator with a point of view also that, and who moves."""
        at = self.at
        if status.place is not None and at.view is not None:
            yield status.for_viewer(
                Phrase("To move: {others}.", {"others": [Who(seat) for seat in sorted(at.pending)]})
            )
        yield from describe_seen_table(at) if at.view is not None else ()

    def _draw_seats(self, canvas: Canvas, area: Area, across: int, status: BoardStatus) -> None:
        """Draw a tile for each player, with the name once more as large as there is room."""
        at, names = self.at, self.at.names
        for (seat, name), box in zip(enumerate(names), list_tiles(area, len(names), across), strict=True):
            moves, mine = seat in at.pending, seat == at.seat
            style = "caption" if moves else "you" if mine else "muted"
            draw_frame(canvas, box, Edge.DOUBLE if moves else Edge.PLAIN, style)
            head = " ".join(filter(None, ("▸" if moves else "", name, mark_of(mark_seats(at), seat))))
            put_head(canvas, box, head, "you" if mine else "text", status.time_of(seat))
            if box[3] > _TILE and fit_pen([name], box[2] - 2, box[3] - 2) is not None:
                draw_shade(canvas, inside_of(box), style, 1)
                draw_paragraph(canvas, inside_of(box), [name], style)

    def _draw_times(self, canvas: Canvas | None, x: int, y: int, width: int, status: BoardStatus) -> int:
        """Write all players in as many rows as it takes, with their times; returns how many, also without a canvas."""
        column, first = x, y
        for seat, name in enumerate(self.at.names):
            mark, face = "▸" if seat in self.at.pending else " ", status.time_of(Seat(seat))
            if column + cell_len(name) + 2 + status.room > x + width:
                column, y = x, y + 1
            style = "you" if seat == self.at.seat else "text"
            if canvas is None:
                column += cell_len(name) + cell_len(face.text) + 4
                continue
            column = canvas.put(canvas.put(column, y, mark, "target") + 1, y, name, style) + 1
            column = canvas.put(column, y, face.text, face.style) + 1
        return y - first + 1

    def action_left(self) -> None:
        self._select_move(self._index - 1)

    def action_right(self) -> None:
        self._select_move(self._index + 1)

    def action_play(self) -> None:
        moves = self._list_moves()
        if moves:
            self.decide_move(moves[min(self._index, len(moves) - 1)])

    def _list_moves(self) -> list[Any]:
        return list(islice(self.at.legal_moves(), MOST_DRAWN))

    def _select_move(self, index: int) -> None:
        self._index = max(0, min(index, len(self._list_moves()) - 1))
        self.repaint()


def _draw_said(canvas: Canvas, area: Area, said: Sequence[str]) -> None:
    """Draw each sentence in a tile in letters as large as there is room; where tiles have none, below each other."""
    x, y, width, height = area
    across = _choose_across(said, width, height)
    if not across:
        every = [row for sentence in said for row in wrap_lines(sentence, width)]
        rows = every[:height]
        if len(every) > height > 0:
            rows[-1] = fit_text(f"{rows[-1]} …", width)
        for offset, row in enumerate(rows):
            canvas.put(x, y + offset * min(2, height // len(rows)), row, "text")
        return
    for sentence, box in zip(said, list_tiles(area, len(said), across), strict=True):
        inner_x, inner_y, wide, high = inside_of(box)
        # Text in blocks is written once more, to be read, searched and copied.
        large = fit_pen([sentence], wide - 2, high) is not None
        draw_frame(canvas, box, Edge.PLAIN, "muted", sentence if large else "")
        draw_shade(canvas, inside_of(box), "faint", _BODY)
        draw_paragraph(canvas, (inner_x + 1, inner_y, wide - 2, high), [sentence], "text")


def _choose_across(said: Sequence[str], width: int, height: int) -> int:
    """Return how many tiles beside each other make the letters of all sentences the largest; 0 if none have room."""
    sizes: dict[int, tuple[int, int]] = {}
    if height < _LEAST_TILED:
        return 0
    for across in range(1, len(said) + 1):
        wide, high = width // across - 4, height // -(-len(said) // across) - 2
        if wide < _LEAST_TILE or high < 1:
            continue
        pens = [fit_pen([sentence], wide, high) for sentence in said]
        if all(pen or len(list(wrap_lines(sentence, wide))) <= high for pen, sentence in zip(pens, said, strict=True)):
            letters = sum(pen.columns * pen.rows for pen in pens if pen is not None)
            sizes[across] = (letters, -abs(wide - _SHAPE * high))
    return max(sizes, key=lambda across: sizes[across]) if sizes else 0


def _share_evenly(count: int, most: int) -> int:
    """Return how many tiles stand beside each other, at most `most`: six are three and three, not five and one."""
    lines = -(-count // max(1, min(count, most)))
    return -(-count // max(1, lines))


def _grid_of_moves(labels: Sequence[str], width: int) -> tuple[int, int]:
    """Return how many moves stand beside each other, and how many lines there are."""
    widest = max(map(cell_len, labels)) + 4
    across = _share_evenly(len(labels), width // widest)
    return across, -(-len(labels) // across)


def _rows_of_moves(labels: Sequence[str], width: int, most: int) -> tuple[int, bool]:
    """Return the rows of the moves, and whether they are cards: words where these would take more than `most` rows."""
    if not labels:
        return 0, False
    _, lines = _grid_of_moves(labels, width)
    carded = lines * _TILE <= most
    return lines * _TILE if carded else max(1, min(len(_flow_moves(labels, width)), most)), carded


def _flow_moves(labels: Sequence[str], width: int) -> list[list[tuple[int, int]]]:
    """Lay moves into rows as words: the number of each, and its first column."""
    rows: list[list[tuple[int, int]]] = [[]]
    column = 0
    for number, label in enumerate(labels):
        wide = cell_len(label) + 2
        if rows[-1] and column + wide > width:
            rows.append([])
            column = 0
        rows[-1].append((number, column))
        column += wide + 1
    return rows


def _draw_moves(
    canvas: Canvas, area: Area, labels: Sequence[str], chances: Sequence[Chance | None], index: int
) -> None:
    """Draw the moves as cards as large as there is room, or as words around the selected one."""
    x, y, width, height = area
    if not labels or height < 1:
        return
    across, lines = _grid_of_moves(labels, width)
    barred = any(chances)
    if lines * (_TILE + barred) > height:
        named = [f"{label} {chance.figure}" if chance else label for label, chance in zip(labels, chances, strict=True)]
        _draw_words(canvas, area, named, index)
        return
    block = fit_block(labels, width // across - 4, height // lines - 2 - barred)
    for number, label in enumerate(labels):
        line, place = divmod(number, across)
        left, right = x + place * width // across, x + (place + 1) * width // across
        top, end = y + line * height // lines, y + (line + 1) * height // lines
        box, selected = (left, top, right - left, end - top), number == index
        style = "selected" if selected else "card"
        inside = inside_of(box)
        if (chance := chances[number]) is not None:
            # The last row is that of the chance.
            inside = (*inside[:3], inside[3] - 1)
        large = block is not None or fit_pen([label], inside[2], inside[3]) is not None
        draw_frame(canvas, box, Edge.DOUBLE if selected else Edge.PLAIN, style, label if large else "")
        draw_shade(canvas, inside_of(box), style)
        if block is not None:
            draw_figure(canvas, inside, label, style, block)
        else:
            draw_paragraph(canvas, inside, [label], style)
        if chance is not None:
            draw_chance(canvas, inside[0], inside[1] + inside[3], inside[2], chance)


def _draw_words(canvas: Canvas, area: Area, labels: Sequence[str], index: int) -> None:
    """Draw as many moves as there is room for, those around the selected one."""
    x, y, width, height = area
    rows = _flow_moves(labels, width)
    row = next(number for number, shown in enumerate(rows) if shown[-1][0] >= min(index, len(labels) - 1))
    first = min(max(row - height // 2, 0), max(0, len(rows) - height))
    step = max(1, min(2, height // len(rows)))
    for offset, shown in enumerate(rows[first : first + height]):
        for number, column in shown:
            label = fit_text(labels[number], min(cell_len(labels[number]), width - 2))
            canvas.put(x + column, y + offset * step, f" {label} ", "selected" if number == index else "card")


BOARD = SentencesBoard
