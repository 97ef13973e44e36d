"""The Textual client. No game, server or network is loaded before the first paint."""

import os
from functools import cached_property, partial
from typing import TYPE_CHECKING

from textual.message import Message

from scoville_client.garbage import resume_collection, resuming_collection
from scoville_client.i18n.language import render, spell, tr
from scoville_client.session.start_options import Start
from scoville_client.settings.file import SettingsFile
from scoville_client.settings.terminals import Measured, Terminals
from scoville_client.tui.navigation import PACE, Navigator
from scoville_client.tui.notifications import Notifier
from scoville_client.tui.screens.base import BaseScreen
from scoville_client.tui.screens.page import Page
from scoville_client.tui.screens.start.start import StartScreen
from scoville_client.tui.terminal import glyphs
from scoville_client.tui.waiting_changes import WaitingChanges
from scoville_runtime.clock import SYSTEM, Clock
from scoville_shared.engine.phrases import Phrase

if TYPE_CHECKING:
    from scoville_client.session.changes import Change
    from scoville_client.session.client import Client
    from scoville_client.settings.preferences import Preferences
    from scoville_client.transport.lan.browser import Browse
    from scoville_client.tui.alerts import Alerts

_PROGRESS = {
    "practice": Phrase("Shuffling the cards …"),
    "join": Phrase("Connecting to {host} …"),
    "host": Phrase("Opening a table …"),
}


def run(start: Start, settings: SettingsFile) -> int:
    """Show the client in this terminal until the user quits; returns the exit status."""
    measured = Terminals.of_user().find(os.environ)
    level = glyphs.find_level(settings.preferences.characters, measured.characters)
    spell(plainly=level == "ascii")
    from scoville_client.transport.lan.mdns import mdns_browse

    app = ScovilleApp(
        start, translation=glyphs.table(level), settings=settings, measured=measured, browse=mdns_browse()
    )
    return app.run_in_terminal()


def _progress(start: Start) -> Phrase | str:
    """The notice to show while a connection is opened; empty for the menu."""
    if start.kind == "join" and not start.host:
        return Phrase("Looking for {code} on the local network …").of({"code": start.code})
    phrase = _PROGRESS.get(start.kind)
    return "" if phrase is None else phrase.of({"host": start.host})


class ChangesWait(Message):
    """Changes of the session of the current connection wait to be shown."""


