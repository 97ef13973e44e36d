"""My hand: cards in a row, fanned closer the more there are; the selected one is raised."""

from collections.abc import Sequence
from typing import NamedTuple

from scoville_client.i18n.language import tr
from scoville_client.tui.boards.dicht_dran import cards
from scoville_client.tui.boards.dicht_dran.cards import Edge, draw_back, draw_card
from scoville_client.tui.drawing.canvas import Canvas
from scoville_shared.games.dicht_dran.prospects import Weighed

_ROWS = 2
"""A row to raise the selected card into, and one for what fits."""
HEIGHT, LARGE_HEIGHT = cards.SMALL.height + _ROWS, cards.LARGE.height + _ROWS
_APART, _LEAST = 2, 4
"""Most columns between two cards, and the least columns that are in sight of a card beneath another one."""
_LEAST_LARGE = 9
_MORE = 3


class Fan(NamedTuple):
    """The visible cards, from `first` to before `last`, their size, and their columns: `left` + `step` for each."""

    first: int
    last: int
    left: int
    step: int
    size: cards.Size = cards.SMALL

    def column_of(self, index: int) -> int:
        """Return the column where card `index` begins."""
        return self.left + (index - self.first) * self.step


def lay_fan(count: int, selected: int, width: int, *, large: bool = False) -> Fan:
    """Lay `count` cards into `width` columns, around `selected` when they do not all fit.

    Large cards are laid only if all of their numbers are in sight.
    """
    sizes = ((cards.LARGE, _LEAST_LARGE), (cards.SMALL, _LEAST)) if large else ((cards.SMALL, _LEAST),)
    for size, least in sizes:
        for step in range(size.width + _APART, least - 1, -1):
            if (count - 1) * step + size.width <= width:
                return Fan(0, count, (width - (count - 1) * step - size.width) // 2, step, size)
    room = (width - 2 * _MORE - cards.SMALL.width) // _LEAST + 1
    first = min(max(selected - room // 2, 0), count - room)
    return Fan(first, first + room, _MORE, _LEAST)


def draw_hand(
    canvas: Canvas,
    x: int,
    y: int,
    width: int,
    hand: Sequence[Weighed],
    selected: int | None,
    *,
    picked: bool,
    large: bool = False,
) -> None:
    """Draw a hand in `width` x HEIGHT cells, or LARGE_HEIGHT for `large` cards.

    `selected` is an index, `picked` says that its card is already chosen.
    """
    spread = lay_fan(len(hand), selected or 0, width, large=large)
    y += (LARGE_HEIGHT - spread.size.height - _ROWS) * large
    order = [index for index in range(spread.first, spread.last) if index != selected]
    for index in [*order, *(() if selected is None else (selected,))]:
        canvas.link(x + spread.column_of(index), y, spread.size.width, spread.size.height + 1, hand[index].card)
        if index != selected:
            _draw_card(canvas, x + spread.column_of(index), y + 1, hand[index], Edge.PLAIN, "card", spread.size)
    if selected is not None:
        style = "picked" if picked else "selected"
        _draw_card(canvas, x + spread.column_of(selected), y, hand[selected], Edge.DOUBLE, style, spread.size)
    _draw_more(canvas, x, y + 2, width, spread, len(hand))
    _draw_verdicts(canvas, x, y + 1 + spread.size.height, spread, hand)


def draw_backs(canvas: Canvas, x: int, y: int, width: int, count: int, *, chosen: bool, large: bool = False) -> None:
    """Draw a hand face down as `draw_hand` does; once its holder has `chosen`, one card is raised."""
    spread = lay_fan(count, 0, width, large=large)
    y += (LARGE_HEIGHT - spread.size.height - _ROWS) * large
    for index in range(spread.first, spread.last):
        raised = chosen and index == spread.last - 1
        draw_back(canvas, x + spread.column_of(index), y + (not raised), "picked" if raised else "muted", spread.size)
    _draw_more(canvas, x, y + 2, width, spread, count)


def _draw_card(canvas: Canvas, x: int, y: int, weighed: Weighed, edge: Edge, style: str, size: cards.Size) -> None:
    draw_card(canvas, x, y, weighed.card, weighed.peppers, edge=edge, style=style, size=size)


def _draw_more(canvas: Canvas, x: int, y: int, width: int, spread: Fan, count: int) -> None:
    if spread.first:
        canvas.put(x, y, f"◂{spread.first}", "muted")
    if spread.last < count:
        canvas.put_right(x + width, y, f"{count - spread.last}▸", "muted")


def _draw_verdicts(canvas: Canvas, x: int, y: int, spread: Fan, hand: Sequence[Weighed]) -> None:
    """Bracket the cards that fit the gap (always neighbours in a sorted hand), and point at the closest."""
    shown = range(spread.first, spread.last)
    middle = (spread.size.width - 1) // 2
    closest = next((x + spread.column_of(index) + middle for index in shown if hand[index].closest), None)
    fitting = [index for index in shown if hand[index].fits]
    if fitting:
        start = spread.column_of(fitting[0])
        _draw_bracket(canvas, x + start, y, spread.column_of(fitting[-1]) - start + spread.size.width, closest)
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
