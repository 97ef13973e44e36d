"""How the game ended: places, shared on ties, and points."""

from scoville_client.boards.canvas import Canvas, fitted
from scoville_client.language import told
from scoville_client.table import AtTable
from scoville_client.telling import finish
from scoville_client.widgets.painting import Painting


class Result(Painting):
    """Shows the result of a finished table."""

    def __init__(self, at: AtTable) -> None:
        super().__init__()
        self._at = at

    def draw(self, width: int, height: int) -> Canvas:
        """Draw the seats by their places, with a bar for the points."""
        canvas = Canvas(width, height)
        at, result = self._at, self._at.result
        assert result is not None, "a result is shown once there is one"
        wide = min(width - 4, 64)
        x = (width - wide) // 2
        canvas.put(x, 1, at.game.info.title, "title")
        canvas.put(x, 3, told(finish(result), at.names), "caption")
        low, high = min(0, *result.scores), max(1, *result.scores)
        bar = wide - 30
        for row, seat in enumerate(sorted(range(len(result.scores)), key=lambda seat: result.places[seat])):
            y = 5 + row * (2 if height > 18 else 1)
            place, score = result.places[seat], result.scores[seat]
            canvas.put(x, y, f"{place}.", "target" if place == 1 else "muted")
            canvas.put(x + 4, y, fitted(at.names[seat], 16), "you" if seat == at.seat else "text")
            canvas.put_right(x + 26, y, f"{score:+d}" if score else "0", "strong")
            length = round((score - low) * bar / (high - low))
            canvas.put(x + 28, y, "█" * length, "heat4" if place == 1 else "faint")
        return canvas
