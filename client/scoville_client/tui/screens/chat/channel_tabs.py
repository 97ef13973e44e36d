"""The rooms one may talk in, in one row, the one that is looked at set off."""

from collections.abc import Callable

from rich.cells import cell_len

from scoville_client.i18n.language import words
from scoville_client.session.conversations import Conversation, Conversations
from scoville_client.tui.drawing.canvas import Canvas, fitted
from scoville_client.tui.widgets.painting import Painting

_LONGEST = 14


class Rooms(Painting):
    """Shows the rooms of a talk, and at the right, when it is so, that I am to move."""

    def __init__(self, talk: Conversations, my_turn: Callable[[], bool]) -> None:
        super().__init__()
        self._talk = talk
        self._my_turn = my_turn

    def draw(self, width: int, height: int) -> Canvas:
        """Draw as many rooms as fit around the one that is looked at."""
        canvas = Canvas(width, height)
        note = f"● {words('Your turn')} " if self._my_turn() else ""
        canvas.put_right(width, 0, note, "target")
        column = 1
        for room in self._in_sight(width - cell_len(note) - 2):
            here = room == self._talk.room
            column = canvas.put(column, 0, self._written(room), "selected" if here else "muted") + 1
        return canvas

    def _in_sight(self, room_for: int) -> list[Conversation]:
        rooms = self._talk.rooms
        while len(rooms) > 1 and sum(cell_len(self._written(room)) + 1 for room in rooms) > room_for:
            rooms.remove(rooms[-1] if rooms[-1] != self._talk.room else rooms[0])
        return rooms

    def _written(self, room: Conversation) -> str:
        name = self._talk.name_of(room)
        name = fitted(name, _LONGEST) if cell_len(name) > _LONGEST else name
        unread = self._talk.unread(room)
        return f"[{name}]" if room == self._talk.room else f" {name}{f' ({unread})' if unread else ''} "
