"""Channel tabs: the conversations in one row, the current one in brackets."""

from collections.abc import Callable

from rich.cells import cell_len

from scoville_client.i18n.language import tr
from scoville_client.session.conversations import Conversation, Conversations
from scoville_client.tui.drawing.canvas import Canvas, fitted
from scoville_client.tui.drawing.targets import Target
from scoville_client.tui.widgets.canvas_widget import CanvasWidget

_LONGEST = 14


class ChannelTabs(CanvasWidget):
    """Shows conversations with their unread counts, and at the right whether it is the user's turn.

    `go` switches to the conversation that was clicked.
    """

    def __init__(
        self, conversations: Conversations, my_turn: Callable[[], bool], go: Callable[[Conversation], None]
    ) -> None:
        super().__init__()
        self._conversations = conversations
        self._my_turn = my_turn
        self._go = go

    def draw(self, width: int, height: int) -> Canvas:
        """Draw as many conversations as fit around the current one."""
        canvas = Canvas(width, height)
        note = f"● {tr('Your turn')} " if self._my_turn() else ""
        canvas.put_right(width, 0, note, "target")
        column = 1
        for room in self._in_sight(width - cell_len(note) - 2):
            here = room == self._conversations.room
            canvas.link(column, 0, cell_len(self._written(room)), 1, room)
            column = canvas.put(column, 0, self._written(room), "selected" if here else "muted") + 1
        return canvas

    def clicked(self, target: Target) -> None:
        if isinstance(target, Conversation):
            self._go(target)

    def _in_sight(self, room_for: int) -> list[Conversation]:
        rooms = self._conversations.rooms
        while len(rooms) > 1 and sum(cell_len(self._written(room)) + 1 for room in rooms) > room_for:
            rooms.remove(rooms[-1] if rooms[-1] != self._conversations.room else rooms[0])
        return rooms

    def _written(self, room: Conversation) -> str:
        name = self._conversations.name_of(room)
        name = fitted(name, _LONGEST) if cell_len(name) > _LONGEST else name
        unread = self._conversations.unread(room)
        return f"[{name}]" if room == self._conversations.room else f" {name}{f' ({unread})' if unread else ''} "
