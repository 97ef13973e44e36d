"""The stage that a story puts in the hand's place: the revealed cards side by side, or the scores of a cycle."""

from collections.abc import Sequence
from typing import NamedTuple

from rich.cells import cell_len

from scoville_client.i18n.language import render, tr, with_sign
from scoville_client.tui.boards.dicht_dran import cards
from scoville_client.tui.boards.dicht_dran.cards import Edge, draw_back, draw_card, draw_ghost
from scoville_client.tui.boards.dicht_dran.scene import SLIDES, Fate, Frame, Front, Scene
from scoville_client.tui.boards.motion import is_flashing, number_between
from scoville_client.tui.boards.number_line import Label, draw_labels
from scoville_client.tui.drawing import digits
from scoville_client.tui.drawing.canvas import Area, Canvas, fit_text
from scoville_client.tui.drawing.digits import draw_figure
from scoville_client.tui.drawing.frames import draw_frame, draw_shade, inside_of, list_tiles
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
    canvas: Canvas,
    x: int,
    y: int,
    width: int,
    board: Board,
    pins: Sequence[Pin],
    rows: int = LABEL_ROWS,
    thick: int = 1,
) -> None:
    """Draw the line in `width` columns: the gap's ends and the target, the line, `rows` rows of the pins' labels.

    The line itself is `thick` rows high: from two on a body of blocks.
    """
    low, high = board.gap
    _draw_band(canvas, x, y, width, rows + 1 + thick, (low, high))
    if thick > 1:
        _draw_body(canvas, x, y + 1, width, thick, (low, high))
    else:
        _draw_axis(canvas, x, y + 1, width, (low, high))
    for pin in pins:
        for row in range(thick):
            _draw_mark(canvas, x + column_of(pin.place, width), y + 1 + row, pin.style)
    at = column_of(board.target_card, width)
    start, end = (column_of(card, width) for card in (low, high))
    canvas.marks["gap"] = (x + start, y + 1, end - start + 1, thick)
    canvas.marks["target"] = (x + at, y, 1, 1 + thick)
    for row in range(thick):
        # Over the pins, which slide away from the target.
        canvas.put(x + at, y + 1 + row, "◆", "target")
    ends = [Pin(board.target_card, "target", first=True), Pin(low, "rim"), Pin(high, "rim")]
    _draw_labels(canvas, x, y, width, 1, ends)
    _draw_labels(canvas, x, y + 1 + thick, width, rows, pins)
    # Last, in the cells that the labels have left free.
    _name_band(canvas, x, y, width, (low, high))


def _draw_axis(canvas: Canvas, x: int, y: int, width: int, gap: tuple[int, int]) -> None:
    canvas.put(x, y, "─" * width, "faint")
    start, end = (column_of(card, width) for card in gap)
    canvas.put(x + start, y, "━" * (end - start + 1), "band")
    canvas.put(x + start, y, "┣", "rim")
    canvas.put(x + end, y, "┫", "rim")


def _draw_body(canvas: Canvas, x: int, y: int, width: int, thick: int, gap: tuple[int, int]) -> None:
    """Draw a thick line: dense within the gap, light outside of it."""
    start, end = (column_of(card, width) for card in gap)
    for row in range(thick):
        canvas.put(x, y + row, "░" * width, "faint")
        canvas.put(x + start, y + row, "▓" * (end - start + 1), "band")
        for column in (start, end):
            canvas.put(x + column, y + row, "┃", "rim")


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
    char = canvas.char(x, y)
    if char in "░▓█":
        canvas.put(x, y, "█", "selected" if style == "selected-pin" else style)
    else:
        canvas.put(x, y, "┯" if char in "━┯" else "┬", style)


def _draw_labels(canvas: Canvas, x: int, y: int, width: int, rows: int, pins: Sequence[Pin]) -> None:
    """Label the pins; one that finds no room keeps its mark only."""
    labels = [Label(pin.card, column_of(pin.place, width), str(pin.card), pin.style, pin.first) for pin in pins]
    draw_labels(canvas, x, y, width, rows, labels)


_WIDEST = 15
_FLATTEST = 5
"""Columns of a card of the stage, for each of its rows at most."""
_EDGES = {Fate.SHOWN: Edge.PLAIN, Fate.WINS: Edge.DOUBLE, Fate.FREE: Edge.PLAIN, Fate.PAYS: Edge.HEAVY}
_NAME = 12
_COLUMN = 7
_CYCLE = Phrase("Cycle {cycle}")
_HEADINGS = (Phrase("won"), Phrase("held"), Phrase("score"), Phrase("total"))
SCORES_WIDTH = _NAME + 4 * _COLUMN


