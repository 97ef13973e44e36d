"""Navigation: how screens are reached, and the stack of open pages and dialogs.

Each screen is imported when it is opened first, to keep the first paint fast.
"""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual.screen import Screen

from scoville_client.i18n.language import tr
from scoville_client.rules import FIRST_PAGE
from scoville_client.tui.actions import Action
from scoville_client.tui.screens.dialogs.dialog import Dialog
from scoville_client.tui.screens.page import Page
from scoville_client.tui.screens.start.start import StartScreen
from scoville_client.tui.shell import PACE, Shell
from scoville_client.tui.textual_hooks.app import HookedApp
from scoville_client.tui.widgets.key_bar import KeyBar
from scoville_client.tui.widgets.notice import ChatPreview

if TYPE_CHECKING:
    from scoville_client.puzzles.source import PuzzleSource
    from scoville_client.replays.playback import Playback
    from scoville_client.reviews.decisions import OwnMistakes
    from scoville_client.reviews.review import MarkedMoment
    from scoville_client.session.conversations import Conversation
    from scoville_client.session.planned_end import PlannedEnd
    from scoville_client.session.table.table import AtTable


_MOST_DIALOGS = 6
"""Dialogs over each other; our own paths need four. Each is drawn over a picture of all those below it: forty of them
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
        """The page in front, perhaps below dialogs. While the client ends, the last one, which shows nothing more."""
        self._last_page = next(reversed(self.pages), self._last_page)
        assert self._last_page is not None, "there is a page once the client runs"
        return self._last_page

    async def pop_to(self, is_wanted: Callable[[Screen[object]], bool]) -> None:
        """Go back to the first screen below that is wanted; dialogs above it are closed without an answer."""
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
        """Close a page soon, if it is still in front, and show the one below.

        It is not awaited: a screen is removed once it has handled its messages, so one that waited for that while it
        handles one would wait for ever, and the client with it.
        """
        self._app.call_later(self._close_page, page)

    async def _close_page(self, page: Screen[Any]) -> None:
        if page is self._app.screen:  # another one may have come over it, or it may have gone
            await self._app.pop_screen()

    def has_room_for(self, dialog: Screen[Any]) -> bool:
        """Return whether a dialog may be opened: no second one of the same kind over the first, and no tower of them.

        A key that is held down would open one after the other.
        """
        if not isinstance(dialog, Dialog):
            return True
        # One that was answered under another is drawn below it until that one is closed, so it counts as well.
        dialogs = [screen for screen in self._app.screen_stack if isinstance(screen, Dialog)]
        open_ones = [screen for screen in dialogs if not screen.answered]
        again = bool(open_ones) and type(open_ones[-1]) is type(dialog)
        return not again and len(dialogs) < _MOST_DIALOGS

    def show_planned_end(self, end: "PlannedEnd | None") -> None:
        """Count down to the server's end on every page, or stop that."""
        for page in self.pages:
            page.notices.use_notice(lambda notice: notice.count_down(end))

    def show_to_returned(self) -> None:
        """Let every page show changes from while the user looked elsewhere."""
        for page in self.pages:
            page.user_returned()

    def note_key(self) -> None:
        """Dismiss notices: the user who presses a key has seen them."""
        for page in self.pages:
            page.notices.dismiss_read()
        if self._app.screen is self.page:  # under a dialog they may not have been read
            self.page.notices.dismiss_announcements()


