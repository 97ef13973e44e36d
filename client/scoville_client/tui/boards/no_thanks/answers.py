"""The two answers to the card with their effects on the user's score, chips included."""

from collections.abc import Iterable
from typing import NamedTuple

from rich.cells import cell_len

from scoville_client.i18n.wrapping import wrap_lines
from scoville_client.tui.boards.no_thanks import words
from scoville_client.tui.boards.no_thanks.scene import Scene
from scoville_client.tui.drawing.canvas import Canvas, fitted
from scoville_shared.engine.phrases import Phrase
from scoville_shared.games.no_thanks.state import PASS, TAKE, Move
from scoville_shared.games.no_thanks.text import MUST_TAKE, written_change

ROWS = 3
_NAME = 15
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
    weighed, chips = None if scene.seat is None else scene.board.taking(scene.seat), scene.shown.chips
    if weighed is None or chips is None:
        return []
    now = weighed.before - chips
    effects = (words.taking(weighed), words.won(weighed))
    short = words.taking_in_short(weighed)
    take = Answer(TAKE, "t", words.TAKE, effects, short, (now, now + weighed.change))
    if not chips:
        why = MUST_TAKE if scene.status.point_of_view is None else words.NO_CHIP
        return [take, Answer(PASS, "n", words.PASS, (why,), why, None)]
    paying = words.paying(chips - _CHIP)
    return [take, Answer(PASS, "n", words.PASS, (paying,), paying, (now, now + _CHIP))]


def draw_wide(canvas: Canvas, x: int, y: int, width: int, scene: Scene) -> None:
    """Draw the story's sentences, or whose turn it is and the answers, in `width` x ROWS cells."""
    y = _draw_captions(canvas, x, y, width, ROWS, scene)
    for row, answer in enumerate(_open_answers(scene), y):
        _draw_name(canvas, x, row, scene, answer)
        canvas.link(x, row, width, 1, answer.move)
        effects = ", ".join(scene.say(effect) for effect in answer.effects)
        room = width - _NAME - _draw_change(canvas, x + width, row, answer)
        canvas.put(x + _NAME, row, fitted(effects, room), _answer_style(scene, answer))


def draw_narrow(canvas: Canvas, x: int, y: int, width: int, height: int, scene: Scene) -> None:
    """Draw the same in few columns: `height` rows, 4 or more."""
    row, end = _draw_captions(canvas, x, y, width, height, scene), y + height
    for answer in _open_answers(scene):
        if row >= end:
            return
        _draw_name(canvas, x, row, scene, answer)
        canvas.link(x, row, width, 2, answer.move)
        _draw_change(canvas, x + width, row, answer)
        if row + 1 < end:
            canvas.put(x + 2, row + 1, scene.say(answer.short), _answer_style(scene, answer))
        row += 2


def _open_answers(scene: Scene) -> list[Answer]:
    """List the answers; none during a story."""
    return [] if scene.captions else list_answers(scene)


def _draw_captions(canvas: Canvas, x: int, y: int, width: int, height: int, scene: Scene) -> int:
    """Draw the story's sentences, without one whose turn it is; returns the row beneath."""
    said = list(_moment_lines(scene, width))[:height]
    style = "caption" if scene.captions or scene.choice.moves or scene.choice.ahead is not None else "text"
    for row, words_of_row in enumerate(said, y):
        canvas.put(x, row, words_of_row, style)
    return y + len(said)


def _moment_lines(scene: Scene, width: int) -> Iterable[str]:
    if scene.captions:
        return wrap_lines(" ".join(scene.captions), width)
    if scene.status.place is not None:
        return wrap_lines(scene.say(words.watched(scene.shown, scene.status)), width)
    ahead, card = scene.choice.ahead, scene.board.card
    if ahead is not None and card is not None:
        return [fitted(scene.say(words.ahead(ahead, card)), width)]
    said, standing = scene.say(words.turn(scene.shown)), _standing_text(scene)
    both = f"{said}  {standing}"
    return [both if standing and cell_len(both) <= width else fitted(said, width)]


def _standing_text(scene: Scene) -> str:
    """Write the user's score with chips; nothing for a spectator, or once the game is over."""
    shown = scene.shown
    if shown.seat is None or shown.chips is None or shown.board.over:
        return ""
    points = shown.board.points[shown.seat]
    return scene.say(words.standing(points - shown.chips, points, shown.chips))


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
