"""Advice dialog: what every legal move is worth, and why; it thinks while the table goes on."""

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical

from scoville_client.i18n.language import tr
from scoville_client.reviews.advice import Advice, advise_player
from scoville_client.reviews.advice_text import advice_lines
from scoville_client.session.changes import Change
from scoville_client.session.table.table import AtTable
from scoville_client.tui.request import Request
from scoville_client.tui.screens.base import TooSmall
from scoville_client.tui.screens.dialogs.dialog import Dialog
from scoville_client.tui.screens.dialogs.scrolling import SCROLLING, ScrollingDialog
from scoville_client.tui.widgets.key_hints import Hint, KeyHints
from scoville_client.tui.widgets.live_text import LiveText
from scoville_client.tui.widgets.text_view import TextView


class AdviceDialog(Dialog[None], ScrollingDialog):
    """Shows the coach's figures of the decision that the user owes at a table; it closes once that is made."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,enter,h,q", "close", show=False),
        *SCROLLING,
        Binding("L,f2", "do('language')", show=False),
    ]

    def __init__(self, at: AtTable) -> None:
        super().__init__()
        self._at = at
        self._seq = at.seq
        self._advice: Advice | None = None
        self._refused = ""

    def compose(self) -> ComposeResult:
        """Arrange the lines in a box as tall as the terminal."""
        with Vertical(classes="box wide tall"):
            yield LiveText(lambda: tr("Coach"), classes="heading")
            yield TextView(self._write_lines)
            yield KeyHints(_list_hints)
        yield TooSmall()

    def on_mount(self) -> None:
        self.text_view.stay_at_start()
        asker = f"advice {self._at.id} {self._at.seat}"
        Request(advise_player(self._at, self._at.seq + 1, asker), self._show_advice, self._show_refusal).start_worker(
            self
        )

    def session_changed(self, change: Change) -> None:  # noqa: ARG002 - the table knows it
        at = self.shell.session.table
        if at is None or at.id != self._at.id or not at.my_turn:
            self.dismiss(None)

    def _show_advice(self, advice: Advice) -> None:
        self._advice = advice
        self.text_view.stay_at_start()

    def _show_refusal(self, sentence: str) -> None:
        self._refused = sentence
        self.text_view.repaint()

    def _write_lines(self) -> Sequence[str]:
        if self._advice is None:
            return [self._refused or tr("The coach thinks …")]
        return list(advice_lines(self._advice))


def _list_hints() -> Sequence[Hint]:
    return (f"↑ ↓ {tr('PgUp PgDn')}", tr("scroll")), (tr("Esc"), tr("close"))
