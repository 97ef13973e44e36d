"""Review dialog: what decided a finished game and what was an error; each line leads to its moment."""

from collections.abc import Awaitable, Callable, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical

from scoville_client.i18n.language import current_language, tr
from scoville_client.replays.reel import Reel
from scoville_client.reviews.background import review_of
from scoville_client.reviews.progress import progress_bar
from scoville_client.reviews.report_lines import ReviewLine, review_lines
from scoville_client.reviews.review import Review
from scoville_client.tui.request import Request
from scoville_client.tui.screens.base import TooSmall
from scoville_client.tui.screens.dialogs.dialog import Dialog
from scoville_client.tui.screens.dialogs.scrolling import SCROLLING, ScrollingDialog
from scoville_client.tui.widgets.key_hints import Hint, KeyHints
from scoville_client.tui.widgets.live_text import LiveText
from scoville_client.tui.widgets.marked_text import MarkedText

CELLS = 20
"""Cells of the progress bar."""


class ReviewDialog(Dialog[int | None], ScrollingDialog):
    """Reviews the game that `load` returns; Enter returns the number of the marked line's move."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,h,q", "close", show=False),
        Binding("enter", "choose", show=False),
        *SCROLLING,
        Binding("g", "first", show=False),
        Binding("G", "last", show=False),
        Binding("L,f2", "do('language')", show=False),
    ]

    def __init__(self, load: Callable[[], Awaitable[Reel]]) -> None:
        super().__init__()
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
            yield MarkedText(self._write_lines)
            yield KeyHints(_list_hints)
        yield TooSmall()

    def on_mount(self) -> None:
        Request(self._review_game(), self._show_review, self._show_refusal).start_worker(self)

    async def _review_game(self) -> Review:
        return await review_of(await self._load(), f"review {id(self)}", self._show_progress)

    def _show_progress(self, done: int, total: int) -> None:
        self._done = (done, total)
        self.text_view.repaint()

    def _show_review(self, review: Review) -> None:
        self._review = review
        self.query_one(MarkedText).mark(1)  # beneath the heading

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

    def action_choose(self) -> None:
        text = self.text_view
        if self._review is not None and isinstance(text, MarkedText):
            position = self._written()[text.marked].position
            if position is not None:
                self.dismiss(position)


def _list_hints() -> Sequence[Hint]:
    return (f"↑ ↓ {tr('PgUp PgDn')}", tr("line")), (tr("Enter"), tr("show it")), (tr("Esc"), tr("close"))
