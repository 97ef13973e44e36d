"""Explanation dialog: the best moves of a decision that was made; a key leads to those of the other bots."""

from collections.abc import Awaitable, Callable, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.events import Resize

from scoville_client.i18n.language import tr
from scoville_client.reviews.advice_text import explanation_lines
from scoville_client.reviews.explanation import Explanation
from scoville_client.tui.request import Request
from scoville_client.tui.screens.base import TooSmall
from scoville_client.tui.screens.dialogs.dialog import SCROLLING, Dialog, ScrollingDialog
from scoville_client.tui.widgets.key_hints import Hint, KeyHints
from scoville_client.tui.widgets.live_text import LiveText
from scoville_client.tui.widgets.text_view import TextView

Explain = Callable[[], Awaitable[Explanation]]


class ExplanationDialog(Dialog[None], ScrollingDialog):
    """Explains moves, one at a time.

    Args:
        names: The players of the moves.
        moves: What explains each of them; asked when it is shown for the first time.
        answer: A text to show before the explanation, instead of the heading's.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,enter,x,q", "close", show=False),
        Binding("left,right,tab,shift+tab", "other", show=False),
        *SCROLLING,
        Binding("L,f2", "do('language')", show=False),
    ]

    def __init__(self, names: Sequence[str], moves: Sequence[Explain], answer: str = "") -> None:
        super().__init__()
        self._answer = answer
        self._names = names
        self._moves = moves
        self._shown = 0
        self._found: dict[int, Explanation | str] = {}

    def compose(self) -> ComposeResult:
        """Arrange the lines in a box as high as they are, as far as the terminal has rows."""
        with Vertical(classes="box wide"):
            yield LiveText(self._heading_text, classes="heading")
            yield TextView(self._write_lines)
            yield KeyHints(self._list_hints)
        yield TooSmall()

    def on_mount(self) -> None:
        self._ask_coach()

    def on_resize(self, event: Resize) -> None:
        super().on_resize(event)
        self.fit_text()

    def retranslate(self) -> None:
        super().retranslate()
        self.fit_text()

    def action_other(self) -> None:
        if len(self._moves) > 1:
            self._shown = (self._shown + 1) % len(self._moves)
            self.query_one(".heading", LiveText).retranslate()
            self._ask_coach()

    def _ask_coach(self) -> None:
        self.text_view.stay_at_start()
        self.fit_text()
        place = self._shown
        if isinstance(self._found.get(place), Explanation):
            return

        def keep(found: Explanation | str) -> None:
            self._found[place] = found
            self.text_view.stay_at_start()
            self.fit_text()

        Request(self._moves[place](), keep, keep).start_worker(self)

    def _heading_text(self) -> str:
        return tr("{name}'s move", name=self._names[self._shown])

    def _write_lines(self) -> Sequence[str]:
        found = self._found.get(self._shown)
        if isinstance(found, Explanation):
            return [*([self._answer, ""] if self._answer else []), *explanation_lines(found)]
        return [found or tr("The coach thinks …")]

    def _list_hints(self) -> Sequence[Hint]:
        others = [("← →", tr("other bots"))] if len(self._moves) > 1 else []
        return (f"↑ ↓ {tr('PgUp PgDn')}", tr("scroll")), *others, (tr("Esc"), tr("close"))
