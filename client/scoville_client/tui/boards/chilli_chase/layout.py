"""Layout of the board: one arrangement from 76 columns up, and one down to 46 x 18 cells."""

from rich.cells import cell_len

from scoville_client.i18n.wrapping import wrap_lines
from scoville_client.tui.boards.chilli_chase import hand, seats, total, words
from scoville_client.tui.boards.chilli_chase.scene import Scene
from scoville_client.tui.boards.layout import MINIMUM, Band, arrange_scene, draw_header, rows_for_log, share_rows
from scoville_client.tui.drawing.canvas import WIDE_FROM, Area, Canvas
from scoville_client.tui.drawing.frames import Edge, draw_frame, draw_log
from scoville_shared.games.chilli_chase import GAME

WIDE = (WIDE_FROM, 22)
"""Columns and rows from which the parts grow."""
_BESIDE = 100
"""Columns from which on the seats stand beside everything else."""
_LEAST_PANEL, _MOST_PANEL = 26, 60
_FRAMED = 30
"""Rows from which on the sentence of the moment is in a box."""
_SEATS_WIDE = 40
_SEATS_ENOUGH = 30
_SEATS_LEAST = 17
_APART = 4
"""Blanks between the parts of the header."""
_LOG_LEAST, _LOG_WIDE, _LOG_ROOMY = 1, 2, 3
"""Rows of the log: at least; those for which there are rather smaller cards; from when on one stays blank."""
_MOST_LOG = 6
_LEAST_CHOICES = 5
"""Rows of the choices that stay below the number line in the smallest windows."""


def draw_table(scene: Scene, width: int, height: int) -> Canvas:
    """Draw the whole table in `width` x `height` cells, at least MINIMUM."""
    # Without a list to choose from there is room for the large parts in the smallest window.
    lists = not _is_rolling(scene) and (scene.choosing or bool(scene.hand) or scene.status.viewpoint is not None)
    return arrange_scene(scene, (width, height), WIDE if lists else MINIMUM, _draw_large, _draw_narrow)


def _draw_large(canvas: Canvas, x: int, width: int, scene: Scene) -> None:
    """Draw from edge to edge: the seats, and the equation with its sentence, the line and the hand."""
    _draw_header(canvas, x, 0, width, scene, short=width < WIDE[0] - 4)
    area = (x, 1, width, canvas.height - 1)
    if _is_rolling(scene):
        _draw_rolling(canvas, area, scene)
    elif width >= _BESIDE:
        _draw_beside_seats(canvas, area, scene)
    elif width >= WIDE[0] - 4:
        _draw_bands(canvas, area, scene)
    else:
        _draw_below_seats(canvas, area, scene)


def _draw_rolling(canvas: Canvas, area: Area, scene: Scene) -> None:
    """Draw the dice, and below them the story's sentences."""
    x, y, width, height = area
    said = list(wrap_lines(_moment_text(scene), width))
    log = rows_for_log(scene.log, width, height, _LOG_WIDE, compact=scene.compact)
    dice = height - len(said) - log
    assert scene.frame is not None, "dice are a story"
    seats.draw_dice(canvas, (x, y, width, dice), scene, scene.frame.rolled or ())
    for offset, row in enumerate(said):
        canvas.put(x, y + dice + offset, row, "caption")
    if log:
        draw_log(canvas, x, y + height - log, width, log, scene.log)


