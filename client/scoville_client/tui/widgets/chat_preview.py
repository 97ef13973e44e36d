"""Chat preview: the latest message or reaction in one row above the key bar."""

from textual.message import Message

from scoville_client.tui.drawing.canvas import Canvas, fitted
from scoville_client.tui.widgets.canvas_widget import CanvasWidget
from scoville_client.tui.widgets.timers import call_after
from scoville_runtime.clock import Alarm

SECONDS = 7.0
"""Seconds that a message stays: long enough to read it twice."""
_EDGE = 2


class ChatPreview(CanvasWidget):
    """Shows the latest message for some seconds; it takes neither keys nor rows."""

    class Changed(Message):
        """The preview has appeared or disappeared."""

    def __init__(self, name: str, text: str) -> None:
        super().__init__()
        self._sender, self._text = name, text
        self._timer: Alarm | None = None

    def on_mount(self) -> None:
        self.show_message(self._sender, self._text)

    def show_message(self, name: str, text: str) -> None:
        """Show a message instead of the one before."""
        self._sender, self._text = name, text
        self.set_class(bool(name), "-visible")
        if self.is_attached:
            self.post_message(self.Changed())
        self.refresh(layout=True)
        self.repaint()
        if self._timer is not None:
            self._timer.cancel()
        self._timer = call_after(self, SECONDS, self.hide_message) if name and self.is_attached else None

    def hide_message(self) -> None:
        """Hide the preview."""
        self.show_message("", "")

    def draw(self, width: int, height: int) -> Canvas:
        """Draw the name in bold, and as much of the text as fits."""
        canvas = Canvas(width, height)
        x = canvas.put(_EDGE, 0, f"{self._sender}: ", "strong")
        canvas.put(x, 0, fitted(self._text, width - x - _EDGE), "text")
        return canvas
