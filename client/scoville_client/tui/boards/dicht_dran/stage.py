"""The stage that a story puts in the hand's place: the revealed cards side by side, or the scores of a cycle."""

from rich.cells import cell_len

from scoville_client.i18n.language import render
from scoville_client.tui.boards.dicht_dran import cards
from scoville_client.tui.boards.dicht_dran.cards import Edge, draw_card, draw_ghost
from scoville_client.tui.boards.dicht_dran.line import Pin
from scoville_client.tui.boards.dicht_dran.scene import SLIDES, Fate, Frame, Front, Scene
from scoville_client.tui.boards.dicht_dran.seats import points
from scoville_client.tui.boards.motion import between, flashes
from scoville_client.tui.drawing.canvas import Canvas, fitted
from scoville_shared.engine.phrases import Phrase
from scoville_shared.games.dicht_dran.facts import CycleScored

_WIDEST = 15
_EDGES = {Fate.SHOWN: Edge.PLAIN, Fate.WINS: Edge.DOUBLE, Fate.FREE: Edge.PLAIN, Fate.PAYS: Edge.HEAVY}
_NAME = 12
_COLUMN = 7
_CYCLE = Phrase("Cycle {cycle}")
_HEADINGS = (Phrase("won"), Phrase("held"), Phrase("score"), Phrase("total"))
SCORES_WIDTH = _NAME + 4 * _COLUMN


def draw_stage(canvas: Canvas, x: int, y: int, width: int, scene: Scene, frame: Frame, *, large: bool = False) -> None:
    """Draw the card in front of each seat, its player and its fate, in as many rows as the hand takes."""
    size = cards.LARGE if large else cards.SMALL
    each = min(_WIDEST + size.width - cards.SMALL.width, width // len(frame.fronts))
    left = x + (width - each * len(frame.fronts)) // 2
    for seat, front in enumerate(frame.fronts):
        _draw_front(canvas, left + seat * each, y, each, scene, seat, front, size)


def pins(frame: Frame, progress: float) -> list[Pin]:
    """Pin the cards that lie in front of the seats to the number line; at first they slide there from the target."""
    low, high = frame.board.gap
    target = frame.board.target_card
    slides = frame.action == SLIDES
    return [
        Pin(
            front.card,
            _pin_style(front, progress, inside=low < front.card < high),
            front.fate is Fate.WINS,
            between(target, front.card, progress) if slides else None,
        )
        for front in frame.fronts
        if front.card is not None
    ]


def _pin_style(front: Front, progress: float, *, inside: bool) -> str:
    return "fits" if inside and front.fate is not Fate.WINS else _style(front, progress)


def _style(front: Front, progress: float) -> str:
    """Return the style of a card; that of the winner flashes."""
    return "selected-pin" if front.fate is Fate.WINS and front.card and flashes(progress) else front.fate.value


def _draw_front(
    canvas: Canvas, x: int, y: int, width: int, scene: Scene, seat: int, front: Front, size: cards.Size
) -> None:
    style = _style(front, scene.progress)
    card_x = x + (width - size.width) // 2
    if front.card is None:
        draw_ghost(canvas, card_x, y, "faint", size)
    else:
        peppers = scene.peppers[front.card]
        draw_card(canvas, card_x, y, front.card, peppers, edge=_EDGES[front.fate], style=style, size=size)
    y += size.height
    name = scene.name(seat)
    shown = fitted(name, width - 1) if cell_len(name) >= width else name
    canvas.put_centred(x, width, y, shown, "you" if seat == scene.seat else "text")
    if front.word is not None:
        canvas.put_centred(x, width, y + 1, render(front.word, scene.names), style)


def draw_cycle(canvas: Canvas, x: int, y: int, scene: Scene, scored: CycleScored) -> None:
    """Draw what each seat won and still held, the cycle's points and the total, in SCORES_WIDTH columns."""
    _draw_score(canvas, x, y, render(_CYCLE.of({"cycle": scored.cycle})), tuple(map(render, _HEADINGS)), "muted")
    rows = zip(scored.plus, scored.minus, scored.scores, scored.totals, strict=True)
    best = max(scored.totals)
    for seat, (plus, minus, score, total) in enumerate(rows):
        counted = [between(0, number, scene.progress) for number in (plus, minus, score, total)]
        cells = (str(counted[0]), *(points(number) for number in (-counted[1], counted[2], counted[3])))
        style = "you" if seat == scene.seat else "text"
        _draw_score(canvas, x, y + 1 + seat, scene.name(seat), cells, style)
        if total == best:
            canvas.put(x - 2, y + 1 + seat, "▸", "target")


def _draw_score(canvas: Canvas, x: int, y: int, name: str, cells: tuple[str, ...], style: str) -> None:
    canvas.put(x, y, fitted(name, _NAME), style)
    for index, cell in enumerate(cells):
        canvas.put_right(x + _NAME + (index + 1) * _COLUMN, y, cell, style)
