"""What one likes: what may call, how things look, how they move."""

from typing import ClassVar

from msgspec.structs import replace
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content

from scoville_client.i18n.language import LANGUAGES, spoken, words
from scoville_client.tui.screens.page import Dialog, TooSmall, keys
from scoville_client.tui.widgets.live_text import Live
from scoville_client.tui.widgets.menu import Item, Menu

_WIDTH = 25


class LikesDialog(Dialog[None]):
    """A line a like; Enter, left and right change the marked one at once."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,N", "close", show=False),
        Binding("left,right", "change", show=False),
        Binding("L,f2", "language", show=False),
        Binding("T", "theme", show=False),
    ]

    def compose(self) -> ComposeResult:
        """Arrange the lines."""
        with Vertical(classes="box"):
            yield Live(lambda: words("What you like"), classes="heading")
            yield Menu(self._items(), label_width=_WIDTH)
            yield Live(self._keys, classes="keys")
        yield TooSmall()

    def on_mount(self) -> None:
        """Give each line a row."""
        self.query_one(Menu).styles.height = len(self._items())

    def on_menu_taken(self) -> None:
        """Change the marked line."""
        self.action_change()

    def action_change(self) -> None:
        """Change the marked line."""
        app, likes = self.scoville, self.scoville.likes
        match self.query_one(Menu).marked:
            case "bell":
                app.like(replace(likes, bell=not likes.bell))
            case "title":
                app.like(replace(likes, title=not likes.title))
            case "chat_lines":
                app.like(replace(likes, chat_lines=not likes.chat_lines))
            case "calm":
                app.like(replace(likes, calm=not likes.calm))
            case "light":
                app.change_look()
            case "language":
                app.change_language()
        self.query_one(Menu).fill(self._items())

    def action_close(self) -> None:
        """Go back."""
        self.dismiss(None)

    def reword(self) -> None:
        """Write everything in another language."""
        super().reword()
        self.query_one(Menu).fill(self._items())

    @staticmethod
    def _keys() -> Content:
        return keys((words("Enter"), words("change")), (words("Esc"), words("close")))

    def _items(self) -> list[Item]:
        likes = self.scoville.likes
        return [
            Item("bell", words("Bell when you are wanted"), _switch(on=likes.bell)),
            Item("title", words("Call in the window title"), _switch(on=likes.title)),
            Item("chat_lines", words("Talk above the keys"), _switch(on=likes.chat_lines)),
            Item("calm", words("Less motion"), _switch(on=likes.calm)),
            Item("light", words("Light look"), _switch(on=likes.light)),
            Item("language", words("Language"), LANGUAGES[spoken()]),
        ]


def _switch(*, on: bool) -> str:
    return words("yes") if on else words("no")
