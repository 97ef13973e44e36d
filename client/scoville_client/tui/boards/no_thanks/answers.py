"""The two answers to the card with their effects on the user's score, chips included."""

from collections.abc import Iterable
from typing import NamedTuple

from rich.cells import cell_len

from scoville_client.i18n.wrapping import wrap_lines
from scoville_client.tui.boards.no_thanks import words
from scoville_client.tui.boards.no_thanks.scene import Scene
from scoville_client.tui.drawing.canvas import Area, Canvas, fitted
from scoville_client.tui.drawing.chances import draw_chance
from scoville_client.tui.drawing.digits import draw_figure, fit_block
from scoville_client.tui.drawing.frames import Edge, draw_frame, draw_shade, inside_of
from scoville_shared.engine.phrases import Phrase
from scoville_shared.games.no_thanks.state import PASS, TAKE, Move
from scoville_shared.games.no_thanks.text import MUST_TAKE, written_change

_GAP = 2
_CHIP = 1
"""What a chip that is paid adds to the score."""


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
    canvas.put(x + 2, y, f"{'▸' if marked else ' '}{answer.key if offered else ' '}", "caption")
    canvas.put(x + 4, y, f" {scene.say(answer.name)} ", "selected-pin" if marked else style)
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
        return [fitted(scene.say(words.name_chosen_answer(ahead, card)), width)]
    said, standing = scene.say(words.name_turn(scene.shown)), _standing_text(scene)
    both = f"{said}  {standing}"
    return [both if standing and cell_len(both) <= width else fitted(said, width)]


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
    canvas.put(x, y, f"{'▸' if marked else ' '}{answer.key if offered else ' '}", "caption")
    name = f" {scene.say(answer.name)} "
    canvas.put(x + 2, y, name, "selected-pin" if marked else _answer_style(scene, answer))


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
