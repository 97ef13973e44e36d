"""Replay bar: position and point of view of a game that is stepped through, with a scrubber, in one line."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from rich.cells import cell_len
from textual.message import Message

from scoville_client.i18n.language import format_number, render, tr
from scoville_client.replays.playback import Tape
from scoville_client.tui.drawing.canvas import Canvas, Target, edge_of
from scoville_client.tui.widgets.canvas_widget import CanvasWidget
from scoville_shared.engine.phrases import Phrase

_PARTS = {
    "round": Phrase("round {part}/{parts}"),
    "card": Phrase("card {part}/{parts}"),
    "lap": Phrase("lap {part}/{parts}"),
}

_RUN = "run"
"""Target of a click on the sign at the left end."""
_SHORT = 60
"""Columns of a terminal that is too narrow for words."""
_LEAST_SCRUBBER, _LONGEST_SCRUBBER = 7, 60
"""Cells of a scrubber: fewer show nothing, more do not tell more."""


class Piece(NamedTuple):
    """A piece of the bar: its text and style."""

    text: str
    style: str


class ReplayBar(CanvasWidget):
    """Shows a tape, and whether it plays (`running`) at `speed`.

    `before` returns the pieces at the left, such as digits that are typed, `after` those behind the position, both the
    most important first.
    """

    class PositionClicked(Message):
        """A position was clicked on the scrubber."""

        def __init__(self, position: int) -> None:
            super().__init__()
            self.position = position

    class RunClicked(Message):
        """The sign that starts and stops playing was clicked, at the left end."""

    def __init__(
        self,
        tape: Tape,
        before: Callable[[], Iterable[Piece]],
        after: Callable[[], Iterable[Piece]],
    ) -> None:
        super().__init__()
        self._tape = tape
        self._before = before
        self._after = after
        self.running = False
        self.speed = 1.0

    def draw(self, width: int, height: int) -> Canvas:
        """Draw as many pieces as fit, the most important first; the scrubber has the cells that are left."""
        canvas = Canvas(width, height)
        edge, gap = edge_of(width), 3 if width > _SHORT else 2
        left, right = self._list_pieces(short=width <= _SHORT)
        room = width - 2 * edge
        kept = _keep_fitting([*left, *right], room - _LEAST_SCRUBBER - gap, gap)
        scrubber = min(room - _width_of(kept, gap) - gap, _LONGEST_SCRUBBER)
        column = edge
        for number_of_piece, piece in enumerate(kept):
            if number_of_piece == len(left):
                draw_scrubber(canvas, column, 0, scrubber, self._tape)
                column += scrubber + gap
            elif piece is left[-1]:
                canvas.link(column, 0, cell_len(piece.text), 1, _RUN)
            column = canvas.put(column, 0, *piece) + gap
        return canvas

    def handle_click(self, target: Target) -> None:
        if isinstance(target, int):
            self.post_message(self.PositionClicked(target))
        elif target == _RUN:
            self.post_message(self.RunClicked())

    def _list_pieces(self, *, short: bool) -> tuple[list[Piece], list[Piece]]:
        """Return the pieces before and behind the scrubber; it shows the part, too, which is the last in `short`."""
        tape = self._tape
        speed = f" ×{_speed_text(self.speed)}" if self.speed != 1 else ""
        left = [*self._before(), Piece(("▶" if self.running else "■") + speed, "strong")]
        move, moves = min(tape.position, tape.moves), tape.moves
        position = f"{move}/{moves}" if short else tr("move {move}/{moves}", move=move, moves=moves)
        part = render(_PARTS[tape.kind]._replace(fields={"part": tape.part_number, "parts": len(tape.parts)}))
        after = [*self._after(), Piece(part, "text")] if short else [Piece(part, "text"), *self._after()]
        return left, [Piece(position, "strong"), *after]


def draw_scrubber(canvas: Canvas, x: int, y: int, width: int, tape: Tape) -> None:
    """Draw where the tape is between its ends, in `width` cells; the beginnings of its parts are marked."""

    def column(position: int) -> int:
        return x + round(position * (width - 1) / max(1, tape.last))

    # Reversed: where several parts begin in one cell, a click leads to the first.
    begin = {column(part): part for part in reversed(tape.parts)}
    for cell in range(width):
        canvas.link(x + cell, y, 1, 1, begin.get(x + cell, round(cell * tape.last / max(1, width - 1))))
    here = column(tape.position)
    canvas.put(x, y, "─" * width, "faint")
    canvas.put(x, y, "━" * (here - x), "target")
    for part in tape.parts:
        canvas.put(column(part), y, "┯" if column(part) < here else "┬", "rim" if column(part) < here else "muted")
    canvas.put(here, y, "●", "selected")


def _keep_fitting(pieces: Sequence[Piece], room: int, gap: int) -> list[Piece]:
    kept: list[Piece] = []
    for piece in pieces:
        if _width_of([*kept, piece], gap) <= room:
            kept.append(piece)
    return kept


def _width_of(pieces: Sequence[Piece], gap: int) -> int:
    return sum(cell_len(piece.text) + gap for piece in pieces) - gap


def _speed_text(speed: float) -> str:
    return str(round(speed)) if speed >= 1 else format_number(speed, 2).rstrip("0")
