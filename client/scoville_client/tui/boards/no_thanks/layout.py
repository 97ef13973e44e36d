"""Layout of the board: parts that grow with the window, and one small arrangement down to 46 x 18 cells."""

from scoville_client.tui.boards.layout import Band, arrange_scene, draw_header, rows_for_log, share_rows
from scoville_client.tui.boards.no_thanks import answers, card, seats, words
from scoville_client.tui.boards.no_thanks.scene import Scene
from scoville_client.tui.drawing.canvas import WIDE_FROM, Area, Canvas
from scoville_client.tui.drawing.digits import draw_figure, fit_block
from scoville_client.tui.drawing.frames import Edge, count_rows, draw_frame, draw_log, draw_shade, inside_of

_LARGE = (56, 21)
_TALL = 30
"""Columns and rows from which on the parts grow, and rows in windows with fewer columns."""
_NARROW = 72
"""Columns below which the answers are below the card."""
_STACKED = 1.65
"""Columns for each row below which a window is so tall that the answers are below the card as well."""
_BESIDES_TILES = 26
"""Rows that a narrow window needs for everything but the seats."""
_LEAST_CENTRE = 7
_APART = 1
_NAMES = {"wide": 14, "narrow": 10}
_LOG = 2
"""Rows of the log for which the small arrangement would rather have a smaller card."""
_MOST_LOG = 5


def draw_table(scene: Scene, width: int, height: int) -> Canvas:
    """Draw the whole table in `width` x `height` cells, at least MINIMUM."""
    return arrange_scene(scene, (width, height), _grows, _draw_large, _draw_small)


def _grows(width: int, height: int) -> bool:
    return (width >= _LARGE[0] and height >= _LARGE[1]) or height >= _TALL


