"""Explanation dialog: a sentence and the best moves of a decision that was made as bars; all figures on demand.

A key leads to the moves of the other bots.
"""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical

from scoville_client.i18n.language import tr
from scoville_client.reviews.advice_text import explanation_lines, note_lines, verdict_lines
from scoville_client.reviews.explanation import Explanation
from scoville_client.tui.request import Request
from scoville_client.tui.screens.base import TooSmall
from scoville_client.tui.screens.coach.chance_chart import Bar, ChanceChart
from scoville_client.tui.screens.dialogs.dialog import SCROLLING, Dialog, ScrollingDialog
from scoville_client.tui.widgets.key_hints import Hint, KeyHints
from scoville_client.tui.widgets.live_text import LiveText
from scoville_client.tui.widgets.text_view import TextView

Explain = Callable[[], Awaitable[Explanation]]


class ExplanationDialog(Dialog[None], ScrollingDialog):
    """Explains moves, one at a time.

    Args:
        names: The players of the moves.
        moves: The moves with a function that explains each; asked when it is shown for the first time.
        seats: How many players the game has.
        answer: A text about a move that was chosen again, instead of the verdict on the played one.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,enter,x,q", "close", show=False),
        Binding("right", "show_figures(True)", show=False),
        Binding("left", "show_figures(False)", show=False),
        Binding("tab", "other(1)", show=False),
        Binding("shift+tab", "other(-1)", show=False),
        *SCROLLING,
        Binding("L,f2", "do('language')", show=False),
    ]

    def __init__(self, names: Sequence[str], moves: Sequence[Explain], seats: int, answer: str = "") -> None:
        super().__init__()
        self._seats = seats
        self._figures = False
        self._answer = answer
        self._names = names
        self._moves = moves
        self._shown = 0
        self._found: dict[int, Explanation | str] = {}

    def compose(self) -> ComposeResult:
        """Arrange the chart and the lines in a box as high as the ones that are shown."""
        with Vertical(classes="box wide"):
            yield LiveText(self._heading_text, classes="heading")
            yield TextView(self._write_lines)
            yield ChanceChart(self._list_bars, self._seats, self._write_verdict, self._write_notes)
            yield KeyHints(self._list_hints)
        yield TooSmall()

    def on_mount(self) -> None:
        self._ask_coach()

    def on_resize(self) -> None:
        self._show_part()

    def retranslate(self) -> None:
        super().retranslate()
        self._show_part()

    def action_other(self, steps: int) -> None:
        """Show the move of another bot."""
        if len(self._moves) > 1:
            self._shown = (self._shown + steps) % len(self._moves)
            self.query_one(".heading", LiveText).retranslate()
            self._ask_coach()

    def action_show_figures(self, figures: bool) -> None:
        """Show all figures, or the bars again."""
        self._figures = figures
        self._show_part()

    def action_scroll(self, rows: int) -> None:
        """Mark another move of the chart, or scroll the text."""
        if self._charts:
            self.query_one(ChanceChart).mark_next(rows)
        else:
            self.text_view.scroll_rows(rows)

    @property
    def _explanation(self) -> Explanation | None:
        """The explanation that is shown, once it is there."""
        found = self._found.get(self._shown)
        return found if isinstance(found, Explanation) else None

    @property
    def _charts(self) -> bool:
        return self._explanation is not None and not self._figures

    def _show_part(self) -> None:
        """Show the chart or the figures, in as many rows as they need."""
        chart = self.query_one(ChanceChart)
        chart.display, self.text_view.display = self._charts, not self._charts
        self.text_view.stay_at_start()
        self.fit_text()
        chart.fit_rows(self.rows_within, self.text_columns)
        chart.repaint()
        self.query_one(KeyHints).rewrite_hints()

    def _mark_played(self) -> None:
        """Mark the played move in the chart."""
        explanation = self._explanation
        if explanation is not None:
            played = [figures is explanation.played for figures, _, _ in explanation.rows]
            self.query_one(ChanceChart).mark_move(played.index(True))

    def _ask_coach(self) -> None:
        self._show_part()
        self._mark_played()
        place = self._shown
        if isinstance(self._found.get(place), Explanation):
            return

        def keep(found: Explanation | str) -> None:
            self._found[place] = found
            self._show_part()
            self._mark_played()

        Request(self._moves[place](), keep, keep).start_worker(self)

    def _heading_text(self) -> str:
        return tr("{name}'s move", name=self._names[self._shown])

    def _write_lines(self) -> Sequence[str]:
        found = self._found.get(self._shown)
        if isinstance(found, Explanation):
            return [*explanation_lines(found)]
        return [found or tr("The coach thinks …")]

    def _list_bars(self) -> Sequence[Bar]:
        explanation = self._explanation
        return [] if explanation is None else [*map(Bar.of_row, explanation.rows)]

    def _write_verdict(self) -> Iterable[str]:
        explanation = self._explanation
        if self._answer:
            return [self._answer]
        return () if explanation is None else verdict_lines(explanation)

    def _write_notes(self) -> Iterable[str]:
        explanation = self._explanation
        return () if explanation is None else note_lines(explanation)

    def _list_hints(self) -> Sequence[Hint]:
        others = (("Tab", tr("other bots")),) if len(self._moves) > 1 else ()
        closing = (tr("Esc"), tr("close"))
        if not self._charts:
            return (f"↑ ↓ {tr('PgUp PgDn')}", tr("scroll")), ("←", tr("back")), *others, closing
        moving = (("↑ ↓", tr("move")),) if len(self._list_bars()) > 1 else ()
        return *moving, ("→", tr("all figures")), *others, closing
