"""One sentence in place: what went wrong, or what is under way; above it what was announced and is not read yet."""

from textual.geometry import Size

from scoville_client.boards.canvas import Canvas
from scoville_client.boards.prose import wrap
from scoville_client.language import told
from scoville_client.widgets.painting import Painting
from scoville_shared.kit.phrases import Phrase

_EDGE = 2
MOST_ANNOUNCED = 3
"""Announcements that wait to be read; more would cover the page."""


class Notice(Painting):
    """Takes no room while it is empty, and as many rows as its sentence when it is not."""

    def __init__(self) -> None:
        super().__init__()
        self.sentence: str | Phrase = ""
        self.announced: tuple[str, ...] = ()
        self.stays = False
        self._style = "text"

    def tell(self, sentence: str | Phrase, *, bad: bool = False, stays: bool = False) -> None:
        """Show a sentence; an empty one takes it away. One that `stays` is not taken away by the next key."""
        self.stays = stays
        if sentence == self.sentence:
            return
        self.sentence, self._style = sentence, "bad" if bad else "caption"
        self._show()

    def announce(self, sentence: str) -> None:
        """Show a sentence until a key is pressed, whatever else is told or happens meanwhile."""
        self.announced = (*self.announced, sentence)[-MOST_ANNOUNCED:]
        self._show()

    def forget(self) -> None:
        """Take a sentence away that has been read."""
        if self.sentence and not self.stays:
            self.tell("")

    def forget_announced(self) -> None:
        """Take away what was announced: it has been read."""
        if self.announced:
            self.announced = ()
            self._show()

    def _show(self) -> None:
        self.set_class(bool(self.sentence or self.announced), "-told")
        self.refresh(layout=True)
        self.repaint()

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        """Count the rows of the sentence."""
        return len(self._rows_in(width))

    def draw(self, width: int, height: int) -> Canvas:
        """Draw the sentence over the rows there are."""
        canvas = Canvas(width, height)
        for y, (row, style) in enumerate(self._rows_in(width)):
            canvas.put(_EDGE, y, row, style)
        return canvas

    def _rows_in(self, width: int) -> list[tuple[str, str]]:
        sentence = told(self.sentence) if isinstance(self.sentence, Phrase) else self.sentence
        texts = [*((text, "strong") for text in self.announced), (sentence, self._style)]
        return [(row, style) for text, style in texts for row in wrap(text, width - 2 * _EDGE)]
