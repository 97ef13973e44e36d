"""Platform: where the client runs, and what differs there. This one is a process of the user's own."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from textual.app import App
from textual.dom import DOMNode
from textual.driver import Driver
from textual.screen import Screen

from scoville_client.session.start_options import Start
from scoville_client.settings.file import SettingsFile
from scoville_client.tui.screens.page import Page
from scoville_client.tui.screens.start.start import StartScreen
from scoville_client.tui.shell import Shell
from scoville_client.tui.terminal.driver import fit_driver
from scoville_client.tui.terminal.traits import TerminalTraits, local_traits
from scoville_client.tui.user_settings import UserSettings
from scoville_runtime.clock import Clock
from scoville_shared.engine.phrases import Phrase

if TYPE_CHECKING:
    from scoville_client.session.client import Client
    from scoville_client.transport.lan.browser import Browse

_PROGRESS = {
    "practice": Phrase("Shuffling the cards …"),
    "join": Phrase("Connecting to {host} …"),
    "host": Phrase("Opening a table …"),
}


def progress_text(start: Start) -> Phrase | str:
    """Return the notice to show while a connection is opened; empty for the menu."""
    if start.kind == "join" and not start.host:
        return Phrase("Looking for {code} on the local network …").with_fields({"code": start.code})
    phrase = _PROGRESS.get(start.kind)
    return "" if phrase is None else phrase.with_fields({"host": start.host})


class Platform:
    """Provides what the app needs from its surroundings, and takes the notifications that these need.

    Attributes:
        settings_file: Where the user's settings are kept.
        terminal: The abilities of the terminal.
        is_hosted: Whether the client runs in a server's process: the user has neither its files nor its programs.
        offer_file: Hands a file, by its name and text, to the browser of a hosted user; None where there is none.
        opened_client: A client that is connected already; None where the first page connects.
    """

    is_hosted = False
    offer_file: Callable[[str, str], None] | None = None
    opened_client: "Client | None" = None

    def __init__(
        self,
        settings: SettingsFile | None = None,
        terminal: TerminalTraits | None = None,
        browse: "Browse | None" = None,
    ) -> None:
        self.settings_file = settings or SettingsFile(None)
        # Before there is an app: Textual takes NO_COLOR out of the environment.
        self.terminal = terminal or local_traits(self.settings_file.preferences)
        self._browse = browse

    @property
    def greetings(self) -> Sequence[str]:
        """Sentences for the first page of a connection."""
        return ()

    def adapt_driver(self, driver: type[Driver], settings: UserSettings) -> type[Driver]:
        """Return the class of the driver that draws on the terminal; `driver` is Textual's own."""
        return fit_driver(driver, self.terminal, emoji=settings.shows_emoji)

    def make_first_page(self, start: Start) -> Page:
        """Make the page that is shown first."""
        return StartScreen(start, progress_text(start), self._browse)

    def make_client(self, start: Start, clock: Clock) -> "Client":
        """Make the client of a new connection."""
        from scoville_client.session.client import Client

        return Client(start, clock, browse=self._browse)

    # --- what happens in the app --------------------------------------------------------------------------

    def prepare_loop(self) -> None:
        """Prepare the event loop before the first message."""

    def note_connected(self, shell: Shell) -> None:
        """Note that a connection is open; its pages follow."""

    def note_written(self, app: App[Any], screen: Screen[Any]) -> None:
        """Note that a picture of a screen was written."""

    def note_widget(self, widget: DOMNode) -> None:
        """Note a widget that was made."""
