"""Page stack: the pages and dialogs that are open over each other."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from textual.screen import Screen

from scoville_client.tui.screens.dialogs.dialog import Dialog
from scoville_client.tui.screens.page import Page
from scoville_client.tui.textual_hooks.app import HookedApp

if TYPE_CHECKING:
    from scoville_client.session.planned_end import PlannedEnd

_MOST_DIALOGS = 6
"""Dialogs over each other; our own paths need four. Each is drawn over a picture of all those beneath it: forty of them
are more than Python's stack holds."""
_FIRST = 2
"""Screens that are never removed: Textual's own, and our first."""


class PageStack:
    """The screens of an app, bottom up. Pages are never over dialogs."""

    def __init__(self, app: HookedApp) -> None:
        self._app = app
        self._last_page: Page | None = None

    @property
    def pages(self) -> list[Page]:
        """The pages that are open, the one in front last."""
        return [screen for screen in self._app.screen_stack if isinstance(screen, Page)]

    @property
    def page(self) -> Page:
        """The page in front, perhaps beneath dialogs. While the client ends, the last one, which shows nothing more."""
        self._last_page = next(reversed(self.pages), self._last_page)
        assert self._last_page is not None, "there is a page once the client runs"
        return self._last_page

    async def pop_to(self, is_wanted: Callable[[Screen[object]], bool]) -> None:
        """Go back to the first screen beneath that is wanted; dialogs above it are closed without an answer."""
        while len(self._app.screen_stack) > _FIRST and not is_wanted(self._app.screen_stack[-1]):
            front = self._app.screen_stack[-1]
            if isinstance(front, Dialog) and not front.answered:
                await front.dismiss(None)
            else:
                await self._app.pop_screen()

    async def show_page(self, page: Page) -> None:
        """Show a page over the one in front; dialogs that were opened before it are closed, not covered."""
        await self.pop_to(lambda screen: isinstance(screen, Page))
        await self._app.push_screen(page)

    async def replace_page(self, page: Page) -> None:
        """Show a page instead of the one in front."""
        await self._app.switch_screen(page)

    def close_page(self, page: Screen[Any]) -> None:
        """Close a page soon, if it is still in front, and show what lies beneath.

        It is not awaited: a screen is removed once it has handled its messages, so one that waited for that while it
        handles one would wait for ever, and the client with it.
        """
        self._app.call_later(self._close_page, page)

    async def _close_page(self, page: Screen[Any]) -> None:
        if page is self._app.screen:
            await self._app.pop_screen()

    def has_room_for(self, dialog: Screen[Any]) -> bool:
        """Return whether a dialog may be opened: no second one of the same kind over the first, and no tower of them.

        A key that is held down would open one after the other.
        """
        if not isinstance(dialog, Dialog):
            return True
        open_ones = [screen for screen in self._app.screen_stack if isinstance(screen, Dialog) and not screen.answered]
        again = bool(open_ones) and type(open_ones[-1]) is type(dialog)
        return not again and len(open_ones) < _MOST_DIALOGS

    def show_planned_end(self, end: "PlannedEnd | None") -> None:
        """Count down to the server's end on every page, or stop that."""
        for page in self.pages:
            page.notices.use_notice(lambda notice: notice.count_down(end))

    def note_key(self) -> None:
        """Dismiss notices: the user who presses a key has seen them."""
        for page in self.pages:
            page.notices.dismiss_read()
        if self._app.screen is self.page:  # under a dialog they may not have been read
            self.page.notices.dismiss_announcements()
