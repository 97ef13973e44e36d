"""Navigation: how screens are reached. Each is imported when it is opened first, to keep the first paint fast."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from scoville_client.i18n.language import tr
from scoville_client.rules import FIRST_PAGE
from scoville_client.tui.actions import Action
from scoville_client.tui.screens.page import Page
from scoville_client.tui.screens.start.start import StartScreen
from scoville_client.tui.widgets.chat_preview import ChatPreview
from scoville_client.tui.widgets.key_bar import KeyBar
from scoville_client.tui.window import Window

if TYPE_CHECKING:
    from scoville_client.replays.playback import Playback
    from scoville_client.session.client import Client
    from scoville_client.session.conversations import Conversation, Conversations
    from scoville_client.session.session import Session
    from scoville_client.session.table.table import AtTable

PACE = 1.3
"""How many seconds a step of an animation stays."""


class Navigator(Window):
    """A window whose screens show one connection. `pace` is the seconds of a step of an animation; 0 shows none."""

    pace = PACE
    is_hosted = False
    offer_file: Callable[[str, str], None] | None = None
    _client: "Client | None" = None

    @property
    def client(self) -> "Client":
        """The current connection, or the last one after it was closed."""
        assert self._client is not None, "screens of a connection are opened once there is one"
        return self._client

    @property
    def session(self) -> "Session":
        """The session of the current connection."""
        return self.client.session

    @property
    def conversations(self) -> "Conversations":
        """The chat of the current connection."""
        return self.client.conversations

    # --- dialogs ----------------------------------------------------------------------------------------

    def open_help(self, context: str, own: Sequence[Action] | None = None) -> None:
        """Open the help, with the keys of `context` first; `own` are those of a game, by default the usual ones."""
        from scoville_client.tui.boards.actions import USUAL
        from scoville_client.tui.screens.help.help import HelpDialog

        self.open_dialog(HelpDialog(context, USUAL if own is None else own))

    def open_rules(self) -> None:
        """Open the rules at the page that fits what the page in front shows; those of a game first at their start."""
        from scoville_client.tui.screens.help.rules import RulesDialog

        game, page = self.page.rules
        self.open_dialog(RulesDialog(game, page if self.note_rules(game) else FIRST_PAGE))

    def open_palette(self) -> None:
        """Open the list of everything that is possible on the screen in front."""
        from scoville_client.tui.screens.palette import open_palette

        open_palette(self)

    def open_settings(self) -> None:
        """Open the settings."""
        from scoville_client.tui.screens.dialogs.settings import SettingsDialog

        self.open_dialog(SettingsDialog())

    def open_chat(self, conversation: "Conversation | None" = None, draft: str = "") -> None:
        """Open the chat, except in practice, where nobody would read it."""
        from scoville_client.tui.screens.chat.panel import ChatPanel

        if not self.client.is_multiplayer:
            self.show_notice(tr("Nobody else is here."))
            return
        for page in self.pages:
            for preview in page.parts(ChatPreview):
                preview.hide()
        self.open_dialog(ChatPanel(self.conversations, conversation, draft), lambda _: self.show_unread())

    def show_unread(self) -> None:
        """Show the number of unread messages in the key bars."""
        for page in self.pages:
            for bar in page.parts(KeyBar):
                bar.show_unread(self.conversations.all_unread)

    def open_profile(self, name: str = "") -> None:
        """Open the profile of a player; without a name the user's own."""
        from scoville_client.tui.screens.account.profile import ProfileDialog

        self.open_dialog(ProfileDialog(name))

    def open_leaderboards(self) -> None:
        """Open the leaderboards at the game of the current table."""
        from scoville_client.tui.screens.account.leaderboards import LeaderboardDialog

        at = self.session.table
        self.open_dialog(LeaderboardDialog("" if at is None else at.info.game))

    def open_account(self) -> None:
        """Open the user's account."""
        from scoville_client.tui.screens.account.account import AccountDialog

        self.open_dialog(AccountDialog())

    def open_admin(self) -> None:
        """Open what admins read: users, reports, bans and the audit log."""
        from scoville_client.tui.screens.account.admin import AdminDialog

        self.open_dialog(AdminDialog())

    # --- pages ------------------------------------------------------------------------------------------

    def open_replay(self, move: int = 0, playback: "Playback | None" = None) -> None:
        """Open a replay, by default of the game that just finished, after one of its moves."""
        self.request(self._open_replay(move, playback))

    async def _open_replay(self, move: int, playback: "Playback | None") -> None:
        from scoville_client.replays.after_game import reel_of_finished_game
        from scoville_client.tui.screens.replay.replay import ReplayScreen

        playback = playback or await reel_of_finished_game(self.session)
        playback.go(move)
        await self.show_page(ReplayScreen(playback, self.pace or PACE))

    def open_look_back(self, at: "AtTable", seq: int | None = None, *, plays: bool = False) -> None:
        """Open what has happened at a table, after an event; by default before the latest move."""
        from scoville_client.replays.look_back import LookBack
        from scoville_client.tui.screens.replay.look_back import LookBackScreen

        tape = LookBack(at)
        if seq is None:
            tape.back()
        else:
            tape.go_to_event(seq)
        self.call_later(self.show_page, LookBackScreen(tape, self.pace or PACE, plays=plays))

    def practise(self, game: str) -> None:
        """Leave every page but the first, and begin to practise a game."""
        self.request(self._practise(game))

    async def _practise(self, game: str) -> None:
        await self.pop_to(lambda screen: isinstance(screen, StartScreen))
        if isinstance(self.page, StartScreen):
            self.page.practise(game)

    def open_tutorial(self, game: str) -> None:
        """Open the guided rounds of a game."""
        from scoville_client.tui.screens.tutorial.tutorial import tutorial

        self.call_later(self.show_page, tutorial(game, self.preferences.name, self.pace))

    async def open_table(self) -> None:
        """Show the table of the session instead of another one; does nothing if the session has left it meanwhile."""
        if self.session.table is None or self.page.KEY_CONTEXT == "big":  # that page shows every table itself
            return
        await self.pop_to(lambda screen: isinstance(screen, Page))
        if isinstance(self.page, StartScreen) or self.page.KEY_CONTEXT == "lobby":
            await self.push_screen(self._table_page())
        else:
            await self.switch_screen(self._table_page())

    async def open_big(self) -> None:
        """Show a table for a television; ask for its password where it has one."""
        from scoville_client.tui.screens.lobby.actions import LobbyActions
        from scoville_client.tui.screens.watch.big import BigScreen

        await self.session.lobby.watch()
        await self.show_page(BigScreen(self.client.start.code, pace=self.pace))
        if self.session.table is None and self.client.start.code:
            LobbyActions(self).watch(self.client.start.code)

    def lobby_page(self) -> Page:
        """Make the page of the lobby."""
        from scoville_client.tui.screens.lobby.lobby import LobbyScreen

        return LobbyScreen()

    def _table_page(self) -> Page:
        from scoville_client.tui.screens.table.table import TableScreen

        assert self.session.table is not None, "there is a table to show"
        return TableScreen(self.session.table, pace=self.pace)

    async def open_lobby(self, reason: str = "") -> None:
        """Go back to the lobby, or to the start where there is none, and announce why."""
        from scoville_client.tui.screens.lobby.lobby import LobbyScreen

        if any(isinstance(page, LobbyScreen) for page in self.pages):
            await self.pop_to(lambda screen: isinstance(screen, LobbyScreen))
        else:
            await self.disconnect()
        if reason:
            self.announce(reason)

    async def disconnect(self) -> None:
        """Close the connection and go back to the start."""
        if self._client is not None:
            await self._client.close()
        await self.pop_to(lambda screen: isinstance(screen, StartScreen))
        self.show_notice("")
