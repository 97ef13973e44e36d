"""Chart of a decision: each move with its chance to win as a bar, the best first, and why the marked one is so good."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Final, NamedTuple

from rich.cells import cell_len

from scoville_client.i18n.language import tr
from scoville_client.i18n.wrapping import wrap_lines, wrap_whole_clauses
from scoville_client.reviews.advice import Advice
from scoville_client.reviews.sentences import percent_text
from scoville_client.tui.drawing.canvas import Canvas, fit_text
from scoville_client.tui.drawing.chances import Chance
from scoville_client.tui.widgets.canvas_widget import CanvasWidget
from scoville_shared.coach.sample import SURE, Figures
from scoville_shared.coach.study import is_right
from scoville_shared.engine.contract import AnyGame
from scoville_shared.text import LONGEST_NAME

_FIGURE: Final = 8
"""Columns of a percentage."""
_EIGHTHS: Final = " ▏▎▍▌▋▊▉"
_CERTAIN, _UNSURE, _WORSE = "█", "░", "▒"
_REASON_ROWS: Final = 2
"""Rows of a reason at most; beside a narrow chart one more."""
_LEAST_BAR: Final = 1
"""Columns of a bar that a long name leaves at least."""
_NARROW: Final = 50
"""Columns up to which a bar stands below the name of its move, where there are rows for that."""
_MANY: Final = 6
"""Bars that come before the notes."""


class Bar(NamedTuple):
    """A move in the chart: its name, its figures, and one sentence why."""

    name: str
    figures: Figures
    reason: str

    @classmethod
    def of_row(cls, row: tuple[Figures, str, str]) -> "Bar":
        """Make the bar of a row of figures, move and reason."""
        figures, move, reason = row
        return cls(move, figures, f"{reason[:1].upper()}{reason[1:]}.")

    @property
    def is_best(self) -> bool:
        return self.figures.behind.mean <= 0

    @property
    def is_as_good(self) -> bool:
        """Whether it is as good as the best move."""
        return is_right(self.figures)


def chances_of(advice: Advice, game: AnyGame) -> dict[Hashable, Chance]:
    """Return the bars of a decision by move."""
    bars = [*map(Bar.of_row, advice.rows)]
    longest = _longest_of(bars) if bars else 1.0
    return {
        game.codec.decode_move(bar.figures.move): Chance(
            percent_text(bar.figures.win.mean),
            bar.figures.win.mean,
            SURE * bar.figures.win.error,
            longest,
            is_good=bar.is_as_good,
        )
        for bar in bars
    }


class ChanceChart(CanvasWidget):
    """Draws the bars that `list_bars` returns. ↑ and ↓ mark another move.

    `verdict` returns sentences that come before the bars, and `notes` those that follow them where there is room.
    """

    def __init__(
        self,
        list_bars: Callable[[], Sequence[Bar]],
        seats: int,
        verdict: Callable[[], Iterable[str]] = tuple,
        notes: Callable[[], Iterable[str]] = tuple,
    ) -> None:
        super().__init__()
        self._list_bars = list_bars
        self._even_share = 1 / seats
        self._verdict = verdict
        self._notes = notes
        self._marked = 0

    def fit_rows(self, rows: int, width: int) -> None:
        """Take the rows that all bars and their texts need in so many columns, at most so many."""
        self.styles.height = max(1, min(self._count_rows(width), rows))

    def _count_rows(self, width: int) -> int:
        """Count the rows of everything: the heading and the notes have a blank one beside them."""
        bars = self._list_bars()
        if not bars:
            return 1
        notes = self._note_rows(bars, width)
        rows = len(bars) * (2 if width < _NARROW else 1) + _count_reason_rows(bars, width)
        return len(self._verdict_rows(width)) + 2 + rows + (len(notes) + 1 if notes else 0)

    def mark_next(self, rows: int) -> None:
        """Mark the move so many rows further down."""
        self.mark_move(self._marked + rows)

    def mark_move(self, number: int) -> None:
        """Mark a move by its place in the chart."""
        self._marked = max(0, min(number, len(self._list_bars()) - 1))
        self.repaint()

    def _verdict_rows(self, width: int) -> list[str]:
        """Wrap the text before the bars, with a blank row below it."""
        rows = [row for sentence in self._verdict() for row in wrap_lines(sentence, width)]
        return [*rows, ""] if rows else []

    def _note_rows(self, bars: Sequence[Bar], width: int) -> list[str]:
        return [row for note in (_note_text(bars), *self._notes()) for row in wrap_lines(note, width)]

    def draw(self, width: int, height: int) -> Canvas:
        """Draw the bars, the marked one in sight, and below them its reason and the key to the bars."""
        canvas, bars = Canvas(width, height), self._list_bars()
        if not bars:
            return canvas
        said = self._verdict_rows(width)
        y = len(said)
        for offset, row in enumerate(said):
            canvas.put(0, offset, row, "strong")
        head = tr("Chance to win; an even share is {share}.", share=percent_text(self._even_share))
        canvas.put(0, y, fit_text(head, width), "muted")
        y += 1 if height < self._count_rows(width) else 2

        # All reasons have the rows of the longest, so that nothing moves when another one is marked.
        reason_rows = _count_reason_rows(bars, width)
        if said:  # beside a verdict the bars matter more than the whole reason
            reason_rows = min(reason_rows, max(1, height - y - min(len(bars), _REASON_ROWS)))
        reason = wrap_whole_clauses(bars[self._marked].reason, width - 2, reason_rows)
        room = max(1, height - y - reason_rows)
        notes = self._note_rows(bars, width)

        # The bars come first: they are explained where there is room.
        if room - len(notes) > min(len(bars), _MANY):
            room -= len(notes) + 1
            for offset, row in enumerate(notes):
                canvas.put(0, height - len(notes) + offset, row, "muted")

        if width < _NARROW and room >= 2 * len(bars):
            self._draw_in_two_rows(canvas, y, bars)
            y += 2 * len(bars)
            for row in reason:
                canvas.put(2, y, row, "text")
                y += 1
            return canvas

        beyond = 1 if room > _REASON_ROWS else 0  # a row below the marked one shows that the list goes on
        first = max(0, min(self._marked - room + 1 + beyond, len(bars) - room))
        names = _columns_of_names(bars, width)
        longest = _longest_of(bars)
        for number, bar in enumerate(bars[first : first + room], first):
            self._draw_name(canvas, y, bar, names, marked=number == self._marked)
            self._draw_bar(canvas, y, bar, 3 + names, longest)
            y += 1
        for row in reason:
            canvas.put(2, y, row, "text")
            y += 1
        return canvas

    def _draw_in_two_rows(self, canvas: Canvas, y: int, bars: Sequence[Bar]) -> None:
        """Draw each bar below the whole name of its move."""
        for number, bar in enumerate(bars):
            self._draw_name(canvas, y, bar, canvas.width - 2, marked=number == self._marked)
            self._draw_bar(canvas, y + 1, bar, 2, _longest_of(bars))
            y += 2

    def _draw_name(self, canvas: Canvas, y: int, bar: Bar, room: int, *, marked: bool) -> None:
        canvas.put(0, y, "▸" if marked else " ", "target")
        name = bar.name if cell_len(bar.name) <= room else name_briefly(bar.name)
        canvas.put(2, y, fit_text(name, room), "title" if marked else "text")

    def _draw_bar(self, canvas: Canvas, y: int, bar: Bar, left: int, longest: float) -> None:
        win, style = bar.figures.win, "good" if bar.is_as_good else "muted"
        mark = _mark_text(bar)
        room = max(1, canvas.width - left - _FIGURE - _mark_width())
        reach = round(room * min(1.0, win.mean + SURE * win.error) / longest)
        canvas.put(left, y, _UNSURE * reach, "muted")
        canvas.put(left, y, _solid_part(room * win.mean / longest, _CERTAIN if bar.is_as_good else _WORSE), style)
        canvas.put_right(left + room + _FIGURE, y, percent_text(win.mean, 1), "text")
        canvas.put(left + room + _FIGURE + 1, y, mark, style)


def _count_reason_rows(bars: Sequence[Bar], width: int) -> int:
    """Count the rows of the longest reason."""
    most = _REASON_ROWS + (width < _NARROW)
    return max(len(wrap_whole_clauses(bar.reason, width - 2, most)) for bar in bars)


def _columns_of_names(bars: Sequence[Bar], width: int) -> int:
    """Return the columns of names beside their bars: of whole names up to a half, else without what explains them."""
    names = max(cell_len(bar.name) for bar in bars)
    if names <= width // 2:
        return names
    briefly = max(cell_len(name_briefly(bar.name)) for bar in bars)
    # Names that are cut all the same leave their room to the bars.
    fits = briefly <= width - 3 - _FIGURE - _mark_width() - _LEAST_BAR
    return briefly if fits else min(LONGEST_NAME, width // 3)


def name_briefly(move: str) -> str:
    """Return the name of a move without its explanation, such as: no thanks (pay a chip)."""
    return move.partition(" (")[0]


def _longest_of(bars: Sequence[Bar]) -> float:
    """Return the chance at the end of the longest bar, with its uncertainty."""
    return max(min(1.0, bar.figures.win.mean + SURE * bar.figures.win.error) for bar in bars) or 1.0


def _solid_part(cells: float, sign: str) -> str:
    """Draw the sure part of a bar; one of the good moves ends in an eighth of a cell."""
    whole = int(cells)
    part = _EIGHTHS[int(8 * (cells - whole))] if sign == _CERTAIN else " "
    return sign * whole + part.strip()


def _mark_text(bar: Bar) -> str:
    if bar.is_best:
        return tr("best")
    return tr("as good") if bar.is_as_good else ""


def _mark_width() -> int:
    return 1 + max(cell_len(tr("best")), cell_len(tr("as good")))


def _note_text(bars: Sequence[Bar]) -> str:
    """Explain the bars, as far as it matters here."""
    if len(bars) == 1:
        return ""
    equal = sum(bar.is_as_good for bar in bars)
    if equal > 1:
        return tr("The samples cannot tell the first {n} apart: all of them are good.", n=equal)
    return tr("The light end of a bar is what the samples leave open.")
