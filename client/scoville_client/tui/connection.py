"""Connection of the client: opened, replaced and closed, the pages that it opens with, and what its changes show.

Changes of the session are shown some at a time, with notices, chat previews, bell and window title. Imported with the
first connection: it loads the session, which the first page does not need. Code for servers of others alone is imported
when they need it: practice is at its board without it.
"""

from collections import deque
from contextlib import suppress
from functools import partial
from typing import Final

from scoville_client.garbage import resuming_collection
from scoville_client.i18n.errors import announcement_text, error_text
from scoville_client.i18n.language import render, tr
from scoville_client.i18n.name_text import with_mark
from scoville_client.i18n.reactions import REACTIONS
from scoville_client.session.changes import (
    AccountWarned,
    Announced,
    Change,
    ChatReceived,
    ClubChanged,
    Connected,
    ConnectionDown,
    ConnectionLost,
    DoorEnded,
    EntrantsChanged,
    EventApplied,
    Invited,
    Reacted,
    ShutdownAnnounced,
    TableChanged,
    TablesChanged,
    TournamentNews,
    UsersChanged,
)
from scoville_client.session.chat_channels import WHISPERS
from scoville_client.session.client import Client
from scoville_client.session.connection import SERVER_PASSWORDS
from scoville_client.session.start_options import Start
from scoville_client.session.table.table import AtTable
from scoville_client.session.tournaments import has_new_results, is_call_of_club, may_be_called_away
from scoville_client.transport.address import Address
from scoville_client.tui.navigation import Navigator, PageStack
from scoville_client.tui.notifications import Call, Notifier
from scoville_client.tui.platform import Platform
from scoville_client.tui.screens.base import BaseScreen
from scoville_client.tui.screens.page import Page
from scoville_client.tui.screens.start.start import StartScreen
from scoville_client.tui.shell import Shell
from scoville_client.tui.textual_hooks.app import HookedApp
from scoville_client.tui.widgets.notice import ChatPreview, Notice
from scoville_client.tui.widgets.timers import call_after
from scoville_runtime.clock import Alarm
from scoville_shared.engine.phrases import Phrase
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.messages import (
    PASSWORD_CHARACTERS,
    CountdownCancelled,
    CountdownStarted,
    MessageInfo,
    Started,
)


