"""Lobby screen: the tables of a server, invitations, and how others join."""

from collections.abc import Hashable, Sequence
from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Static

from scoville_client.i18n.dates_text import NextDate
from scoville_client.i18n.language import tr
from scoville_client.i18n.table_text import TableLines, may_sit, next_table_of, sort_for_user
from scoville_client.session.changes import (
    Change,
    ChatReceived,
    ClubChanged,
    Connected,
    ConnectionLost,
    DailyChanged,
    EntrantsChanged,
    Invited,
    TableChanged,
    TablesChanged,
    TournamentNews,
    UsersChanged,
)
from scoville_client.session.chat_channels import LOBBY
from scoville_client.session.daily import FEATURE, PUZZLES
from scoville_client.session.identity.careers import FEATURE as CAREERS
from scoville_client.session.lobby import Lobby
from scoville_client.session.news import list_next_dates
from scoville_client.session.tournaments import FEATURE as TOURNAMENTS
from scoville_client.tui.actions import LIST_KEYS, screen_bindings
from scoville_client.tui.screens.base import KeyActions
from scoville_client.tui.screens.leaving import LeaveFlow
from scoville_client.tui.screens.lobby.actions import LobbyActions
from scoville_client.tui.screens.lobby.dates import MOST_DATES, DateLine, choose_dates, lines_of_dates
from scoville_client.tui.screens.lobby.lines import (
    Above,
    LinesAbove,
    Offer,
    heading_text,
    invitation_offer,
    list_offers,
)
from scoville_client.tui.screens.lobby.own_games import OwnGames
from scoville_client.tui.screens.lobby.side import LobbySide, SideContents, gather_side_contents
from scoville_client.tui.screens.lobby.table_list import TableList
from scoville_client.tui.screens.page import Page
from scoville_client.tui.widgets.canvas_widget import COLUMN
from scoville_client.tui.widgets.key_bar import KeyBar
from scoville_client.tui.widgets.menu import Menu
from scoville_client.tui.widgets.timers import Throttle, call_after
from scoville_runtime.clock import Alarm
from scoville_shared.engine.phrases import Phrase
from scoville_shared.protocol.messages import TableInfo

UNASKED_SECONDS = 1.0
"""Seconds between two drawings of others' changes: a crowd that arrives must not redraw every lobby for each of
them."""

_HEADING = "whoami"
_SIDE_FROM = 100
"""Columns from which on the marked table, the users and the chat stand beside the list."""
_BREAKPOINTS: Final = [(_SIDE_FROM, COLUMN)]


