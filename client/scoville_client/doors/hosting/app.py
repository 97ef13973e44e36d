"""App of a hosted user: the client without files, programs and URLs, drawn on a channel."""

from collections.abc import Callable, Sequence
from typing import Any, cast
from weakref import WeakSet

from textual.dom import DOMNode
from textual.driver import Driver
from textual.screen import Screen

from scoville_client.doors.hosting.driver import HostedDriver
from scoville_client.doors.hosting.process import restore_task_factory
from scoville_client.doors.hosting.settings import DelayedSave, read_settings, settings_map
from scoville_client.doors.hosting.terminal import Terminal
from scoville_client.doors.hosting.visitor import Visitor, client_of
from scoville_client.doors.hosting.welcome import WelcomeScreen
from scoville_client.i18n.language import current_language
from scoville_client.session.client import Client
from scoville_client.session.start_options import Start
from scoville_client.settings.file import SettingsFile
from scoville_client.settings.preferences import Preferences
from scoville_client.tui.actions import Action
from scoville_client.tui.app import ScovilleApp
from scoville_client.tui.screens.page import Page
from scoville_client.tui.terminal.traits import TerminalTraits
from scoville_client.tui.textual_hooks.teardown import dismantle
from scoville_client.tui.themes import DARK
from scoville_client.tui.widgets.key_bar import keys_of
from scoville_runtime.clock import SYSTEM, Clock


def _traits_of(terminal: Terminal) -> TerminalTraits:
    """Return what a terminal can show; the driver itself replaces characters that it lacks."""
    return TerminalTraits(
        colours=terminal.colours,
        table=None,
        half_blocks=terminal.glyphs == "unicode",
        titles=terminal.titles,
        emoji=terminal.emoji,
        chilli=False,  # nobody has measured it
        mouse=terminal.mouse,
        light=False,
        language=terminal.language,
        start_reports=1,  # Textual's own: the driver reports none
    )


class ServerSettings(SettingsFile):
    """Settings that a server keeps; `save_soon` lets it save them after further changes."""

    def __init__(self, save_soon: Callable[[], None]) -> None:
        super().__init__(None)
        self._save_soon = save_soon

    def save(self, preferences: Preferences) -> None:
        super().save(preferences)
        self._save_soon()


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
        self._widgets_made: WeakSet[DOMNode] = WeakSet()
        settings = ServerSettings(self._save_soon)
        super().__init__(visitor.start, terminal=_traits_of(terminal), settings=settings, clock=clock)
        self.driver_class = cast("type[Driver]", driver)
        self.make_first_page = lambda: WelcomeScreen(visitor.start)
        self.offer_file = visitor.offer_file
        self.greetings = visitor.greetings
        self._visitor = visitor
        self._arrived = client
        self._on_painted = on_painted
        self._saving = DelayedSave(clock, self._save_settings)
        self._shown_keys: tuple[str, Sequence[Action]] = ("", ())
        self._shown_theme = DARK.name

    # --- the door around it ---------------------------------------------------------------------------------

    @property
    def driver(self) -> HostedDriver | None:
        return cast("HostedDriver | None", super().driver)

    def resize(self, size: tuple[int, int]) -> None:
        """Draw on a terminal of another size."""
        if self.driver is not None:
            self.driver.resize(size)

    def receive(self, data: bytes) -> None:
        """Handle what the user has typed."""
        if self.driver is not None:
            self.driver.receive(data)

    def note_written(self, screen: Screen[Any], started_at: float) -> None:
        super().note_written(screen, started_at)
        if self.theme != self._shown_theme:
            self._shown_theme = self.theme
            self._visitor.on_theme(not self.current_theme.dark)
        if isinstance(screen, Page):
            self._on_painted()
        if self._visitor.on_keys is not None and screen is self.screen:
            keys = (current_language(), keys_of(screen))
            if keys != self._shown_keys:
                self._shown_keys = keys
                self._visitor.on_keys(keys[1])

    def note_widget(self, widget: DOMNode) -> None:
        self._widgets_made.add(widget)

    def prepare_loop(self) -> None:
        restore_task_factory()  # Textual changes that of the loop, which all sessions share

    async def dismantle(self) -> None:
        """Empty the app and all of its widgets once it has ended, also those that were removed before."""
        await dismantle([*self._widgets_made, self])

    # --- the connection -------------------------------------------------------------------------------------

    def open_first(self) -> None:
        """Show the lobby of a connection that is open already, else the page that opens it."""
        if self._arrived is None:
            super().open_first()
        else:
            self.request(self._open_arrived())

    async def _open_arrived(self) -> None:
        try:
            await self.connection.open(self._visitor.start, self._arrived)
        finally:
            if not self.page_stack.pages:
                super().open_first()

    def make_client(self, start: Start) -> Client:
        return client_of(self._visitor._replace(start=start), self.clock)

    # --- settings, which the server keeps -------------------------------------------------------------------

    def note_connected(self) -> None:
        """Show all pages in the language and the colours that the user has saved."""
        if self._visitor.identity is not None and self._visitor.identity.settings:
            self.settings.adopt_preferences(read_settings(self._visitor.identity.settings))

    def _save_soon(self) -> None:
        if self._visitor.identity is not None and self.is_connected:
            self._saving.soon()

    def _save_settings(self) -> None:
        if self.is_running and self.session.connection.online:
            settings = settings_map(self.preferences)
            self.call_later(lambda: self.request(self.session.account.save_settings(settings)))

    # --- what must not happen on the computer of the server -------------------------------------------------

    def open_url(self, url: str, *, new_tab: bool = True) -> None:
        """Do nothing: the browser would be the server's."""

    def save_screenshot(self, *_: object, **__: object) -> str:
        """Save nothing: the disk would be the server's."""
        return ""

    def action_suspend_process(self) -> None:
        """Suspend nothing: the process serves others."""
