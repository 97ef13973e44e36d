"""Replay bar: verification, position and point of view of a replay in one line."""

from collections.abc import Iterator

from rich.cells import cell_len

from scoville_client.i18n.language import number, render, tr
from scoville_client.replays.playback import Playback
from scoville_client.tui.drawing.canvas import Canvas
from scoville_client.tui.widgets.canvas_widget import CanvasWidget
from scoville_shared.engine.phrases import Phrase

_PARTS = {
    "round": Phrase("round {part}/{parts}"),
    "card": Phrase("card {part}/{parts}"),
    "lap": Phrase("lap {part}/{parts}"),
}

_SHORT = 60
"""Columns of a terminal that is too narrow for words."""


class ReplayBar(CanvasWidget):
    """Shows a playback: `typed` digits of a number to go to; `running`, whether it plays at `speed`."""

    def __init__(self, playback: Playback) -> None:
        super().__init__()
        self._playback = playback
        self.typed = ""
        self.running = False
        self.speed = 1.0

    def draw(self, width: int, height: int) -> Canvas:
        """Draw as many pieces as fit, the most important first."""
        canvas = Canvas(width, height)
        edge, gap = (2, 3) if width > _SHORT else (1, 2)
        column = edge
        for text, style in self._pieces(short=width <= _SHORT):
            if column + cell_len(text) <= width - edge:
                column = canvas.put(column, 0, text, style) + gap
        return canvas

    def _pieces(self, *, short: bool) -> Iterator[tuple[str, str]]:
        playback, reel = self._playback, self._playback.reel
        if self.typed:
            yield tr("Go to: {number}_", number=self.typed), "caption"
        yield ("▶" if self.running else "■") + (f" ×{_speed(self.speed)}" if self.speed != 1 else ""), "strong"
        if reel.verdict.verified:
            yield tr("verified"), "good"
        else:
            yield tr("not finished") if reel.verdict.unfinished else tr("NOT verified"), "bad"
        yield self._point_of_view(), "you"
        move, moves = min(playback.position, reel.moves), reel.moves
        yield f"{move}/{moves}" if short else tr("move {move}/{moves}", move=move, moves=moves), "strong"
        fields = {"part": playback.part, "parts": len(reel.parts)}
        yield render(_PARTS[reel.kind]._replace(fields=fields)), "text"
        yield tr("? keys"), "muted"

    def _point_of_view(self) -> str:
        seat = self._playback.seat
        if seat is None:
            return tr("spectator")
        return tr("as {name}", name=self._playback.reel.header.seats[seat].name)


def _speed(speed: float) -> str:
    return str(round(speed)) if speed >= 1 else number(speed, 2).rstrip("0")
