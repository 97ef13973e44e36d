"""Platform of a hosted user: a door, whose process serves others. No files, no programs; settings are the server's."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, cast
from weakref import WeakSet

import msgspec
from textual.app import App
from textual.dom import DOMNode
from textual.driver import Driver
from textual.screen import Screen

from scoville_client.doors.hosting.driver import HostedDriver
from scoville_client.doors.hosting.process import restore_task_factory
from scoville_client.doors.hosting.terminal import Terminal
from scoville_client.doors.hosting.visitor import Visitor, client_of
from scoville_client.i18n.language import current_language, tr
from scoville_client.session.client import Client
from scoville_client.session.start_options import Start
from scoville_client.settings.file import SettingsFile
from scoville_client.settings.preferences import Preferences
from scoville_client.tui.actions import Action
from scoville_client.tui.notifications import is_in_tmux
from scoville_client.tui.platform import Platform
from scoville_client.tui.screens.base import KeyActions
from scoville_client.tui.screens.page import Page
from scoville_client.tui.screens.start.start import StartScreen
from scoville_client.tui.shell import Shell
from scoville_client.tui.terminal.traits import TerminalTraits
from scoville_client.tui.themes import DARK
from scoville_client.tui.user_settings import UserSettings
from scoville_client.tui.widgets.key_bar import keys_of
from scoville_client.tui.widgets.menu import Item
from scoville_runtime.clock import Alarm, Clock

_IN_THIS_PROCESS = {"continue_practice", "host", "log_in", "practise", "tutorial", "watch_replay"}
"""Actions that would run a game or a server in the door's process, or read its files."""


class WelcomeScreen(StartScreen):
    """Offers to connect again, but neither to practise nor to host: the computer is the server's."""

    OFFERS_RETRY = True

    def list_items(self) -> list[Item]:
        return [
            Item("join", f"j  {tr('Connect')}", tr("to this server")),
            Item("rules", f"r  {tr('Rules')}", tr("of every game")),
            Item("help", f"?  {tr('Help')}", tr("the keys")),
            Item("quit", f"q  {tr('Quit')}"),
        ]

    def key_actions(self) -> KeyActions:
        return {**super().key_actions(), "join": lambda: self.choose_start(self._start)}

    def allows_action(self, action: str) -> bool:
        return action not in _IN_THIS_PROCESS and super().allows_action(action)


SAVE_SECONDS: Final = 2.0
"""Seconds after the last change until settings are saved."""


class DelayedSave:
    """Saves once the user has stopped to change settings: the server takes few requests a minute."""

    def __init__(self, clock: Clock, save: Callable[[], object]) -> None:
        self._clock = clock
        self._save = save
        self._waiting: Alarm | None = None

    def save_soon(self) -> None:
        """Save SAVE_SECONDS after the last call."""
        if self._waiting is not None:
            self._waiting.cancel()
        self._waiting = self._clock.call_later(SAVE_SECONDS, self._save)


def read_settings(saved: Mapping[str, Any]) -> Preferences:
    """Read settings that the server has kept, perhaps for another version; defaults where they do not fit."""
    try:
        return msgspec.convert(saved, Preferences)
    except msgspec.ValidationError:
        return Preferences()


def settings_map(preferences: Preferences) -> dict[str, Any]:
    """Return the settings that differ from the defaults: the server stores only these."""
    plain: dict[str, Any] = msgspec.to_builtins(preferences)
    return plain


def traits_of(terminal: Terminal) -> TerminalTraits:
    """Return the abilities of a terminal; the driver itself replaces characters that it lacks."""
    return TerminalTraits(
        colours=terminal.colours,
        table=None,
        half_blocks=terminal.glyphs == "unicode",
        titles=terminal.titles,
        notices=terminal.notices,
        tmux=is_in_tmux({"TERM": terminal.name}),
        emoji=terminal.emoji,
        chilli=False,  # nobody has measured it
        mouse=terminal.mouse,
        light=False,
        language=terminal.language,
        start_reports=1,  # Textual's own: the driver reports none
        clipboard=terminal.titles,
    )


class ServerSettings(SettingsFile):
    """Settings that a server keeps; `save_soon` lets it save them after further changes."""

    def __init__(self, save_soon: Callable[[], None]) -> None:
        super().__init__(None)
        self._save_soon = save_soon

    def save(self, preferences: Preferences) -> None:
        super().save(preferences)
        self._save_soon()


class DoorPlatform(Platform):
    """The door's side of one hosted user's client.

    Args:
        visitor: The user's visit.
        make_driver: Maker of the driver that draws on the terminal.
        terminal: Capabilities of the terminal.
        client: The client, if it is connected already; else the first page connects.
        on_painted: Called whenever a page has been drawn.
    """

    is_hosted = True

    def __init__(
        self,
        visitor: Visitor,
        make_driver: Callable[..., HostedDriver],
        terminal: Terminal,
        client: Client | None,
        on_painted: Callable[[], None],
        clock: Clock,
    ) -> None:
        super().__init__(ServerSettings(self._save_soon), traits_of(terminal))
        self.offer_file = visitor.offer_file
        self.opened_client = client
        self.widgets_made: WeakSet[DOMNode] = WeakSet()
        """Every widget of the app, also those that were removed before it ended."""
        self._visitor = visitor
        self._make_driver = make_driver
        self._on_painted = on_painted
        self._saving = DelayedSave(clock, self._save_settings)
        self._client = client
        self._shell: Shell | None = None
        self._shown_keys: tuple[str, Sequence[Action]] = ("", ())
        self._shown_theme = DARK.name

    @property
    def greetings(self) -> Sequence[str]:
        return self._visitor.greetings  # a refusal is known once the server has answered

    def adapt_driver(self, driver: type[Driver], settings: UserSettings) -> type[Driver]:  # noqa: ARG002 - not Textual's
        return cast("type[Driver]", self._make_driver)

    def make_first_page(self, start: Start) -> Page:
        return WelcomeScreen(start)

    def make_client(self, start: Start, clock: Clock) -> Client:
        self._client = client_of(self._visitor._replace(start=start), clock)
        return self._client

    def prepare_loop(self) -> None:
        restore_task_factory()  # Textual changes that of the loop, which all sessions share

    def note_widget(self, widget: DOMNode) -> None:
        self.widgets_made.add(widget)

    def note_written(self, app: App[Any], screen: Screen[Any]) -> None:
        if app.theme != self._shown_theme:
            self._shown_theme = app.theme
            self._visitor.on_theme(not app.current_theme.dark)
        if isinstance(screen, Page):
            if isinstance(driver := getattr(app, "driver", None), HostedDriver):
                driver.ask_background()
            self._on_painted()
        if self._visitor.on_keys is not None and screen is app.screen:
            keys = (current_language(), keys_of(screen))
            if keys != self._shown_keys:
                self._shown_keys = keys
                self._visitor.on_keys(keys[1])

    # --- settings, which the server keeps -------------------------------------------------------------------

    def note_connected(self, shell: Shell) -> None:
        """Show all pages in the language and the colours that the user has saved."""
        self._shell = shell
        if self._visitor.identity is not None and self._visitor.identity.settings:
            shell.settings.adopt_preferences(read_settings(self._visitor.identity.settings))

    def _save_soon(self) -> None:
        if self._visitor.identity is not None and self._shell is not None:
            self._saving.save_soon()

    def _save_settings(self) -> None:
        shell, client = self._shell, self._client
        if shell is not None and client is not None and client.session.connection.online:
            settings = settings_map(self.settings_file.preferences)
            shell.call_later(lambda: shell.send_request(client.session.account.save_settings(settings)))
