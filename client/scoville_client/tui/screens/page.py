"""Page: a full screen with a body, notices and a key bar."""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.events import ScreenResume, ScreenSuspend

from scoville_client.rules import FIRST_PAGE
from scoville_client.session.start_options import DEFAULT_GAME
from scoville_client.tui.drawing.canvas import Area
from scoville_client.tui.screens.base import BaseScreen, TooSmall
from scoville_client.tui.widgets.canvas_widget import TickingWidget
from scoville_client.tui.widgets.key_bar import KeyBar
from scoville_client.tui.widgets.notice import ChatPreview, Notice

if TYPE_CHECKING:
    from scoville_shared.engine.phrases import Phrase


class PageNotices:
    """Notices of a page: sentences above its key bar, or over cells that it gives them."""

    def __init__(self, page: "Page") -> None:
        self._page = page

    def use_notice(self, action: Callable[[Notice], None]) -> None:
        """Do something with the notice once the page has one; nothing when the page is being removed."""

        def use_each() -> None:
            for notice in self._page.children_of(Notice):
                action(notice)

        self._page.when_mounted(use_each)

    def dismiss_read(self) -> None:
        """Hide a notice that has been read, unless it is sticky."""
        for notice in self._page.children_of(Notice):
            notice.dismiss_sentence()

    def dismiss_announcements(self) -> None:
        """Hide announcements that have been read."""
        for notice in self._page.children_of(Notice):
            notice.dismiss_announcements()

    def place_all(self) -> None:
        """Place notices over the cells that they may cover; a chat preview gets the last entry if there are two."""
        area = self._page.notice_area
        previews = self._page.children_of(ChatPreview)
        rows = 0 if area is None else _count_rows_of_preview(area[3], self._page.notice_ends)
        for preview in previews:
            preview.cover_rows(area, rows)
        if area is not None and area[3] > rows and any(preview.has_class("-visible") for preview in previews):
            area = (*area[:3], area[3] - rows)
        for notice in self._page.children_of(Notice):
            notice.place_over(area, self._page.notice_ends)


def _count_rows_of_preview(height: int, ends: Sequence[int]) -> int:
    """Return the rows of a chat preview at the end of a log of so many rows: its last one, or all of its entry there.

    `ends` are the rows at which the log's entries end. One that fills the log keeps all rows but the last.
    """
    if ends and ends[-1] < height:
        return 1
    return height - next((end for end in reversed(ends) if end < height), height - 1)


class Page(BaseScreen[None]):
    """A full screen; subclasses compose its body.

    `opening` are announcements that it is opened with, `progress` a sentence that stays until it is replaced.
    """

    opening: tuple[str, ...] = ()
    progress: "str | Phrase" = ""

    def compose(self) -> ComposeResult:
        yield from self.compose_body()
        notice = Notice()
        notice.show_sentence(self.progress, sticky=True)
        for sentence in self.opening:
            notice.announce(sentence)
        notice.count_down(self.shell.planned_end)
        yield notice
        yield KeyBar(self.KEY_CONTEXT, self.shell.preferences.keys)
        yield TooSmall()

    def compose_body(self) -> ComposeResult:
        """Give the widgets above the notice."""
        raise NotImplementedError

    def note_painted(self) -> None:
        """Note that the page was painted."""

    def user_returned(self) -> None:
        """Repaint the widgets that may have waited for the user's attention."""
        for widget in self.query(TickingWidget):
            widget.repaint()

    @on(ScreenSuspend)  # subclasses have handlers of their own: Textual calls those of every class
    def _cover_keys(self) -> None:
        for bar in self.children_of(KeyBar):
            bar.show_covered(True)

    @on(ScreenResume)
    def _uncover_keys(self) -> None:
        for bar in self.children_of(KeyBar):
            bar.show_covered(False)

    @property
    def is_covered(self) -> bool:
        """Whether another page is in front of this one."""
        stack = self.app.screen_stack
        return any(isinstance(screen, Page) for screen in stack[stack.index(self) + 1 :])

    @property
    def rules(self) -> tuple[str, str]:
        """The rules that fit this page: the slug of a game, and the id of a rules page."""
        return DEFAULT_GAME, FIRST_PAGE

    # --- notices ----------------------------------------------------------------------------------------

    @cached_property
    def notices(self) -> PageNotices:
        return PageNotices(self)

    @property
    def notice_area(self) -> Area | None:
        """The cells that a notice may cover; None where it takes rows of its own above the key bar."""
        return None

    @property
    def notice_ends(self) -> tuple[int, ...]:
        """The heights of a notice that leave whole entries of a log below it, the lowest first."""
        return ()

    def show_notice(self, sentence: "str | Phrase", *, error: bool = False, sticky: bool = False) -> None:
        """Show a sentence until the next key, or until it is replaced if it is `sticky`; an empty one hides it."""
        self.notices.use_notice(lambda notice: notice.show_sentence(sentence, error=error, sticky=sticky))

    def announce(self, sentence: str) -> None:
        """Show a sentence until a key is pressed, whatever else is shown or happens."""
        self.notices.use_notice(lambda notice: notice.announce(sentence))

    def on_chat_preview_changed(self) -> None:
        self.notices.place_all()

    def on_canvas_widget_log_changed(self) -> None:
        self.notices.place_all()
