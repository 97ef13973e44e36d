"""One sentence in place: what went wrong, or what is under way."""

from textual.geometry import Size

from scoville_client.boards.canvas import Canvas
from scoville_client.boards.prose import wrap
from scoville_client.language import told
from scoville_client.widgets.painting import Painting
from scoville_shared.kit.phrases import Phrase

_EDGE = 2


class Notice(Painting):
    """Takes no room while it is empty, and as many rows as its sentence when it is not."""

    def __init__(self) -> None:
        super().__init__()
        self.sentence: str | Phrase = ""
        self.stays = False
        self._style = "text"

    def tell(self, sentence: str | Phrase, *, bad: bool = False, stays: bool = False) -> None:
        """Show a sentence; an empty one takes it away. One that `stays` is not taken away by the next key."""
        self.stays = stays
        if sentence == self.sentence:
            return
        self.sentence, self._style = sentence, "bad" if bad else "caption"
        self.set_class(bool(sentence), "-told")
        self.refresh(layout=True)
        self.repaint()

    def forget(self) -> None:
        """Take a sentence away that has been read."""
        if self.sentence and not self.stays:
            self.tell("")

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        """Count the rows of the sentence."""
        return len(self._lines(width))

    def draw(self, width: int, height: int) -> Canvas:
        """Draw the sentence over the rows there are."""
        canvas = Canvas(width, height)
        for y, row in enumerate(self._lines(width)):
            canvas.put(_EDGE, y, row, self._style)
        return canvas

    def _lines(self, width: int) -> list[str]:
        sentence = told(self.sentence) if isinstance(self.sentence, Phrase) else self.sentence
        return list(wrap(sentence, width - 2 * _EDGE))