class Connection:
    """The current connection. Opening another one closes it first."""

    def __init__(
        self, app: HookedApp, shell: Shell, navigation: Navigator, platform: Platform, notifier: Notifier
    ) -> None:
        self._shell = shell
        self._navigation = navigation
        self._pages = navigation.pages
        self._platform = platform
        self._changes = SessionChanges(app, shell, navigation.pages, notifier)
        self.client: Client | None = None

    async def open_client(self, start: Start, opened: Client | None = None) -> None:
        """Connect, or adopt a client that has `opened` its connection, and show its first pages."""
        # First, or the changes of two sessions would come to the same screens.
        await self.close()
        progress = self._pages.page if self._pages.pages else None
        client = self.client = opened or self._platform.make_client(start, self._shell.clock)
        # Before it opens: that it is connected is the first change.
        client.session.subscribe(self._changes.show_later)
        try:
            with resuming_collection():
                if opened is None:
                    await self._open_with_password(client)
                self._platform.note_connected(self._shell)
                await self._open_pages(client)
        except BaseException:
            # Else the start screen would go on to say that it connects.
            if isinstance(progress, StartScreen):
                progress.offer_menu()
            raise
        if progress is not None and opened is None:  # not before: it would lay out a page that is covered in a moment
            progress.show_notice("")
        if client.running is not None and client.running.again and start.kind == "host" and client.in_game:
            reopened = tr("Your table has been reopened. To open another one, go to the lobby (Esc).")
            self._shell.show_notice(reopened, sticky=True)

    async def _open_with_password(self, client: Client) -> None:
        """Connect; a server that asks newcomers for its password gets what the user types."""
        while True:
            try:
                return await client.open()
            except ScovilleError as error:
                if error.code not in SERVER_PASSWORDS:
                    raise
                from scoville_client.tui.screens.dialogs.prompt import PromptDialog, TextLine

                fault = error_text(error) if error.code == Code.WRONG_SERVER_PASSWORD else ""
                about = tr("This server asks newcomers for its password. Its host knows it.")
                line = TextLine(hidden=True, fault=fault, max_length=PASSWORD_CHARACTERS)
                typed = await self._shell.ask_user(
                    PromptDialog(tr("Password of the server"), about, tr("connect"), line)
                )
                if not typed:
                    raise
                client.session.connection.server_password = typed

    async def close(self) -> None:
        """Disconnect, and stop a hosted server."""
        if self.client is not None:
            await self.client.close()

    def _note_server(self, client: Client) -> None:
        """Remember a server that the user has joined by its address, and under which name."""
        start = client.start
        if start.kind == "join" and start.host and not start.watching and not self._shell.is_hosted:
            self._shell.settings.note_joined(Address(start.host, start.port, start.pin).short, client.session.name)

    async def _show_news(self, client: Client) -> None:
        """Announce the news since the user was here last, if there are any."""
        # The server does not know them, so that nothing can have happened to them meanwhile.
        if client.session.connection.away_since_ms is None:
            return
        from scoville_client.session.news import gather_news
        from scoville_client.tui.screens.lobby.away import show_news

        with suppress(ScovilleError):  # a busy server: its notices can be found elsewhere
            news = await gather_news(client.session)
            if news is not None and not news.is_empty and self.client is client:
                show_news(self._shell, news)

    async def _open_lobby(self, client: Client) -> None:
        # Below a table nobody sees how the lobby's lines arrive, and the table would come later.
        is_seen = client.session.table is None
        if is_seen:
            from scoville_client.session.news import watch_lobby_with_offers

            await watch_lobby_with_offers(client.session)
        else:
            await client.session.lobby.watch_lobby()
        # The user may have left for another server while this one answered.
        if self.client is client:
            lobby = self._navigation.make_lobby_page(has_offers=is_seen)
            if is_seen:  # announced afterwards, it would be laid out twice
                lobby.opening = tuple(self._platform.greetings)
            await self._pages.show_page(lobby)

    async def _open_pages(self, client: Client) -> None:
        """Show the lobby, also below a table to which the user comes straight, and the table."""
        session, navigation = client.session, self._navigation
        self._note_server(client)
        # A television shows tables alone: there is no lobby to go back to.
        if client.start.big:
            await navigation.open_big()
            return
        if client.is_multiplayer:
            await self._open_lobby(client)
        # The user may have gone elsewhere while the server answered, or while the page was made.
        if self.client is not client:
            return
        if session.connection.name_claimed or (client.start.logging_in and not session.connection.claimed):
            from scoville_client.tui.screens.account.login_dialogs import explain_guest

            explain_guest(self._shell, client.start)
        if session.table is not None:
            await self._pages.show_page(navigation.make_table_page())
            for sentence in self._platform.greetings:
                self._shell.announce(sentence)
        elif client.start.code:
            from scoville_client.tui.screens.lobby.actions import LobbyActions

            actions = LobbyActions(self._shell)
            (actions.watch_code if client.start.watching else actions.enter_code)(client.start.code)
        if session.connection.name_refused is not None:
            self._shell.show_notice(session.connection.name_refused, sticky=True)
        if client.is_multiplayer and not client.start.watching:
            await self._show_news(client)


UNNOTICED_SECONDS: Final = 2.0
"""Seconds for which a server may restart before that is shown: a notice that comes and goes helps nobody, and behind a
door the screens of all users would be painted twice while the server needs the processor."""
PORTION: Final = 16
"""Changes that are shown in one go: each costs up to a millisecond, and a key waits for as many."""
MOST_WAITING: Final = 2_000
"""Changes that wait at most. Only a server that floods its clients reaches it: then what others say is not shown."""
PROGRESS_STEP: Final = 0.05
"""Share of a turn's time after which its progress is shown again."""
_RELOADING: Final = (TablesChanged, UsersChanged, EntrantsChanged, TableChanged)
"""Changes after which a screen reads the session again: one that waits also stands for those that come after it."""
_SAID_BY_OTHERS: Final = (ChatReceived, ClubChanged, Reacted, Announced, Invited, ShutdownAnnounced)


class WaitingChanges:
    """A queue of changes. One that would only make a screen read the same again is not added twice."""

    def __init__(self) -> None:
        self._queue: deque[Change] = deque()
        self._reloading: set[object] = set()

    def __bool__(self) -> bool:
        return bool(self._queue)

    def add(self, change: Change) -> None:
        kind = _kind_of(change)
        if kind in self._reloading:
            return
        # The game's own reports are never dropped: a board that misses a move shows another game.
        if isinstance(change, _SAID_BY_OTHERS) and len(self._queue) >= MOST_WAITING:
            return
        if isinstance(change, _RELOADING):
            self._reloading.add(kind)
        self._queue.append(change)

    def take_portion(self) -> list[Change]:
        """Remove and return the first changes."""
        portion = [self._queue.popleft() for _ in range(min(PORTION, len(self._queue)))]
        self._reloading.difference_update(map(_kind_of, portion))
        return portion

    def clear(self) -> None:
        self._queue.clear()
        self._reloading.clear()


