"""The stage that a story puts in the hand's place: the revealed cards side by side, or the scores of a cycle."""

from rich.cells import cell_len

from scoville_client.i18n.language import render
from scoville_client.tui.boards.dicht_dran.cards import WIDTH as CARD_WIDTH
from scoville_client.tui.boards.dicht_dran.cards import Edge, draw_card, draw_ghost
from scoville_client.tui.boards.dicht_dran.line import Pin
from scoville_client.tui.boards.dicht_dran.scene import Fate, Frame, Front, Scene
from scoville_client.tui.boards.dicht_dran.seats import points
from scoville_client.tui.drawing.canvas import Canvas, fitted
from scoville_shared.engine.phrases import Phrase
from scoville_shared.games.dicht_dran.facts import CycleScored

HEIGHT = 5
_WIDEST = 15
_EDGES = {Fate.SHOWN: Edge.PLAIN, Fate.WINS: Edge.DOUBLE, Fate.FREE: Edge.PLAIN, Fate.PAYS: Edge.HEAVY}
_NAME = 12
_COLUMN = 7
_CYCLE = Phrase("Cycle {cycle}")
_HEADINGS = (Phrase("won"), Phrase("held"), Phrase("score"), Phrase("total"))
SCORES_WIDTH = _NAME + 4 * _COLUMN


def draw_stage(canvas: Canvas, x: int, y: int, width: int, scene: Scene, frame: Frame) -> None:
    """Draw the card in front of each seat in `width` x HEIGHT cells."""
    each = min(_WIDEST, width // len(frame.fronts))
    left = x + (width - each * len(frame.fronts)) // 2
    for seat, front in enumerate(frame.fronts):
        _draw_front(canvas, left + seat * each, y, each, scene, seat, front)


def pins(frame: Frame) -> list[Pin]:
    """Pin the cards that lie in front of the seats to the number line."""
    low, high = frame.board.gap
    return [
        Pin(front.card, _pin_style(front, inside=low < front.card < high), front.fate is Fate.WINS)
        for front in frame.fronts
        if front.card is not None
    ]


def _pin_style(front: Front, *, inside: bool) -> str:
    return "fits" if inside and front.fate is not Fate.WINS else front.fate.value


def _draw_front(canvas: Canvas, x: int, y: int, width: int, scene: Scene, seat: int, front: Front) -> None:
    style = front.fate.value
    card_x = x + (width - CARD_WIDTH) // 2
    if front.card is None:
        draw_ghost(canvas, card_x, y, "faint")
    else:
        draw_card(canvas, card_x, y, front.card, scene.peppers[front.card], edge=_EDGES[front.fate], style=style)
    name = scene.name(seat)
    shown = fitted(name, width - 1) if cell_len(name) >= width else name
    canvas.put_centred(x, width, y + 3, shown, "you" if seat == scene.seat else "text")
    if front.word is not None:
        canvas.put_centred(x, width, y + 4, render(front.word, scene.names), style)


def draw_cycle(canvas: Canvas, x: int, y: int, scene: Scene, scored: CycleScored) -> None:
    """Draw what each seat won and still held, the cycle's points and the total, in SCORES_WIDTH columns."""
    _draw_score(canvas, x, y, render(_CYCLE.of({"cycle": scored.cycle})), tuple(map(render, _HEADINGS)), "muted")
    rows = zip(scored.plus, scored.minus, scored.scores, scored.totals, strict=True)
    best = max(scored.totals)
    for seat, (plus, minus, score, total) in enumerate(rows):
        cells = (str(plus), f"-{minus}" if minus else "0", points(score), points(total))
        style = "you" if seat == scene.seat else "text"
        _draw_score(canvas, x, y + 1 + seat, scene.name(seat), cells, style)
        if total == best:
            canvas.put(x - 2, y + 1 + seat, "▸", "target")


def _draw_score(canvas: Canvas, x: int, y: int, name: str, cells: tuple[str, ...], style: str) -> None:
    canvas.put(x, y, fitted(name, _NAME), style)
    for index, cell in enumerate(cells):
        canvas.put_right(x + _NAME + (index + 1) * _COLUMN, y, cell, style)
