"""One quiet row above the keys: what somebody has just said or shown."""

from textual.message import Message

from scoville_client.clock import Handle
from scoville_client.tui.drawing.canvas import Canvas, fitted
from scoville_client.tui.widgets.painting import Painting
from scoville_client.tui.widgets.timers import call_after

SECONDS = 7.0
"""How long a row stays: long enough to read it twice."""
_EDGE = 2


class Overheard(Painting):
    """Shows the latest of what was said, for a while; it takes no key and no room."""

    class Shown(Message):
        """Something is shown, or nothing any more."""

    def __init__(self, who: str, what: str) -> None:
        super().__init__()
        self._who, self._what = who, what
        self._while: Handle | None = None

    def on_mount(self) -> None:
        """Begin with what was heard first."""
        self.show(self._who, self._what)

    def show(self, who: str, what: str) -> None:
        """Show what somebody has said, instead of what was said before."""
        self._who, self._what = who, what
        self.set_class(bool(who), "-told")
        if self.is_attached:
            self.post_message(self.Shown())
        self.refresh(layout=True)
        self.repaint()
        if self._while is not None:
            self._while.cancel()
        self._while = call_after(self, SECONDS, self.hide) if who and self.is_attached else None

    def hide(self) -> None:
        """Take it away."""
        self.show("", "")

    def draw(self, width: int, height: int) -> Canvas:
        """Draw the name bright, the words after it as far as they fit."""
        canvas = Canvas(width, height)
        x = canvas.put(_EDGE, 0, f"{self._who}: ", "strong")
        canvas.put(x, 0, fitted(self._what, width - x - _EDGE), "text")
        return canvas