def _kind_of(change: Change) -> object:
    """Return the type of a change; those of a table's presence alone are a kind of their own."""
    return type(change), getattr(change, "presence", None)


class SessionChanges:
    """Shows the reports of the current connection's session."""

    def __init__(self, app: HookedApp, shell: Shell, pages: PageStack, notifier: Notifier) -> None:
        self._app = app
        self._shell = shell
        self._pages = pages
        self._waiting = WaitingChanges()
        self._alerts = Alerts(pages, notifier, shell, TurnTime(app, shell))
        self._restart: Alarm | None = None
        """Shows that the server restarts, if it takes its time."""

    def show_later(self, change: Change) -> None:
        """Show a change once those before it were shown; a restart only if users would notice it."""
        if isinstance(change, ConnectionDown | ConnectionLost | Connected):
            is_unnoticed = isinstance(change, ConnectionDown) and change.restarting
            # Once: a second attempt that fails must not put it off again.
            if is_unnoticed and self._restart is None:
                self._restart = call_after(self._app, UNNOTICED_SECONDS, partial(self._queue, change))
            elif not is_unnoticed and self._restart is not None:
                self._restart.cancel()
                self._restart = None
            if is_unnoticed:
                return
        self._queue(change)

    def _queue(self, change: Change) -> None:
        was_empty = not self._waiting
        self._waiting.add(change)
        # One call for all that wait; each portion asks for the next one.
        if was_empty:
            self._app.call_later(self._show_portion)

    def _show_portion(self) -> None:
        """Show some of the changes that wait, and let other messages have their turn: a key, above all to quit."""
        if not self._pages.pages:  # the client ends
            self._waiting.clear()
            return
        for change in self._waiting.take_portion():
            self._show_change(change)
        if self._waiting:
            self._app.call_later(self._show_portion)

    def _show_change(self, change: Change) -> None:
        """Pass a change of the session to every screen; that the connection is lost replaces other notices."""
        match change:
            case TableChanged(presence=True):  # a refusal stays: it has nothing to do with who comes and goes
                pass
            case EventApplied() | TableChanged():
                self._pages.page.notices.dismiss_read()
            case Announced(text=text, code=code, data=data):
                self._shell.announce(announcement_text(text, code, data))
            case (
                AccountWarned(sentence=said)
                | ClubChanged(sentence=Phrase() as said)
                | DoorEnded(sentence=said)
                | ShutdownAnnounced(sentence=said)
            ):
                self._shell.announce(render(said))
            case ConnectionDown():
                self._show_down(change)
            case Connected(again=True):
                self._shell.show_notice("")
        if isinstance(
            change, ShutdownAnnounced | ConnectionDown | Connected
        ):  # with the connection the planned end is gone, too
            self._pages.show_planned_end(self._shell.planned_end)
        self._follow_tournament(change)
        self._alerts.show_change(self._shell.client, change)
        # After the alerts, which count the unread messages.
        self._shell.navigation.show_unread()
        for screen in self._app.screen_stack:
            if isinstance(screen, BaseScreen):
                # Later for a screen that is being built: it has no widgets yet that could show anything.
                screen.when_mounted(partial(screen.session_changed, change))

    def _follow_tournament(self, change: Change) -> None:
        """Announce a change of a tournament; a user who sits in no game goes to the table that waits."""
        if isinstance(change, TournamentNews) and is_call_of_club(change):
            self._shell.announce(_write_tournament_news(change))
        if not isinstance(change, TournamentNews) or not change.info.entered:
            return
        if change.kind == "changed" and has_new_results(change.info):
            self._shell.send_request(self._announce_barometer(change.info.id))
            return
        self._shell.announce(_write_tournament_news(change))
        if change.kind == "seated" and may_be_called_away(self._shell.session.table):
            self._shell.navigation.open_tournament_table(change.info.id)

    async def _announce_barometer(self, number: str) -> None:
        """Say how all stand after a deal of a duplicate evening."""
        from scoville_client.i18n import tournament_text  # late: most users play in none

        shown = await self._shell.session.tournaments.show_tournament(number)
        self._shell.announce(tournament_text.barometer_sentence(shown))

    def _show_down(self, change: ConnectionDown) -> None:
        """Show that the connection is lost; quietly while a server restarts, since the user need not do anything."""
        if change.restarting:
            self._shell.show_notice(change.sentence, sticky=True)
        else:
            way_out = Phrase("{sentence} Press Esc to go back.", {"sentence": change.sentence})
            self._shell.show_notice(way_out, error=True, sticky=True)


