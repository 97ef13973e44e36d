"""A box as high as its contents."""

from itertools import pairwise
from typing import Final, Protocol, runtime_checkable

from textual.containers import Vertical, VerticalScroll
from textual.geometry import Size
from textual.widget import Widget

MOST_ROWS: Final = 36
"""Rows of the contents of a box; nobody reads longer lists without scrolling."""
_BAR: Final = 1
"""Columns of the scroll bar of a part that scrolls."""


@runtime_checkable
class Scrollable(Protocol):
    """A widget that scrolls its contents, where they need more rows than it has."""

    def count_rows(self, width: int) -> int:
        """Return the rows of all its contents, `width` columns wide."""


class FittedBox(Vertical):
    """Gives the child that fills it (`1fr`) as many rows as its contents need, within those of the terminal.

    Textual gives such a child of a box of automatic height all rows of the terminal: the box around a short list would
    be empty for the most part.
    """

    @property
    def _has_relative_children_height(self) -> bool:
        """Of Textual: whether a box of automatic height takes all rows that there are, whatever its contents need."""
        return False

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Add up the rows of the children and the margins between them."""
        children = self.displayed_children
        rows = sum(self._rows_of(child, container, viewport, width) for child in children)
        gaps = [max(above.styles.margin.bottom, below.styles.margin.top) for above, below in pairwise(children)]
        return min(rows + sum(gaps), MOST_ROWS)

    def fit_rows(self) -> None:
        """Find the height again, after the contents have changed."""
        self.refresh(layout=True)

    def _rows_of(self, child: Widget, container: Size, viewport: Size, width: int) -> int:
        height = child.styles.height
        if height is None or not height.is_fraction:
            return child.get_content_height(container, viewport, width - child.gutter.width) + child.gutter.height
        if isinstance(child, Scrollable):
            return max(1, child.count_rows(width))
        if isinstance(child, VerticalScroll):
            return sum(each.get_content_height(container, viewport, width - _BAR) for each in child.displayed_children)
        return MOST_ROWS


def fit_box_around(widget: Widget) -> None:
    """Let the box around a widget find its height again, if it fits its contents."""
    if isinstance(widget.parent, FittedBox):
        widget.parent.fit_rows()
