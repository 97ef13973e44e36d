"""Dialog: a modal box over a screen, typed by what it returns."""

from typing import ClassVar, TypeVar

from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen

from scoville_client.tui import STYLES
from scoville_client.tui.screens.base import BaseScreen

T = TypeVar("T")


class Dialog(ModalScreen[T], BaseScreen[T]):
    """A modal box that is dismissed once with a T; later results are ignored."""

    CSS_PATH = STYLES / "dialogs.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("colon,ctrl+p", "do('palette')", show=False, id="palette")]
    _is_answered = False
    _late_result: T | None = None

    @property
    def answered(self) -> bool:
        """Whether it has been dismissed."""
        return self._is_answered

    def dismiss(self, result: T | None = None) -> AwaitComplete:
        """Return a result and close; a dialog beneath another one closes once that one has closed."""
        if self._is_answered:
            return AwaitComplete()
        self._is_answered = True
        # Textual dismisses nothing but the screen in front; the rest waits for `on_screen_resume`.
        if self.in_front:
            return super().dismiss(result)
        self._late_result = result
        return AwaitComplete()

    def action_close(self) -> None:
        self.dismiss(None)

    def on_screen_resume(self) -> None:
        if self._is_answered and self.in_front:
            super().dismiss(self._late_result)
