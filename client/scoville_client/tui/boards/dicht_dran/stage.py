"""The stage that a story puts in the hand's place: the revealed cards side by side, or the scores of a cycle."""

from collections.abc import Sequence
from typing import NamedTuple

from rich.cells import cell_len

from scoville_client.i18n.language import render, tr
from scoville_client.tui.boards.dicht_dran import cards
from scoville_client.tui.boards.dicht_dran.cards import Edge, draw_card, draw_ghost
from scoville_client.tui.boards.dicht_dran.scene import SLIDES, Fate, Frame, Front, Scene
from scoville_client.tui.boards.dicht_dran.seats import write_points
from scoville_client.tui.boards.motion import is_flashing, number_between
from scoville_client.tui.boards.number_line import Label, draw_labels
from scoville_client.tui.drawing.canvas import Canvas, fitted
from scoville_shared.engine.phrases import Phrase
from scoville_shared.games.dicht_dran.facts import CycleScored
from scoville_shared.games.dicht_dran.state import Board

HEIGHT = 4
LABEL_ROWS = 2
_HIGHEST = 100


class Pin(NamedTuple):
    """A card on the line; `first` pins get the place under their mark before others do.

    `at` is the number where a card is that still slides to its place.
    """

    card: int
    style: str
    first: bool = False
    at: int | None = None

    @property
    def place(self) -> int:
        """The number where the card is."""
        return self.card if self.at is None else self.at


def column_of(card: int, width: int) -> int:
    """Return the column of a card, of `width`."""
    return round((card - 1) * (width - 1) / (_HIGHEST - 1))


def draw_line(
    canvas: Canvas, x: int, y: int, width: int, board: Board, pins: Sequence[Pin], rows: int = LABEL_ROWS
) -> None:
    """Draw the line in `width` columns: the gap's ends and the target, the line, `rows` rows of the pins' labels."""
    low, high = board.gap
    _draw_band(canvas, x, y, width, rows + 2, (low, high))
    _draw_axis(canvas, x, y + 1, width, (low, high))
    for pin in pins:
        _draw_mark(canvas, x + column_of(pin.place, width), y + 1, pin.style)
    at = column_of(board.target_card, width)
    start, end = (column_of(card, width) for card in (low, high))
    canvas.marks["gap"] = (x + start, y + 1, end - start + 1, 1)
    canvas.marks["target"] = (x + at, y, 1, 2)
    canvas.put(x + at, y + 1, "◆", "target")
    ends = [Pin(board.target_card, "target", first=True), Pin(low, "rim"), Pin(high, "rim")]
    _draw_labels(canvas, x, y, width, 1, ends)
    _draw_labels(canvas, x, y + 2, width, rows, pins)
    _name_band(canvas, x, y, width, (low, high))


def _draw_axis(canvas: Canvas, x: int, y: int, width: int, gap: tuple[int, int]) -> None:
    canvas.put(x, y, "─" * width, "faint")
    start, end = (column_of(card, width) for card in gap)
    canvas.put(x + start, y, "━" * (end - start + 1), "band")
    canvas.put(x + start, y, "┣", "rim")
    canvas.put(x + end, y, "┫", "rim")


def _draw_band(canvas: Canvas, x: int, y: int, width: int, height: int, gap: tuple[int, int]) -> None:
    start, end = (column_of(card, width) for card in gap)
    for row in range(height):
        canvas.restyle(x + start + 1, y + row, end - start - 1, "band")


def _name_band(canvas: Canvas, x: int, y: int, width: int, gap: tuple[int, int]) -> None:
    """Name the band in its free place that is nearest to the middle."""
    word = tr("gap")
    start, end = (x + column_of(card, width) for card in gap)
    places = range(start + 2, end - len(word))
    for at in sorted(places, key=lambda at: abs(at + len(word) // 2 - (start + end) // 2)):
        if all(canvas.char(beside, y) == " " for beside in range(at - 1, at + len(word) + 1)):
            canvas.put(at, y, word, "band")
            return


def _draw_mark(canvas: Canvas, x: int, y: int, style: str) -> None:
    canvas.put(x, y, "┯" if canvas.char(x, y) in "━┯" else "┬", style)


def _draw_labels(canvas: Canvas, x: int, y: int, width: int, rows: int, pins: Sequence[Pin]) -> None:
    """Label the pins; one that finds no room keeps its mark only."""
    labels = [Label(pin.card, column_of(pin.place, width), str(pin.card), pin.style, pin.first) for pin in pins]
    draw_labels(canvas, x, y, width, rows, labels)


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


def list_pins(frame: Frame, progress: float) -> list[Pin]:
    """Pin the cards that lie in front of the seats to the number line; at first they slide there from the target."""
    low, high = frame.board.gap
    target = frame.board.target_card
    slides = frame.action == SLIDES
    return [
        Pin(
            front.card,
            _pin_style(front, progress, inside=low < front.card < high),
            front.fate is Fate.WINS,
            number_between(target, front.card, progress) if slides else None,
        )
        for front in frame.fronts
        if front.card is not None
    ]


def _pin_style(front: Front, progress: float, *, inside: bool) -> str:
    return "fits" if inside and front.fate is not Fate.WINS else _front_style(front, progress)


def _front_style(front: Front, progress: float) -> str:
    """Return the style of a card; that of the winner flashes."""
    return "selected-pin" if front.fate is Fate.WINS and front.card and is_flashing(progress) else front.fate.value


def _draw_front(
    canvas: Canvas, x: int, y: int, width: int, scene: Scene, seat: int, front: Front, size: cards.Size
) -> None:
    style = _front_style(front, scene.progress)
    card_x = x + (width - size.width) // 2
    if front.card is None:
        draw_ghost(canvas, card_x, y, "faint", size)
    else:
        peppers = scene.peppers[front.card]
        draw_card(canvas, card_x, y, front.card, peppers, edge=_EDGES[front.fate], style=style, size=size)
    y += size.height
    name = scene.name_of(seat)
    shown = fitted(name, width - 1) if cell_len(name) >= width else name
    canvas.put_centred(x, width, y, shown, "you" if seat == scene.seat else "text")
    if front.word is not None:
        canvas.put_centred(x, width, y + 1, render(front.word, scene.names), style)


def draw_cycle(canvas: Canvas, x: int, y: int, scene: Scene, scored: CycleScored) -> None:
    """Draw what each seat won and still held, the cycle's points and the total, in SCORES_WIDTH columns."""
    _draw_score(
        canvas, x, y, render(_CYCLE.with_fields({"cycle": scored.cycle})), tuple(map(render, _HEADINGS)), "muted"
    )
    rows = zip(scored.plus, scored.minus, scored.scores, scored.totals, strict=True)
    best = max(scored.totals)
    for seat, (plus, minus, score, total) in enumerate(rows):
        counted = [number_between(0, number, scene.progress) for number in (plus, minus, score, total)]
        cells = (str(counted[0]), *(write_points(number) for number in (-counted[1], counted[2], counted[3])))
        style = "you" if seat == scene.seat else "text"
        _draw_score(canvas, x, y + 1 + seat, scene.name_of(seat), cells, style)
        if total == best:
            canvas.put(x - 2, y + 1 + seat, "▸", "target")


def _draw_score(canvas: Canvas, x: int, y: int, name: str, cells: tuple[str, ...], style: str) -> None:
    canvas.put(x, y, fitted(name, _NAME), style)
    for index, cell in enumerate(cells):
        canvas.put_right(x + _NAME + (index + 1) * _COLUMN, y, cell, style)
