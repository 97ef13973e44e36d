"""The hand: cards as large as they fit, beside or above their results with the formulas, and for whom they score."""

from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace
from rich.cells import cell_len

from scoville_client.i18n.wrapping import wrap_lines
from scoville_client.tui.boards.chilli_chase import words
from scoville_client.tui.boards.chilli_chase.picker import Column, Picker, TypedScore, is_free, list_columns
from scoville_client.tui.boards.chilli_chase.scene import MINE, OTHERS, Scene
from scoville_client.tui.drawing.canvas import Area, Canvas, fit_text
from scoville_client.tui.drawing.chances import draw_chance
from scoville_client.tui.drawing.digits import draw_figure, fit_block
from scoville_client.tui.drawing.frames import Edge, draw_frame, draw_shade, inside_of, list_tiles
from scoville_shared.engine.phrases import write_signed
from scoville_shared.games.chilli_chase.arithmetic import Reach
from scoville_shared.games.chilli_chase.state import DIE
from scoville_shared.ids import Seat

LEAST_FACE = 3
_BESIDE = 30
"""Columns from which on the results are beside the card rather than below it."""
_LEAST_FACE_WIDTH = 8
_FLAT_WIDTH = 16
_BACK_WIDTH = 3
"""Columns of a card that is face down, for each of its rows at most."""


def least_rows(scene: Scene, width: int) -> int:
    """Return the rows in which every result of the hand is in sight; 0 without a hand."""
    columns = list_columns(scene.board, scene.hand)
    if not columns:
        return 0
    rows = max(len(column.ways) for column in columns)
    return rows + 2 if width // len(columns) >= _BESIDE else rows + LEAST_FACE


def draw_hand(canvas: Canvas, area: Area, scene: Scene) -> None:
    """Draw each different card of the hand with its results; lists that are too long move with the selection."""
    columns = list_columns(scene.board, scene.hand)
    draw = _draw_beside if area[2] // len(columns) >= _BESIDE else _draw_card_and_results
    for index, place in enumerate(list_tiles(area, len(columns), len(columns))):
        column = columns[index]
        selected = scene.selects and scene.picker.card == column.card
        row = scene.picker.row if selected else None
        picker = Picker(columns, index, row)
        draw(canvas, place, scene, picker, selected=selected)


