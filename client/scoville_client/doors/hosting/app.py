"""App of a hosted user: the client without files, programs and URLs, drawn on a channel."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, cast
from weakref import WeakSet

from textual.dom import DOMNode
from textual.driver import Driver
from textual.screen import Screen
from textual.widget import Widget

from scoville_client.doors.hosting.driver import HostedDriver
from scoville_client.doors.hosting.process import restore_task_factory
from scoville_client.doors.hosting.settings import DelayedSave, read_settings, settings_map
from scoville_client.doors.hosting.terminal import Terminal
from scoville_client.doors.hosting.visitor import Visitor, client_of
from scoville_client.doors.hosting.welcome import WelcomeScreen
from scoville_client.i18n.language import current_language
from scoville_client.session.client import Client
from scoville_client.session.start_options import Start
from scoville_client.settings.preferences import Preferences
from scoville_client.tui.actions import Action
from scoville_client.tui.app import ScovilleApp
from scoville_client.tui.screens.page import Page
from scoville_client.tui.terminal.colours import Colours
from scoville_client.tui.themes import DARK
from scoville_client.tui.widgets.key_bar import keys_of
from scoville_runtime.clock import SYSTEM, Clock


class HostedApp(ScovilleApp):
    """The client of one hosted user.

    Args:
        visitor: The user's visit.
        driver: Maker of the driver that draws on the terminal.
        terminal: Capabilities of the terminal.
        client: The client, if it is connected already; else the first page connects.
        on_painted: Called whenever a page has been drawn.
    """

    is_hosted = True
    START_REPORTS = 1

    def __init__(
        self,
        visitor: Visitor,
        *,
        driver: Callable[..., HostedDriver],
        terminal: Terminal,
        client: Client | None = None,
        on_painted: Callable[[], None] = lambda: None,
        clock: Clock = SYSTEM,
    ) -> None:
        self._terminal = terminal
        self._make_driver = driver
        self._visitor = visitor
        self._saving = DelayedSave(clock, self._save)
        self._arrived = client
        self._on_painted = on_painted
        self._is_paused = False
        self._shown_keys: tuple[str, Sequence[Action]] = ("", ())
        self._shown_theme = DARK.name
        self.offer_file = visitor.offer_file
        self._widgets_made: WeakSet[DOMNode] = WeakSet()
        super().__init__(visitor.start, clock=clock)

    @property
    def shows_titles(self) -> bool:
        return self._terminal.titles

    @property
    def colours(self) -> Colours:
        return self._terminal.colours

    @property
    def shows_emoji(self) -> bool:
        """Whether emoji are wanted, or the user's terminal is known to draw them."""
        wanted = self.preferences.emoji
        return self._terminal.emoji if wanted == "auto" else wanted == "on"

    @property
    def usual_mouse(self) -> bool:
        return self._terminal.mouse

    @property
    def driver(self) -> HostedDriver | None:
        """The driver, once there is one."""
        return cast("HostedDriver | None", self._driver)

    # --- hooks of Textual, each with a test ----------------------------------------------------------------

    def get_driver_class(self) -> type[Driver]:
        return cast("type[Driver]", self._make_driver)

    def _display(self, screen: Screen[object], renderable: Any) -> None:
        """Draw like every terminal; nothing while the channel is full. Report what the page around it shows."""
        if self._is_paused:
            return
        super()._display(screen, renderable)
        if self.theme != self._shown_theme:
            self._shown_theme = self.theme
            self._visitor.on_theme(not self.current_theme.dark)
        if isinstance(screen, Page):
            self._on_painted()
        if self._visitor.on_keys is not None and screen is self.screen:
            self._report_keys(screen, self._visitor.on_keys)

    def _report_keys(self, screen: Screen[object], report: Callable[[Sequence[Action]], None]) -> None:
        """Report the keys of the screen in front, if they are others than before or in another language."""
        keys = (current_language(), keys_of(screen))
        if keys != self._shown_keys:
            self._shown_keys = keys
            report(keys[1])

    def _register_child(self, parent: DOMNode, child: Any, before: int | None, after: int | None) -> None:
        """Note each widget, also those that are removed before the end, for `dismantle`."""
        self._widgets_made.add(child)
        super()._register_child(parent, child, before, after)

    def _start_widget(self, parent: Widget, widget: Widget) -> None:
        """Note each scroll bar, which no other widget has as its child."""
        self._widgets_made.add(widget)
        super()._start_widget(parent, widget)

    def _set_pointer_shape(self, shape: str) -> None:
        """Leave the pointer of the mouse alone: old terminals would print the sequence."""

    async def _process_messages(self, *args: Any, **options: Any) -> None:
        """Run like every App, with the task factory of the loop that all sessions share."""
        restore_task_factory()
        await super()._process_messages(*args, **options)

    async def dismantle(self) -> None:
        """Empty the app and all of its widgets once it has ended, so that reference counts free them.

        They refer to each other in circles. Only a collection of the oldest generation would find these, and it stops
        all users of the process.
        """
        pumps = [*self._widgets_made, self]
        unfinished = [pump._task for pump in pumps if pump._task is not None and not pump._task.done()]  # noqa: SLF001
        for task in unfinished:  # a session that was cancelled has not ended its widgets
            task.cancel()
        if unfinished:
            await asyncio.wait(unfinished)
        for pump in pumps:
            pump.__dict__.clear()
            pump._closing = pump._closed = True  # noqa: SLF001 - a late timer still posts messages, which this drops
            pump._running = False  # noqa: SLF001

    # --- the terminal -------------------------------------------------------------------------------------

    def resize(self, size: tuple[int, int]) -> None:
        """Draw on a terminal of another size."""
        if self.driver is not None:
            self.driver.resize(size)

    def receive(self, data: bytes) -> None:
        """Handle what the user has typed."""
        if self.driver is not None:
            self.driver.receive(data)

    def pause_drawing(self) -> None:
        """Write no pictures while the channel is full; keys that depend on what the screen shows are dropped."""
        self._is_paused = True

    def resume_drawing(self) -> None:
        """Write pictures again, beginning with the present one."""
        if self._is_paused:
            self._is_paused = False
            if self.is_running and self.screen_stack:
                self.screen.refresh()

    def open_first(self) -> None:
        """Show the lobby of a connection that is open already, else the page that opens it."""
        if self._arrived is None:
            super().open_first()
        else:
            self.request(self._open_arrived())

    async def _open_arrived(self) -> None:
        try:
            await self._connect(self._start, self._arrived)
        finally:
            if not self.pages:
                super().open_first()

    def first_page(self) -> Page:
        """Make the page that is shown while the connection is opened."""
        return WelcomeScreen(self._start)

    def make_client(self, start: Start) -> Client:
        return client_of(self._visitor._replace(start=start), self.clock)

    async def _open_pages(self) -> None:
        """Show the lobby and the table that the user came for, in the language and the colours that they have saved."""
        if self._visitor.identity is not None and self._visitor.identity.settings:
            self._apply(read_settings(self._visitor.identity.settings))
        await super()._open_pages()
        if self.session.table is not None:
            for sentence in self._visitor.greetings:
                self.announce(sentence)

    def lobby_page(self) -> Page:
        """Make the lobby, with what a user who comes straight there should know: no second layout for it."""
        page = super().lobby_page()
        if self.session.table is None:
            page.opening = self._visitor.greetings
        return page

    # --- settings, which the server keeps -------------------------------------------------------------------

    def _apply(self, preferences: Preferences) -> None:
        before, self._settings.preferences = self.preferences, preferences
        self.apply_preferences(before)

    @property
    def usual_language(self) -> str:
        return self._terminal.language

    def set_preferences(self, preferences: Preferences) -> None:
        super().set_preferences(preferences)
        self._save_soon()

    def _save_soon(self) -> None:
        if self._visitor.identity is not None and self._client is not None:
            self._saving.soon()

    def _save(self) -> None:
        if self.is_running and self.session.connection.online:
            settings = settings_map(self.preferences)
            self.call_later(lambda: self.request(self.session.account.save_settings(settings)))

    async def disconnect(self) -> None:
        """End: there is nothing behind the lobby for a hosted user."""
        self.exit(0)

    # --- what must not happen on the computer of the server -------------------------------------------------

    def open_url(self, url: str, *, new_tab: bool = True) -> None:
        """Do nothing: the browser would be the server's."""

    def save_screenshot(self, *_: object, **__: object) -> str:
        """Save nothing: the disk would be the server's."""
        return ""

    def action_suspend_process(self) -> None:
        """Suspend nothing: the process serves others."""
