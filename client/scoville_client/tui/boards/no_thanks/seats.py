"""The seats as rows and as tiles: the cards and points of all players, and chips as far as the table shows them."""

import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from rich.cells import cell_len

from scoville_client.tui.boards.motion import is_flashing, number_between
from scoville_client.tui.boards.no_thanks import words
from scoville_client.tui.boards.no_thanks.scene import Scene, Tally
from scoville_client.tui.drawing.canvas import Area, Canvas
from scoville_client.tui.drawing.digits import Block, draw_figure, fit_block
from scoville_client.tui.drawing.frames import Edge, draw_frame, draw_shade, inside_of, list_tiles
from scoville_client.tui.drawing.status import TIME, mark_of, put_head, put_name
from scoville_shared.engine.phrases import Phrase
from scoville_shared.games.no_thanks.runs import Run
from scoville_shared.ids import Seat

_OPEN, _EDGE, _CLOSE = "[", "│", "]"
_TOKENS = re.compile(r"\d+|\D")
_ABOVE, _MIDDLE, _BENEATH = str.maketrans("[│]", "╭┬╮"), str.maketrans("[]", "││"), str.maketrans("[│]", "╰┴╯")
CARD_ROWS = 3
"""Rows of cards with their edges."""


def rows_of(runs: Sequence[Run], width: int, *, framed: bool = True) -> list[list[str]]:
    """Lay runs into rows of `width` cells: groups of signs and numbers; without `framed` singles are bare numbers."""
    rows: list[list[str]] = [[]]
    for run in runs:
        for piece in _run_pieces(run, width, framed=framed):
            if rows[-1] and _row_length(rows[-1]) + 1 + len(piece) > width:
                rows.append([])
            rows[-1].append(piece)
    return rows


def draw_rows(
    canvas: Canvas,
    x: int,
    y: int,
    rows: Sequence[Sequence[str]],
    fresh: int | None,
    joined: Collection[int],
    *,
    edged: bool = False,
    flash: bool = False,
) -> int:
    """Draw rows of groups; `fresh` is the card that has just come, `joined` those another one would join.

    With their edges (`edged`) they take CARD_ROWS each; `flash` highlights the fresh card. Returns the column behind
    the last group.
    """
    column = x
    for offset, row in enumerate(rows):
        column = x
        for piece in row:
            if edged:
                middle = y + offset * CARD_ROWS + 1
                _draw_edges(canvas, column, middle, piece)
                column = _draw_piece(canvas, column, middle, piece.translate(_MIDDLE), fresh, joined, flash=flash) + 1
            else:
                column = _draw_piece(canvas, column, y + offset, piece, fresh, joined, flash=flash) + 1
    return column


def _draw_edges(canvas: Canvas, x: int, y: int, piece: str) -> None:
    """Draw the upper and the lower edges of the cards whose numbers are in row `y`."""
    drawn = re.sub(r"\d", "─", piece)
    canvas.put(x, y - 1, drawn.translate(_ABOVE), "muted")
    canvas.put(x, y + 1, drawn.translate(_BENEATH), "muted")


def _run_pieces(run: Run, width: int, *, framed: bool) -> Iterator[str]:
    """Write a run as one piece, or as several when it is longer than a row."""
    if len(run) == 1 and not framed:
        yield str(run[0])
        return
    piece = _OPEN
    for card in run:
        written = f"{card}{_CLOSE if card == run[-1] else _EDGE}"
        if len(piece) + len(written) > width:
            yield piece
            piece = ""
        piece += written
    yield piece


def _row_length(row: Sequence[str]) -> int:
    return sum(map(len, row)) + len(row) - 1


def _draw_piece(
    canvas: Canvas, x: int, y: int, piece: str, fresh: int | None, joined: Collection[int], *, flash: bool
) -> int:
    free = False
    for token in _TOKENS.findall(piece):
        style = _card_style(int(token), fresh, joined, free=free, flash=flash) if token.isdecimal() else "muted"
        x = canvas.put(x, y, token, style)
        free = token == _EDGE
    return x


