"""One sentence in place: what went wrong, or what is under way."""

from scoville_client.boards.canvas import Canvas
from scoville_client.boards.prose import wrap
from scoville_client.language import told
from scoville_client.widgets.painting import Painting
from scoville_shared.kit.phrases import Phrase


class Notice(Painting):
    """Takes no room while it is empty."""

    def __init__(self) -> None:
        super().__init__()
        self.sentence: str | Phrase = ""
        self._style = "text"

    def tell(self, sentence: str | Phrase, *, bad: bool = False) -> None:
        """Show a sentence; an empty one makes the room free again."""
        if sentence == self.sentence:
            return
        self.sentence, self._style = sentence, "bad" if bad else "caption"
        self.set_class(bool(sentence), "-told")
        self.repaint()

    def draw(self, width: int, height: int) -> Canvas:
        """Draw the sentence over the rows there are."""
        canvas = Canvas(width, height)
        sentence = told(self.sentence) if isinstance(self.sentence, Phrase) else self.sentence
        for y, row in enumerate(wrap(sentence, width - 4)):
            canvas.put(2, y, row, self._style)
        return canvas
