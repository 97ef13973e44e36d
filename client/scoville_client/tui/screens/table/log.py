"""The whole story of a table, to be read back."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content

from scoville_client.i18n.language import words
from scoville_client.session.changes import Change
from scoville_client.tui.screens.page import Dialog, TooSmall, keys
from scoville_client.tui.widgets.live_text import Live
from scoville_client.tui.widgets.reading import Reading


class LogDialog(Dialog[None]):
    """Shows what `lines` gives, the newest at the end."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,enter,l,q", "close", show=False),
        Binding("up,k", "scroll(-1)", show=False),
        Binding("down,j", "scroll(1)", show=False),
        Binding("pageup,b", "page(-1)", show=False),
        Binding("pagedown,space", "page(1)", show=False),
        Binding("home,g", "first", show=False),
        Binding("end,G", "last", show=False),
        Binding("L,f2", "language", show=False),
    ]

    def __init__(self, lines: Callable[[], Sequence[str]]) -> None:
        super().__init__()
        self._lines = lines

    def compose(self) -> ComposeResult:
        """Put the story into a box as tall as the window."""
        with Vertical(classes="box wide tall"):
            yield Live(lambda: words("What has happened"), classes="heading")
            yield Reading(self._lines)
            yield Live(self._keys, classes="keys")
        yield TooSmall()

    def heard(self, change: Change) -> None:  # noqa: ARG002 - whatever it was, the lines know
        """Write down what was told meanwhile."""
        self._reading.repaint()

    def action_close(self) -> None:
        """Go back."""
        self.dismiss(None)

    def action_scroll(self, rows: int) -> None:
        """Scroll by rows."""
        self._reading.scroll_rows(rows)

    def action_page(self, pages: int) -> None:
        """Scroll by pages."""
        self._reading.scroll_pages(pages)

    def action_first(self) -> None:
        """Go to the beginning."""
        self._reading.to_start()

    def action_last(self) -> None:
        """Go to the newest line."""
        self._reading.to_end()

    @property
    def _reading(self) -> Reading:
        return self.query_one(Reading)

    @staticmethod
    def _keys() -> Content:
        return keys(("↑ ↓ PgUp PgDn", words("scroll")), (words("Esc"), words("close")))
