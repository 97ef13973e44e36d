"""Settings: notifications, chat previews, motion, theme and language."""

from collections.abc import Sequence
from typing import ClassVar

from msgspec.structs import replace
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical

from scoville_client.i18n.language import LANGUAGES, current_language, tr
from scoville_client.tui.screens.base import TooSmall
from scoville_client.tui.screens.dialogs.dialog import Dialog
from scoville_client.tui.widgets.key_hints import Hint, KeyHints
from scoville_client.tui.widgets.live_text import LiveText
from scoville_client.tui.widgets.menu import Item, Menu

_WIDTH = 25


class SettingsDialog(Dialog[None]):
    """A line for each setting; Enter, left and right change the marked one at once."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,N", "close", show=False),
        Binding("left,right", "change", show=False),
        Binding("L,f2", "language", show=False),
        Binding("T", "theme", show=False),
    ]

    def compose(self) -> ComposeResult:
        """Arrange the lines."""
        with Vertical(classes="box"):
            yield LiveText(lambda: tr("Settings"), classes="heading")
            yield Menu(self._items(), label_width=_WIDTH)
            yield KeyHints(self._keys)
        yield TooSmall()

    def on_mount(self) -> None:
        """Give each line a row."""
        for menu in self.query(Menu):  # none if the dialog was closed before it was composed
            menu.styles.height = len(self._items())

    def on_menu_taken(self) -> None:
        """Change the marked line."""
        self.action_change()

    def action_change(self) -> None:
        """Change the marked line."""
        shell, preferences = self.shell, self.shell.preferences
        match self.query_one(Menu).marked:
            case "bell":
                shell.set_preferences(replace(preferences, bell=not preferences.bell))
            case "title":
                shell.set_preferences(replace(preferences, title=not preferences.title))
            case "chat_lines":
                shell.set_preferences(replace(preferences, chat_lines=not preferences.chat_lines))
            case "calm":
                shell.set_preferences(replace(preferences, calm=not preferences.calm))
            case "light":
                shell.toggle_theme()
            case "language":
                shell.next_language()
        self.query_one(Menu).fill(self._items())

    def retranslate(self) -> None:
        """Write every text in the current language."""
        super().retranslate()
        self.query_one(Menu).fill(self._items())

    @staticmethod
    def _keys() -> Sequence[Hint]:
        return ((tr("Enter"), tr("change")), (tr("Esc"), tr("close")))

    def _items(self) -> list[Item]:
        preferences = self.shell.preferences
        return [
            Item("bell", tr("Notify with a bell"), _switch(on=preferences.bell)),
            Item("title", tr("Notify in the window title"), _switch(on=preferences.title)),
            Item("chat_lines", tr("Chat above the keys"), _switch(on=preferences.chat_lines)),
            Item("calm", tr("Less animation"), _switch(on=preferences.calm)),
            Item("light", tr("Light colours"), _switch(on=preferences.light)),
            Item("language", tr("Language"), LANGUAGES[current_language()]),
        ]


def _switch(*, on: bool) -> str:
    return tr("yes") if on else tr("no")