def _draw_beside_seats(canvas: Canvas, area: Area, scene: Scene) -> None:
    """Draw the seats as a column of tiles at the left, the log below them."""
    x, y, width, height = area
    panel = min(max(width // 4, _LEAST_PANEL), _MOST_PANEL)
    log = rows_for_log(scene.log, panel, height, _MOST_LOG, compact=scene.compact)
    # The tiles come first: everybody is in sight, if need be without a log.
    log = min(log, height - len(scene.board.scores) * seats.LEAST_HEIGHT)
    if log > 0:
        log += (height - log) % len(scene.board.scores)  # all tiles are as high
    seats.draw_tiles(canvas, (x, y, panel, height - log), scene)
    canvas.marks["seats"] = (x, y, panel, height - log)
    if log > 0:
        draw_log(canvas, x, y + height - log, panel, log, scene.log)
    left = x + panel + 1
    _draw_play(canvas, (left, y, x + width - left, height), scene, Band(total.LEAST_EQUATION, height, 5))


def _draw_bands(canvas: Canvas, area: Area, scene: Scene) -> None:
    """Draw the seats at the right of the equation, and the log at the bottom."""
    x, y, width, height = area
    log = rows_for_log(scene.log, width, height, _LOG_ROOMY, compact=scene.compact)
    centre = Band(max(total.LEAST_EQUATION, len(scene.board.scores) + 1), height, 5)
    # The line says more than an older sentence.
    missing = total.LEAST_LINE_HEIGHT - _count_spare_rows(canvas, (width, height - log), scene, centre)
    if 0 < missing <= log - _LOG_LEAST:
        log -= missing
    rows = _draw_play(canvas, (x, y, width, height - log), scene, centre, beside=True)
    canvas.marks["seats"] = (x + width - _SEATS_ENOUGH, y, _SEATS_ENOUGH, rows)
    if log:
        draw_log(canvas, x, y + height - log, width, log, scene.log)


def _draw_below_seats(canvas: Canvas, area: Area, scene: Scene) -> None:
    """Draw the seats as two columns of tiles above everything else, and the log at the bottom."""
    x, y, width, height = area
    log = rows_for_log(scene.log, width, height, _LOG_WIDE, compact=scene.compact)
    lines = -(-len(scene.board.scores) // seats.tiles_across(width))
    seated = lines * seats.LEAST_HEIGHT
    seats.draw_tiles(canvas, (x, y, width, seated), scene, seats.tiles_across(width))
    canvas.marks["seats"] = (x, y, width, seated)
    _draw_play(canvas, (x, y + seated, width, height - seated - log), scene, Band(total.LEAST_EQUATION, height, 4))
    if log:
        draw_log(canvas, x, y + height - log, width, log, scene.log)


def _count_spare_rows(canvas: Canvas, size: tuple[int, int], scene: Scene, centre: Band) -> int:
    """Return the rows of an area that the equation, the sentence and the hand leave free, below 0 if they have none."""
    width, height = size
    boxed = 2 if canvas.height >= _FRAMED else 0
    said = len(list(wrap_lines(_moment_text(scene), width - 2 * boxed))) or 1
    return height - _least_hand(scene, width) - centre.least - said - boxed


def _draw_play(canvas: Canvas, area: Area, scene: Scene, centre: Band, *, beside: bool = False) -> int:
    """Draw the equation, the sentence, the line and the hand in an area; returns the rows of the equation.

    With `beside` the seats are at the right of the equation.
    """
    x, y, width, height = area
    boxed = 2 if canvas.height >= _FRAMED else 0
    said = list(wrap_lines(_moment_text(scene), width - 2 * boxed)) or [""]
    held = _least_hand(scene, width)
    # The line is the first to go: without the hand nothing can be played.
    spare = _count_spare_rows(canvas, (width, height), scene, centre)
    line = next((rows for rows in (total.LINE_HEIGHT, total.LEAST_LINE_HEIGHT) if rows <= spare), 0)
    bands = [
        centre,
        Band(len(said) + boxed, len(said) + boxed, 0),
        Band(line, line + 3 if line else 0, 1),
        # Cards grow with the window; the numbers of a new score gain nothing from more rows.
        Band(held, held if scene.choosing else height, 4) if held else Band(0, 0, 0),
    ]
    above, words_, line, held = share_rows(height, bands)

    room = width - _SEATS_ENOUGH - scene.status.room - 1 if beside else width
    total.draw_equation(canvas, (x, y, room, above), scene)
    if beside:
        right, wide = x + room + 1, width - room - 1
        seats_ = len(scene.board.scores)
        if above >= seats_ * seats.LEAST_HEIGHT:
            seats.draw_tiles(canvas, (right, y, wide, above), scene)
        else:
            step = max(1, min(2, (above - 1) // seats_))
            seats.draw_seats(canvas, right, y, wide, scene, step=step)

    top = y + above
    _draw_moment(canvas, (x, top, width, words_), scene, said)
    if line:
        total.draw_line(canvas, x, top + words_, width, line, scene, max(1, line - 2))
    _draw_held(canvas, (x, top + words_ + line, width, held), scene)
    canvas.marks["choices"] = (x, top, width, height - above)
    return above


def _least_hand(scene: Scene, width: int) -> int:
    if scene.status.viewpoint is not None:
        return hand.HIDDEN_HEIGHT
    return hand.rows_of_scores(scene, width) if scene.choosing else hand.least_rows(scene, width)


def _draw_held(canvas: Canvas, area: Area, scene: Scene) -> None:
    """Draw the hand, its backs for a spectator at a seat, or the numbers of a new Chilli Score."""
    x, y, width, height = area
    if scene.status.viewpoint is not None:
        hand.draw_backs(canvas, area, scene.board.hands[scene.status.viewpoint])
    elif scene.choosing:
        hand.draw_scores(canvas, x, y, width, height, scene)
    elif scene.hand:
        hand.draw_hand(canvas, area, scene)


def _draw_moment(canvas: Canvas, area: Area, scene: Scene, said: list[str]) -> None:
    """Draw the effect of the chosen result or the story's sentences, in a box where there is room."""
    x, y, _, height = area
    if height > len(said):
        draw_frame(canvas, area, Edge.HEAVY, "selected" if scene.my_turn else "muted")
        x, y = x + 2, y + 1
    for offset, row in enumerate(said):
        canvas.put(x, y + offset, row, _moment_style(scene))


def _draw_narrow(canvas: Canvas, x: int, width: int, scene: Scene) -> None:
    _draw_header(canvas, x, 0, width, scene, short=True)
    time = scene.status.room
    # The total gets its columns and those that the seats have no use for, but leaves the seats their least.
    left = min(max(total.width_of_total(scene, 0), width - _SEATS_WIDE - time), width - _SEATS_LEAST - time - 1)
    total.draw_total(canvas, x, 1, left, scene)
    seats.draw_seats_narrow(canvas, x + left + 1, 1, width - left - 1, total.HEIGHT, scene)
    canvas.marks["seats"] = (x + left + 1, 1, width - left - 1, total.HEIGHT)
    _draw_lower(canvas, x, 1 + total.HEIGHT, width, scene)


def _draw_header(canvas: Canvas, x: int, y: int, width: int, scene: Scene, *, short: bool) -> None:
    piles = scene.say((words.count_piles_short if short else words.count_piles)(scene.board))
    room = width - cell_len(GAME.info.title) - cell_len(piles) - _APART
    aim, turn = scene.say(words.name_target(scene.board)), scene.say(words.count_turn(scene.board))
    # The aim comes before the limit of turns: a newcomer who has not read the rules plays for five points.
    wordings = [f"{aim}  {scene.say(words.count_turn_in_full(scene.board))}", f"{aim}  {turn}", turn]
    status = next((each for each in wordings if cell_len(each) <= room), turn)
    if short or scene.status.paused:
        status = scene.say((words.count_turn_short if short else words.count_turn)(scene.board))
    draw_header(canvas, (x, y, width), GAME.info.title, status, piles, paused=scene.status.paused)


def _draw_lower(canvas: Canvas, x: int, y: int, width: int, scene: Scene) -> None:
    """Draw the number line, the log, the sentence of the moment, and at the bottom the choices.

    Where the log is beside the board, the number line is in the middle of the rows that are free.
    """
    said = list(wrap_lines(_moment_text(scene), width))
    room = canvas.height - y - len(said)
    line = _line_rows(scene, width, room)
    log = _log_rows(scene, width)
    height = min(_count_rows_below(scene, width, room - line - log), room - line - min(log, _LOG_WIDE))
    top = canvas.height - height
    _draw_below(canvas, x, top, width, height, scene)
    canvas.marks["choices"] = (x, top - len(said), width, height + len(said))
    for offset, row in enumerate(said):
        canvas.put(x, top - len(said) + offset, row, _moment_style(scene))
    left = top - len(said) - y - line
    if not scene.log:
        y, left = y + left // 2, left - left // 2
    if line:
        total.draw_line(canvas, x, y, width, line, scene)
    draw_log(canvas, x, y + line, width, left - (left > _LOG_ROOMY), scene.log)


def _log_rows(scene: Scene, width: int) -> int:
    """Return the rows that the log has at least; a choice of a Chilli Score needs all but one."""
    if scene.status.paused and width < WIDE_FROM - 4:
        return _LOG_ROOMY
    return _LOG_LEAST if scene.choosing else _LOG_WIDE


def _is_rolling(scene: Scene) -> bool:
    return scene.frame is not None and scene.frame.rolled is not None


def _line_rows(scene: Scene, width: int, room: int) -> int:
    """Return the rows of the number line; none without room.

    In a pause the log has the rows in narrow windows: a notice there says how the game goes on.
    """
    if scene.status.paused and width < WIDE_FROM - 4:
        return 0
    room -= _LOG_LEAST
    left = room - _count_rows_below(scene, width, 0)
    if left >= total.LINE_HEIGHT:
        return total.LINE_HEIGHT
    moves = not scene.choosing and scene.status.viewpoint is None
    enough = left >= total.LEAST_LINE_HEIGHT or (moves and room - _LEAST_CHOICES >= total.LEAST_LINE_HEIGHT)
    return total.LEAST_LINE_HEIGHT if enough else 0


def _count_rows_below(scene: Scene, width: int, room: int) -> int:
    if scene.status.viewpoint is not None:
        return hand.HIDDEN_HEIGHT
    return hand.HEIGHT if scene.choosing else hand.rows_needed(scene, width, room)


def _draw_below(canvas: Canvas, x: int, y: int, width: int, height: int, scene: Scene) -> None:
    if scene.status.viewpoint is not None:
        hand.draw_hidden(canvas, x, y, scene.board.hands[scene.status.viewpoint])
    elif scene.choosing:
        hand.draw_scores(canvas, x, y, width, height, scene)
    else:
        hand.draw_choices(canvas, x, y, width, height, scene)


def _moment_text(scene: Scene) -> str:
    return " ".join(scene.captions) if scene.frame else scene.prompt


def _moment_style(scene: Scene) -> str:
    if scene.frame is not None:
        return "caption"
    return "bad" if scene.wrong else "strong" if scene.my_turn else "text"
