"""My hand: cards side by side as large as they have room, or fanned closer the more there are."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rich.cells import cell_len

from scoville_client.i18n.language import render, tr
from scoville_client.tui.boards.dicht_dran import cards
from scoville_client.tui.boards.dicht_dran.cards import Edge, draw_back, draw_card
from scoville_client.tui.drawing.canvas import Area, Canvas, fit_text
from scoville_client.tui.drawing.chances import Chance, draw_chance
from scoville_client.tui.drawing.digits import fit_block
from scoville_shared.engine.phrases import Phrase
from scoville_shared.games.dicht_dran.round import Weighed

_ROWS = 2
"""A row to raise the selected card into, and one for what fits."""
HEIGHT, LARGE_HEIGHT = cards.HEIGHT + _ROWS, cards.LARGE_HEIGHT + _ROWS
_APART, _LEAST = 2, 4
"""Most columns between two cards, and the least columns that are in sight of a card below another one."""
_MORE = 3
_MOST_LINES = 3
_FEW = 3
"""Cards that a fan would leave alone in the middle."""
_WIDEST = 5
"""Columns of a card for each of its rows at most."""
_FREE = Phrase("free")
_COSTS = Phrase("draws {n}")


class Fan(NamedTuple):
    """The visible cards, from `first` to before `last`, and their columns: `left` + `step` for each."""

    first: int
    last: int
    left: int
    step: int

    def column_of(self, index: int) -> int:
        """Return the column where card `index` begins."""
        return self.left + (index - self.first) * self.step


def lay_fan(count: int, selected: int, width: int) -> Fan:
    """Lay `count` cards into `width` columns, around `selected` when they do not all fit."""
    for step in range(cards.WIDTH + _APART, _LEAST - 1, -1):
        if (count - 1) * step + cards.WIDTH <= width:
            return Fan(0, count, (width - (count - 1) * step - cards.WIDTH) // 2, step)
    room = (width - 2 * _MORE - cards.WIDTH) // _LEAST + 1
    first = min(max(selected - room // 2, 0), count - room)
    return Fan(first, first + room, _MORE, _LEAST)


def lay_grid(count: int, width: int, height: int) -> list[Area] | None:
    """Lay `count` cards side by side into `width` x `height` cells, in the lines that make them the largest.

    An area includes the row above the card and the one below it. None where a fan of small cards does as well.
    """
    best: tuple[int, int, int, int] | None = None
    for lines in range(1, _MOST_LINES + 1):
        across = -(-count // lines)
        wide, high = width // across, height // lines
        if wide < cards.WIDTH or high < HEIGHT:
            continue
        block = fit_block(["88"], wide - 2, high - _ROWS - 2)
        # Of equally large ones the grid with fewer lines wins.
        size = (0 if block is None else block.wide * block.tall, min(wide, _WIDEST * (high - _ROWS)), wide, -lines)
        best = max(best, size) if best else size
    if best is None or (count > _FEW and not best[0] and best[3] == -1):
        return None  # taller cards without larger numbers say nothing more, and each key would send more cells of them
    lines = -best[3]
    across, high = -(-count // lines), height // lines
    areas = []
    for index in range(count):
        line, place = divmod(index, across)
        shown = min(across, count - line * across)
        wide = min(width // shown, max(cards.WIDTH, _WIDEST * (high - _ROWS)))
        left = (width - wide * shown) // 2
        areas.append((left + place * wide, line * high, wide, high))
    return areas


def draw_grid(
    canvas: Canvas,
    area: Area,
    hand: Sequence[Weighed],
    selected: int | None,
    *,
    picked: bool,
    grid: Sequence[Area],
    chances: Mapping[int, Chance],
) -> None:
    """Draw a hand as `lay_grid` has laid it; below each card what it would cost, or what the coach thinks of it."""
    x, y, *_ = area
    for index, (weighed, (left, top, wide, high)) in enumerate(zip(hand, grid, strict=True)):
        raised = index == selected
        edge, style = (Edge.DOUBLE, "picked" if picked else "selected") if raised else (Edge.PLAIN, "card")
        place = (x + left, y + top + (not raised), wide, high - _ROWS)
        canvas.link(place[0], place[1], wide, high - 1, weighed.card)
        draw_card(canvas, place, weighed.card, weighed.peppers, edge=edge, style=style)
        if weighed.card in chances:
            draw_chance(canvas, x + left, y + top + high - 1, wide - 1, chances[weighed.card])
        else:
            _draw_verdict(canvas, x + left, y + top + high - 1, wide, weighed)


def _draw_verdict(canvas: Canvas, x: int, y: int, width: int, weighed: Weighed) -> None:
    """Write the fate of a card that does not win; the closest one is pointed at."""
    cost = render(_FREE) if weighed.fits else render(_COSTS.with_fields({"n": weighed.peppers}))
    texts = [f"▲ {tr('closest')}, {cost}", f"▲ {tr('closest')}", "▲"] if weighed.closest else [cost]
    if not weighed.fits and not weighed.closest:
        texts.append(f"+{weighed.peppers}")  # cards that are drawn
    room = width if weighed.closest else width - 1  # the texts beside it are shorter
    text = next((text for text in texts if cell_len(text) <= room), fit_text(texts[-1], width - 1))
    style = "target" if weighed.closest else "gap" if weighed.fits else "muted"
    canvas.put_centred(x, width, y, text, style)


def draw_hand(
    canvas: Canvas,
    x: int,
    y: int,
    width: int,
    hand: Sequence[Weighed],
    selected: int | None,
    *,
    picked: bool,
    chances: Mapping[int, Chance],
) -> None:
    """Draw a hand in `width` x HEIGHT cells; `selected` is an index, `picked` says that its card is chosen already.

    The coach's figures are below the cards, where they have the room; else what fits, and what is closest.
    """
    spread = lay_fan(len(hand), selected or 0, width)
    order = [index for index in range(spread.first, spread.last) if index != selected]
    # The selected card last: its link covers those of the cards below it, as the card does.
    for index in [*order, *(() if selected is None else (selected,))]:
        canvas.link(x + spread.column_of(index), y, cards.WIDTH, cards.HEIGHT + 1, hand[index].card)
        if index != selected:
            _draw_card(canvas, x + spread.column_of(index), y + 1, hand[index], Edge.PLAIN, "card")
    if selected is not None:
        style = "picked" if picked else "selected"
        _draw_card(canvas, x + spread.column_of(selected), y, hand[selected], Edge.DOUBLE, style)
    _draw_more(canvas, x, y + 2, width, spread, len(hand))
    if chances:
        room = spread.step if spread.last - spread.first > 1 else cards.WIDTH
        for index in range(spread.first, spread.last):
            if (chance := chances.get(hand[index].card)) is not None:
                draw_chance(canvas, x + spread.column_of(index), y + 1 + cards.HEIGHT, room, chance)
    else:
        _draw_verdicts(canvas, x, y + 1 + cards.HEIGHT, spread, hand)


def draw_dealt(canvas: Canvas, x: int, y: int, width: int, hand: Sequence[Weighed], count: int) -> None:
    """Draw the first `count` cards of a hand in their places; the others have not come yet."""
    spread = lay_fan(len(hand), 0, width)
    for index in range(spread.first, min(spread.last, count)):
        _draw_card(canvas, x + spread.column_of(index), y + 1, hand[index], Edge.PLAIN, "card")


def draw_backs(canvas: Canvas, area: Area, count: int, *, chosen: bool) -> None:
    """Draw a hand face down as the cards would be; once its holder has `chosen`, one card is raised."""
    x, y, width, height = area
    grid = lay_grid(count, width, height) if count else None
    if grid is not None:
        for index, (left, top, wide, high) in enumerate(grid):
            raised = chosen and index == count - 1
            draw_back(
                canvas,
                (x + left, y + top + (not raised), wide, high - _ROWS),
                "picked" if raised else "muted",
            )
        return
    spread = lay_fan(count, 0, width)
    for index in range(spread.first, spread.last):
        raised = chosen and index == spread.last - 1
        place = (x + spread.column_of(index), y + (not raised), cards.WIDTH, cards.HEIGHT)
        draw_back(canvas, place, "picked" if raised else "muted")
    _draw_more(canvas, x, y + 2, width, spread, count)


def _draw_card(canvas: Canvas, x: int, y: int, weighed: Weighed, edge: Edge, style: str) -> None:
    draw_card(canvas, (x, y, cards.WIDTH, cards.HEIGHT), weighed.card, weighed.peppers, edge=edge, style=style)


def _draw_more(canvas: Canvas, x: int, y: int, width: int, spread: Fan, count: int) -> None:
    if spread.first:
        canvas.put(x, y, f"◂{spread.first}", "muted")
    if spread.last < count:
        canvas.put_right(x + width, y, f"{count - spread.last}▸", "muted")


def _draw_verdicts(canvas: Canvas, x: int, y: int, spread: Fan, hand: Sequence[Weighed]) -> None:
    """Bracket the cards that fit the gap (always neighbours in a sorted hand), and point at the closest."""
    shown = range(spread.first, spread.last)
    middle = (cards.WIDTH - 1) // 2
    closest = next((x + spread.column_of(index) + middle for index in shown if hand[index].closest), None)
    fitting = [index for index in shown if hand[index].fits]
    if fitting:
        start = spread.column_of(fitting[0])
        _draw_bracket(canvas, x + start, y, spread.column_of(fitting[-1]) - start + cards.WIDTH, closest)
    if closest is not None:
        canvas.put(closest, y, "▲", "target")
        _name_closest(canvas, closest + 2, y)


def _draw_bracket(canvas: Canvas, x: int, y: int, width: int, closest: int | None) -> None:
    canvas.put(x, y, "╰" + "─" * (width - 2) + "╯", "gap")
    word = tr("fits")
    word = f" {word} " if width > len(word) + 4 else word
    for start in (x + (width - len(word)) // 2, x + width - len(word) - 1, x + 1):
        if closest is None or not start <= closest < start + len(word):
            canvas.put(start, y, word, "gap")
            return


def _name_closest(canvas: Canvas, x: int, y: int) -> None:
    """Name the pointer's meaning where there is room for it."""
    word = tr("closest")
    if x + len(word) < canvas.width and all(canvas.char(x + cell, y) == " " for cell in range(len(word))):
        canvas.put(x, y, word, "target")
