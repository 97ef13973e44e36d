"""What a cycle came to, and what the whole game did."""

from scoville_client.i18n.language import told
from scoville_client.tui.boards.dicht_dran.scene import Scene
from scoville_client.tui.boards.dicht_dran.seats import points
from scoville_client.tui.drawing.canvas import Canvas, fitted
from scoville_shared.engine.phrases import Phrase
from scoville_shared.games.dicht_dran.facts import CycleScored

_NAME = 12
_COLUMN = 7
_CYCLE = Phrase("Cycle {cycle}")
_HEADINGS = (Phrase("won"), Phrase("held"), Phrase("cycle"), Phrase("total"))
WIDTH = _NAME + 4 * _COLUMN


def draw_cycle(canvas: Canvas, x: int, y: int, scene: Scene, scored: CycleScored) -> None:
    """Draw what each seat won and still held, the cycle's points and the total, in WIDTH columns."""
    _draw_row(canvas, x, y, told(_CYCLE.of({"cycle": scored.cycle})), tuple(map(told, _HEADINGS)), "muted")
    rows = zip(scored.plus, scored.minus, scored.scores, scored.totals, strict=True)
    best = max(scored.totals)
    for seat, (plus, minus, score, total) in enumerate(rows):
        cells = (str(plus), f"-{minus}" if minus else "0", points(score), points(total))
        style = "you" if seat == scene.seat else "text"
        _draw_row(canvas, x, y + 1 + seat, scene.name(seat), cells, style)
        if total == best:
            canvas.put(x - 2, y + 1 + seat, "▸", "target")


def _draw_row(canvas: Canvas, x: int, y: int, name: str, cells: tuple[str, ...], style: str) -> None:
    canvas.put(x, y, fitted(name, _NAME), style)
    for index, cell in enumerate(cells):
        canvas.put_right(x + _NAME + (index + 1) * _COLUMN, y, cell, style)