class TurnTime:
    """Shows in the tab of the terminal the rest of this user's time for a move."""

    def __init__(self, app: HookedApp, shell: Shell) -> None:
        self._app = app
        self._shell = shell
        self._whole = 0
        """Seconds that the present turn had when it began; 0 while there is none."""
        self._alarm: Alarm | None = None

    def follow_turn(self) -> None:
        """Show the rest of the time, and again when it has changed by a step."""
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
        at = self._shell.session.table
        left: int | None = None
        if at is not None and at.seat is not None and at.my_turn and not at.info.paused:
            left = at.seconds_left(at.seat, self._shell.clock.seconds())
        if left is None:
            if self._whole:
                self._shell.progress.hide()
            self._whole = 0
            return
        # Grows only: time that is added within a turn must not fill the bar again and again; 1, since it divides.
        self._whole = max(self._whole, left, 1)
        self._shell.progress.show_time_left(left / self._whole)
        if left:
            # Not more often than once a second: clocks show no less.
            self._alarm = call_after(self._app, max(1.0, self._whole * PROGRESS_STEP), self.follow_turn)


class Alerts:
    """Notifies the user of actions of others whatever screen is in front, as far as the preferences allow."""

    def __init__(self, pages: PageStack, notifier: Notifier, shell: Shell, turn: TurnTime) -> None:
        self._turn = turn
        self._pages = pages
        self._notifier = notifier
        self._shell = shell
        self._was_counted_down = False
        """Whether the players of the table have been called for a start that is counted down."""

    def show_change(self, client: Client, change: Change) -> None:
        """Alert to a change of the session."""
        line = client.conversations.on_change(change)
        if line is not None:
            self._show_message(line)
        match change:
            case Reacted():
                self._show_reaction(client, change)
            case Connected():
                self._notifier.show_server(client.session.community.name)
            case ConnectionLost():
                self._notifier.show_server("")
            case Invited(by=by):
                self._notifier.notify_user(Call.INVITATION, tr("{name} invites you", name=by))
            case TournamentNews(info=info) if info.entered or is_call_of_club(change):
                self._notifier.notify_user(Call.TOURNAMENT, _write_tournament_news(change))
            case EventApplied(event=CountdownStarted() | CountdownCancelled() | Started() as event):
                self._call_for_start(client.session.table, event)
        if isinstance(change, EventApplied | TableChanged):
            at = client.session.table
            self._notifier.show_game("" if at is None else at.game.info.title, my_turn=at is not None and at.my_turn)
            self._turn.follow_turn()

    def _call_for_start(self, at: AtTable | None, event: CountdownStarted | CountdownCancelled | Started) -> None:
        """Call a player when the game is counted down, or at its start if the host starts it at once."""
        was_counted_down, self._was_counted_down = self._was_counted_down, isinstance(event, CountdownStarted)
        if at is None or at.seat is None or was_counted_down or isinstance(event, CountdownCancelled):
            return
        # Who has the first turn is called for that: one start rings once.
        if not (at.my_turn and self._notifier.wants_call(Call.TURN)):
            self._notifier.notify_user(Call.START, tr("Your game starts"))

    def _show_message(self, line: MessageInfo) -> None:
        whispered = line.channel == WHISPERS
        if whispered:
            self._notifier.notify_user(Call.WHISPER, tr("{name} whispers to you", name=line.name))
        name = with_mark(line.name, claimed=line.claimed, moderator=line.moderator)
        self._show_preview(tr("{name} (private)", name=name) if whispered else name, line.text)

    def _show_reaction(self, client: Client, change: Reacted) -> None:
        if change.name not in client.session.chat.ignored:
            self._show_preview(change.name, render(REACTIONS[change.reaction].call))

    def _show_preview(self, name: str, text: str) -> None:
        """Show a message above the key bar of the page in front, even below a dialog."""
        if self._shell.preferences.chat_lines:
            page = self._pages.page
            page.when_mounted(partial(_put_preview, page, name, text))


def _put_preview(page: Page, name: str, text: str) -> None:
    for preview in page.children_of(ChatPreview):
        preview.show_message(name, text)
        return
    page.mount(ChatPreview(name, text), before=page.query_one(Notice))


def _write_tournament_news(news: TournamentNews) -> str:
    from scoville_client.i18n import tournament_text  # late: most users play in none

    return render(tournament_text.news_sentence(news.info, news.kind))
