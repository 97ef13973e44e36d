"""Review dialog: a curve with the moments that decided and the costliest decisions; all lines on demand.

Each moment and each line leads to its place in the game; a decision can be made again.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical

from scoville_client.i18n.language import current_language, render, tr
from scoville_client.replays.reel import Reel
from scoville_client.reviews.background import review_of
from scoville_client.reviews.coaches import progress_bar
from scoville_client.reviews.report_lines import ReviewLine, review_lines
from scoville_client.reviews.review import Review
from scoville_client.reviews.sentences import answer_text, names_of, reason_sentences
from scoville_client.tui.request import Request
from scoville_client.tui.screens.base import TooSmall
from scoville_client.tui.screens.coach.review_chart import ReviewChart
from scoville_client.tui.screens.dialogs.dialog import SCROLLING, Dialog, ScrollingDialog
from scoville_client.tui.screens.dialogs.pick import PickDialog
from scoville_client.tui.widgets.key_hints import Hint, KeyHints
from scoville_client.tui.widgets.live_text import LiveText
from scoville_client.tui.widgets.menu import Item
from scoville_client.tui.widgets.text_view import MarkedText
from scoville_shared.ids import Seat

CELLS = 20
"""Cells of the progress bar."""


class ReviewDialog(Dialog[int | None], ScrollingDialog):
    """Reviews the game that `load` returns, for the player at `seat` first.

    Enter returns the number of the move of the marked moment or line.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,h,q", "close", show=False),
        Binding("enter", "choose", show=False),
        Binding("left", "step(-1)", show=False),
        Binding("right", "step(1)", show=False),
        Binding("tab", "next_player", show=False),
        Binding("v", "list", show=False),
        Binding("c", "choose_again", show=False),
        *SCROLLING,
        Binding("g", "first", show=False),
        Binding("G", "last", show=False),
        Binding("L,f2", "do('language')", show=False),
    ]

    def __init__(self, load: Callable[[], Awaitable[Reel]], seat: Seat | None = None) -> None:
        super().__init__()
        self._seat = Seat(0) if seat is None else seat
        self._lists = False
        self._load = load
        self._review: Review | None = None
        self._refused = ""
        self._done = (0, 1)
        self._in_language = ""
        self._rows: list[ReviewLine] = []

    def compose(self) -> ComposeResult:
        """Arrange the lines in a box as tall as the terminal."""
        with Vertical(classes="box wide tall"):
            yield LiveText(lambda: tr("Review"), classes="heading")
            yield ReviewChart(lambda: self._review, self._seat)
            yield MarkedText(self._write_lines)
            yield KeyHints(self._list_hints)
        yield TooSmall()

    def on_mount(self) -> None:
        self._show_part()
        Request(self._review_game(), self._show_review, self._show_refusal).start_worker(self)

    def on_unmount(self) -> None:
        self.shell.progress.hide()

    async def _review_game(self) -> Review:
        return await review_of(await self._load(), f"review {id(self)}", self._show_progress)

    def _show_progress(self, done: int, total: int) -> None:
        self._done = (done, total)
        self.shell.progress.show_done(done, total)
        self.text_view.repaint()

    def _show_review(self, review: Review) -> None:
        self._review = review
        self.query_one(MarkedText).mark(1)  # beneath the heading
        self.query_one(ReviewChart).mark_costliest()
        self._show_part()

    @property
    def _charts(self) -> bool:
        return self._review is not None and not self._lists

    def _show_part(self) -> None:
        """Show the chart or the lines."""
        chart = self.query_one(ReviewChart)
        chart.display, self.text_view.display = self._charts, not self._charts
        chart.repaint()
        self.query_one(KeyHints).rewrite_hints()

    def _show_refusal(self, sentence: str) -> None:
        self._refused = sentence
        self.text_view.repaint()

    def _write_lines(self) -> Sequence[str]:
        if self._review is None:
            return [self._refused or progress_bar(*self._done, CELLS)]
        return [line.text for line in self._written()]

    def _written(self) -> list[ReviewLine]:
        """Write the review once in each language."""
        language = current_language()
        if self._review is not None and self._in_language != language:
            self._in_language, self._rows = language, list(review_lines(self._review))
        return self._rows

    def action_step(self, steps: int) -> None:
        """Mark the next moment of the curve."""
        if self._charts:
            self.query_one(ReviewChart).mark_next(steps)

    def action_next_player(self) -> None:
        """Show the curve of the next player."""
        if self._charts:
            self.query_one(ReviewChart).show_next_player()

    def action_list(self) -> None:
        """Show all lines, or the chart again."""
        if self._review is not None:
            self._lists = not self._lists
            self._show_part()

    def action_choose(self) -> None:
        text, stop = self.text_view, self.query_one(ReviewChart).stop
        if self._charts and stop is not None:
            self.dismiss(stop.shown_at)
        elif self._review is not None and isinstance(text, MarkedText):
            position = self._written()[text.marked].position
            if position is not None:
                self.dismiss(position)

    def action_choose_again(self) -> None:
        """Let the user make the marked decision again; the answer and the reason follow."""
        review, stop = self._review, self.query_one(ReviewChart).stop
        if not self._charts or review is None or stop is None or stop.decision is None:
            return
        decision, names = stop.decision, names_of(review)
        labels = [
            render(review.reel.game.text.describe_move(review.reel.game.codec.decode_move(each.move)), names)
            for each in decision.figures
        ]

        def answer(chosen: str | None) -> None:
            if chosen is not None:
                said = answer_text(decision.figures[int(chosen)], labels[int(chosen)])
                self.query_one(ReviewChart).show_answer(f"{said} {reason_sentences(review, decision)[0]}")

        items = [Item(str(number), label) for number, label in enumerate(labels)]
        about = tr("Move {position}: what do you play?", position=decision.position)
        self.shell.open_dialog(PickDialog(tr("Choose again"), lambda: items, tr("play"), about=about), answer)

    def _list_hints(self) -> Sequence[Hint]:
        if not self._charts:
            back = (("v", tr("curve")),) * (self._review is not None)
            return (f"↑ ↓ {tr('PgUp PgDn')}", tr("line")), (tr("Enter"), tr("show it")), *back, (tr("Esc"), tr("close"))
        return (
            ("← →", tr("moment")),
            (tr("Enter"), tr("show it")),
            ("c", tr("choose again")),
            (tr("Tab"), tr("next player")),
            ("v", tr("all lines")),
            (tr("Esc"), tr("close")),
        )