def _draw_large(canvas: Canvas, x: int, width: int, scene: Scene) -> None:
    """Draw bands from edge to edge: the card between its answers, the map of the cards, the seats, the log."""
    narrow = width < _NARROW
    stacked = narrow or width < _STACKED * canvas.height
    counted = scene.frame is not None and scene.frame.tally is not None
    said = list(answers.moment_lines(scene, width))[:2]
    tiled = seats.least_height(scene, width)
    if tiled > canvas.height - (len(said) + 1 if counted else _BESIDES_TILES if narrow else _LEAST_CENTRE + 3):
        tiled = 0
    table = seats.lay_out(scene, width, canvas.height // 3, _NAMES["narrow" if narrow else "wide"])
    seated = Band(tiled, canvas.height, 3) if tiled else Band(table.height, table.height, 0)
    logged = rows_for_log(scene.log, width, canvas.height, _MOST_LOG, compact=scene.compact)
    log = Band(logged, logged, 0)
    bands = [
        Band(1, 1, 0),
        Band(0, 0, 0)
        if counted
        else Band(2 * _LEAST_CENTRE if stacked else _LEAST_CENTRE, canvas.height, 5 if tiled else 8),
        Band(len(said), len(said), 0),
        seated,
        log,
        card.band_of_map(width, narrow=narrow, counted=counted),
    ]
    _, centre, words_, seats_, log_, map_ = share_rows(canvas.height, bands)
    _draw_header(canvas, x, 0, width, scene, scene.say(words.count_left_in_full(scene.board)))
    y = 1
    if centre:
        (_draw_stacked if stacked else _draw_centre)(canvas, (x, y, width, centre), scene)
    y += centre
    answers.draw_captions(canvas, x, y, width, words_, scene)
    y += words_
    # Rows that the map has no use for go to the seats.
    unused = map_ - card.rows_used(width, map_)
    map_, seats_ = map_ - unused, seats_ + unused
    if map_ > 2:
        card.draw_map(canvas, x, y, width, map_, scene)
    y += map_
    if tiled:
        seats.draw_tiles(canvas, (x, y, width, seats_), scene)
    else:
        seats.draw_seats(canvas, x, y, scene, table)
    canvas.marks["seats"] = (x, y, width, seats_)
    y += seats_
    if log_:
        draw_log(canvas, x, y, width, canvas.height - y, scene.log)


def _draw_centre(canvas: Canvas, area: Area, scene: Scene) -> None:
    """Draw the card with its chips between the two answers; for a spectator between the deck and the pot."""
    x, y, width, height = area
    middle = width * 2 // 5
    side = (width - middle) // 2 - _APART
    middle = width - 2 * (side + _APART)  # what the rounding of the sides has left
    left, right = (x, y, side, height), (x + width - side, y, side, height)
    if scene.board.card is None and not scene.board.left:  # nothing else is left than the card and its taker
        half = (width - _APART) // 2
        _draw_card(canvas, (x, y, half, height), scene)
        _draw_taker(canvas, (x + width - half, y, half, height), scene)
        return
    _draw_card(canvas, (x + side + _APART, y, middle, height), scene)
    _draw_sides(canvas, left, right, scene)


def _draw_stacked(canvas: Canvas, area: Area, scene: Scene) -> None:
    """Draw the card with its chips beside it, and below it the answers side by side."""
    x, y, width, height = area
    if scene.board.card is None:
        _draw_centre(canvas, area, scene)
        return
    above = height * 4 // 7
    beside = width * 3 // 10
    _draw_card(canvas, (x, y, width - beside - _APART, above), scene, pot=False)
    _draw_pot(canvas, (x + width - beside, y, beside, above), scene)
    half = (width - _APART) // 2
    beneath = y + above
    _draw_sides(canvas, (x, beneath, half, height - above), (x + width - half, beneath, half, height - above), scene)


def _draw_sides(canvas: Canvas, left: Area, right: Area, scene: Scene) -> None:
    """Draw the answers; what else lies on the table where there is nothing to answer."""
    listed = answers.list_answers(scene)
    x = left[0]
    canvas.marks["answers"] = (x, left[1], right[0] + right[2] - x, left[3])
    if listed:
        for area, answer in zip((left, right), listed, strict=True):
            answers.draw_box(canvas, area, scene, answer)
        return
    board = scene.board
    word = words.count_left(board)
    card.draw_deck(canvas, left, "" if word is None else scene.say(word), empty=not board.left)
    _draw_pot(canvas, right, scene)


def _draw_pot(canvas: Canvas, area: Area, scene: Scene) -> None:
    """Draw the chips on the card in a box: their number as large as it fits, and the chips themselves."""
    if scene.board.card is None:
        _draw_taker(canvas, area, scene)
        return
    pot = scene.board.pot
    draw_frame(canvas, area, Edge.PLAIN, "muted", foot=scene.say(words.count_chips(pot)))
    x, y, width, height = inside_of(area)
    large = fit_block([str(pot)], width - 2, height - 1)
    if large is not None:
        draw_figure(canvas, (x + 1, y, width - 2, height - 1), str(pot), "target", large)
    rows = 1 if large else height
    card.draw_chips(canvas, x + 1, y + height - rows, width - 2, rows, pot)


def _draw_taker(canvas: Canvas, area: Area, scene: Scene) -> None:
    """Draw the player who has taken the card, and the points that this makes."""
    if scene.actor is None:
        card.draw_place(canvas, area)
        return
    draw_frame(canvas, area, Edge.DOUBLE, "caption", scene.name_of(scene.actor), scene.say(words.POINTS))
    x, y, width, height = inside_of(area)
    draw_shade(canvas, (x, y, width, height), "caption")
    draw_figure(canvas, (x + 1, y, width - 2, height), str(scene.board.points[scene.actor]), "caption")


def _draw_small(canvas: Canvas, x: int, width: int, scene: Scene) -> None:
    """Draw the card with the answers beside it, then the seats, then the log."""
    if scene.frame is not None and scene.frame.tally is not None:
        _draw_counted(canvas, x, width, scene)
        return
    table = seats.lay_out(scene, width, canvas.height - 1 - card.MIDDLE.height - _LOG, _NAMES["narrow"])
    face = card.MIDDLE if 1 + card.MIDDLE.height + table.height + _LOG <= canvas.height else card.SMALL
    _draw_header(canvas, x, 0, width, scene, scene.say(words.count_left_in_full(scene.board)))
    _draw_card(canvas, (x, 1, *face), scene, pot=False)
    column = x + face.width + 1
    if scene.board.card is None and scene.actor is not None:
        row = answers.draw_captions(canvas, column, 1, x + width - column, face.height, scene)
        points = str(scene.board.points[scene.actor])
        draw_figure(canvas, (column, row, x + width - column, 1 + face.height - row), points, "caption")
    else:
        _draw_chips(canvas, column, 1, x + width - column, scene)
        row = answers.draw_narrow(canvas, column, 2, x + width - column, face.height - 1, scene)
        if scene.seat is None and not scene.captions and scene.board.card is not None:
            _draw_pot(canvas, (column, row, x + width - column, 1 + face.height - row), scene)
    canvas.marks["answers"] = (column, 1, x + width - column, face.height)
    y = seats.draw_seats(canvas, x, 1 + face.height, scene, table)
    canvas.marks["seats"] = (x, 1 + face.height, width, y - 1 - face.height)
    free = canvas.height - y - count_rows(scene.log, width, canvas.height)
    if free >= card.LEAST_ROWS:
        card.draw_map(canvas, x, y, width, card.LEAST_ROWS, scene)
        y += card.LEAST_ROWS
    draw_log(canvas, x, y, width, canvas.height - y, scene.log)


def _draw_counted(canvas: Canvas, x: int, width: int, scene: Scene) -> None:
    """Draw the player with the fewest points, and how all points came about; the card's place would be empty."""
    _draw_header(canvas, x, 0, width, scene, scene.say(words.count_left_in_full(scene.board)))
    y = answers.draw_captions(canvas, x, 1, width, canvas.height, scene)
    table = seats.lay_out(scene, width, canvas.height - y, _NAMES["narrow"])
    beneath = seats.draw_seats(canvas, x, y, scene, table)
    if table.edged:
        seats.draw_bars(canvas, x, y + 1, scene, table)
    canvas.marks["seats"] = (x, y, width, beneath - y)
    draw_log(canvas, x, beneath, width, canvas.height - beneath, scene.log)


def _draw_chips(canvas: Canvas, x: int, y: int, width: int, scene: Scene) -> None:
    """Draw the chips on the card in one row."""
    if scene.board.card is not None:
        column = canvas.put(x, y, scene.say(words.count_chips(scene.board.pot)), "strong") + 1
        card.draw_chips(canvas, column, y, x + width - column, 1, scene.board.pot)


def _draw_card(canvas: Canvas, area: Area, scene: Scene, *, pot: bool = True) -> None:
    """Draw the card that is offered, with the chips on it; one that has just been taken, until the next comes."""
    number = scene.board.card
    canvas.marks["card"] = area
    if number is None:
        if scene.fresh is None:
            card.draw_place(canvas, area)
        else:
            card.draw_face(canvas, area, scene.fresh)
        return
    x, y, width, height = area
    card.draw_face(canvas, area, number, fresh=number == scene.fresh, pot=scene.board.pot if pot else None)
    if pot:
        text = f" {scene.say(words.count_chips(scene.board.pot))} "
        canvas.put_right(x + width - 2, y + height - 1, text, "strong")


def _draw_header(canvas: Canvas, x: int, y: int, width: int, scene: Scene, piles: str) -> None:
    """Draw the game's title, the round if there are several, the options that change the rules, and the piles."""
    options = scene.board.options
    parts = [words.number_round(scene.board)] if options.rounds > 1 else []
    if width >= WIDE_FROM - 4:
        tactical = [words.TACTICAL] if options.tactical else []
        parts += [words.OPEN_CHIPS, *tactical] if options.open_chips else [*tactical, words.HIDDEN]
    status = "  ".join(map(scene.say, parts))
    draw_header(canvas, (x, y, width), words.TITLE, status, piles, paused=scene.status.paused)
