"""The Textual client. No game, server or network is loaded before the first paint."""

import os
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeVar, cast

from textual.binding import BindingType
from textual.dom import DOMNode
from textual.driver import Driver
from textual.events import CursorPosition, Event, Key, Resize
from textual.filter import LineFilter
from textual.screen import ModalScreen, Screen

from scoville_client.garbage import resume_collection
from scoville_client.i18n.language import current_language, set_language, set_spelling
from scoville_client.session.start_options import Start
from scoville_client.settings.file import SettingsFile
from scoville_client.settings.preferences import Preferences
from scoville_client.settings.terminals import CHILLI, EMOJI, Terminals, measure_emoji
from scoville_client.tui import STYLES
from scoville_client.tui.attention import Attention
from scoville_client.tui.drawing.key_names import key_list
from scoville_client.tui.key_input import KeyInput, TargetClicked
from scoville_client.tui.navigation import Navigator, PageStack
from scoville_client.tui.notifications import Call, Notifier, send_to_clipboard
from scoville_client.tui.platform import Platform, progress_text
from scoville_client.tui.reports import ASK_BACKGROUND, Report
from scoville_client.tui.request import Request
from scoville_client.tui.screens.base import BaseScreen
from scoville_client.tui.screens.page import Page
from scoville_client.tui.screens.start.start import StartScreen
from scoville_client.tui.shell import PACE
from scoville_client.tui.terminal import glyphs
from scoville_client.tui.terminal.driver import SAMPLES
from scoville_client.tui.terminal.output import VISIBLE_TEXT, TerminalOutput
from scoville_client.tui.terminal.pictures import CardPictures
from scoville_client.tui.terminal.progress import TerminalProgress
from scoville_client.tui.terminal.signals import EndBySignal, ended_by_signals
from scoville_client.tui.terminal.traits import TerminalTraits, local_traits
from scoville_client.tui.textual_hooks.app import HookedApp
from scoville_client.tui.textual_hooks.parser import TerminalReported
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
    from scoville_client.session.planned_end import PlannedEnd
    from scoville_client.session.session import Session
    from scoville_client.tui.connection import Connection


_ASKED_WIDTHS: Final = len(SAMPLES)


class TerminalExchange:
    """Speaks with the terminal through `output`; the `settings` follow what it answers.

    Attributes:
        notifier: Bell, window title and notices on the desktop.
        progress: The progress in the tab.
        pictures: The faces of cards that it shows as pictures.
    """

    def __init__(self, output: TerminalOutput, settings: UserSettings, attention: Attention) -> None:
        self._output = output
        self._attention = attention
        self._settings = settings
        self._terminal = terminal = settings.terminal
        write = output.write_sequence
        self.notifier = Notifier(write, titles=terminal.titles, notices=terminal.notices, tmux=terminal.tmux)
        self.progress = TerminalProgress(write, knows=terminal.shows_progress)
        self.pictures = CardPictures(write)
        self._widths: list[int] = []
        self.allow_kinds(settings.preferences)

    def allow_kinds(self, allowed: Preferences) -> None:
        """Allow the notices, titles and pictures that the user wants."""
        self.notifier.allow_ways(bell=allowed.bell, title=allowed.title, desktop=allowed.desktop)
        self.notifier.allow_calls(call for call in Call if getattr(allowed, f"call_{call}"))
        self.progress.enabled = allowed.title
        if self.pictures.allow(wanted=allowed.pictures):
            self._output.redraw_all()

    def draw_again(self) -> None:
        """Send everything that the terminal shows once more: it may have lost it."""
        self.pictures.send_again()
        self._output.redraw_all()

    def note_focus(self, *, focused: bool) -> None:
        """Note whether the window is in front; one that has come there may look otherwise since."""
        self.notifier.note_focus(focused=focused)
        self._attention.note_focus(focused=focused)
        if focused and self._terminal.asks_again:
            self._output.write_sequence(ASK_BACKGROUND)

    def note_key(self) -> None:
        """Note that the user is there."""
        self.notifier.note_key()
        self._attention.note_use()

    def note_report(self, report: Report) -> None:
        """Follow the terminal's reports of itself; of pictures only what it was asked for."""
        if report.light is not None:
            self._settings.note_background(light=report.light)
        elif self._terminal.asks_pictures and self.pictures.note_report(report):
            self._output.redraw_all()

    def note_column(self, column: int) -> None:
        """Take the answer to the question how wide a sample is; all of them are remembered."""
        self._widths.append(column)
        if len(self._widths) == _ASKED_WIDTHS and self._terminal.unmeasured:
            measured = measure_emoji(self._widths)
            Terminals.of_user().remember(os.environ, measured)
            self._settings.note_widths(emoji=measured.is_as_reckoned(EMOJI), chilli=measured.is_as_reckoned(CHILLI))
            self._output.redraw_all()