class Navigator:
    """Fulfils `Navigation` on the pages that are open; `pace` is the seconds of a step of an animation, 0 for none."""

    def __init__(self, app: HookedApp, shell: Shell, pages: PageStack, pace: float) -> None:
        self._app = app
        self._shell = shell
        self.pages = pages
        self._pace = pace

    # --- dialogs ----------------------------------------------------------------------------------------

    def open_help(self, context: str, own: Sequence[Action] | None = None) -> None:
        from scoville_client.tui.boards.actions import USUAL
        from scoville_client.tui.screens.help import HelpDialog

        self._shell.open_dialog(HelpDialog(context, USUAL if own is None else own))

    def open_rules(self) -> None:
        from scoville_client.tui.screens.help import RulesDialog

        game, page = self.pages.page.rules
        self._shell.open_dialog(RulesDialog(game, page if self._shell.settings.note_rules(game) else FIRST_PAGE))

    def open_palette(self) -> None:
        from scoville_client.tui.screens.palette import open_palette

        open_palette(self._shell)

    def open_settings(self) -> None:
        from scoville_client.tui.screens.dialogs.settings import SettingsDialog

        self._shell.open_dialog(SettingsDialog())

    def open_chat(self, conversation: "Conversation | None" = None, draft: str = "") -> None:
        from scoville_client.tui.screens.chat.panel import ChatPanel

        if not self._shell.client.is_multiplayer:
            self._shell.show_notice(tr("Nobody else is here."))
            return
        # The chat shows what the previews announce.
        for page in self.pages.pages:
            for preview in page.children_of(ChatPreview):
                preview.hide_message()
        panel = ChatPanel(self._shell.client.slash_commands, conversation, draft)
        self._shell.open_dialog(panel, lambda _: self.show_unread())

    def show_unread(self) -> None:
        """Show in the key bars the number of unread messages, and how long the server takes to answer."""
        client = self._shell.client
        # In a door it would be the door's delay, and a server in this process has none.
        told = client.is_multiplayer and not client.is_hosting and not self._shell.is_hosted
        for page in self.pages.pages:
            for bar in page.children_of(KeyBar):
                bar.show_unread(self._shell.conversations.all_unread)
                bar.show_delay(client.session.connection.link.delay if told else None)

    def open_profile(self, name: str = "") -> None:
        from scoville_client.tui.screens.account.profile import ProfileDialog

        self._shell.open_dialog(ProfileDialog(name))

    def open_leaderboards(self) -> None:
        from scoville_client.tui.screens.account.leaderboards import LeaderboardDialog

        at = self._shell.session.table
        self._shell.open_dialog(LeaderboardDialog("" if at is None else at.info.game))

    def open_clubs(self, club: str = "") -> None:
        from scoville_client.session.clubs import FEATURE
        from scoville_client.tui.screens.account.clubs import ClubDialog, ClubsDialog

        session = self._shell.session
        if FEATURE in session.connection.features:
            info = next((each for each in session.clubs.own_clubs if each.club == club), None)
            self._shell.open_dialog(ClubsDialog() if info is None else ClubDialog(info))
        else:
            self._shell.show_notice(tr("This server has no clubs."))

    def open_server_texts(self) -> None:
        from scoville_client.tui.screens.lobby.server_texts import ServerTextsDialog

        self._shell.open_dialog(ServerTextsDialog())

    def open_account(self) -> None:
        from scoville_client.tui.screens.account.account import AccountDialog

        self._shell.open_dialog(AccountDialog())

    def open_admin(self) -> None:
        from scoville_client.tui.screens.account.admin import AdminDialog

        self._shell.open_dialog(AdminDialog())

    # --- pages ------------------------------------------------------------------------------------------

    def open_replay(
        self, move: int = 0, playback: "Playback | None" = None, *, moments: "Sequence[MarkedMoment]" = ()
    ) -> None:
        self._shell.send_request(self._open_replay(move, playback, moments))

    async def _open_replay(self, move: int, playback: "Playback | None", moments: "Sequence[MarkedMoment]") -> None:
        from scoville_client.replays.after_game import reel_of_finished_game
        from scoville_client.tui.screens.replay.replay import ReplayScreen

        playback = playback or await reel_of_finished_game(self._shell.session)
        playback.go_to(move)
        await self.pages.show_page(ReplayScreen(playback, self._pace or PACE, moments=moments))

    def open_my_games(self) -> None:
        self._shell.send_request(self._choose_own_game())

    async def _choose_own_game(self) -> None:
        from scoville_client.reviews.decisions import OwnMistakes
        from scoville_client.tui.screens.start.saved_games import choose_saved_game

        chosen = await choose_saved_game(self._shell, is_connected=True)
        if isinstance(chosen, OwnMistakes):
            self.open_next_mistake(chosen)
        elif chosen is not None and not isinstance(chosen, Path):  # that of a game to continue, which is not listed
            self.open_replay(playback=chosen)

    def open_next_mistake(self, mistakes: "OwnMistakes") -> None:
        """Open the game of the user's mistake that is next, in place of the one before."""
        self._shell.send_request(self._open_next_mistake(mistakes))

    async def _open_next_mistake(self, mistakes: "OwnMistakes") -> None:
        from scoville_client.tui.screens.replay.replay import ReplayScreen

        playback = await asyncio.to_thread(mistakes.open_game)
        before = self.pages.page
        goes_on = isinstance(before, ReplayScreen) and before.mistakes is mistakes
        if goes_on:
            await self.pages.pop_to(lambda page: page is before)
        if playback is None:
            if goes_on:
                self.close_page(before)
            said = tr("These were all of your mistakes. Reviews of further games bring new ones.")
            self._app.call_later(self._shell.show_notice, said)  # on the page below
            return
        screen = ReplayScreen(playback, self._pace or PACE, mistakes)
        await (self.pages.replace_page(screen) if goes_on else self.pages.show_page(screen))

    def open_next_puzzle(self, source: "PuzzleSource", game: str = "") -> None:
        self._shell.send_request(self._open_next_puzzle(source, game))

    async def _open_next_puzzle(self, source: "PuzzleSource", game: str) -> None:
        from scoville_client.tui.screens.puzzles.puzzle import PuzzleScreen, make_puzzle

        before = self.pages.page
        goes_on = isinstance(before, PuzzleScreen) and before.source is source
        besides = before.posed.id if isinstance(before, PuzzleScreen) else ""
        screen = await make_puzzle(source, game, besides, self._shell.preferences.name)
        if screen is not None:
            await (self.pages.replace_page(screen) if goes_on else self.pages.show_page(screen))
            return
        if goes_on:
            self.close_page(before)
        said = tr("You have solved all of these puzzles.")
        self._app.call_later(self._shell.show_notice, said)  # on the page below

    def open_look_back(self, at: "AtTable", seq: int | None = None, *, plays: bool = False) -> None:
        from scoville_client.replays.look_back import LookBack
        from scoville_client.tui.screens.replay.look_back import LookBackScreen

        tape = LookBack(at)
        if seq is None:
            tape.step_back()
        else:
            tape.go_to_event(seq)
        self._app.call_later(self.pages.show_page, LookBackScreen(tape, self._pace or PACE, plays=plays))

    def open_daily(self, day: int | None = None) -> None:
        from scoville_client.tui.screens.daily.daily import DailyDialog, TravellerDialog

        def play(chosen: int | None) -> None:
            if chosen is not None:
                self._shell.send_request(self._play_daily(chosen))

        if day is None:
            self._shell.open_dialog(DailyDialog(), play)
        else:
            self._shell.open_dialog(TravellerDialog(day))

    async def _play_daily(self, day: int) -> None:
        await self._shell.session.daily.play_deal(day)
        await self.open_table()

    def open_daily_game(self, at: "AtTable", seq: int, player: str, day: int) -> None:
        from scoville_client.replays.look_back import LookBack
        from scoville_client.tui.screens.daily.daily import DailyGameScreen

        tape = LookBack(at)
        tape.go_to_event(seq)
        self._app.call_later(self.pages.show_page, DailyGameScreen(tape, self._pace or PACE, player, day))

    def open_tournaments(self, number: str = "") -> None:
        from scoville_client.tui.screens.tournaments.tournaments import TournamentDialog, TournamentsDialog

        self._shell.open_dialog(TournamentDialog(number) if number else TournamentsDialog())

    def open_tournament_table(self, number: str) -> None:
        self._shell.send_request(self._take_tournament_seat(number))

    async def _take_tournament_seat(self, number: str) -> None:
        await self._shell.session.tournaments.take_seat(number)
        await self.open_table()

    def watch_tournament_table(self, table: str) -> None:
        self._shell.send_request(self._watch_tournament_table(table))

    async def _watch_tournament_table(self, table: str) -> None:
        await self._shell.session.watch_table(table)
        await self.open_table()

    def start_practice(self, game: str) -> None:
        self._shell.send_request(self._start_practice(game))

    async def _start_practice(self, game: str) -> None:
        await self.pages.pop_to(lambda screen: isinstance(screen, StartScreen))
        if isinstance(self.pages.page, StartScreen):
            self.pages.page.choices.choose_practice(game)

    def open_tutorial(self, game: str) -> None:
        from scoville_client.tui.screens.tutorial import make_tutorial
        from scoville_client.tutorial.lesson import LessonFailed

        try:
            tutorial = make_tutorial(game, self._shell.preferences.name, self._pace)
        except LessonFailed as failed:
            self._app.call_later(self._shell.announce, failed.message)
        else:
            self._app.call_later(self.pages.show_page, tutorial)

    async def open_table(self) -> None:
        if not self._is_at_table() or self.pages.page.KEY_CONTEXT == "big":
            return  # a television shows every table itself
        await self.pages.pop_to(lambda screen: isinstance(screen, Page))
        if not self._is_at_table():
            return  # it was left or closed while the dialogs went
        # The start and the lobby stay below a table: that is where it is left to.
        if isinstance(self.pages.page, StartScreen) or self.pages.page.KEY_CONTEXT == "lobby":
            await self.pages.show_page(self.make_table_page())
        else:
            await self.pages.replace_page(self.make_table_page())

    def _is_at_table(self) -> bool:
        return self._shell.session.table is not None

    async def open_big(self) -> None:
        from scoville_client.tui.screens.lobby.actions import LobbyActions
        from scoville_client.tui.screens.watch import BigScreen

        await self._shell.session.lobby.watch_lobby()
        await self.pages.show_page(BigScreen(self._shell.client.start.code, pace=self._pace))
        if self._shell.session.table is None and self._shell.client.start.code:
            LobbyActions(self._shell).watch_code(self._shell.client.start.code)

    def close_page(self, page: Screen[Any]) -> None:
        self.pages.close_page(page)

    def make_lobby_page(self, *, has_offers: bool) -> Page:
        """Make the page of the lobby; `has_offers` says whether the session has just requested what there is to do."""
        from scoville_client.tui.screens.lobby.lobby import LobbyScreen

        return LobbyScreen(has_offers=has_offers)

    def make_table_page(self) -> Page:
        from scoville_client.tui.screens.table.table import TableScreen

        assert self._shell.session.table is not None, "there is a table to show"
        return TableScreen(self._shell.session.table, pace=self._pace)

    async def open_lobby(self, reason: str = "") -> None:
        from scoville_client.tui.screens.lobby.lobby import LobbyScreen

        if any(isinstance(page, LobbyScreen) for page in self.pages.pages):
            await self.pages.pop_to(lambda screen: isinstance(screen, LobbyScreen))
        else:
            await self.leave_server()
        if reason:
            self._shell.announce(reason)

    async def leave_server(self) -> None:
        if self._shell.is_hosted:
            self._app.exit(0)  # there is nothing behind the lobby of a hosted user
            return
        await self._shell.client.close()
        await self.pages.pop_to(lambda screen: isinstance(screen, StartScreen))
        self._shell.show_notice("")