def _draw_beside(canvas: Canvas, area: Area, scene: Scene, picker: Picker, *, selected: bool) -> None:
    """Draw a card in a box, and the results at its right."""
    x, y, width, height = area
    _draw_box(canvas, area, scene, picker, selected=selected)
    face = max(_LEAST_FACE_WIDTH, min(width * 2 // 5, 3 * height))
    canvas.link(x, y, face, height, Picker(picker.columns, picker.column))
    inside = (x + 1, y + 1, face - 1, height - 2)
    _draw_number(canvas, inside, picker.columns[picker.column], selected=selected)
    _draw_results(canvas, (x + face + 1, y + 1, width - face - 2, height - 2), scene, picker)


def _draw_card_and_results(canvas: Canvas, area: Area, scene: Scene, picker: Picker, *, selected: bool) -> None:
    """Draw a card, and the results below it."""
    x, y, width, height = area
    # The longest list counts for all: cards of one hand have one size.
    ways = max(len(column.ways) for column in picker.columns)
    face = min(max(LEAST_FACE, height - ways), height - 1)
    if face < LEAST_FACE:
        face = LEAST_FACE
    # A flat card needs no width for its number, and each cell of an edge is sent when the selection moves.
    place = (x, y, width - 1 if face > LEAST_FACE else min(width - 1, _FLAT_WIDTH), face)
    _draw_box(canvas, place, scene, picker, selected=selected)
    canvas.link(x, y, width - 1, face, Picker(picker.columns, picker.column))
    _draw_number(canvas, inside_of(place), picker.columns[picker.column], selected=selected)
    _draw_results(canvas, (x, y + face, width - 1, height - face), scene, picker)


def _draw_box(canvas: Canvas, area: Area, scene: Scene, picker: Picker, *, selected: bool) -> None:
    card = picker.columns[picker.column].card
    count = scene.hand.count(card)
    head = "" if count == 1 else f"{count} × [{card}]"
    draw_frame(canvas, area, Edge.DOUBLE if selected else Edge.PLAIN, "selected" if selected else "card", head)


def _draw_number(canvas: Canvas, area: Area, column: Column, *, selected: bool) -> None:
    style = "selected" if selected else "card"
    if fit_block([str(column.card)], area[2], area[3]) is None:
        canvas.put_centred(area[0], area[2], area[1] + (area[3] - 1) // 2, f"[{column.card}]", style)
        canvas.note_face(area, str(column.card))
        return
    draw_shade(canvas, area, style)
    draw_figure(canvas, area, str(column.card), style)
    canvas.note_face(area, str(column.card))


def _draw_results(canvas: Canvas, area: Area, scene: Scene, picker: Picker) -> None:
    """Draw the results around the selected one, with air between them where there is room."""
    x, y, width, height = area
    column, row = picker.columns[picker.column], picker.row
    step = max(1, min(3, height // len(column.ways)))
    shown = max(1, height // step)
    first = min(max((row or 0) - shown // 2, 0), max(len(column.ways) - shown, 0))
    room = room_of_totals(column)
    y += max(0, height - step * min(shown, len(column.ways))) // 2
    for offset, way in enumerate(column.ways[first : first + shown]):
        top = y + offset * step
        canvas.link(x, top, width, step, replace(picker, row=first + offset))
        draw_way(canvas, x, top, width, room, scene, way, selected=row == first + offset)
    _mark_more(canvas, x, y, above=first > 0)
    _mark_more(canvas, x, y + (shown - 1) * step, below=first + shown < len(column.ways))


def draw_backs(canvas: Canvas, area: Area, count: int) -> None:
    """Draw a hand face down."""
    x, y, width, height = area
    each = min(width // max(1, count), max(_LEAST_FACE_WIDTH, _BACK_WIDTH * height))
    left = x + (width - each * count) // 2
    for card in range(count):
        place = (left + card * each, y, each - 1, height)
        draw_frame(canvas, place, Edge.PLAIN, "muted")
        inner_x, inner_y, wide, high = inside_of(place)
        for row in range(high):
            canvas.put(inner_x, inner_y + row, "▒" * wide, "faint")


_SELECTED = "▸"
_MARKS = 2
_PERCENT, _BAR, _BARRED = 7, 16, 38
"""Columns of what the coach says of a result: a percentage, or a bar as well from so many columns on."""
_ROOMY = 20
_WIDEST = 46
_SHORTEST_NAME = 3


class Face(NamedTuple):
    """Card size in columns and rows; with 0 columns the card is a horizontal line with its number."""

    width: int
    rows: int


_FACES = (Face(18, 3), Face(12, 3), Face(6, 3), Face(0, 1))
"""The sizes of cards, the largest first."""
HIDDEN_HEIGHT = 4
_BACK: Sequence[str] = ("╭────╮", "│▒▒▒▒│", "╰────╯")
_STEP = 8


def rows_needed(scene: Scene, width: int, room: int) -> int:
    """Return the rows of the hand in `width` columns: the longest column below the largest cards for which `room` is.

    Zero without a hand.
    """
    rows = _result_rows(scene)
    return rows + _choose_face(scene, width, room - rows).rows if rows else 0


def draw_choices(canvas: Canvas, x: int, y: int, width: int, height: int, scene: Scene) -> None:
    """Draw the hand in `width` x `height` cells; columns that are too long move with the selection."""
    hand = list_columns(scene.board, scene.hand)
    each = _width_of_column(scene, width)
    face = _choose_face(scene, width, height - _result_rows(scene))
    for index, column in enumerate(hand):
        selected = scene.selects and scene.picker.card == column.card
        row = scene.picker.row if selected else None
        left = x + index * each
        count = scene.hand.count(column.card)
        canvas.link(left, y, each - 1, face.rows, Picker(hand, index))
        _draw_heading(canvas, left, y, each - 1, face, column.card, count, selected=selected)
        _draw_column(canvas, left, y + face.rows, each - 1, height - face.rows, scene, Picker(hand, index, row))


def _result_rows(scene: Scene) -> int:
    return max((len(column.ways) for column in list_columns(scene.board, scene.hand)), default=0)


def _width_of_column(scene: Scene, width: int) -> int:
    return min(width // max(len(set(scene.hand)), 1), _WIDEST)


def _choose_face(scene: Scene, width: int, room: int) -> Face:
    """Choose the largest cards that fit into `room` rows and the columns of the hand."""
    most = max(map(scene.hand.count, scene.hand), default=1)
    across = _width_of_column(scene, width) - 1
    fits = (face for face in _FACES if face.rows <= room and most * (face.width + 1) - 1 <= across)
    return next(fits, _FACES[-1])


def draw_hidden(canvas: Canvas, x: int, y: int, count: int) -> None:
    """Draw the backs of `count` cards in HIDDEN_HEIGHT rows from (x, y) on, the first row left blank."""
    for card in range(count):
        for offset, row in enumerate(_BACK, 1):
            canvas.put(x + card * _STEP, y + offset, row, "muted")


def _draw_heading(
    canvas: Canvas, x: int, y: int, width: int, face: Face, card: int, count: int, *, selected: bool
) -> None:
    """Draw the equal cards of a column side by side; without room for cards a rule with their numbers."""
    style = "selected" if selected else "muted"
    if face.width:
        for copy in range(count):
            _draw_face(canvas, x + copy * (face.width + 1), y, face, card, selected=selected)
        return
    canvas.put(x, y, ("━" if selected else "─") * width, style)
    canvas.put(x + 1, y, " ".join(f"[{card}]" for _ in range(count)), style if selected else "strong")


def _draw_face(canvas: Canvas, x: int, y: int, face: Face, card: int, *, selected: bool) -> None:
    """Draw a card; the selected one has a double edge."""
    style, edge = ("selected", Edge.DOUBLE) if selected else ("card", Edge.PLAIN)
    draw_frame(canvas, (x, y, face.width, face.rows), edge, style)
    canvas.put_centred(x, face.width, y + face.rows // 2, str(card), "selected" if selected else "strong")


def _draw_column(canvas: Canvas, x: int, y: int, width: int, height: int, scene: Scene, picker: Picker) -> None:
    """Draw the results of the column that `picker` selects, around the one it selects."""
    column, row = picker.columns[picker.column], picker.row
    first = min(max((row or 0) - height // 2, 0), max(len(column.ways) - height, 0))
    shown = column.ways[first : first + height]
    digits = room_of_totals(column)
    for offset, way in enumerate(shown):
        canvas.link(x, y + offset, width, 1, replace(picker, row=first + offset))
        draw_way(canvas, x, y + offset, width, digits, scene, way, selected=row == first + offset)
    _mark_more(canvas, x, y, above=first > 0)
    _mark_more(canvas, x, y + height - 1, below=first + height < len(column.ways))


def _mark_more(canvas: Canvas, x: int, y: int, *, above: bool = False, below: bool = False) -> None:
    """Mark that there are more results, before one: behind it the mark would cover the end of a formula."""
    if (above or below) and canvas.char(x, y) == " ":
        canvas.put(x, y, "▲" if above else "▼", "muted")


def room_of_totals(column: Column) -> int:
    """Return the cells of the longest total that a card reaches."""
    return max(cell_len(write_signed(way.total)) for way in column.ways)


def draw_way(
    canvas: Canvas, x: int, y: int, width: int, digits: int, scene: Scene, way: Reach, *, selected: bool
) -> None:
    """Draw a result: whose score it is, the total in `digits` cells, its formulas, and who gets a point."""
    scorer = scene.board.find_holder(way.total)
    sign, hit = scene.mark_of_holder(scorer)
    plain = "text" if scene.my_turn else "muted"
    canvas.put(x + 1, y, sign, hit)
    canvas.put_right(x + _MARKS + digits, y, write_signed(way.total), hit if scorer is not None else plain)
    left = x + _MARKS + digits + (2 if width >= _ROOMY else 1)
    chance = next((scene.chances[play] for play in way.plays if play in scene.chances), None)
    room = 0 if chance is None else _BAR if width >= _BARRED else _PERCENT
    _draw_formulas(canvas, left, y, x + width - left - room, scene, way, scorer, plain)
    if chance is not None:
        draw_chance(canvas, x + width - room, y, room - 1, chance)
    if selected:
        canvas.restyle(x, y, width, "selected-pin")
        canvas.put(x, y, _SELECTED)


def _draw_formulas(
    canvas: Canvas, x: int, y: int, room: int, scene: Scene, way: Reach, scorer: Seat | None, plain: str
) -> None:
    """Write the formulas, and the name of the player who gets a point if there is room for it."""
    ways = ", ".join(way.write_ways(scene.board.total))
    if cell_len(ways) > room:
        # Blanks go before anything is cut off.
        ways = ways.replace(" ", "").replace(",", " ")
    ways = ways if cell_len(ways) <= room else fit_text(ways, room)
    end = canvas.put(x, y, ways, "muted" if scorer is None else plain)
    left = x + room - end - 2
    name = "" if scorer is None else scene.name_of_holder(scorer)
    # A letter or two say nothing: the sign before the result says whose it is.
    if name and left >= min(cell_len(name), _SHORTEST_NAME):
        canvas.put(end + 2, y, _fit_name(name, left), scene.mark_of_holder(scorer)[1])


def _fit_name(name: str, room: int) -> str:
    """Return a name, or its last word where that alone has room: all bots begin with the same one.

    Not one like the 2 of a second Marie, which would be read as a number.
    """
    last = name.rsplit(maxsplit=1)[-1]
    words = (name, last) if cell_len(last) >= _SHORTEST_NAME else (name,)
    return next((each for each in words if cell_len(each) <= room), fit_text(name, room))


HEIGHT = 9
"""Rows: a heading, the numbers in one or two rows, two rows with the taken ones, the hand; blank rows between."""

_GAP = 1
_DIE_COLUMNS = DIE // 2


def rows_of_scores(scene: Scene, width: int) -> int:
    """Return the rows of the numbers to choose from, with what is written below them."""
    return (
        4
        + len(_choose_numbers(scene, width))
        + len(list(wrap_lines(scene.say(words.list_taken_scores(scene.board)), width)))
    )


def draw_scores(canvas: Canvas, x: int, y: int, width: int, height: int, scene: Scene) -> None:
    """Draw the numbers in `width` x `height` cells, then in words which ones are taken, and the hand."""
    canvas.put(x, y, "━" * width, "selected")
    canvas.put(x + 1, y, f" {scene.say(words.SCORE)} ", "selected")
    rows = _choose_numbers(scene, width)
    each = max(map(_cell_width, rows))
    left = x + (width - each * len(rows[0])) // 2
    for offset, row in enumerate(rows):
        for index, number in enumerate(row):
            _draw_score(canvas, left + index * each, y + 2 + offset, each - _GAP, scene, number)
    left = height - 3 - len(rows)
    lines = [
        *wrap_lines(scene.say(words.list_taken_scores(scene.board)), width),
        scene.say(words.list_hand(scene.hand)),
    ]
    for offset, line in enumerate(lines[: max(left, 0)]):
        canvas.put(x, y + 3 + len(rows) + offset, line, "muted")


def _choose_numbers(scene: Scene, width: int) -> list[list[int]]:
    """Choose the numbers to show: those of the die, or as many around the wanted one as there is room for."""
    if scene.board.options.die_scores:
        numbers = list(range(1, DIE + 1))
        each = _cell_width(numbers)
        return [numbers] if DIE * each <= width else [numbers[:_DIE_COLUMNS], numbers[_DIE_COLUMNS:]]
    middle = scene.board.scores[scene.board.mover] if scene.wanted is None else scene.wanted
    half = (width // _cell_width([middle - 9, middle + 9]) - 1) // 2
    return [list(range(middle - half, middle + half + 1))]


def _cell_width(numbers: list[int]) -> int:
    longest = max(len(write_signed(number)) for number in (numbers[0], numbers[-1]))
    return longest + 2 + _GAP


def _draw_score(canvas: Canvas, x: int, y: int, width: int, scene: Scene, number: int) -> None:
    """Draw a number, to be clicked: selected (in brackets), the user's own, an opponent's, not available, or free."""
    board = scene.board
    canvas.link(x, y, width, 1, TypedScore(str(number), stepped=True))
    if number == scene.wanted:
        canvas.put_centred(x, width, y, f"[{write_signed(number)}]", "selected-pin")
    elif number == board.scores[board.mover]:
        canvas.put_centred(x, width, y, f"{MINE}{write_signed(number)} ", "target")
    elif number in board.scores:
        canvas.put_centred(x, width, y, f"{OTHERS}{write_signed(number)} ", "faint")
    elif is_free(board, number):
        canvas.put_centred(x, width, y, f" {write_signed(number)} ", "text")