T = TypeVar("T")


def run_app(start: Start, settings: SettingsFile) -> int:
    """Show the client in this terminal until the user quits; returns the exit status."""
    from scoville_client.transport.lan.mdns import mdns_browse

    platform = Platform(settings, _spelled_terminal(settings), mdns_browse())
    return run_in_terminal(ScovilleApp(start, platform))


def run_replay(playback: "Playback", pace: float, settings: SettingsFile) -> int:
    """Show a replay in this terminal until the user quits; returns the exit status."""
    platform = ReplayPlatform(playback, pace, settings, _spelled_terminal(settings))
    return run_in_terminal(ScovilleApp(Start(), platform, pace=pace))


class ReplayPlatform(Platform):
    """A process that shows a replay first, instead of the start screen."""

    def __init__(
        self,
        playback: "Playback",
        pace: float = PACE,
        settings: SettingsFile | None = None,
        terminal: TerminalTraits | None = None,
    ) -> None:
        super().__init__(settings, terminal)
        self._playback = playback
        self._pace = pace

    def make_first_page(self, start: Start) -> Page:  # noqa: ARG002 - nothing else is started
        from scoville_client.tui.screens.replay.replay import ReplayScreen

        return ReplayScreen(self._playback, self._pace)


def _spelled_terminal(settings: SettingsFile) -> TerminalTraits:
    """Return this terminal's abilities, and spell all texts in its characters."""
    measured = Terminals.of_user().find(os.environ)
    level = glyphs.find_level(settings.preferences.characters, measured.characters)
    set_spelling(plainly=level == "ascii")
    return local_traits(settings.preferences, measured, glyphs.table_of_level(level))


def run_in_terminal(app: "ScovilleApp") -> int:
    """Run until the user quits; returns the exit status. An unexpected exception is one sentence on stderr."""
    with ended_by_signals(app, app.ending):
        status = app.run(mouse=app.settings.uses_mouse) or app.return_code or 0
    if app.fault is not None:
        from scoville_client.crash import report_crash

        report_crash(app.fault)
    return status


