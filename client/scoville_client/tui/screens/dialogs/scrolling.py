"""Scrolling keys of dialogs that show a text."""

from typing import Any, Final

from textual.binding import Binding

from scoville_client.tui.screens.base import BaseScreen
from scoville_client.tui.widgets.text_view import TextView

SCROLLING: Final = (
    Binding("up,k", "scroll(-1)", show=False),
    Binding("down,j", "scroll(1)", show=False),
    Binding("pageup,b", "scroll_page(-1)", show=False),
    Binding("pagedown,space", "scroll_page(1)", show=False),
    Binding("home", "first", show=False),
    Binding("end", "last", show=False),
)
"""The keys of a `ScrollingDialog`."""


class ScrollingDialog(BaseScreen[Any]):
    """Second base of dialogs with one `TextView`; their bindings include `SCROLLING`.

    Textual takes styles from the first base.
    """

    @property
    def text_view(self) -> TextView:
        """The text that is scrolled."""
        return self.query_one(TextView)

    def action_scroll(self, rows: int) -> None:
        self.text_view.scroll_rows(rows)

    def action_first(self) -> None:
        self.text_view.to_start()

    def action_last(self) -> None:
        self.text_view.to_end()

    def action_scroll_page(self, pages: int) -> None:
        self.text_view.scroll_pages(pages)
