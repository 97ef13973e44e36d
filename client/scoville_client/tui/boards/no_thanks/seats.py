"""The seats: everybody's cards, their points, and chips as far as the table shows them."""

from collections.abc import Sequence
from typing import NamedTuple

from rich.cells import cell_len

from scoville_client.tui.boards.no_thanks import words
from scoville_client.tui.boards.no_thanks.scene import Scene, Tally
from scoville_client.tui.boards.no_thanks.spread import draw_rows, rows_of
from scoville_client.tui.drawing.canvas import Canvas
from scoville_client.tui.drawing.names import mark_of, put_name
from scoville_client.tui.drawing.status import TIME
from scoville_shared.engine.phrases import Phrase
from scoville_shared.ids import Seat

_HIDDEN = "?"
_MARKER = 2
_LEAST_ROOM = 14
"""Cells below which the numbers of a scoring take the place of the cards that were counted before."""


class Column(NamedTuple):
    """Numbers by seat beneath a heading, in one style or each in its own; at least `least` cells wide."""

    heading: Phrase
    cells: Sequence[str]
    style: str = "text"
    styles: Sequence[str] = ()
    least: int = 0

    def look(self, seat: Seat) -> str:
        """Return the style of a seat's number."""
        return self.styles[seat] if self.styles else self.style


class Table(NamedTuple):
    """The seats laid out in `width` cells: the columns, and every seat's cards in rows of `room` cells."""

    width: int
    name: int
    room: int
    columns: Sequence[Column]
    cards: Sequence[Sequence[Sequence[str]]]

    @property
    def height(self) -> int:
        """How many rows it takes, the heading's among them."""
        return 1 + sum(map(len, self.cards))


def lay_out(scene: Scene, width: int, height: int, name: int) -> Table:
    """Lay the seats out in `width` cells; single cards lose their frames when it takes more than `height` rows."""
    columns = columns_of(scene)
    if scene.status.times:
        columns = _with_times(scene, width - name, columns)
    room = _room(scene, width - name, columns)
    framed = Table(width, name, room, columns, _cards(scene, room, framed=True))
    if framed.height <= height:
        return framed
    return framed._replace(cards=_cards(scene, room, framed=False))


def draw_seats(canvas: Canvas, x: int, y: int, scene: Scene, table: Table) -> int:
    """Draw a heading and the seats; returns the row beneath."""
    _draw_columns(canvas, x, y, scene, table, None)
    y += 1
    for seat in scene.order:
        _draw_seat(canvas, x, y, scene, table, seat)
        y += len(table.cards[seat])
    return y


def columns_of(scene: Scene) -> list[Column]:
    """Choose the columns: card points and chips (B4, B5), or how a round's score comes about."""
    if scene.frame is not None and scene.frame.tally is not None:
        return _scoring(scene, scene.frame.tally)
    points = Column(words.POINTS, [str(points) for points in scene.board.points], "strong")
    chips = Column(words.CHIPS, [_chips(scene, seat) for seat in range(len(scene.board.cards))])
    if not scene.board.rounds:
        return [points, chips]
    return [points, chips, Column(words.TOTAL, [str(total) for total in scene.board.totals], "muted")]


def _room(scene: Scene, width: int, columns: Sequence[Column]) -> int:
    return width - _MARKER - sum(_wide(column, scene) for column in columns) - 1


def _with_times(scene: Scene, width: int, columns: Sequence[Column]) -> list[Column]:
    """Add everybody's time; where the cards need the room, it takes the place of the sums until a round is scored."""
    timed = [*columns, _times(scene)]
    scoring = scene.frame is not None and scene.frame.tally is not None
    if scoring or _room(scene, width, timed) >= _LEAST_ROOM:
        return timed
    return [column for column in timed if column.heading != words.TOTAL]


def _times(scene: Scene) -> Column:
    times = scene.status.times
    return Column(TIME, [face.text for face in times], styles=[face.style for face in times], least=scene.status.room)


def _scoring(scene: Scene, tally: Tally) -> list[Column]:
    scored = tally.scored
    columns = [Column(words.POINTS, [str(points) for points in scored.points], "strong")]
    if tally.chips:
        columns.append(Column(words.CHIPS, [str(-chips) for chips in scored.chips]))
        columns.append(Column(words.SCORE, [str(score) for score in scored.scores], "strong"))
    if tally.totals and scene.board.options.rounds > 1:
        columns.append(Column(words.TOTAL, [str(total) for total in scored.totals], "strong"))
    return columns


def _chips(scene: Scene, seat: int) -> str:
    if scene.board.chips is not None:
        return str(scene.board.chips[seat])
    return str(scene.shown.chips) if seat == scene.seat else _HIDDEN


def _cards(scene: Scene, room: int, *, framed: bool) -> list[list[list[str]]]:
    seats = map(Seat, range(len(scene.board.cards)))
    if room < _LEAST_ROOM and scene.frame is not None and scene.frame.tally is not None:
        return [[[]] for _ in seats]
    return [rows_of(scene.board.runs(seat), room, framed=framed) for seat in seats]


def _wide(column: Column, scene: Scene) -> int:
    return max(column.least, 1 + max(cell_len(scene.say(column.heading)), *map(len, column.cells)))


def _draw_seat(canvas: Canvas, x: int, y: int, scene: Scene, table: Table, seat: Seat) -> None:
    mine, acts = seat == scene.place, seat == scene.actor
    if acts or _ahead(scene, seat):
        canvas.put(x, y, "▸", "caption")
    style, mark = "you" if mine else "strong" if acts else "text", mark_of(scene.marks, seat)
    put_name(canvas, x + _MARKER, y, table.name - 1, scene.name(seat), style, mark)
    left = x + _MARKER + table.name
    behind = draw_rows(canvas, left, y, table.cards[seat], scene.fresh, _joined(scene, seat))
    if acts and scene.frame is not None and scene.frame.word is not None:
        word, row = scene.say(scene.frame.word), y + len(table.cards[seat]) - 1
        spare = left + table.room - behind - cell_len(word)
        if spare >= 0:
            canvas.put(behind + min(1, spare), row, word, "caption")
    _draw_columns(canvas, x, y, scene, table, seat)


def _joined(scene: Scene, seat: Seat) -> Sequence[int]:
    """Find those of the user's cards with which the card in the middle would make a run."""
    taking = scene.board.taking(seat) if seat == scene.place else None
    return taking.run if taking else ()


def _ahead(scene: Scene, seat: Seat) -> bool:
    """Whether a seat has the fewest points, once the story shows the totals."""
    tally = scene.frame.tally if scene.frame else None
    return tally is not None and tally.totals and tally.scored.totals[seat] == min(tally.scored.totals)


def _draw_columns(canvas: Canvas, x: int, y: int, scene: Scene, table: Table, seat: Seat | None) -> None:
    """Draw a seat's numbers, or without one the headings."""
    right = x + table.width
    for column in reversed(table.columns):
        if seat is None:
            canvas.put_right(right, y, scene.say(column.heading), "faint")
        else:
            hidden = column.cells[seat] == _HIDDEN
            canvas.put_right(right, y, column.cells[seat], "faint" if hidden else column.look(seat))
        right -= _wide(column, scene)
