"""Advice dialog, in stages: what to consider, then what each move is worth, then all figures.

It thinks from the first stage on, while the table goes on.
"""

from collections.abc import Callable, Sequence
from enum import IntEnum
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical

from scoville_client.i18n.language import render, tr
from scoville_client.reviews.advice import Advice, advise_player, hint_for
from scoville_client.reviews.advice_text import advice_lines
from scoville_client.session.changes import Change
from scoville_client.session.table.table import AtTable
from scoville_client.tui.boards import find_board_of
from scoville_client.tui.request import Request
from scoville_client.tui.screens.base import TooSmall
from scoville_client.tui.screens.coach.chance_chart import Bar, ChanceChart
from scoville_client.tui.screens.dialogs.dialog import SCROLLING, Dialog, ScrollingDialog
from scoville_client.tui.widgets.key_hints import Hint, KeyHints
from scoville_client.tui.widgets.live_text import LiveText
from scoville_client.tui.widgets.text_view import TextView


class Stage(IntEnum):
    """How much the coach says."""

    HINT = 0
    CHART = 1
    FIGURES = 2


class AdviceDialog(Dialog[None], ScrollingDialog):
    """Helps with the decision that the user owes at a table; it closes once that is made.

    `show_on_board` is called with the advice once the user has seen its chart.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "close", show=False),
        Binding("right,h,enter", "go_on", show=False),
        Binding("left", "go_back", show=False),
        *SCROLLING,
        Binding("L,f2", "do('language')", show=False),
    ]

    def __init__(self, at: AtTable, show_on_board: Callable[[Advice], None] = lambda _: None) -> None:
        super().__init__()
        self._at = at
        self._show_on_board = show_on_board
        self._stage = Stage.HINT
        self._advice: Advice | None = None
        self._refused = ""
        self.set_class(find_board_of(at).DECIDES_ABOVE, "-below")

    def compose(self) -> ComposeResult:
        """Arrange the text and the chart in a box as high as the one that is shown."""
        with Vertical(classes="box wide"):
            yield LiveText(lambda: tr("Coach"), classes="heading")
            yield TextView(self._write_lines)
            yield ChanceChart(self._list_bars, len(self._at.info.seats))
            yield KeyHints(self._list_hints)
        yield TooSmall()

    def on_mount(self) -> None:
        self._show_stage(Stage.HINT)
        asker = f"advice {self._at.id} {self._at.seat}"
        Request(advise_player(self._at, self._at.seq + 1, asker), self._show_advice, self._show_refusal).start_worker(
            self
        )

    def on_resize(self) -> None:
        self._fit_box()

    def retranslate(self) -> None:
        super().retranslate()
        self._fit_box()

    def _fit_box(self) -> None:
        """Let the text or the chart take its rows: beside a hint of three rows the board is in sight."""
        self.fit_text()
        self.query_one(ChanceChart).fit_rows(self.rows_within, self.text_columns)

    def session_changed(self, change: Change) -> None:  # noqa: ARG002 - the table knows it
        at = self.shell.session.table
        if at is None or at.id != self._at.id or not at.my_turn:
            self.dismiss(None)

    def action_go_on(self) -> None:
        """Say more, once the coach has thought; after everything is said, close."""
        if self._is_thinking:
            return
        if self._stage is Stage.FIGURES or self._refused:
            self.dismiss(None)
        else:
            self._show_stage(Stage(self._stage + 1))

    def action_go_back(self) -> None:
        self._show_stage(Stage(max(Stage.HINT, self._stage - 1)))

    def action_scroll(self, rows: int) -> None:
        """Mark another move of the chart, or scroll the text."""
        if self._shows_chart:
            self.query_one(ChanceChart).mark_next(rows)
        else:
            self.text_view.scroll_rows(rows)

    @property
    def _is_thinking(self) -> bool:
        """Whether the user waits for the coach."""
        return self._stage > Stage.HINT and self._advice is None and not self._refused

    @property
    def _shows_chart(self) -> bool:
        return self._stage is Stage.CHART and self._advice is not None

    def _show_stage(self, stage: Stage) -> None:
        self._stage = stage
        chart = self.query_one(ChanceChart)
        chart.display, self.text_view.display = self._shows_chart, not self._shows_chart
        self.text_view.stay_at_start()
        self._fit_box()
        chart.repaint()
        self.query_one(KeyHints).rewrite_hints()
        if self._shows_chart and self._advice is not None:
            self._show_on_board(self._advice)

    def _show_advice(self, advice: Advice) -> None:
        self._advice = advice
        self._show_stage(self._stage)

    def _show_refusal(self, sentence: str) -> None:
        self._refused = sentence
        self._show_stage(self._stage)

    def _write_lines(self) -> Sequence[str]:
        if self._refused:
            return [self._refused]
        if self._stage is Stage.HINT:
            hint = hint_for(self._at)
            return [] if hint is None else [render(hint, self._at.names)]
        return [tr("The coach thinks …")] if self._advice is None else list(advice_lines(self._advice))

    def _list_bars(self) -> Sequence[Bar]:
        if self._advice is None:
            return []
        best, *others = map(Bar.of_row, self._advice.rows)
        # A few words for the move that one looks at first; its parts are among the figures.
        return [best._replace(reason=self._advice.short or best.reason), *others]

    def _list_hints(self) -> Sequence[Hint]:
        if self._is_thinking:
            return ("←", tr("back")), (tr("Esc"), tr("close"))
        further = {Stage.HINT: tr("which move"), Stage.CHART: tr("all figures")}
        moving = (("↑ ↓", tr("move")),) if self._shows_chart else ((("↑ ↓", tr("scroll")),) if self._stage > 0 else ())
        on = (("→", further[self._stage]),) if self._stage in further and not self._refused else ()
        back = (("←", tr("back")),) if self._stage else ()
        return *moving, *on, *back, (tr("Esc"), tr("close"))
