"""The Textual client. No game, server or network is loaded before the first paint."""

import os
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, cast

from textual.binding import BindingType
from textual.driver import Driver
from textual.events import Event, Key, MouseEvent, Resize
from textual.filter import LineFilter
from textual.screen import ModalScreen, Screen

from scoville_client.garbage import resume_collection
from scoville_client.i18n.language import current_language, set_language, spell, tr
from scoville_client.session.start_options import Start
from scoville_client.settings.file import SettingsFile
from scoville_client.settings.terminals import Terminals
from scoville_client.tui import STYLES
from scoville_client.tui.drawing.key_names import key_list
from scoville_client.tui.key_input import KeyInput, TargetClicked
from scoville_client.tui.navigation import Navigator
from scoville_client.tui.notifications import Notifier
from scoville_client.tui.page_stack import PageStack
from scoville_client.tui.request import Request
from scoville_client.tui.screens.base import BaseScreen
from scoville_client.tui.screens.page import Page
from scoville_client.tui.screens.start.start import StartScreen
from scoville_client.tui.shell import PACE
from scoville_client.tui.terminal import glyphs
from scoville_client.tui.terminal.driver import fit_driver
from scoville_client.tui.terminal.output import TerminalOutput, VisibleText
from scoville_client.tui.terminal.signals import Ending, ended_by_signals
from scoville_client.tui.terminal.traits import TerminalTraits, local_traits
from scoville_client.tui.textual_hooks.app import HookedApp
from scoville_client.tui.textual_hooks.stylesheet import ParsedOnce
from scoville_client.tui.textual_hooks.word_breaks import keep_no_break_spaces
from scoville_client.tui.themes import DARK, THEMES, for_terminal
from scoville_client.tui.user_settings import UserSettings
from scoville_runtime.clock import SYSTEM, Clock
from scoville_shared.engine.phrases import Phrase

if TYPE_CHECKING:
    from scoville_client.replays.playback import Playback
    from scoville_client.session.client import Client
    from scoville_client.session.conversations import Conversations
    from scoville_client.session.session import Session
    from scoville_client.settings.preferences import Preferences
    from scoville_client.transport.lan.browser import Browse
    from scoville_client.tui.connection import Connection

T = TypeVar("T")
_QUITTING = ("q", "ctrl+q", "ctrl+c")
"""Keys that quit where the window is too small to show anything else."""
_PROGRESS = {
    "practice": Phrase("Shuffling the cards …"),
    "join": Phrase("Connecting to {host} …"),
    "host": Phrase("Opening a table …"),
}


def run(start: Start, settings: SettingsFile) -> int:
    """Show the client in this terminal until the user quits; returns the exit status."""
    from scoville_client.transport.lan.mdns import mdns_browse

    terminal = _spelled_terminal(settings)
    return run_in_terminal(ScovilleApp(start, terminal=terminal, settings=settings, browse=mdns_browse()))


def run_replay(playback: "Playback", pace: float, settings: SettingsFile) -> int:
    """Show a replay in this terminal until the user quits; returns the exit status."""
    return run_in_terminal(replay_app(playback, pace=pace, terminal=_spelled_terminal(settings), settings=settings))


def replay_app(playback: "Playback", **options: Any) -> "ScovilleApp":
    """Make a client that shows a replay first, instead of the start screen."""
    from scoville_client.tui.screens.replay.replay import ReplayScreen

    app = ScovilleApp(Start(), **options)
    app.make_first_page = lambda: ReplayScreen(playback, app.pace)
    return app


def _spelled_terminal(settings: SettingsFile) -> TerminalTraits:
    """Return what this terminal can show, and spell all texts in its characters."""
    measured = Terminals.of_user().find(os.environ)
    level = glyphs.find_level(settings.preferences.characters, measured.characters)
    spell(plainly=level == "ascii")
    return local_traits(settings.preferences, measured, glyphs.table(level))


def run_in_terminal(app: "ScovilleApp") -> int:
    """Run until the user quits; returns the exit status. An unexpected exception is one sentence on stderr."""
    with ended_by_signals(app, app.ending):
        status = app.run(mouse=app.settings.uses_mouse) or app.return_code or 0
    if app.fault is not None:
        from scoville_client.crash import report

        report(app.fault)
    return status


def _progress_text(start: Start) -> Phrase | str:
    """The notice to show while a connection is opened; empty for the menu."""
    if start.kind == "join" and not start.host:
        return Phrase("Looking for {code} on the local network …").of({"code": start.code})
    phrase = _PROGRESS.get(start.kind)
    return "" if phrase is None else phrase.of({"host": start.host})


