"""The two answers to the card with their effects on the user's score."""

from collections.abc import Iterable
from typing import NamedTuple

from rich.cells import cell_len

from scoville_client.i18n.wrapping import wrap
from scoville_client.tui.boards.no_thanks import words
from scoville_client.tui.boards.no_thanks.scene import Scene
from scoville_client.tui.drawing.canvas import Canvas, fitted
from scoville_shared.engine.phrases import Phrase
from scoville_shared.games.no_thanks.state import PASS, TAKE, Move

ROWS = 3
_NAME = 15
_GAP = 2
_CHIP = 1
"""What a chip that is paid adds to the score."""


class Answer(NamedTuple):
    """An answer: its key, its name, its effects at length and in short, and the change of the score.

    `change` is None where it cannot be given.
    """

    move: Move
    key: str
    name: Phrase
    effects: tuple[Phrase, ...]
    short: Phrase
    change: int | None


def answers(scene: Scene) -> list[Answer]:
    """List the answers of the user's seat with their effects; a spectator has none."""
    weighed, chips = None if scene.seat is None else scene.board.taking(scene.seat), scene.shown.chips
    if weighed is None or chips is None:
        return []
    effects = (words.taking(weighed), words.won(weighed))
    take = Answer(TAKE, "t", words.TAKE, effects, words.taking_in_short(weighed), weighed.change)
    if not chips:
        why = words.MUST_TAKE if scene.status.point_of_view is None else words.NO_CHIP
        return [take, Answer(PASS, "p", words.PASS, (why,), why, None)]
    paying = words.paying(chips - _CHIP)
    return [take, Answer(PASS, "p", words.PASS, (paying,), paying, _CHIP)]


def draw_wide(canvas: Canvas, x: int, y: int, width: int, scene: Scene) -> None:
    """Draw the story's sentences, or whose turn it is and the answers, in `width` x ROWS cells."""
    y = _draw_captions(canvas, x, y, width, ROWS, scene)
    for row, answer in enumerate(_open_answers(scene), y):
        _draw_name(canvas, x, row, scene, answer)
        effects = ", ".join(scene.say(effect) for effect in answer.effects)
        room = width - _NAME - _draw_change(canvas, x + width, row, scene, answer)
        canvas.put(x + _NAME, row, fitted(effects, room), _style(scene, answer))


def draw_narrow(canvas: Canvas, x: int, y: int, width: int, height: int, scene: Scene) -> None:
    """Draw the same in few columns: `height` rows, 4 or more."""
    row, end = _draw_captions(canvas, x, y, width, height, scene), y + height
    for answer in _open_answers(scene):
        if row >= end:
            return
        _draw_name(canvas, x, row, scene, answer)
        _draw_change(canvas, x + width, row, scene, answer)
        if row + 1 < end:
            canvas.put(x + 2, row + 1, scene.say(answer.short), _style(scene, answer))
        row += 2


def _open_answers(scene: Scene) -> list[Answer]:
    """List the answers; none during a story."""
    return [] if scene.captions else answers(scene)


def _draw_captions(canvas: Canvas, x: int, y: int, width: int, height: int, scene: Scene) -> int:
    """Draw the story's sentences, without one whose turn it is; returns the row beneath."""
    said = list(_said(scene, width))[:height]
    style = "caption" if scene.captions or scene.choice.moves else "text"
    for row, words_of_row in enumerate(said, y):
        canvas.put(x, row, words_of_row, style)
    return y + len(said)


def _said(scene: Scene, width: int) -> Iterable[str]:
    if scene.captions:
        return wrap(" ".join(scene.captions), width)
    if scene.status.place is not None:
        return wrap(scene.say(words.watched(scene.shown, scene.status)), width)
    return [fitted(scene.say(words.turn(scene.shown)), width)]


def _draw_name(canvas: Canvas, x: int, y: int, scene: Scene, answer: Answer) -> None:
    """Draw an answer's key and name; the key only while it can be given."""
    marked = answer.move == scene.choice.marked
    offered = answer.move in scene.choice.moves
    canvas.put(x, y, f"{'▸' if marked else ' '}{answer.key if offered else ' '}", "caption")
    name = f" {scene.say(answer.name)} "
    canvas.put(x + 2, y, name, "selected-pin" if marked else _style(scene, answer))


def _draw_change(canvas: Canvas, right: int, y: int, scene: Scene, answer: Answer) -> int:
    """Draw the change of the score; returns the cells that this takes, with the blanks before it."""
    if answer.change is None:
        return 0
    change = scene.say(words.change(answer.change))
    canvas.put_right(right, y, change, "good" if answer.change < 0 else "text")
    return cell_len(change) + _GAP


def _style(scene: Scene, answer: Answer) -> str:
    return "text" if answer.move in scene.choice.moves else "muted"