def draw_stage(canvas: Canvas, area: Area, scene: Scene, frame: Frame) -> None:
    """Draw the card in front of each seat, its player and its fate."""
    x, y, width, height = area
    each = min(width // len(frame.fronts), max(_WIDEST, _FLATTEST * (height - 2)))
    left = x + (width - each * len(frame.fronts)) // 2
    for seat, front in enumerate(frame.fronts):
        _draw_front(canvas, (left + seat * each, y, each, height), scene, seat, front)


def draw_choices(canvas: Canvas, area: Area, scene: Scene) -> None:
    """Draw for a spectator the card face down of each seat, or the place for one."""
    x, y, width, height = area
    seats = len(scene.board.hands)
    each = min(width // seats, max(_WIDEST, _FLATTEST * (height - 1)))
    left = x + (width - each * seats) // 2
    for seat in range(seats):
        place = _card_place((left + seat * each, y, each, height - 1))
        if scene.view.chosen[seat]:
            draw_back(canvas, place, "picked")
        else:
            draw_ghost(canvas, place, "faint")
            draw_figure(canvas, inside_of(place), "?", "faint")
        name = scene.name_of(seat)
        shown = fit_text(name, each - 1) if cell_len(name) >= each else name
        canvas.put_centred(left + seat * each, each, y + height - 1, shown, "text")


def _card_place(area: Area) -> Area:
    """Return where a card lies in its share of the stage: all of it, or as small as a card is at least."""
    x, y, width, height = area
    wide = cards.WIDTH if height <= cards.HEIGHT else width - 1
    return x + (width - wide) // 2, y, wide, height


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


def _draw_front(canvas: Canvas, area: Area, scene: Scene, seat: int, front: Front) -> None:
    x, y, width, height = area
    style = _front_style(front, scene.progress)
    place = _card_place((x, y, width, height - 2))
    if front.card is None:
        draw_ghost(canvas, place, "faint")
    else:
        draw_card(canvas, place, front.card, scene.peppers[front.card], edge=_EDGES[front.fate], style=style)
    y += height - 2
    name = scene.name_of(seat)
    shown = fit_text(name, width - 1) if cell_len(name) >= width else name
    canvas.put_centred(x, width, y, shown, "you" if seat == scene.seat else "text")
    if front.word is not None:
        canvas.put_centred(x, width, y + 1, render(front.word, scene.names), style)


def draw_scores(canvas: Canvas, area: Area, scene: Scene, scored: CycleScored) -> None:
    """Draw the score of a cycle as a tile for each seat: the total as large as it fits, and how it came about."""
    seats, best = len(scored.totals), max(scored.totals)
    for seat, place in enumerate(list_tiles(area, seats, seats)):
        total = scored.totals[seat]
        leads = total == best
        style = "target" if leads else "you" if seat == scene.seat else "text"
        head = f"▸ {scene.name_of(seat)}" if leads else scene.name_of(seat)
        foot = f"{render(_HEADINGS[3])} {with_sign(total)}" if scene.progress >= 1 else render(_HEADINGS[3])
        draw_frame(canvas, place, Edge.DOUBLE if leads else Edge.PLAIN, style, head, foot)
        if leads:
            draw_shade(canvas, inside_of(place), style)
        _draw_sum(canvas, inside_of(place), scene, scored, seat, style)


def _draw_sum(canvas: Canvas, area: Area, scene: Scene, scored: CycleScored, seat: int, style: str) -> None:
    x, y, width, height = area
    parts = [scored.plus[seat], -scored.minus[seat], scored.scores[seat]]
    if height < len(parts) + digits.ROWS:  # the score is the sum of the two above it, and often the total as well
        parts.pop()
    for row, (heading, number) in enumerate(zip(_HEADINGS, parts, strict=False)):
        shown = with_sign(number_between(0, number, scene.progress))
        canvas.put(x, y + row, f" {render(heading)} ", "muted")
        canvas.put_right(x + width, y + row, f" {shown} ", style)
    # One after the other, the winner last: all at once would be too much to send in a step, and no finale.
    after = sum((total, other) < (scored.totals[seat], seat) for other, total in enumerate(scored.totals))
    rows, total = len(parts), with_sign(scored.totals[seat])
    if scene.progress >= (after + 1) / len(scored.totals):
        draw_figure(canvas, (x + 1, y + rows, width - 2, height - rows), total, style)


def draw_cycle(canvas: Canvas, x: int, y: int, scene: Scene, scored: CycleScored) -> None:
    """Draw what each seat won and still held, the cycle's points and the total, in SCORES_WIDTH columns."""
    _draw_score(
        canvas, x, y, render(_CYCLE.with_fields({"cycle": scored.cycle})), tuple(map(render, _HEADINGS)), "muted"
    )
    rows = zip(scored.plus, scored.minus, scored.scores, scored.totals, strict=True)
    best = max(scored.totals)
    for seat, (plus, minus, score, total) in enumerate(rows):
        counted = [number_between(0, number, scene.progress) for number in (plus, minus, score, total)]
        cells = (str(counted[0]), *(with_sign(number) for number in (-counted[1], counted[2], counted[3])))
        style = "you" if seat == scene.seat else "text"
        _draw_score(canvas, x, y + 1 + seat, scene.name_of(seat), cells, style)
        if total == best:
            canvas.put(x - 2, y + 1 + seat, "▸", "target")


def _draw_score(canvas: Canvas, x: int, y: int, name: str, cells: tuple[str, ...], style: str) -> None:
    canvas.put(x, y, fit_text(name, _NAME), style)
    for index, cell in enumerate(cells):
        canvas.put_right(x + _NAME + (index + 1) * _COLUMN, y, cell, style)
