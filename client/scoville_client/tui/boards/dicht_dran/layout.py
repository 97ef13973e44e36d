"""Layout of the board: parts that grow with the window, and one small arrangement down to 46 x 18 cells."""

from rich.cells import cell_len

from scoville_client.i18n.language import render
from scoville_client.i18n.wrapping import wrap_lines
from scoville_client.tui.boards.dicht_dran import cards, hand, seats, stage
from scoville_client.tui.boards.dicht_dran.scene import Scene
from scoville_client.tui.boards.layout import MINIMUM, Band, arrange_scene, draw_header, rows_for_log, share_rows
from scoville_client.tui.drawing.canvas import WIDE_FROM, Area, Canvas, fit_text
from scoville_client.tui.drawing.chances import Chance
from scoville_client.tui.drawing.frames import Edge, draw_frame, draw_log
from scoville_shared.engine.phrases import Fields, Phrase
from scoville_shared.games.dicht_dran import GAME
from scoville_shared.games.dicht_dran.round import Weighed, weigh_hand
from scoville_shared.games.dicht_dran.state import PLAYS

WIDE = (WIDE_FROM, 22)
"""Columns and rows from which the parts grow."""
_TWO_PANELS = 100
"""Columns from which on panels stand at both sides of the circle."""
_LEAST_PANEL, _MOST_PANEL = 28, 64
FRAMED = 30
"""Rows from which on the sentence of the moment is in a box."""
_THICK = 26
"""Rows from which on the number line has a body; with each key some cells of all its rows are sent."""
_APART = 2
_MOST_LOG = 6
_ROOMY = 58
"""Columns of the small arrangement from which on its circle is made of cards, and scores of tiles."""
_RING = 28
_TWO_LINES = 36
"""Rows of a narrow window from which on the hand has two lines."""
_ACTIONS = (Phrase("1st action"), Phrase("2nd action"), Phrase("3rd action"), Phrase("4th action"))
_HEADER = (
    Phrase("cycle {cycle} of {cycles}  round {round}"),
    Phrase("draw pile {pile}  discard pile {discard}"),
)
_SHORT_HEADER = (Phrase("{cycle}/{cycles} round {round}"), Phrase("pile {pile} discard {discard}"))


def draw_table(scene: Scene, width: int, height: int) -> Canvas:
    """Draw the whole table in `width` x `height` cells, at least MINIMUM."""
    return arrange_scene(scene, (width, height), WIDE, _draw_large, _draw_small)


def _draw_large(canvas: Canvas, x: int, width: int, scene: Scene) -> None:
    """Draw bands from edge to edge: the circle between its panels, the sentence, the line, the hand."""
    is_wide = width >= WIDE[0] - 4
    frame = scene.frame
    counted = frame is not None and frame.scored is not None
    boxed = 2 if canvas.height >= FRAMED else 0
    said = list(wrap_lines(_moment_text(scene), width - 2 * boxed)) or [""]

    names = 0 if is_wide else len(scene.board.hands) + 1
    log = 0 if is_wide else rows_for_log(scene.log, width, canvas.height, _MOST_LOG, compact=scene.compact)
    others = 1 + len(said) + boxed + 2 + stage.LABEL_ROWS + hand.LARGE_HEIGHT + names + log
    # Large numbers in the circle only where nothing else has to give up a row for them.
    ring = cards.LARGE_CIRCLE if canvas.height >= others + cards.LARGE_CIRCLE else cards.LEAST_CIRCLE
    line = 2 + stage.LABEL_ROWS
    bands = [
        Band(1, 1, 0),
        Band(ring, canvas.height, 8),
        Band(len(said) + boxed, len(said) + boxed, 0),
        Band(0, 0, 0) if counted else Band(line, line + 6, 1) if canvas.height >= _THICK else Band(line, line, 0),
        Band(_least_hand(scene, width, canvas.height, large=ring == cards.LARGE_CIRCLE), canvas.height, 6),
        Band(names, names, 0),
        Band(log, log, 0),
    ]
    _, ring, words, line, held, names, log = share_rows(canvas.height, bands)

    _draw_header(canvas, x, 0, width, scene)
    y = 1
    _draw_ring(canvas, (x, y, width, ring), scene)
    y += ring
    _draw_moment(canvas, (x, y, width, words), scene, said)
    y += words

    canvas.marks["hand"] = (x, y + line, width, held)
    if frame is not None and frame.scored is not None:
        stage.draw_scores(canvas, (x, y, width, held), scene, frame.scored)
    else:
        _draw_choice(canvas, (x, y, width, line), (x, y + line, width, held), scene)
    y += line + held

    if names:
        seats.draw_seats_narrow(canvas, x, y, width, scene, heading=True)
        canvas.marks["seats"] = (x, y, width, names)
    if log:
        draw_log(canvas, x, y + names, width, canvas.height - y - names, scene.log)