class ScovilleApp(Navigator):
    """Opens and closes connections, and passes the changes of their session to the screens."""

    def __init__(
        self,
        start: Start,
        *,
        pace: float = PACE,
        translation: glyphs.Table | None = None,
        settings: SettingsFile | None = None,
        measured: Measured | None = None,
        clock: Clock = SYSTEM,
        browse: "Browse | None" = None,
    ) -> None:
        super().__init__(translation=translation, settings=settings, measured=measured, clock=clock)
        self.pace = pace
        self._start = start
        self._browse = browse
        self._waiting_changes = WaitingChanges()
        self._notifier = Notifier(self.write_to_terminal, titles=self.shows_titles)
        self._configure_notifier()

    def on_mount(self) -> None:
        """Show the first page, once Textual's start no longer holds all painting back."""
        self.call_later(self.open_first)

    def open_first(self) -> None:
        """Show the first page."""
        self.push_screen(self.first_page())

    def first_page(self) -> Page:
        """Make the page that is shown first."""
        return StartScreen(self._start, _progress(self._start), self._browse)

    # --- connections ------------------------------------------------------------------------------------

    def on_start_screen_painted(self) -> None:
        """Do what the command line asks for, now that the first page is painted."""
        if self._start.kind == "tutorial":
            self.open_tutorial(self._start.game)
        elif self._start.kind != "menu":
            self.connect(self._start)
            return
        resume_collection()

    def on_start_screen_chosen(self, message: StartScreen.Chosen) -> None:
        """Do what the user chose on the first page."""
        self.connect(message.start)

    def connect(self, start: Start) -> None:
        """Open a connection in the background; it replaces the current one."""
        self.show_notice(_progress(start), sticky=True)
        self.request(self._connect(start))

    def make_client(self, start: Start) -> "Client":
        """Make the client of a new connection."""
        from scoville_client.session.client import Client

        return Client(start, self.clock, browse=self._browse)

    async def _connect(self, start: Start, opened: "Client | None" = None) -> None:
        await self._close()
        progress = self.page if self.pages else None
        client = self._client = opened or self.make_client(start)
        client.session.subscribe(self._session_changed)
        try:
            with resuming_collection():
                if opened is None:
                    await client.open()
                await self._open_pages()
        except BaseException:
            if isinstance(progress, StartScreen):
                progress.offer_menu()
            raise
        if progress is not None and opened is None:  # not before: it would lay out a page that is covered in a moment
            progress.show_notice("")
        if client.running is not None and client.running.again and start.kind == "host" and client.in_game:
            reopened = tr("Your table has been reopened. To open another one, go to the lobby (Esc).")
            self.show_notice(reopened, sticky=True)

    async def _open_pages(self) -> None:
        """Show the lobby, also beneath a table to which the user comes straight, and the table."""
        if self.client.start.big:
            await self.open_big()
            return
        if self.client.is_multiplayer:
            await self.session.lobby.watch()
            await self.show_page(self.lobby_page())
        if self.session.connection.name_claimed or (
            self.client.start.logging_in and not self.session.connection.claimed
        ):
            from scoville_client.tui.screens.account.login_dialogs import explain_guest

            explain_guest(self, self.client.start)
        if self.session.table is not None:
            await self.show_page(self._table_page())
        elif self.client.start.code:
            from scoville_client.tui.screens.lobby.actions import LobbyActions

            actions = LobbyActions(self)
            (actions.watch if self.client.start.watching else actions.enter)(self.client.start.code)
        if self.session.connection.name_refused is not None:
            self.show_notice(self.session.connection.name_refused, sticky=True)

    async def _close(self) -> None:
        if self._client is not None:
            await self._client.close()

    async def on_unmount(self) -> None:
        await self._close()

    # --- the session ------------------------------------------------------------------------------------

    def _session_changed(self, change: "Change") -> None:
        was_empty = not self._waiting_changes
        self._waiting_changes.add(change)
        if was_empty:
            self.post_message(ChangesWait())

    def on_changes_wait(self) -> None:
        """Show some of the changes that wait, and let what came meanwhile have its turn: a key, above all to quit."""
        if not self.pages:  # the client ends
            self._waiting_changes.clear()
            return
        for change in self._waiting_changes.take_portion():
            self._show_change(change)
        if self._waiting_changes:
            self.post_message(ChangesWait())

    def _show_change(self, change: "Change") -> None:
        """Pass a change of the session to every screen; that the connection is lost replaces other notices."""
        from scoville_client.session import changes

        match change:
            case changes.TableChanged(presence=True):  # a refusal stays: it has nothing to do with who comes and goes
                pass
            case changes.EventApplied() | changes.TableChanged():
                self.page.dismiss_notice()
            case changes.Announced(text=text):
                self.announce(tr("Announcement: {text}", text=text))
            case changes.AccountWarned(sentence=sentence) | changes.DoorEnded(sentence=sentence):
                self.announce(render(sentence))
            case changes.ConnectionDown(sentence=sentence):
                way_out = Phrase("{sentence} Press Esc to go back.", {"sentence": sentence})
                self.show_notice(way_out, error=True, sticky=True)
            case changes.Connected(again=True):
                self.show_notice("")
        self._alerts.session_changed(self.client, change)
        self.show_unread()
        for screen in self.screen_stack:
            if isinstance(screen, BaseScreen):
                screen.when_mounted(partial(screen.session_changed, change))

    # --- alerts -----------------------------------------------------------------------------------------

    @cached_property
    def _alerts(self) -> "Alerts":
        from scoville_client.tui.alerts import Alerts

        return Alerts(self, self._notifier)

    def apply_preferences(self, before: "Preferences") -> None:
        """Show all screens as the preferences say, and notify by what they allow."""
        super().apply_preferences(before)
        self._configure_notifier()

    def _configure_notifier(self) -> None:
        self._notifier.configure(bell=self.preferences.bell, title=self.preferences.title)

    def key_pressed(self) -> None:
        self._notifier.key_pressed()
        super().key_pressed()

    def on_app_focus(self) -> None:
        self._notifier.focus(focused=True)

    def on_app_blur(self) -> None:
        self._notifier.focus(focused=False)

    # --- the end ----------------------------------------------------------------------------------------

    @property
    def suspend_refusal(self) -> str:
        """Why a server with other users must not be suspended."""
        from scoville_client.session.stop_text import others_connected

        if self._client is not None and self.client.is_hosting and others_connected(self.session, self.client.running):
            return tr("Scoville cannot be suspended while other users are connected to your server.")
        return ""

    async def action_quit(self) -> None:
        """Quit, after a question where that ends a game or disconnects other users."""
        if self._client is not None and (self.client.is_multiplayer or self.client.in_game):
            from scoville_client.tui.screens.leaving import LeaveFlow

            LeaveFlow(self).quit()
        else:
            self.exit(0)

    @property
    def drain_seconds(self) -> float:
        """How many seconds the other players of a hosted server get to finish their moves."""
        return 0.0 if self._client is None else self._client.drain_seconds

    def finish(self, status: int = 0) -> None:
        """End with an exit status, once the players of a hosted server have finished their moves."""
        self.call_later(self._finish, status)  # a signal may come in the context of anything

    def _finish(self, status: int) -> None:
        if self._client is None:
            self.exit(status)
        else:
            from scoville_client.tui.screens.leaving import LeaveFlow

            LeaveFlow(self).end(status)
