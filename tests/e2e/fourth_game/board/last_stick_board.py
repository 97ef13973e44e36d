"""The board of Last Stick, from a distribution of its own."""

from scoville_client.tui.boards.sentences import SentencesBoard
from scoville_client.tui.drawing.canvas import Canvas


class LastStickBoard(SentencesBoard):
    """The sentences, and the heap as a row of strokes."""

    def draw(self, width: int, height: int) -> Canvas:
        """Draw what the sentences tell, and the sticks in the row above the moves."""
        canvas = super().draw(width, height)
        canvas.put(2, height - 4, "|" * self.at.view.heap.sticks, "text")
        return canvas


BOARD = LastStickBoard
