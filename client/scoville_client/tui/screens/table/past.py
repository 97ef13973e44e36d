"""Past of a table: its log, looking back during a game, and the offer to watch what the user has missed."""

import sys
from collections.abc import Callable, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical

from scoville_client.i18n.language import render, tr
from scoville_client.session.changes import Change
from scoville_client.session.table.table import AtTable, Missed
from scoville_client.tui.screens.base import TooSmall
from scoville_client.tui.screens.dialogs.dialog import SCROLLING, Dialog, ScrollingDialog
from scoville_client.tui.screens.page import Page
from scoville_client.tui.screens.table.stage import Stage
from scoville_client.tui.widgets.key_hints import Hint, KeyHints
from scoville_client.tui.widgets.live_text import LiveText
from scoville_client.tui.widgets.text_view import MarkedText, TextView
from scoville_shared.engine.phrases import Phrase


class LogDialog(Dialog[int | None], ScrollingDialog):
    """Shows the lines that `lines` returns, the newest at the end.

    Where `leads` says so, Enter returns the number of the line at the top, to look back at its moment; else it closes.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,l,q", "close", show=False),
        Binding("enter,left_square_bracket", "choose", show=False),
        *SCROLLING,
        Binding("g", "first", show=False),
        Binding("G", "last", show=False),
        Binding("L,f2", "do('language')", show=False),
    ]

    def __init__(self, lines: Callable[[], Sequence[str]], *, leads: bool = False) -> None:
        super().__init__()
        self._lines = lines
        self._leads = leads

    def compose(self) -> ComposeResult:
        """Arrange the log in a box as tall as the terminal."""
        with Vertical(classes="box wide tall"):
            yield LiveText(lambda: tr("Log"), classes="heading")
            yield MarkedText(self._lines) if self._leads else TextView(self._lines, newest="strong")
            yield KeyHints(self._list_hints)
        yield TooSmall()

    def session_changed(self, change: Change) -> None:  # noqa: ARG002 - the lines know it
        self.text_view.repaint()

    def action_choose(self) -> None:
        text = self.text_view
        self.dismiss(text.marked if isinstance(text, MarkedText) else None)

    def _list_hints(self) -> Sequence[Hint]:
        if self._leads:
            return (f"↑ ↓ {tr('PgUp PgDn')}", tr("line")), (tr("Enter"), tr("look back")), (tr("Esc"), tr("close"))
        return (f"↑ ↓ {tr('PgUp PgDn')}", tr("scroll")), (tr("Esc"), tr("close"))


_MISSED = Phrase(
    "{n} move happened: press [ to watch it.",
    many="{n} moves happened: press [ to watch them.",
)


class TablePast:
    """What has happened at the table of a stage, as far as its board shows it already."""

    def __init__(self, page: Page, stage: Stage) -> None:
        self._page = page
        self._stage = stage
        self._offered: Missed | None = None

    def log_lines(self, most: int = sys.maxsize) -> list[str]:
        """Write the newest lines of the log, up to what the board shows."""
        at, board = self._stage.at, self._stage.board
        phrases = [line.phrase for line in at.log[-most:]] if board is None else board.past_phrases()[-most:]
        return [render(phrase, at.names) for phrase in phrases]

    def open_log(self) -> None:
        """Open the log; a line leads to its moment in the game."""
        at = self._stage.at
        leads = at.result is None and at.deal.has_past
        self._page.shell.open_dialog(LogDialog(self.log_lines, leads=leads), self._look_back_from_line)

    def _look_back_from_line(self, line: int | None) -> None:
        log = self._stage.at.log
        if line is not None and line < len(log):
            self._open_look_back(log[line].seq)

    def offer_missed(self) -> None:
        """Offer what was missed, once the table as it is now is on the terminal."""
        missed = self._stage.at.missed
        if missed is not None and missed != self._offered and self._stage.at.result is None:
            self._offered = missed
            self._page.announce(render(_MISSED.with_fields({"n": missed.moves}, missed.moves)))

    def look_back(self) -> None:
        """Watch what was missed; without that, look at the move before the present."""
        at = self._stage.at
        if at.missed is not None and at.result is None:
            self._page.shell.send_request(self._watch_missed(at, at.missed))
        else:
            self._open_look_back(None)

    async def _watch_missed(self, at: AtTable, missed: Missed) -> None:
        await self._page.shell.session.look_back()
        if self._stage.at is at and at.result is None and at.deal.has_past:
            self._page.shell.navigation.open_look_back(at, missed.since, plays=True)

    def _open_look_back(self, seq: int | None) -> None:
        at = self._stage.at
        if at.result is None and at.deal.has_past:
            self._page.shell.navigation.open_look_back(at, seq)
        else:
            self._page.show_notice(tr("There is nothing to look back at yet."))
