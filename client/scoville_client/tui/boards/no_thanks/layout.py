"""Layout of the board and its answers: parts that grow with the window, and one arrangement down to 46 x 18 cells."""

from collections.abc import Iterable
from typing import NamedTuple

from rich.cells import cell_len

from scoville_client.i18n.wrapping import wrap_lines
from scoville_client.tui.boards.layout import Band, arrange_scene, draw_header, rows_for_log, share_rows
from scoville_client.tui.boards.motion import number_between
from scoville_client.tui.boards.no_thanks import card, seats, words
from scoville_client.tui.boards.no_thanks.scene import Scene
from scoville_client.tui.drawing.canvas import WIDE_FROM, Area, Canvas, fit_text
from scoville_client.tui.drawing.chances import draw_chance
from scoville_client.tui.drawing.digits import draw_figure, fit_block
from scoville_client.tui.drawing.frames import Edge, count_rows, draw_frame, draw_log, draw_shade, inside_of
from scoville_shared.engine.phrases import Phrase
from scoville_shared.games.no_thanks.state import PASS, TAKE, Move
from scoville_shared.games.no_thanks.text import MUST_TAKE, written_change

_LARGE = (56, 21)
"""Columns and rows from which the parts grow."""
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
_MOST_FLYING = 5
"""Chips on their way that are drawn at most."""


def draw_table(scene: Scene, width: int, height: int) -> Canvas:
    """Draw the whole table in `width` x `height` cells, at least MINIMUM."""
    canvas = arrange_scene(scene, (width, height), _LARGE, _draw_large, _draw_small)
    _draw_flying_chips(canvas, scene)
    return canvas