def _card_style(card: int, fresh: int | None, joined: Collection[int], *, free: bool, flash: bool) -> str:
    """Choose the style of a card: those behind the lowest of a run count nothing (B10)."""
    if card == fresh:
        return "selected-pin" if flash else "target"
    return "rim" if card in joined else "muted" if free else "strong"


HIDDEN = "?"
_MARKER = 2
_LEAST_ROOM = 14
"""Cells below which the numbers of a scoring take the place of the cards that were counted before."""


class Column(NamedTuple):
    """Numbers by seat below a heading, in one style or each in its own; at least `least` cells wide."""

    heading: Phrase
    cells: Sequence[str]
    style: str = "text"
    styles: Sequence[str] = ()
    least: int = 0

    def style_of(self, seat: Seat) -> str:
        """Return the style of a seat's number."""
        return self.styles[seat] if self.styles else self.style


class Table(NamedTuple):
    """The seats laid out in `width` cells: the columns, and every seat's cards in rows of `room` cells.

    `edged` draws the cards with their edges, in three rows instead of one.
    """

    width: int
    name: int
    room: int
    columns: Sequence[Column]
    cards: Sequence[Sequence[Sequence[str]]]
    edged: bool = False

    @property
    def height(self) -> int:
        """How many rows it takes, the heading's among them."""
        return 1 + sum(self.rows_of(seat) for seat in range(len(self.cards)))

    def rows_of(self, seat: int) -> int:
        """How many rows a seat takes."""
        return len(self.cards[seat]) * (CARD_ROWS if self.edged else 1)


def lay_out(scene: Scene, width: int, height: int, name: int) -> Table:
    """Lay the seats out in `width` cells.

    Cards have their edges if that takes at most `height` rows; else single cards lose even their frames.
    """
    columns = columns_of(scene)
    if scene.status.times:
        columns = _with_times(scene, width - name, columns)
    room = _room_for_cards(scene, width - name, columns)
    framed = Table(width, name, room, columns, _card_rows(scene, room, framed=True))
    edged = framed._replace(edged=True)
    # Three rows for one: with a compact board the log gets them.
    if edged.height <= height and not scene.compact:
        return edged
    if framed.height <= height:
        return framed
    return framed._replace(cards=_card_rows(scene, room, framed=False))


def draw_seats(canvas: Canvas, x: int, y: int, scene: Scene, table: Table) -> int:
    """Draw a heading and the seats; returns the row below."""
    _draw_columns(canvas, x, y, scene, table, None)
    y += 1
    for seat in scene.order:
        _draw_seat(canvas, x, y, scene, table, seat)
        canvas.marks[mark_of_seat(seat)] = (x, y, table.width, table.rows_of(seat))
        y += table.rows_of(seat)
    return y


def mark_of_seat(seat: Seat) -> str:
    """Return the name of the area in which a seat is drawn."""
    return f"seat {seat}"