class LobbyScreen(Page):
    """Lists tables, those of the user first. Enter takes a seat, or watches where none is free."""

    KEY_CONTEXT = "lobby"
    HORIZONTAL_BREAKPOINTS = _BREAKPOINTS
    BINDINGS: ClassVar[list[BindingType]] = [
        *screen_bindings("lobby", LIST_KEYS),
        *(Binding(str(number), f"open_date({number})", show=False) for number in range(1, MOST_DATES + 1)),
    ]

    def __init__(self, *, has_offers: bool = False) -> None:
        super().__init__()
        self._has_offers = has_offers
        """Whether the offers were requested before: then nothing moves once the lobby is open."""
        self._dates: Sequence[NextDate] = ()
        """The dates that are shown, each with its key."""
        self._lines = TableLines()
        self._own_games = OwnGames(lambda: self.shell)
        self._second: Alarm | None = None
        self._next_day: Alarm | None = None
        # Others' changes at most once a second: with 100 users at a door each arrival redrew every lobby, and a key
        # took 1.4 s.
        self._others = Throttle(self, UNASKED_SECONDS, self._show_if_visible)
        self._is_stale = False
        """Whether something has changed while another page was in front."""
        self._texts: dict[str, str | Content] = {}

    def compose_body(self) -> ComposeResult:
        """Arrange heading, join instructions of a hosted server, lines about what there is to do, and list."""
        self._texts = self._current_texts()
        for which, text in self._texts.items():
            kind = "page-heading" if which == _HEADING else "page-text"
            yield Static(text, id=which, classes=kind if text else f"{kind} -empty", markup=False)
        yield LinesAbove()
        with Horizontal(id="tables"):
            yield TableList(
                lambda: self.has_class(COLUMN),
                lambda: self.shell.preferences.density == "compact",
                lambda: [(game.slug, game.title) for game in self.shell.session.games],
            )
            yield LobbySide(self._gather_side_contents)

    def on_mount(self) -> None:
        """Mark the table where it is the user's turn, else the first one with a free seat."""
        self._own_games.read_again()
        self._show_all()
        self.shell.send_request(self._read_chat())
        if self._has_offers:
            self._await_next_day()
        else:
            self._request_daily()
        tables = self._list_tables()
        # Only when the page opens: later the user moves the mark.
        mark = next((table for table in tables if table.your_turn or may_sit(table)), None)
        self._list.mark_item(None if mark is None else mark.table)
        self._show_new_motd()

    def session_changed(self, change: Change) -> None:
        """Show the current tables and invitations, or that the connection is lost."""
        if isinstance(change, TablesChanged | UsersChanged | EntrantsChanged | ChatReceived):
            self._others.request_call()
        elif isinstance(change, Invited | Connected | TableChanged | DailyChanged | TournamentNews):
            self._others.call_now()
            if isinstance(change, Connected):
                self._show_new_motd()
                self._request_daily()
        elif isinstance(change, ClubChanged):
            self._request_tournaments()
        elif isinstance(change, ConnectionLost):
            way_out = Phrase("{sentence} Press Esc to go back.", {"sentence": change.reason})
            self.show_notice(way_out, error=True, sticky=True)

    def on_resize(self) -> None:
        self.call_later(self._show_if_visible)

    def on_screen_resume(self) -> None:
        """Show changes from while another page or a dialog was in front."""
        is_stale = self._is_stale
        self._own_games.read_again()
        self._show_if_visible()
        if is_stale:
            self._request_daily()

    def retranslate(self) -> None:
        self._show_all()
        super().retranslate()

    @property
    def meaning(self) -> Hashable:
        """The table that Enter chooses, the invitation that would be accepted, and the dates that have keys."""
        invited = [each.info.table for each in self._lobby.invitations[-1:]]
        dates = tuple((date.kind, date.where) for date in self._dates)
        return tuple(menu.jumps for menu in self.query(Menu)), tuple(invited), dates

    # --- keys -------------------------------------------------------------------------------------------

    def on_menu_marked(self) -> None:
        """Show the effect of Enter on the marked table, and the key for a table that waits for the user."""
        table = self._find_marked()
        self.query_one(LobbySide).repaint()
        keys = [] if table is None else [(tr("Enter"), tr("take a seat") if may_sit(table) else tr("watch"))]
        if any(each.your_turn for each in self._lobby.tables):
            keys.append(("w", tr("your turn")))
        elif next_table_of(self._lobby.tables, None) is not None:
            keys.append(("w", tr("my seat")))
        self.children_of(KeyBar)[0].show_keys("lobby", *keys)

    def on_menu_taken(self) -> None:
        table = self._find_marked()
        if table is not None:
            LobbyActions(self.shell).join_table(table)

    def key_actions(self) -> KeyActions:
        actions = LobbyActions(self.shell)
        return {
            **super().key_actions(),
            "accept_invitation": self._accept_invitation,
            "account": self.shell.navigation.open_account,
            "back": LeaveFlow(self.shell).leave_lobby,
            "daily": self._open_daily,
            "tournaments": self.shell.navigation.open_tournaments,
            "puzzles": self._solve_puzzles,
            "create_table": lambda: actions.create_table(self.shell.client.start.game),
            "decline_invitation": self._decline_invitation,
            "invitation": actions.show_invitation,
            "my_games": self._own_games.open_dialog,
            "join_by_code": actions.join_by_code,
            "server_texts": self.shell.navigation.open_server_texts,
            "quick_match": actions.quick_match,
            "users": actions.show_users,
            "waiting_table": actions.join_waiting_table,
        }

    def action_open_date(self, number: int) -> None:
        """Go to the table, the tournament, the club or the daily deal of a date that is shown."""
        if number <= len(self._dates):
            LobbyActions(self.shell).open_date(self._dates[number - 1])

    def _solve_puzzles(self) -> None:
        from scoville_client.puzzles.server import ServerPuzzles

        connection = self.shell.session.connection
        if PUZZLES in connection.features:
            self._is_stale = True  # the lobby shows the result at the puzzle of the day
            self.shell.navigation.open_next_puzzle(ServerPuzzles(connection.send_request, daily=True))
        else:
            self.show_notice(tr("This server has no puzzles."))

    def _open_daily(self) -> None:
        if FEATURE in self.shell.session.connection.features:
            self.shell.navigation.open_daily()
        else:
            self.show_notice(tr("This server has no daily deal."))

    def _request_daily(self) -> None:
        """Request the daily deal, now and when its next day begins."""
        if FEATURE in self.shell.session.connection.features:
            self.shell.send_request(self._show_daily())
        if PUZZLES in self.shell.session.connection.features:
            self.shell.send_request(self.shell.session.daily.puzzle.show_puzzles())
        if CAREERS in self.shell.session.connection.features:
            self.shell.send_request(self._read_own_career())
        self._request_tournaments()

    def _request_tournaments(self) -> None:
        if TOURNAMENTS in self.shell.session.connection.features:
            self.shell.send_request(self._list_tournaments())

    async def _list_tournaments(self) -> None:
        await self.shell.session.tournaments.list_tournaments()
        await self.shell.session.clubs.list_dates()
        self._others.request_call()

    async def _read_own_career(self) -> None:
        """Request the user's record, once until they have finished another game."""
        session = self.shell.session
        if self.has_class(COLUMN) and session.account.careers.list_missing([session.name]):
            await session.account.careers.read_missing([session.name])
            self._others.request_call()

    async def _show_daily(self) -> None:
        await self.shell.session.daily.show_deals()
        self._await_next_day()

    def _await_next_day(self) -> None:
        """Request the daily deal again when its next day begins."""
        shown = self.shell.session.daily.shown
        if self._next_day is not None:
            self._next_day.cancel()
        if shown is not None:
            # A second later, when the next day has begun by the clock of the server too.
            self._next_day = call_after(self, shown.next_in_ms / 1000 + 1, self._request_daily)

    def _accept_invitation(self) -> None:
        LobbyActions(self.shell).accept_invitation()
        self._show_all()

    def _decline_invitation(self) -> None:
        LobbyActions(self.shell).decline_invitation()
        self._show_all()

    # --- what is shown ----------------------------------------------------------------------------------

    @property
    def _lobby(self) -> Lobby:
        return self.shell.session.lobby

    @property
    def _list(self) -> TableList:
        return self.query_one(TableList)

    def _show_if_visible(self) -> None:
        """Show everything, unless another page covers the lobby."""
        self._is_stale = self.is_open and self.is_covered
        if self.is_open and not self._is_stale:
            self._show_all()

    def _show_all(self) -> None:
        self._is_stale = False
        texts = self._current_texts()
        for which, text in texts.items():
            if text != self._texts[which]:
                self._show_text(which, text)
        self._texts = texts
        self.query_one(LinesAbove).show_lines(self._lines_above())
        self._show_tables()

    def _current_texts(self) -> dict[str, str | Content]:
        """Return the heading, how to join a hosted server, and the note that there are no tables."""
        client, session, clock = self.shell.client, self.shell.session, self.shell.clock
        self._dates = choose_dates(list_next_dates(session, clock), self.app.size.height)
        has_side = self.has_class(COLUMN)
        return {
            _HEADING: heading_text(session, has_side=has_side),
            "ways": next(iter(client.join_instructions() if client.is_hosting else ()), ""),
            "empty": "" if self._lobby.tables else tr("There are no tables yet."),
        }

    def _lines_above(self) -> Above:
        """Return the lines above the list; in wide windows the dates and most offers are beside it."""
        invitation = invitation_offer(self.shell.session)
        if self.has_class(COLUMN):
            return Above(invitation)
        return Above(invitation, self._lines_of_dates(), self._list_offers())

    def _list_offers(self) -> Sequence[Offer]:
        has_daily_date = any(date.kind == "daily" for date in self._dates)
        offers = list_offers(self.shell.session, is_empty=not self._lobby.tables, has_daily_date=has_daily_date)
        return [*offers, *self._own_games.list_offers()]

    def _gather_side_contents(self) -> SideContents:
        facts = gather_side_contents(self.shell.session, self._find_marked(), self._list.marked_row)
        record = [*facts.record, *self._own_games.write_rows()]
        return facts._replace(dates=self._lines_of_dates(), offers=self._list_offers(), record=record)

    def _lines_of_dates(self) -> Sequence[DateLine]:
        return lines_of_dates(self._dates, self.shell.clock.date_ms())

    def _show_text(self, which: str, text: str | Content) -> None:
        """Show a text; the heading has a fixed height, so that another one needs no layout."""
        static = self.query_one(f"#{which}", Static)
        static.update(text, layout=which != _HEADING)
        static.set_class(not text, "-empty")

    def _show_tables(self) -> None:
        """Show the tables, and again each second while a game counts down."""
        hosts = {each.info.table: each.by for each in self._lobby.invitations}
        now, games = self.shell.clock.seconds(), self.shell.session.games
        if not self._list.show_tables(self._lines.list_tables(self._list_tables(), games, hosts, now)):
            self.query_one(LobbySide).repaint()  # otherwise once the list has marked its table
        if self._second is not None:
            self._second.cancel()
        self._second = call_after(self, 1, self._show_tables) if self._lines.count_down else None

    def _show_new_motd(self) -> None:
        """Open the message of the day, once after each change of it."""
        mark = self.shell.session.community.motd_mark
        if mark and not self.is_covered and not self.shell.settings.note_motd(mark):
            self.shell.navigation.open_server_texts()

    async def _read_chat(self) -> None:
        """Fetch the chat from before."""
        await self.shell.session.chat.read_channel(LOBBY)
        self.query_one(LobbySide).repaint()

    def _list_tables(self) -> list[TableInfo]:
        return sort_for_user(self._lobby.tables, {each.info.table for each in self._lobby.invitations})

    def _find_marked(self) -> TableInfo | None:
        marked = self._list.marked
        return None if marked is None else self._lobby.find_table(marked)