def _least_hand(scene: Scene, width: int, height: int, *, large: bool) -> int:
    """Return the rows of the hand at least: two lines of cards where one line would overlap and there are rows.

    With a large circle the cards have large numbers as well.
    """
    overlaps = len(scene.hand) * cards.WIDTH > width and scene.frame is None
    if overlaps and height >= _TWO_LINES:
        return 2 * hand.HEIGHT
    return hand.LARGE_HEIGHT if large else hand.HEIGHT + 1


def _draw_ring(canvas: Canvas, area: Area, scene: Scene) -> None:
    """Draw the circle, in wide windows with the seats at its left and the piles, the costs and the log at its right."""
    x, y, width, height = area
    if width < WIDE[0] - 4:
        cards.draw_circle(canvas, area, scene.board, scene.peppers)
        return

    panel = min(max(width // 4, _LEAST_PANEL), _MOST_PANEL)
    tiled = height // len(scene.board.hands) >= seats.LEAST_TILE and not scene.compact
    if width < _TWO_PANELS or not tiled:
        panel = max(panel, min(seats.WIDTH, width // 2)) if not tiled else panel
        right = x + width - panel
        cards.draw_circle(canvas, (x, y, right - _APART - x, height), scene.board, scene.peppers)
        beneath = y
        if not tiled:
            draw = seats.draw_seats if panel >= seats.WIDTH else None
            beneath = (
                seats.draw_legend(canvas, right, draw(canvas, right, y, scene), panel)
                if draw
                else seats.draw_seats_narrow(canvas, right, y, panel, scene, heading=True)
            )
        else:
            # All tiles are as high.
            beneath = y + len(scene.board.hands) * max(seats.LEAST_TILE, height * 2 // 3 // len(scene.board.hands))
            seats.draw_tiles(canvas, (right, y, panel, beneath - y), scene)
        canvas.marks["seats"] = (right, y, panel, beneath - y)
        _draw_facts(canvas, (right, beneath, panel, y + height - beneath), scene)
        return

    seats.draw_tiles(canvas, (x, y, panel, height), scene)
    canvas.marks["seats"] = (x, y, panel, height)
    middle = (x + panel + _APART, y, width - 2 * (panel + _APART), height)
    cards.draw_circle(canvas, middle, scene.board, scene.peppers)
    _draw_facts(canvas, (x + width - panel, y, panel, height), scene)


def _draw_facts(canvas: Canvas, area: Area, scene: Scene) -> None:
    """Draw the log in the rows that it needs, the piles and the cost of a card in the others."""
    x, y, width, height = area
    log = min(rows_for_log(scene.log, width, height, _MOST_LOG, compact=scene.compact), height)
    costs = len(seats.rows_of_costs(width)) + 2
    if height - log < costs or (scene.compact and log):
        draw_log(canvas, x, y, width, height, scene.log)
        return
    piles = height - log - costs
    if piles < 3:
        log, piles = log + piles if log else 0, 0
    costs = height - log - piles  # all that the other two leave: its lower edge lies above them
    seats.draw_costs(canvas, (x, y + piles, width, costs))
    if piles:
        seats.draw_piles(canvas, (x, y, width, piles), scene)
    if log:
        draw_log(canvas, x, y + height - log, width, log, scene.log)


def _draw_moment(canvas: Canvas, area: Area, scene: Scene, said: list[str]) -> None:
    """Draw the effect of the marked card or the story's sentences, in a box where there is room."""
    x, y, _, height = area
    style = "caption" if scene.captions else "text"
    if height > len(said):
        draw_frame(canvas, area, Edge.HEAVY, "selected" if scene.selected is not None else "muted")
        x, y = x + 2, y + 1
    for offset, row in enumerate(said):
        canvas.put(x, y + offset, row, style)
    action = _action_text(scene)
    if action and said[0].startswith(action):
        canvas.put(x, y, action, "title")


def _moment_text(scene: Scene) -> str:
    return " ".join(filter(None, (_action_text(scene), *scene.captions))) if scene.captions else scene.prompt


def _action_text(scene: Scene) -> str:
    return render(_ACTIONS[scene.frame.action - 1]) if scene.frame is not None and scene.frame.action else ""


def _draw_choice(canvas: Canvas, line: Area, held: Area, scene: Scene) -> None:
    """Draw the number line, and below it the hand; in a story the cards that were played, on both."""
    frame = scene.frame
    if frame is not None and frame.fronts:
        _draw_line(canvas, line, scene, stage.list_pins(frame, scene.progress))
        stage.draw_stage(canvas, held, scene, frame)
    else:
        weighed = weigh_hand(scene.board, scene.hand, scene.peppers)
        _draw_line(canvas, line, scene, _hand_pins(weighed[: scene.dealt], scene.selected))
        _draw_held(canvas, held, scene, weighed)


def _draw_line(canvas: Canvas, area: Area, scene: Scene, pins: list[stage.Pin]) -> None:
    x, y, width, height = area
    rows = min(stage.LABEL_ROWS, height - 2)
    stage.draw_line(canvas, x, y, width, scene.board, pins, rows, height - 1 - rows)


def _draw_held(canvas: Canvas, area: Area, scene: Scene, weighed: list[Weighed]) -> None:
    """Draw the hand; for a spectator the cards of the seats."""
    place = scene.status.viewpoint
    if place is not None:
        chosen = scene.frame is None and scene.view.chosen[place]
        hand.draw_backs(canvas, area, scene.board.hands[place], chosen=chosen)
    elif weighed:
        _draw_my_hand(canvas, area, scene, weighed)
    else:
        stage.draw_choices(canvas, area, scene)


def _draw_my_hand(canvas: Canvas, area: Area, scene: Scene, weighed: list[Weighed]) -> None:
    x, y, width, height = area
    picked = scene.frame is None and scene.view.pick is not None
    shown = scene.view.pick if picked else scene.selected
    held = [each.card for each in weighed]
    index = held.index(shown) if shown in held else None
    grid = hand.lay_grid(len(weighed), width, height) if height > hand.HEIGHT else None
    if grid is not None:
        come, places = weighed[: scene.dealt], grid[: scene.dealt]
        hand.draw_grid(canvas, area, come, index, picked=picked, grid=places, chances=_chances_by_card(scene))
        return
    top = y + max(0, height - hand.HEIGHT) // 2
    if scene.dealt < len(weighed):
        hand.draw_dealt(canvas, x, top, width, weighed, scene.dealt)
    else:
        hand.draw_hand(canvas, x, top, width, weighed, index, picked=picked, chances=_chances_by_card(scene))


def _chances_by_card(scene: Scene) -> dict[int, Chance]:
    return {card: chance for card in scene.hand if (chance := scene.chances.get(PLAYS[card])) is not None}


def _draw_small(canvas: Canvas, x: int, width: int, scene: Scene) -> None:
    rows = stage.LABEL_ROWS if canvas.height > MINIMUM[1] else 1
    lower = canvas.height - rows - 2 - hand.HEIGHT - 1
    _draw_header(canvas, x, 0, width, scene)
    ring = cards.LEAST_CIRCLE if width >= _ROOMY and lower > cards.LEAST_CIRCLE else 0
    if ring:
        cards.draw_circle(canvas, (x, 1, _RING, ring), scene.board, scene.peppers)
    else:
        cards.draw_chips(canvas, x, 1, scene.board, scene.peppers)

    right = x + (_RING if ring else cards.CHIPS_WIDTH) + 1
    heading = len(scene.board.hands) < cards.CHIPS_HEIGHT
    beneath = seats.draw_seats_narrow(canvas, right, 1, x + width - right, scene, heading=heading)
    canvas.marks["seats"] = (right, 1, x + width - right, beneath - 1)

    frame = scene.frame
    # While the points are counted the captions would say the same as the scores.
    said = scene.log if frame is not None and frame.scored is not None else scene.captions or scene.log
    if ring:
        draw_log(canvas, right, beneath, x + width - right, lower - beneath, said)
    else:
        log = max(beneath, 1 + cards.CHIPS_HEIGHT)
        draw_log(canvas, x, log, width, lower - log, said)

    words = lower + rows + 2 + hand.HEIGHT
    if frame is not None and frame.scored is not None:
        if ring:
            stage.draw_scores(canvas, (x, lower, width, words - lower), scene, frame.scored)
        else:
            stage.draw_cycle(canvas, x + (width - stage.SCORES_WIDTH) // 2, lower + 1, scene, frame.scored)
    else:
        _draw_choice(canvas, (x, lower, width, rows + 2), (x, lower + rows + 2, width, hand.HEIGHT), scene)
    canvas.marks["hand"] = (x, lower + rows + 2, width, hand.HEIGHT + 1)
    _draw_words(canvas, x, words, scene)


def _draw_header(canvas: Canvas, x: int, y: int, width: int, scene: Scene) -> None:
    board = scene.board
    where, piles = _HEADER if width >= WIDE[0] - 4 else _SHORT_HEADER
    fields: Fields = {
        "cycle": board.cycle,
        "cycles": board.options.cycles,
        "round": board.round,
        "pile": board.pile,
        "discard": board.discard,
    }
    status, lie = render(where.with_fields(fields)), render(piles.with_fields(fields))
    draw_header(canvas, (x, y, width), GAME.info.title, status, lie, paused=scene.status.paused)


def _hand_pins(weighed: list[Weighed], selected: int | None) -> list[stage.Pin]:
    return [stage.Pin(each.card, _pin_style(each, selected), each.closest or each.card == selected) for each in weighed]


def _pin_style(weighed: Weighed, selected: int | None) -> str:
    if weighed.card == selected:
        return "selected-pin"
    if weighed.closest:
        return "closest"
    return "fits" if weighed.fits else "outside"


def _draw_words(canvas: Canvas, x: int, y: int, scene: Scene) -> None:
    captions = scene.captions
    if not captions:
        room = canvas.width - x
        canvas.put(x, y, scene.prompt if cell_len(scene.prompt) <= room else fit_text(scene.prompt, room), "text")
        return
    action = _action_text(scene)
    if action:
        x = canvas.put(x, y, action, "title") + 2
    for caption in captions:
        if x + cell_len(caption) > canvas.width:
            return
        x = canvas.put(x, y, caption, "caption") + 1