class ScovilleApp(HookedApp):
    """The client: it hands what Textual reports to the member that it concerns, and is the `Shell` of its screens.

    Attributes:
        terminal: What the terminal can show.
        settings: The user's settings.
        output: What is written to the terminal.
        page_stack: The pages and dialogs that are open.
        navigation: What opens them.
        keys: Which keys and clicks are handled.
        ending: What ends the client after a signal.
        make_first_page: Makes the page that is shown first.
        greetings: Sentences for the first page of a connection.
    """

    CSS_PATH = STYLES / "screens.tcss"
    TITLE = "Scoville"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = []
    is_hosted = False
    offer_file: Callable[[str, str], None] | None = None
    greetings: Sequence[str] = ()

    def __init__(
        self,
        start: Start,
        *,
        pace: float = PACE,
        settings: SettingsFile | None = None,
        terminal: TerminalTraits | None = None,
        browse: "Browse | None" = None,
        clock: Clock = SYSTEM,
    ) -> None:
        keep_no_break_spaces()
        file = settings or SettingsFile(None)
        self.clock = clock
        self.pace = pace
        self.terminal = terminal or local_traits(
            file.preferences
        )  # before Textual takes NO_COLOR out of the environment
        self.settings = UserSettings(file, self.terminal, self._apply_preferences, self._refuse_preferences)
        super().__init__()
        self.no_color = self.terminal.colours == "none"
        for theme in THEMES.values():
            self.register_theme(for_terminal(theme, self.terminal.colours))
        self.theme = self.settings.theme
        self.stylesheet = ParsedOnce(variables=self.get_css_variables())
        self.output = TerminalOutput(self, self.terminal.colours, self.terminal.start_reports)
        self.page_stack = PageStack(self)
        self.navigation = Navigator(self, self, self.page_stack, pace)
        self.keys = KeyInput(self, self.preferences.keys)
        self.set_keymap({action: ",".join(key_list(keys)) for action, keys in self.preferences.keys.items()})
        self.ending = Ending(self)
        self.notifier = Notifier(self.output.write_sequence, titles=self.terminal.titles)
        self.notifier.configure(bell=self.preferences.bell, title=self.preferences.title)
        self.make_first_page: Callable[[], Page] = lambda: StartScreen(start, _progress_text(start), browse)
        self._start = start
        self._browse = browse
        self._connection: Connection | None = None

    # --- the start ----------------------------------------------------------------------------------------

    def get_driver_class(self) -> type[Driver]:
        return fit_driver(super().get_driver_class(), self.terminal, emoji=self.settings.shows_emoji)

    def get_line_filters(self) -> Sequence[LineFilter]:
        return [*super().get_line_filters(), VisibleText()]

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return DARK.variables  # the colours that our themes have beyond Textual's

    def on_mount(self) -> None:
        self.call_later(self.open_first)  # not at once: Textual's start holds all painting back until then

    def open_first(self) -> None:
        """Show the first page."""
        self.push_screen(self.make_first_page())

    def on_start_screen_painted(self) -> None:
        """Do what the command line asks for, now that the first page is painted."""
        if self._start.kind == "tutorial":
            self.navigation.open_tutorial(self._start.game)
        elif self._start.kind != "menu":
            self.connect(self._start)
            return
        resume_collection()

    def on_start_screen_chosen(self, message: StartScreen.Chosen) -> None:
        self.connect(message.start)

    # --- the connection -----------------------------------------------------------------------------------

    @property
    def connection(self) -> "Connection":
        """The current connection."""
        if self._connection is None:
            from scoville_client.tui.connection import Connection
            from scoville_client.tui.session_changes import SessionChanges

            changes = SessionChanges(self, self, self.page_stack, self.notifier)
            self._connection = Connection(self, self.page_stack, changes)
        return self._connection

    @property
    def client(self) -> "Client":
        client = self.connection.client
        assert client is not None, "screens of a connection are opened once there is one"
        return client

    @property
    def session(self) -> "Session":
        return self.client.session

    @property
    def conversations(self) -> "Conversations":
        return self.client.conversations

    @property
    def is_connected(self) -> bool:
        """Whether there is a connection, or was one."""
        return self._connection is not None and self._connection.client is not None

    def connect(self, start: Start) -> None:
        """Open a connection in the background; it replaces the current one."""
        self.show_notice(_progress_text(start), sticky=True)
        self.request(self.connection.open(start))

    def make_client(self, start: Start) -> "Client":
        from scoville_client.session.client import Client

        return Client(start, self.clock, browse=self._browse)

    def note_connected(self) -> None:
        """Prepare nothing: the settings are those of this computer."""

    def request(self, awaited: Awaitable[object]) -> None:
        Request(awaited, lambda _: None, lambda sentence: self.show_notice(sentence, error=True)).start(self)

    # --- dialogs and notices ------------------------------------------------------------------------------

    def open_dialog(self, dialog: ModalScreen[T], on_close: Callable[[T | None], object] | None = None) -> None:
        if self.page_stack.has_room_for(dialog):
            self.push_screen(dialog, cast("Any", on_close))

    async def ask(self, dialog: ModalScreen[T]) -> T | None:
        screen: Screen[Any] = dialog
        return cast("T | None", await self.push_screen_wait(screen)) if self.page_stack.has_room_for(dialog) else None

    def show_notice(self, sentence: str | Phrase, *, error: bool = False, sticky: bool = False) -> None:
        self.page_stack.page.show_notice(sentence, error=error, sticky=sticky)

    def announce(self, sentence: str) -> None:
        self.page_stack.page.announce(sentence)

    # --- keys ---------------------------------------------------------------------------------------------

    async def on_event(self, event: Event) -> None:
        """Drop keys that cannot have been meant; dismiss notices that were read before this key. A click is a key."""
        if isinstance(event, MouseEvent) and not event.is_forwarded and not self.keys.is_for_text(event):
            key = self.keys.key_of_mouse(event) if self.settings.uses_mouse else None
            if key is not None:
                await self.on_event(key)
            return
        if isinstance(event, Key) and not event.is_forwarded:
            if self.is_ending or not self.keys.accepts_key(event):
                return
            self._note_key()
            if self.screen.has_class("-small") and event.key not in getattr(self.screen, "SMALL_KEYS", ()):
                if event.key in _QUITTING:
                    await self.action_quit()
                return
        await super().on_event(event)

    def _note_key(self) -> None:
        """Dismiss notices and notifications: the user has seen them."""
        self.notifier.note_key()
        for page in self.page_stack.pages:
            page.dismiss_notice()
        if self.screen is self.page_stack.page:  # under a dialog it may not have been read
            self.page_stack.page.dismiss_announcements()

    def on_key(self, event: Key) -> None:
        """Drop keys whose meaning has changed while they waited for their turn."""
        if self.is_ending or not self.keys.is_meant(event):
            event.prevent_default()

    def on_target_clicked(self, event: TargetClicked) -> None:
        """Do what was clicked, unless its meaning has changed while it waited."""
        if not self.is_ending and self.keys.is_meant(event) and event.widget.is_attached:
            event.widget.clicked(event.target)

    def on_idle(self) -> None:
        self.check_keys()

    def check_keys(self) -> None:
        self.keys.request_painting()

    @property
    def up_to_date(self) -> bool:
        """Whether the terminal shows what keys mean now; until it does they are dropped."""
        return self.is_ending or self.keys.up_to_date

    # --- pictures and settings ----------------------------------------------------------------------------

    def change_picture(self, picture: Any) -> Any:
        return self.output.rewrite(picture)

    def note_written(self, screen: Screen[Any], started_at: float) -> None:
        self.keys.note_painted(screen, started_at)
        if isinstance(screen, Page):
            screen.painted()

    def on_resize(self, event: Resize) -> None:
        self.output.note_size(event)

    def on_app_focus(self) -> None:
        self.notifier.note_focus(focused=True)

    def on_app_blur(self) -> None:
        self.notifier.note_focus(focused=False)

    @property
    def preferences(self) -> "Preferences":
        return self.settings.preferences

    def _apply_preferences(self, before: "Preferences") -> None:
        """Show all screens as the preferences say; `before` are the former ones."""
        now = self.preferences
        self.theme = self.settings.theme
        self.output.configure(mouse=self.settings.uses_mouse, emoji=self.settings.shows_emoji)
        self.notifier.configure(bell=now.bell, title=now.title)
        speaks_other = now.language != before.language and self.settings.language != current_language()
        if speaks_other:
            set_language(self.settings.language)
        if speaks_other or (now.language == before.language and now.density != before.density):
            for screen in self.screen_stack:
                if isinstance(screen, BaseScreen):
                    screen.when_mounted(screen.retranslate)

    def _refuse_preferences(self, reason: str) -> None:
        self.show_notice(reason, error=True)

    # --- the end ------------------------------------------------------------------------------------------

    def action_suspend_process(self) -> None:
        """Give the terminal back to the shell until `fg`, unless a server with other users would stand still."""
        from scoville_client.session.stop_text import others_connected

        if self.is_connected and self.client.is_hosting and others_connected(self.session, self.client.running):
            reason = tr("Scoville cannot be suspended while other users are connected to your server.")
            self.show_notice(reason, error=True)
        else:
            super().action_suspend_process()

    async def action_quit(self) -> None:
        if self.is_connected and (self.client.is_multiplayer or self.client.in_game):
            from scoville_client.tui.screens.leaving import LeaveFlow

            LeaveFlow(self).quit()
        else:
            self.exit(0)

    @property
    def drain_seconds(self) -> float:
        return self.client.drain_seconds if self.is_connected else 0.0

    def finish(self, status: int = 0) -> None:
        self.call_later(self._finish, status)  # a signal may come in the context of anything

    def _finish(self, status: int) -> None:
        if self.is_connected:
            from scoville_client.tui.screens.leaving import LeaveFlow

            LeaveFlow(self).end(status)
        else:
            self.exit(status)

    async def on_unmount(self) -> None:
        if self._connection is not None:
            await self._connection.close()