def _draw_flying_chips(canvas: Canvas, scene: Scene) -> None:
    """Draw the chips that are on their way between a player and the card."""
    frame = scene.frame
    if frame is None or frame.actor is None or not frame.chips or scene.progress >= 1:
        return
    # At the lower edges, where the chips of both are.
    ends = [(x + width // 2, y + max(0, height - 2)) for x, y, width, height in
            (canvas.marks[seats.mark_of_seat(frame.actor)], canvas.marks["card"])]  # fmt: skip
    start, end = ends if frame.chips > 0 else reversed(ends)
    x, y = (number_between(before, after, scene.progress) for before, after in zip(start, end, strict=True))
    chips = card.CHIP * min(abs(frame.chips), _MOST_FLYING)
    canvas.put(x - len(chips) // 2, y, chips, "target")


def _draw_large(canvas: Canvas, x: int, width: int, scene: Scene) -> None:
    """Draw bands from edge to edge: the card between its answers, the map of the cards, the seats, the log."""
    narrow = width < _NARROW
    stacked = narrow or width < _STACKED * canvas.height
    counted = scene.frame is not None and scene.frame.tally is not None
    said = list(moment_lines(scene, width))[:2]

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
    draw_captions(canvas, x, y, width, words_, scene)
    y += words_

    # Rows that the map has no use for go to the seats.
    unused = map_ - card.rows_used(width, map_)
    map_, seats_ = map_ - unused, seats_ + unused
    if map_ > 2:
        card.draw_map(canvas, x, y, width, map_, scene)
    y += map_

    if tiled:
        if log_:
            seats_ -= seats.count_uneven_rows(scene, width, seats_)
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
    # Where there is nothing to answer the chips have a box of their own.
    _draw_card(canvas, (x + side + _APART, y, middle, height), scene, pot=bool(list_answers(scene)))
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
    listed = list_answers(scene)
    x = left[0]
    canvas.marks["answers"] = (x, left[1], right[0] + right[2] - x, left[3])
    if listed:
        for area, answer in zip((left, right), listed, strict=True):
            draw_box(canvas, area, scene, answer)
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
        row = draw_captions(canvas, column, 1, x + width - column, face.height, scene)
        points = str(scene.board.points[scene.actor])
        draw_figure(canvas, (column, row, x + width - column, 1 + face.height - row), points, "caption")
    else:
        _draw_chips(canvas, column, 1, x + width - column, scene)
        row = draw_narrow(canvas, column, 2, x + width - column, face.height - 1, scene)
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
    y = draw_captions(canvas, x, 1, width, canvas.height, scene)
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


# --- the answers ------------------------------------------------------------------------------------

_GAP = 2
_CHIP = 1
"""Points that a paid chip costs."""


class Answer(NamedTuple):
    """An answer: its key, its name, its effects at length and in short, and the score now and with it.

    `score` is the card points less the chips; it is None where the answer cannot be given.
    """

    move: Move
    key: str
    name: Phrase
    effects: tuple[Phrase, ...]
    short: Phrase
    score: tuple[int, int] | None


def list_answers(scene: Scene) -> list[Answer]:
    """List the answers of the user's seat with their effects; a spectator has none."""
    weighed, chips = None if scene.seat is None else scene.board.weigh_taking(scene.seat), scene.shown.chips
    if weighed is None or chips is None:
        return []
    now = weighed.before - chips
    effects = (words.describe_taking(weighed), words.count_won_chips(weighed))
    short = words.describe_taking_in_short(weighed)
    take = Answer(TAKE, "t", words.TAKE, effects, short, (now, now + weighed.change))
    if not chips:
        why = MUST_TAKE if scene.status.point_of_view is None else words.NO_CHIP
        return [take, Answer(PASS, "n", words.PASS, (why,), why, None)]
    paying = words.describe_paying(chips - _CHIP)
    return [take, Answer(PASS, "n", words.PASS, (paying,), paying, (now, now + _CHIP))]


def draw_box(canvas: Canvas, area: Area, scene: Scene, answer: Answer) -> None:
    """Draw an answer as a box: its key and name, the score that it leads to as a large figure, and its effects."""
    x, y, width, height = area
    marked = answer.move in (scene.choice.marked, scene.choice.ahead)
    offered = answer.move in (*scene.choice.moves, *scene.choice.early)
    style = "selected" if marked else "text" if offered else "muted"
    draw_frame(canvas, area, Edge.DOUBLE if marked else Edge.PLAIN, style)
    draw_shade(canvas, inside_of(area), "selected" if marked else "faint")
    canvas.link(x, y, width, height, answer.move)
    name = f" {scene.say(answer.name)} "
    if marked or offered:  # else the frame goes on to the name
        canvas.put(x + 2, y, f"{'▸' if marked else ' '} {answer.key if offered else ' '}", "caption")
    canvas.put(x + 5, y, name, "selected-pin" if marked else style)
    effects = ", ".join(scene.say(effect) for effect in answer.effects)
    room = width - 4
    chance = scene.chances.get(answer.move)
    if chance is not None:
        draw_chance(canvas, x + 2, y + height - 2, room, chance)
        height -= 1
    rows = list(wrap_lines(effects, room))
    # In short rather than in the rows of the large figure.
    if len(rows) > max(1, height - 3):
        rows = list(wrap_lines(scene.say(answer.short), room))
    rows = rows[: max(1, height - 3)]
    for offset, row in enumerate(rows):
        canvas.put(x + 2, y + height - 1 - len(rows) + offset, row, _answer_style(scene, answer))
    if answer.score is None:
        return

    now, then = answer.score
    look = "good" if then < now else "strong"
    space = (x + 2, y + 1, room, height - 2 - len(rows))
    change = written_change(now, then)
    named = f"{scene.say(words.SCORE)} {change}"
    change = named if cell_len(named) <= room else change
    if fit_block([str(then)], space[2], space[3] - 1) is None:
        canvas.put_centred(space[0], room, y + 1 + max(0, space[3] - 1) // 2, change, look)
        return
    canvas.put_right(x + width - 2, y + 1, change, look)
    draw_figure(canvas, (space[0], y + 2, room, space[3] - 1), str(then), look)


def draw_narrow(canvas: Canvas, x: int, y: int, width: int, height: int, scene: Scene) -> int:
    """Draw the same in few columns: `height` rows, 4 or more; returns the row below."""
    row, end = draw_captions(canvas, x, y, width, height, scene), y + height
    for answer in _open_answers(scene):
        if row >= end:
            break
        _draw_name(canvas, x, row, scene, answer)
        canvas.link(x, row, width, 2, answer.move)
        _draw_change(canvas, x + width, row, answer)
        chance = scene.chances.get(answer.move)
        if row + 1 < end and chance is not None:
            draw_chance(canvas, x + 2, row + 1, width - 2, chance)
        elif row + 1 < end:
            canvas.put(x + 2, row + 1, scene.say(answer.short), _answer_style(scene, answer))
        row += 2
    return row


def _open_answers(scene: Scene) -> list[Answer]:
    """List the answers; none during a story."""
    return [] if scene.captions else list_answers(scene)


def draw_captions(canvas: Canvas, x: int, y: int, width: int, height: int, scene: Scene) -> int:
    """Draw the story's sentences, without one whose turn it is; returns the row below."""
    said = list(moment_lines(scene, width))[:height]
    style = "caption" if scene.captions or scene.choice.moves or scene.choice.ahead is not None else "text"
    for row, words_of_row in enumerate(said, y):
        canvas.put(x, row, words_of_row, style)
    return y + len(said)


def moment_lines(scene: Scene, width: int) -> Iterable[str]:
    if scene.captions:
        return wrap_lines(" ".join(scene.captions), width)
    if scene.status.place is not None:
        return wrap_lines(scene.say(words.name_point_of_view(scene.shown, scene.status)), width)
    ahead, card = scene.choice.ahead, scene.board.card
    if ahead is not None and card is not None:
        return [fit_text(scene.say(words.name_chosen_answer(ahead, card)), width)]
    said, standing = scene.say(words.name_turn(scene.shown)), _standing_text(scene)
    both = f"{said}  {standing}"
    return [both if standing and cell_len(both) <= width else fit_text(said, width)]


def _standing_text(scene: Scene) -> str:
    """Write the user's score with chips; nothing for a spectator, or once the game is over."""
    shown = scene.shown
    if shown.seat is None or shown.chips is None or shown.board.over:
        return ""
    points = shown.board.points[shown.seat]
    return scene.say(words.name_score(points - shown.chips, points, shown.chips))


def _draw_name(canvas: Canvas, x: int, y: int, scene: Scene, answer: Answer) -> None:
    """Draw an answer's key and name; the key only while it can be given."""
    marked = answer.move in (scene.choice.marked, scene.choice.ahead)
    offered = answer.move in (*scene.choice.moves, *scene.choice.early)
    canvas.put(x, y, f"{'▸' if marked else ' '} {answer.key if offered else ' '}", "caption")
    name = f" {scene.say(answer.name)} "
    canvas.put(x + 3, y, name, "selected-pin" if marked else _answer_style(scene, answer))


def _draw_change(canvas: Canvas, right: int, y: int, answer: Answer) -> int:
    """Draw the score now and with the answer; returns the cells that this takes, with the blanks before it."""
    if answer.score is None:
        return 0
    now, then = answer.score
    change = written_change(now, then)
    canvas.put_right(right, y, change, "good" if then < now else "strong")
    return cell_len(change) + _GAP


def _answer_style(scene: Scene, answer: Answer) -> str:
    return "text" if answer.move in scene.choice.moves else "muted"
