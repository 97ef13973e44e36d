"""Menu: a list of items, marked with the arrow keys and chosen with Enter."""

from typing import ClassVar, NamedTuple

from textual.binding import BindingType
from textual.message import Message

from scoville_client.tui.actions import bindings
from scoville_client.tui.drawing.canvas import Canvas, fitted
from scoville_client.tui.drawing.targets import Target
from scoville_client.tui.widgets.canvas_widget import CanvasWidget


class Item(NamedTuple):
    """An item: its id, its label, and muted text beside it."""

    id: str
    label: str
    more: str = ""


class Menu(CanvasWidget, can_focus=True):
    """Posts `Taken` when Enter chooses an item, and `Marked` when another item is marked.

    A click marks an item, and chooses the one that is marked; with `at_once` it does both.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        binding for binding in bindings("start") if binding.action in {"up", "down", "take"}
    ]

    class Taken(Message):
        """The item with the id `item` was chosen."""

        def __init__(self, item: str) -> None:
            super().__init__()
            self.item = item

    class Marked(Message):
        """Another item is marked, or the marked one has changed."""

    def __init__(self, items: list[Item], *, label_width: int = 14, at_once: bool = False) -> None:
        super().__init__()
        self._at_once = at_once
        self.items = items
        self.index = 0
        self.jumps = 0
        """How many times the marked item was removed, so that the mark went to another one."""
        self._label_width = label_width

    def show_items(self, items: list[Item]) -> None:
        """Show other items; the marked one stays marked, or the one in its position if it is gone."""
        marked = self.marked
        self.jumps += marked is not None and all(item.id != marked for item in items)
        self.items = items
        self.index = max(0, min(self.index, len(items) - 1))
        self.mark_item(marked)

    def fit_height(self, most: int) -> None:
        """Take a row for each item, at most `most` rows and at least one."""
        self.styles.height = max(1, min(len(self.items), most))

    @property
    def marked(self) -> str | None:
        """The id of the marked item, None when there are no items."""
        return self.items[self.index].id if self.items else None

    def mark_item(self, item: str | None) -> None:
        """Mark the item with an id, if there is one."""
        self.index = next((number for number, each in enumerate(self.items) if each.id == item), self.index)
        self.repaint()
        self.post_message(self.Marked())

    def draw(self, width: int, height: int) -> Canvas:
        """Draw the items around the marked one; signs at the right edge say that there are others."""
        canvas = Canvas(width, height)
        # One row beneath the marked one stays in sight, to show that the list goes on.
        first = max(0, min(self.index - height + 2, len(self.items) - height))
        for y, item in enumerate(self.items[first : first + height]):
            marked = first + y == self.index
            canvas.link(0, y, width, 1, item.id)
            canvas.put(1, y, "▸" if marked else " ", "target")
            column = canvas.put(3, y, fitted(item.label, self._label_width), "title" if marked else "text")
            canvas.put(column + 1, y, fitted(item.more, max(width - column - 2, 1)), "text" if marked else "muted")
        if first > 0:
            canvas.put(width - 1, 0, "▲", "muted")
        if first + height < len(self.items):
            canvas.put(width - 1, height - 1, "▼", "muted")
        return canvas

    def clicked(self, target: Target) -> None:
        chooses = self._at_once or target == self.marked
        if any(item.id == target for item in self.items):
            self.mark_item(str(target))
            if chooses:
                self.action_take()

    def action_up(self) -> None:
        self._mark_index(self.index - 1)

    def action_down(self) -> None:
        self._mark_index(self.index + 1)

    def action_take(self) -> None:
        if self.marked is not None:
            self.post_message(self.Taken(self.marked))

    def _mark_index(self, index: int) -> None:
        if self.items:
            self.mark_item(self.items[index % len(self.items)].id)
