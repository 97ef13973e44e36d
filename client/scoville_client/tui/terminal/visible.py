"""Filter of everything that is drawn: no character that acts on the terminal or hides leaves in a segment.

A second line of defence: texts from a server were cleaned when they were decoded.
"""

from functools import lru_cache

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from scoville_shared.text import visible


class VisibleText(LineFilter):
    """Removes control characters, directions and invisible characters from the text of segments."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002 - of the interface
        """Return the segments with visible text; Textual's own control segments stay."""
        if all(segment.text.isascii() and segment.text.isprintable() for segment in segments):
            return segments
        return [_visible(segment) for segment in segments]


@lru_cache(maxsize=4096)
def _visible(segment: Segment) -> Segment:
    text, style, control = segment
    return segment if control else Segment(visible(text), style)