class ScovilleApp(HookedApp):
    """The client: it hands what Textual reports to the member that it concerns, and is the `Shell` of its screens.

    Attributes:
        platform: Where the client runs.
        settings: The user's settings.
        output: The output to the terminal.
        page_stack: The pages and dialogs that are open.
        navigation: The navigation that opens them.
        keys: Which keys and clicks are handled.
        exchange: Titles, bells and pictures for the terminal, and its answers; with `notifier` and `progress`.
        ending: The end of the client after a signal.
    """

    CSS_PATH = STYLES / "screens.tcss"
    TITLE = "Scoville"
    ENABLE_COMMAND_PALETTE = False  # ours knows the keys and commands of a screen: `screens/palette.py`
    BINDINGS: ClassVar[list[BindingType]] = []

    def __init__(
        self, start: Start, platform: Platform | None = None, *, pace: float = PACE, clock: Clock = SYSTEM
    ) -> None:
        keep_no_break_spaces()
        self.platform = platform or Platform()
        self.terminal, self.clock = self.platform.terminal, clock
        self.settings = UserSettings(
            self.platform.settings_file, self.terminal, self._apply_preferences, self._refuse_preferences
        )
        super().__init__()  # after the settings: it asks for the driver
        self.no_color = self.terminal.colours == "none"
        for theme in THEMES.values():
            self.register_theme(for_terminal(theme, self.terminal.colours))
        self.theme = self.settings.theme
        # In place of the one that Textual has just made, which would parse every source again.
        self.stylesheet = ParsedOnce(variables=self.get_css_variables())
        self.output = TerminalOutput(self, self.terminal)
        self.page_stack = PageStack(self)
        self.navigation = Navigator(self, self, self.page_stack, pace)
        self.keys, self.ending = KeyInput(self, self.settings), EndBySignal(self)
        self.set_keymap({action: ",".join(key_list(keys)) for action, keys in self.preferences.keys.items()})
        self.attention = Attention(clock.seconds, self.page_stack.show_to_returned)
        self.exchange = exchange = TerminalExchange(self.output, self.settings, self.attention)
        self.notifier, self.progress, self.pictures = exchange.notifier, exchange.progress, exchange.pictures
        self._start = start
        self._connection: Connection | None = None

    # --- hooks of Textual ---------------------------------------------------------------------------------

    def get_driver_class(self) -> type[Driver]:
        return self.platform.adapt_driver(super().get_driver_class(), self.settings)

    def get_line_filters(self) -> Sequence[LineFilter]:
        return [*super().get_line_filters(), VISIBLE_TEXT]

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return DARK.variables  # the colours that our themes have beyond Textual's

    def prepare_loop(self) -> None:
        self.platform.prepare_loop()

    def note_widget(self, widget: DOMNode) -> None:
        self.platform.note_widget(widget)

    def change_picture(self, picture: Any) -> Any:
        return self.output.rewrite_picture(picture)

    def note_written(self, screen: Screen[Any], started_at: float) -> None:
        self.keys.note_painted(screen, started_at)
        if isinstance(screen, Page):
            screen.note_painted()
        self.platform.note_written(self, screen)

    def on_resize(self, event: Resize) -> None:
        self.output.note_size(event)

    def on_app_focus(self) -> None:
        self.exchange.note_focus(focused=True)

    def on_app_blur(self) -> None:
        self.exchange.note_focus(focused=False)

    def on_terminal_reported(self, message: TerminalReported) -> None:
        self.exchange.note_report(message.report)

    def on_cursor_position(self, event: CursorPosition) -> None:
        self.exchange.note_column(event.x)

    def save_screenshot(self, *_: object, **__: object) -> str:
        """Save nothing: the disk may be that of a server."""
        return ""

    # --- the start ----------------------------------------------------------------------------------------

    def on_mount(self) -> None:
        self.call_later(self._open_first)  # not at once: Textual's start holds all painting back until then

    def _open_first(self) -> None:
        """Show the first page, or the lobby of a connection that is open already."""
        if self.platform.opened_client is None:
            self.push_screen(self.platform.make_first_page(self._start))
        else:
            self.send_request(self._open_arrived(self.platform.opened_client))

    async def _open_arrived(self, client: "Client") -> None:
        try:
            await self.connection.open_client(self._start, client)
        finally:
            if not self.page_stack.pages:
                self.push_screen(self.platform.make_first_page(self._start))

    def on_start_screen_painted(self) -> None:
        """Carry out the command line's request, now that the first page is painted."""
        if self._start.kind == "tutorial":
            self.navigation.open_tutorial(self._start.game)
        elif self._start.welcome and self.settings.is_first_start:
            from scoville_client.tui.screens.start.welcome import welcome_user

            welcome_user(self, self._start, self.open_connection)
        elif self._start.kind != "menu":
            self.open_connection(self._start)
            return
        resume_collection()

    def action_redraw(self) -> None:
        self.exchange.draw_again()

    def on_start_screen_chosen(self, message: StartScreen.Chosen) -> None:
        self.open_connection(message.start)

    # --- the connection -----------------------------------------------------------------------------------

    def open_connection(self, start: Start) -> None:
        """Open a connection in the background; it replaces the current one."""
        self.show_notice(progress_text(start), sticky=True)
        self.send_request(self.connection.open_client(start))

    @property
    def connection(self) -> "Connection":
        """The current connection."""
        if self._connection is None:
            from scoville_client.tui.connection import Connection

            self._connection = Connection(self, self, self.navigation, self.platform, self.notifier)
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

    @property
    def planned_end(self) -> "PlannedEnd | None":
        return self.session.shutdown.planned if self.is_connected else None

    def send_request(self, awaited: Awaitable[object]) -> None:
        Request(awaited, lambda _: None, lambda sentence: self.show_notice(sentence, error=True)).start_worker(self)

    @property
    def is_hosted(self) -> bool:
        return self.platform.is_hosted

    @property
    def offer_file(self) -> Callable[[str, str], None] | None:
        return self.platform.offer_file

    # --- dialogs and notices ------------------------------------------------------------------------------

    def open_dialog(self, dialog: ModalScreen[T], on_close: Callable[[T | None], object] | None = None) -> None:
        if self.page_stack.has_room_for(dialog):
            self.push_screen(dialog, cast("Any", on_close))

    async def ask_user(self, dialog: ModalScreen[T]) -> T | None:
        screen: Screen[Any] = dialog
        return cast("T | None", await self.push_screen_wait(screen)) if self.page_stack.has_room_for(dialog) else None

    def show_notice(self, sentence: str | Phrase, *, error: bool = False, sticky: bool = False) -> None:
        self.page_stack.page.show_notice(sentence, error=error, sticky=sticky)

    def announce(self, sentence: str) -> None:
        self.page_stack.page.announce(sentence)

    def copy_text(self, text: str) -> str:
        write = self.output.write_sequence if self.terminal.clipboard else None
        self.show_notice(said := send_to_clipboard(text, write, tmux=self.terminal.tmux))
        return said

    # --- keys ---------------------------------------------------------------------------------------------

    async def on_event(self, event: Event) -> None:
        """Drop keys that cannot have been meant; dismiss what was read before this key. A click is a key."""
        handled = self.keys.translate_event(event)
        if handled is None:
            return
        if isinstance(handled, Key) and not handled.is_forwarded:
            self._note_key()
            if self.keys.is_hidden(handled):
                if self.keys.is_quit_key(handled):
                    await self.action_quit()
                return
        await super().on_event(handled)

    def _note_key(self) -> None:
        self.exchange.note_key()
        self.page_stack.note_key()

    def on_key(self, event: Key) -> None:
        """Drop keys whose meaning has changed while they waited for their turn."""
        if self.is_ending or not self.keys.is_meant(event):
            event.prevent_default()

    def on_target_clicked(self, event: TargetClicked) -> None:
        """Carry out a click, unless its meaning has changed while it waited."""
        if not self.is_ending and self.keys.is_meant(event) and event.widget.is_attached:
            event.widget.handle_click(event.target)

    def on_idle(self) -> None:
        self.check_keys()

    def check_keys(self) -> None:
        self.keys.request_painting()

    @property
    def up_to_date(self) -> bool:
        """Whether the terminal shows what keys mean now; until it does they are dropped."""
        return self.is_ending or self.keys.up_to_date

    # --- settings -----------------------------------------------------------------------------------------

    @property
    def preferences(self) -> "Preferences":
        return self.settings.preferences

    def _apply_preferences(self, before: "Preferences") -> None:
        """Show all screens as the preferences say; `before` are the former ones."""
        now = self.preferences
        self.theme = self.settings.theme
        self.output.configure_driver(mouse=self.settings.uses_mouse, emoji=self.settings.shows_emoji)
        self.exchange.allow_kinds(now)
        speaks_other = now.language != before.language and self.settings.language != current_language()
        if speaks_other:
            set_language(self.settings.language)
            if self.is_connected:
                self.send_request(self.session.change_language())
        if speaks_other or (now.language == before.language and now.density != before.density):
            for screen in self.screen_stack:
                if isinstance(screen, BaseScreen):
                    screen.when_mounted(screen.retranslate)

    def _refuse_preferences(self, reason: str) -> None:
        self.show_notice(reason, error=True)

    # --- the end ------------------------------------------------------------------------------------------

    def action_suspend_process(self) -> None:
        """Give the terminal back to the shell until `fg`, unless a server with other users would stand still."""
        if self.is_connected and (refusal := self.client.suspension_refusal):
            self.show_notice(refusal, error=True)
        else:
            super().action_suspend_process()

    async def action_quit(self) -> None:
        if self.is_connected and (self.client.is_multiplayer or self.client.in_game):
            from scoville_client.tui.screens.leaving import LeaveFlow

            LeaveFlow(self).quit_client()
        else:
            self.exit(0)

    @property
    def drain_seconds(self) -> float:
        return self.client.drain_seconds if self.is_connected else 0.0

    def finish_games(self, status: int = 0) -> None:
        self.call_later(self._finish_and_exit, status)  # a signal may come in the context of anything

    def _finish_and_exit(self, status: int) -> None:
        if self.is_connected:
            from scoville_client.tui.screens.leaving import LeaveFlow

            LeaveFlow(self).end_client(status)
        else:
            self.exit(status)

    async def on_unmount(self) -> None:
        if self._connection is not None:
            await self._connection.close()