def draw_bars(canvas: Canvas, x: int, y: int, scene: Scene, table: Table) -> None:
    """Draw below the numbers of each seat its points as a bar, lighter what its chips take off."""
    tally, room = None if scene.frame is None else scene.frame.tally, table.width - _MARKER
    assert tally is not None, "bars are of a scoring"
    most = max(1, *tally.scored.points)
    for seat in scene.order:
        counted = number_between(0, tally.scored.points[seat], 1.0 if tally.chips else scene.progress)
        off = min(counted, tally.scored.chips[seat]) if tally.chips else 0
        length, lighter = (number * room // most for number in (counted, off))
        style = "caption" if has_fewest(scene, seat) else "you" if seat == scene.place else "rim"
        beneath = y + table.rows_of(seat) - 1
        column = canvas.put(x + _MARKER, beneath, "█" * (length - lighter), style)
        canvas.put(column, beneath, "░" * lighter, style)
        y += table.rows_of(seat)


def columns_of(scene: Scene, progress: float | None = None) -> list[Column]:
    """Choose the columns: card points and chips (B4, B5), or how a round's score comes about.

    `progress` is how far a scoring is counted; without one as far as the scene is.
    """
    if scene.frame is not None and scene.frame.tally is not None:
        return _scoring_columns(scene, scene.frame.tally, scene.progress if progress is None else progress)
    points = Column(words.POINTS, [str(points) for points in scene.board.points], "strong")
    chips = Column(words.CHIPS, [_chips_text(scene, seat) for seat in range(len(scene.board.cards))])
    if not scene.board.rounds:
        return [points, chips]
    return [points, chips, Column(words.TOTAL, [str(total) for total in scene.board.totals], "muted")]


def _room_for_cards(scene: Scene, width: int, columns: Sequence[Column]) -> int:
    return width - _MARKER - sum(_column_width(column, scene) for column in columns) - 1


def _with_times(scene: Scene, width: int, columns: Sequence[Column]) -> list[Column]:
    """Add all times; where the cards need the room, they take the place of the sums until a round is scored."""
    timed = [*columns, _time_column(scene)]
    scoring = scene.frame is not None and scene.frame.tally is not None
    if scoring or _room_for_cards(scene, width, timed) >= _LEAST_ROOM:
        return timed
    return [column for column in timed if column.heading != words.TOTAL]


def _time_column(scene: Scene) -> Column:
    times = scene.status.times
    return Column(TIME, [face.text for face in times], styles=[face.style for face in times], least=scene.status.room)


def _scoring_columns(scene: Scene, tally: Tally, progress: float) -> list[Column]:
    scored = tally.scored
    new = progress
    columns = [_counted_column(words.POINTS, scored.points, 1.0 if tally.chips else new, "strong")]
    if tally.chips:
        new = 1.0 if tally.totals else new
        columns.append(_counted_column(words.CHIPS, [-chips for chips in scored.chips], new))
        columns.append(_counted_column(words.SCORE, scored.scores, new, "strong"))
    if tally.totals and scene.board.options.rounds > 1:
        columns.append(_counted_column(words.TOTAL, scored.totals, progress, "strong"))
    return columns


def _counted_column(heading: Phrase, numbers: Sequence[int], progress: float, style: str = "text") -> Column:
    """Make a column of numbers, which are counted up from zero; it is always as wide as at the end."""
    cells = [str(number_between(0, number, progress)) for number in numbers]
    return Column(heading, cells, style, least=1 + max(len(str(number)) for number in numbers))


def _chips_text(scene: Scene, seat: int) -> str:
    if scene.board.chips is not None:
        return str(scene.board.chips[seat])
    return str(scene.shown.chips) if seat == scene.seat else HIDDEN


def _card_rows(scene: Scene, room: int, *, framed: bool) -> list[list[list[str]]]:
    seats = map(Seat, range(len(scene.board.cards)))
    if room < _LEAST_ROOM and scene.frame is not None and scene.frame.tally is not None:
        return [[[]] for _ in seats]
    return [rows_of(scene.board.list_runs(seat), room, framed=framed) for seat in seats]


def _column_width(column: Column, scene: Scene) -> int:
    return max(column.least, 1 + max(cell_len(scene.say(column.heading)), *map(len, column.cells)))


def _draw_seat(canvas: Canvas, x: int, y: int, scene: Scene, table: Table, seat: Seat) -> None:
    mine, acts = seat == scene.place, seat == scene.actor
    top, y = y, y + table.edged
    if acts or has_fewest(scene, seat):
        canvas.put(x, y, "▸", "caption")
    style, mark = "you" if mine else "strong" if acts else "text", mark_of(scene.marks, seat)
    put_name(canvas, x + _MARKER, y, table.name - 1, scene.name_of(seat), style, mark)
    left = x + _MARKER + table.name
    flash = is_flashing(scene.progress)
    joined = joined_cards(scene, seat)
    behind = draw_rows(canvas, left, top, table.cards[seat], scene.fresh, joined, edged=table.edged, flash=flash)
    if acts and scene.frame is not None and scene.frame.word is not None:
        word, row = scene.say(scene.frame.word), y + table.rows_of(seat) - (CARD_ROWS if table.edged else 1)
        spare = left + table.room - behind - cell_len(word)
        if spare >= 0:
            canvas.put(behind + min(1, spare), row, word, "caption")
    _draw_columns(canvas, x, y, scene, table, seat)


def joined_cards(scene: Scene, seat: Seat) -> Sequence[int]:
    """Find those of the user's cards with which the card in the middle would make a run."""
    taking = scene.board.weigh_taking(seat) if seat == scene.place else None
    return taking.run if taking else ()


def has_fewest(scene: Scene, seat: Seat) -> bool:
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
            hidden = column.cells[seat] == HIDDEN
            canvas.put_right(right, y, column.cells[seat], "faint" if hidden else column.style_of(seat))
        right -= _column_width(column, scene)


_LEAST_WIDTH = 22
LEAST_HEIGHT = 4
_PADDING = 1
"""Columns that stay free within both edges of a tile."""


def columns_across(seats: int, width: int, height: int) -> int:
    """Return how many tiles stand beside each other in `width` x `height` cells; 0 where they have no room."""
    for lines in range(1, seats + 1):
        across = -(-seats // lines)
        if width // across >= _LEAST_WIDTH:
            return across if height // lines >= LEAST_HEIGHT else 0
    return 0


def least_height(scene: Scene, width: int) -> int:
    """Return the rows with which every seat's cards have room in tiles; 0 where tiles are too narrow."""
    seats = len(scene.board.cards)
    across = columns_across(seats, width, LEAST_HEIGHT * seats)
    if not across:
        return 0
    inside = width // across - 2 - 2 * _PADDING
    rows = max(len(rows_of(scene.board.list_runs(Seat(seat)), inside)) for seat in range(seats))
    return -(-seats // across) * (rows + 3)


def count_uneven_rows(scene: Scene, width: int, height: int) -> int:
    """Return by how many of so many rows the tiles of one line would be higher than those of another."""
    seats = len(scene.order)
    return height % -(-seats // max(1, columns_across(seats, width, height)))


def draw_tiles(canvas: Canvas, area: Area, scene: Scene) -> None:
    """Draw a tile for each seat, side by side in as few lines as there is room for."""
    seats = len(scene.order)
    across = columns_across(seats, area[2], area[3])
    for seat, tile in zip(scene.order, list_tiles(area, seats, across), strict=True):
        _draw_tile(canvas, tile, scene, seat)
        canvas.marks[mark_of_seat(seat)] = tile


def _draw_tile(canvas: Canvas, area: Area, scene: Scene, seat: Seat) -> None:
    x, y, width, height = area
    mine, acts, first = seat == scene.place, seat == scene.actor, has_fewest(scene, seat)
    edge = Edge.DOUBLE if acts or first else Edge.PLAIN
    style = "caption" if acts or first else "you" if mine else "muted"
    mark = mark_of(scene.marks, seat)
    head = " ".join(filter(None, ("▸" if acts or first else "", scene.name_of(seat), mark)))
    word = scene.frame.word if acts and scene.frame is not None else None
    draw_frame(canvas, area, edge, style, foot=_counted_text(scene, seat) if word is None else scene.say(word))
    put_head(canvas, area, head, "you" if mine else "strong" if acts else "text", scene.status.time_of(seat))
    inside = (x + 1 + _PADDING, y + 1, width - 2 - 2 * _PADDING, height - 2)
    if first:
        draw_shade(canvas, inside_of(area), style)
    used = _draw_cards(canvas, inside, scene, seat)
    _draw_figures(canvas, (inside[0], inside[1] + used, inside[2], inside[3] - used), scene, seat)


def _counted_text(scene: Scene, seat: Seat) -> str:
    """Count the newest number of a scoring up in the edge: large figures would be too much to send at each step."""
    if scene.frame is None or scene.frame.tally is None:
        return ""
    return columns_of(scene)[-1].cells[seat]


def _draw_cards(canvas: Canvas, area: Area, scene: Scene, seat: Seat) -> int:
    """Draw the cards of a seat, with their edges if figures have room below; returns the rows that they take."""
    x, y, width, height = area
    rows = rows_of(scene.board.list_runs(seat), width)
    edged = len(rows) * CARD_ROWS + 1 <= height and not scene.compact
    draw_rows(
        canvas,
        x,
        y,
        rows,
        scene.fresh,
        joined_cards(scene, seat),
        edged=edged,
        flash=is_flashing(scene.progress),
    )
    return len(rows) * (CARD_ROWS if edged else 1) if scene.board.cards[seat] else 0


def _draw_figures(canvas: Canvas, area: Area, scene: Scene, seat: Seat) -> None:
    """Draw the numbers of a seat above their headings as large as they fit, or only the last one large."""
    x, y, width, height = area
    columns = [each for each in columns_of(scene, 1.0) if each.heading != TIME]
    if height <= 0 or not columns:
        return
    texts = [cell for column in columns for cell in column.cells]
    across, down = (width // len(columns), height), (width, height // len(columns))
    beside, beneath = (fit_block(texts, room - 1, rows - 1) for room, rows in (across, down))
    alone = fit_block(columns[-1].cells, width - 1, height - 2)
    sizes = [0 if block is None else block.wide * block.tall for block in (beside, beneath, alone)]
    # One number alone where it is larger than all of them together would be.
    if sizes[2] > len(columns) * max(sizes[:2]):
        _draw_figure(canvas, (x, y, width, height - 1), scene, columns[-1], seat, alone)
        _draw_words(canvas, (x, y + height - 1, width, 1), scene, columns[:-1], seat)
    elif not any(sizes):
        _draw_words(canvas, area, scene, columns, seat)
    elif sizes[0] >= sizes[1]:
        for place, column in enumerate(columns):
            _draw_figure(canvas, (x + place * across[0], y, *across), scene, column, seat, beside)
    else:
        for place, column in enumerate(columns):
            _draw_figure(canvas, (x, y + place * down[1], *down), scene, column, seat, beneath)


def _draw_figure(canvas: Canvas, area: Area, scene: Scene, column: Column, seat: Seat, block: Block | None) -> None:
    x, y, width, height = area
    cell = column.cells[seat]
    style = "faint" if cell == HIDDEN else column.style_of(seat)
    draw_figure(canvas, (x, y, width - 1, height - 1), cell, style, block)
    canvas.put_centred(x, width - 1, y + height - 1, scene.say(column.heading), "muted")


def _draw_words(canvas: Canvas, area: Area, scene: Scene, columns: Sequence[Column], seat: Seat) -> None:
    """Write numbers at the bottom with their headings, in a row or else one below the other; without them at worst."""
    x, y, width, height = area
    named = [f"{column.cells[seat]} {scene.say(column.heading)}" for column in columns]
    is_roomy = sum(map(cell_len, named)) + 2 * (len(named) - 1) <= width
    is_stacked = not is_roomy and len(columns) <= height and max(map(cell_len, named)) <= width
    first, row = x, y + height - (len(columns) if is_stacked else 1)
    for column in columns:
        cell = column.cells[seat]
        x = canvas.put(x, row, cell, "faint" if cell == HIDDEN else column.style_of(seat)) + 1
        if is_roomy or is_stacked:
            x = canvas.put(x, row, scene.say(column.heading), "muted") + 2
        if is_stacked:
            x, row = first, row + 1
