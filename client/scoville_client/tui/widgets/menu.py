"""Menu: a list of items, marked with the arrow keys and chosen with Enter."""

from collections.abc import Sequence
from typing import ClassVar, Final, NamedTuple

from rich.cells import cell_len
from textual.actions import SkipAction
from textual.binding import Binding, BindingType
from textual.events import Key
from textual.message import Message

from scoville_client.i18n.language import tr
from scoville_client.i18n.wrapping import wrap_lines
from scoville_client.tui.actions import LIST_KEYS, bindings
from scoville_client.tui.drawing.canvas import Canvas, Target, fit_text
from scoville_client.tui.widgets.canvas_widget import CanvasWidget


class Item(NamedTuple):
    """An item: its id, its label, and muted text beside it."""

    id: str
    label: str
    more: str = ""


_LONGEST_FILTER: Final = 40
_AROUND: Final = 5
"""Columns of a row before and between its texts, and behind them."""
_DASH: Final = " – "
_MOST_LINES, _SCROLLED = 5, 4
"""Lines of an item, and rows that others have in a list that scrolls."""


class Menu(CanvasWidget, can_focus=True):
    """Posts `Taken` when Enter chooses an item, and `Marked` when another item is marked.

    A click marks an item, and chooses the one that is marked; with `at_once` it does both. After a slash the list shows
    only the items that have every typed word, until Esc; one whose screen takes typed letters itself `filters` nothing.
    """

    SHOWS_HOVER = True
    BINDINGS: ClassVar[list[BindingType]] = [
        *[binding for binding in bindings("start") if binding.action in LIST_KEYS],
        Binding("home", "mark_end(0)", show=False),
        Binding("end", "mark_end(-1)", show=False),
        Binding("pageup", "page(-1)", show=False),
        Binding("pagedown", "page(1)", show=False),
    ]

    class Taken(Message):
        """The item with the id `item` was chosen."""

        def __init__(self, item: str) -> None:
            super().__init__()
            self.item = item

    class Marked(Message):
        """Another item is marked, or the marked one has changed."""

    def __init__(
        self,
        items: list[Item],
        *,
        label_width: int = 14,
        at_once: bool = False,
        filters: bool = True,
        is_tight: bool = False,
    ) -> None:
        super().__init__()
        self._at_once = at_once
        self._filters = filters
        self._typed: str | None = None
        """The filter of the items; None while all are shown."""
        self._every = items
        self.items: Sequence[Item] = items
        """The items that are shown."""
        self.index = 0
        self.jumps = 0
        """How many times the marked item was removed, so that the mark went to another one."""
        self.is_airy = False
        """Whether blank rows come between the items where there is room for them."""
        self._label_width = label_width
        self._is_tight = is_tight
        self._most_rows = 0
        """Rows that `fit_height` may take; 0 where the screen gives the list its height."""

    def show_items(self, items: list[Item]) -> None:
        """Show other items; the marked one stays marked, or the one in its position if it is gone."""
        marked = self.marked
        # Keys that were typed for the former item are dropped: see `meaning` of the screens with lists.
        self.jumps += marked is not None and all(item.id != marked for item in items)
        self._every = items
        self._show_matching(marked)

    def filter_items(self, typed: str | None) -> None:
        """Show only the items that have every word of a text; None shows all of them."""
        self._typed = typed
        self._show_matching(self.marked)

    def _show_matching(self, marked: str | None) -> None:
        words = (self._typed or "").casefold().split()
        self.items = [item for item in self._every if all(word in self.text_of(item).casefold() for word in words)]
        self.index = max(0, min(self.index, len(self.items) - 1))
        self.mark_item(marked)

    def text_of(self, item: Item) -> str:
        """Return the text of an item, in which typed words are looked for."""
        return f"{item.label} {item.more}"

    def fit_height(self, most: int) -> None:
        """Take the rows of all items, with blank ones between if it is airy, at most `most` rows and at least one."""
        self._most_rows = most
        width = self.size.width - self._column_of_labels - _AROUND
        needed = sum(len(_wrap_text(item, width)) for item in self._every)
        airy = needed + len(self._every) - 1
        self.styles.height = max(1, min(airy if self.is_airy and airy <= most else needed, most))

    def count_rows(self, width: int) -> int:
        """Return the rows of all items."""
        return sum(len(_wrap_text(item, width - self._column_of_labels - _AROUND)) for item in self._every)

    def on_resize(self) -> None:
        """Take the rows that all items need in these columns."""
        if self._most_rows:
            self.fit_height(self._most_rows)

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
        """Draw the items, and below them their filter."""
        canvas = Canvas(width, height)
        if self._typed is None:
            self.draw_items(canvas, height)
        else:
            self.draw_items(canvas, height - 1)
            found = tr("{shown} of {all} · Esc shows all", shown=len(self.items), all=len(self._every))
            canvas.put(0, height - 1, fit_text(f" / {self._typed}_  {found}", width), "muted")
            canvas.put(1, height - 1, f"/ {self._typed}_", "target")
        return canvas

    def draw_items(self, canvas: Canvas, height: int) -> None:
        """Draw the items around the marked one in so many rows; signs at the right edge say that there are others."""
        width, labels = canvas.width, self._column_of_labels
        lines = self._wrap_items(width - labels - _AROUND, height)
        rows = sum(map(len, lines))
        apart = 1 if self.is_airy and height >= rows + len(self.items) - 1 else 0
        # One row below the marked one stays in sight, to show that the list goes on.
        room = height - max(0, rows - len(self.items))
        first = max(0, min(self.index - room + 2, len(self.items) - room))
        y = 0
        for number, item in enumerate(self.items[first : first + room], first):
            marked = number == self.index
            canvas.link(0, y, width, len(lines[number]), item.id)
            canvas.put(1, y, "▸" if marked else " ", "target")
            # Without a second column the label may have its room.
            room_of_label = labels if item.more else max(labels, width - 4)
            column = canvas.put(3, y, fit_text(item.label, room_of_label), "title" if marked else "text")
            for offset, line in enumerate(lines[number]):
                canvas.put(column + 1, y + offset, line, "text" if marked else "muted")
            y += apart + len(lines[number])
        if first > 0:
            canvas.put(width - 1, 0, "▲", "muted")
        if first + room < len(self.items):
            canvas.put(width - 1, height - 1, "▼", "muted")

    @property
    def _column_of_labels(self) -> int:
        """Columns of the labels."""
        if not self._is_tight:
            return self._label_width
        # Two blanks behind the widest label where there is room: one alone looks like a part of the label.
        return min(self._label_width, 1 + max((cell_len(item.label) for item in self._every), default=0))

    def _wrap_items(self, width: int, height: int) -> list[list[str]]:
        """Wrap the second text of each item if the list has rows for all of them, else that of the marked one alone."""
        whole = [_wrap_text(item, width) for item in self.items]
        if sum(map(len, whole)) <= height:
            return whole
        lines = [[_cut_text(item, width)] for item in self.items]
        wrapped = whole[self.index]
        rows = len(lines) + len(wrapped) - 1
        if rows <= height or (len(lines) > height >= _SCROLLED + len(wrapped)):
            lines[self.index] = wrapped
        return lines

    def handle_click(self, target: Target) -> None:
        chooses = self._at_once or target == self.marked
        if any(item.id == target for item in self.items):
            self.mark_item(str(target))
            if chooses:
                self.action_take()

    def check_consume_key(self, key: str, character: str | None) -> bool:
        """Whether a key is a letter of the filter."""
        return self._typed is not None and character is not None and character.isprintable() and key != "enter"

    def on_key(self, event: Key) -> None:
        """Change the filter, if there is one."""
        if self._typed is None:
            return
        if event.key == "escape" or (event.key == "backspace" and not self._typed):
            self.filter_items(None)
        elif event.key == "backspace":
            self.filter_items(self._typed[:-1])
        elif event.character is not None and self.check_consume_key(event.key, event.character):
            self.filter_items(f"{self._typed}{event.character}"[:_LONGEST_FILTER])
        else:
            return
        event.stop()

    def action_filter(self) -> None:
        if not self._filters or len(self._every) < 2 or self.size.height < 2:
            raise SkipAction
        self.filter_items("")

    def action_mark_end(self, index: int) -> None:
        """Mark the first item (0) or the last one (-1)."""
        if self.items:
            self.mark_item(self.items[index].id)

    def action_page(self, pages: int) -> None:
        """Mark the item so many pages further down; one row of the page before stays in sight."""
        if self.items:
            index = self.index + pages * max(1, self.size.height - 1)
            self.mark_item(self.items[max(0, min(index, len(self.items) - 1))].id)

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


def _wrap_text(item: Item, width: int) -> list[str]:
    """Wrap the second text of an item into a few rows; a longer one is cut in a single row.

    One that has room stays as it is: it may have columns, which wrapping would close up.
    """
    lines = [*wrap_lines(item.more, width)] if cell_len(item.more) > width > 0 else []
    return lines if 0 < len(lines) <= _MOST_LINES else [_cut_text(item, width)]


def _cut_text(item: Item, width: int) -> str:
    """Cut the second text of an item to a row; what explains it, behind a dash, is left out whole."""
    short = item.more.partition(_DASH)[0]
    is_long = cell_len(item.more) > width >= cell_len(short)
    return fit_text(short if is_long else item.more, max(width, 1))
