"""Lobby screen: the tables of a server, invitations, and how others join."""

from collections.abc import Callable, Hashable, Sequence
from typing import ClassVar, Final

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Static

from scoville_client.i18n.dates_text import NextDate
from scoville_client.i18n.language import tr
from scoville_client.i18n.table_text import Countdowns, Listed, list_table, may_sit, next_table_of, sort_for_user
from scoville_client.i18n.wrapping import wrap_lines
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
from scoville_client.tui.drawing.canvas import Area, Canvas, edge_of, fit_text
from scoville_client.tui.drawing.frames import Edge, draw_frame
from scoville_client.tui.drawing.letters import HALF, draw_text, width_of
from scoville_client.tui.drawing.reading import draw_games, draw_games_beside_picture
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
from scoville_client.tui.screens.lobby.side import Beside, LobbySide, facts_beside
from scoville_client.tui.screens.page import Page
from scoville_client.tui.widgets.canvas_widget import COLUMN
from scoville_client.tui.widgets.key_bar import KeyBar
from scoville_client.tui.widgets.key_hints import put_hints
from scoville_client.tui.widgets.menu import Item, Menu
from scoville_client.tui.widgets.timers import Throttle, call_after
from scoville_runtime.clock import Alarm
from scoville_shared.engine.phrases import Phrase
from scoville_shared.protocol.messages import TableInfo

_GAME, _SEATS, _STATE = 13, 5, 12
_INDENT = 5
_MOST_TERMS = 3
"""Rows of settings below the marked table; the others have one, with an ellipsis where that is not all."""
_ROOMY = 60
_TILE_WIDTH: Final = 36
_AROUND_TITLE: Final = 8
_TILE, _TILE_LARGE, _TILE_FROM = 5, 8, 17
"""Rows of a table's tile, of one with large letters, and of a list that has tiles."""
_MOST_BESIDE = 14
"""Rows below the tables up to which the game of the marked one has its picture there; more are for rules."""
_LEAST_GAMES = 6
"""Rows that may stay empty below the tables; more tell what is played here."""
_PICTURE_SECONDS = 0.4
"""How long a table is marked before the picture is of its game: with each key it would be three times the bytes."""


class TableList(Menu):
    """A menu of tables; `has_details` says whether the marked one is described beside it.

    `is_compact` says whether only the marked one has its settings below it. Rows that the tables leave free describe
    the `games` of the server, given by slug and title.
    """

    def __init__(
        self,
        has_details: Callable[[], bool] = lambda: False,
        is_compact: Callable[[], bool] = lambda: False,
        games: Callable[[], Sequence[tuple[str, str]]] = lambda: (),
    ) -> None:
        super().__init__([])
        self._has_details = has_details
        self._is_compact = is_compact
        self._games = games
        self._tables: dict[str, Listed] = {}
        self._pictured = ""
        self._picture_due: Alarm | None = None
        """The title of the game whose picture is shown, and what turns to the next one."""

    def show_tables(self, tables: Sequence[Listed]) -> None:
        """Show other tables; the marked one stays marked."""
        shown = {table.table: table for table in tables}
        if list(shown.items()) == list(self._tables.items()):  # the order counts
            return
        self._tables = shown
        self.show_items([Item(table.table, table.game) for table in tables])
        self._turn_picture_later()

    def mark_item(self, item: str | None) -> None:
        super().mark_item(item)
        self._turn_picture_later()

    def _turn_picture_later(self) -> None:
        if self._picture_due is not None:
            self._picture_due.cancel()
            self._picture_due = None
        row = self.marked_row
        if row is not None and row.game != self._pictured:
            if self._pictured:
                self._picture_due = call_after(self, _PICTURE_SECONDS, self._turn_picture)
            else:
                self._pictured = row.game

    def _turn_picture(self) -> None:
        self._picture_due = None
        if (row := self.marked_row) is not None:
            self._pictured = row.game
            self.repaint()

    @property
    def marked_row(self) -> Listed | None:
        """The row of the marked table."""
        return None if self.marked is None else self._tables.get(self.marked)

    def text_of(self, item: Item) -> str:
        table = self._tables[item.id]
        return " ".join([*table[:5], *table.terms])

    def draw_items(self, canvas: Canvas, height: int) -> None:
        width = canvas.width
        shown = [self._tables[item.id] for item in self.items]
        tile = 0 if self._is_compact() else tile_height(shown, width, height)
        y = self._draw_tiles(canvas, shown, tile) if tile else self._draw_rows(canvas, shown, height)
        edge = edge_of(width) + 1
        games = self._games()
        if games and height - y > _LEAST_GAMES:
            y += bool(y)
            canvas.put(edge, y, tr("What is played here"), "caption")
            area = (edge, y + 1, width - 2 * edge, height - y - 1)
            pictured = next((slug for slug, title in games if title == self._pictured), games[0][0])
            if area[3] > _MOST_BESIDE or not draw_games_beside_picture(canvas, area, games, pictured):
                draw_games(canvas, area, games)

    def _draw_tiles(self, canvas: Canvas, shown: Sequence[Listed], tile: int) -> int:
        """Draw a tile of so many rows for each table; returns the row below."""
        columns = columns_of(shown, canvas.width)
        edge, cut = edge_of(canvas.width), None
        each = (canvas.width - 2 * edge) // columns
        for number, table in enumerate(shown):
            area = (edge + number % columns * each, number // columns * tile, each, tile)
            canvas.link(*area, table.table)
            is_cut = draw_tile(canvas, area, table, marked=number == self.index)
            if number == self.index and is_cut and not self._has_details():
                cut = table
        number = len(shown)
        if number % columns or not number // columns:  # the place of the next table
            area = (edge + number % columns * each, number // columns * tile, each, tile)
            draw_frame(canvas, area, Edge.GHOST, "faint")
            hints = [("c", tr("new table")), ("s", tr("quick match"))]
            for offset, hint in enumerate(hints):
                put_hints(canvas, area[0] + 3, area[1] + max(1, (tile - 2) // 2) + offset, [hint])
        y = -(-number // columns) * tile
        if cut is None:
            return y
        # What has no room in the marked tile is below all of them.
        terms = self._wrap_terms(cut, canvas.width, marked=True)
        for offset, row in enumerate(terms):
            canvas.put(edge + 3, y + offset, row, "text")
        return y + len(terms)

    def _draw_rows(self, canvas: Canvas, shown: Sequence[Listed], height: int) -> int:
        """Draw a row for each table, and its settings below; returns the row below."""
        width = canvas.width
        details = self._has_details()
        compact = self._is_compact()

        def terms_of(number: int) -> list[str]:
            marked = number == self.index
            return [] if details or (compact and not marked) else self._wrap_terms(shown[number], width, marked=marked)

        y = _draw_heading(canvas) if details and shown else 0
        for number in range(self._first_shown(lambda number: 1 + len(terms_of(number)), height - y), len(shown)):
            if y >= height:  # there may be a thousand tables
                break
            terms = terms_of(number)
            canvas.link(0, y, width, 1 + len(terms), shown[number].table)
            self._draw_table(canvas, y, shown[number], marked=number == self.index)
            for offset, row in enumerate(terms, 1):
                canvas.put(_INDENT, y + offset, row, "text" if number == self.index else "muted")
            y += 1 + len(terms)
        return y

    def _first_shown(self, height_of: Callable[[int], int], height: int) -> int:
        """Find the first table to draw, so that the marked one is visible with its settings."""
        first = self.index
        room = height - height_of(first) if self.items else 0
        while first > 0 and (room := room - height_of(first - 1)) >= 0:
            first -= 1
        return first

    @staticmethod
    def _wrap_terms(table: Listed, width: int, *, marked: bool) -> list[str]:
        terms = " · ".join(table.terms)
        room = width - _INDENT - 2
        rows = list(wrap_lines(terms, room))
        most = _MOST_TERMS if marked else 1
        if len(rows) > most:
            rows[most - 1] = fit_text(" ".join(rows[most - 1 :]), room)
        return rows[:most]

    @staticmethod
    def _draw_table(canvas: Canvas, y: int, table: Listed, *, marked: bool) -> None:
        other = "text" if marked else "muted"
        state = "you" if table.urgent else "text"
        canvas.put(1, y, "▸" if marked else " ", "target")
        cells = (table.game, table.seats, table.state, table.users)
        _draw_cells(canvas, y, cells, ("title" if marked else "text", other, state, other))


def columns_of(tables: Sequence[Listed], width: int) -> int:
    """Return how many tiles stand beside each other: of the tables, and of a new one."""
    return max(1, min(len(tables) + 1, width // _TILE_WIDTH))


def tile_height(tables: Sequence[Listed], width: int, height: int) -> int:
    """Return the rows of a table's tile; 0 where a list of rows is better: there are many, or there is little room."""
    if not tables or width < _TILE_WIDTH or height < _TILE_FROM:
        return 0
    columns = columns_of(tables, width)
    lines = -(-len(tables) // columns)
    inside = width // columns - _AROUND_TITLE
    large = all(width_of(table.game, HALF) <= inside for table in tables) and height // lines >= 2 * _TILE_LARGE
    return _TILE_LARGE if large else _TILE if height // lines >= _TILE else 0


def draw_tile(canvas: Canvas, area: Area, table: Listed, *, marked: bool) -> bool:
    """Draw a table as a tile: game and state in its edge, seats as dots, players and settings inside.

    Returns whether something had no room.
    """
    x, y, width, height = area
    style = "you" if table.urgent else "selected" if marked else "muted"
    draw_frame(canvas, area, Edge.DOUBLE if marked else Edge.PLAIN, style, foot=table.state)
    taken, seats = map(int, table.seats.split("/"))
    inside, room = x + 3, width - 6
    if height >= _TILE_LARGE and width_of(table.game, HALF) <= room:
        draw_text(canvas, inside, y + 1, table.game, HALF, "title" if marked else "text")
        y += HALF.height
    else:
        canvas.put(x + 2, y, f" {fit_text(table.game, min(cell_len(table.game), width - 6))} ", "title")
    dots = canvas.put(inside, y + 1, "●" * taken, "good")
    dots = canvas.put(dots, y + 1, "○" * (seats - taken), "muted") + 2
    canvas.put(dots, y + 1, tr("{taken} of {seats} seats", taken=taken, seats=seats), "muted")
    rows = [(row, "text") for row in wrap_lines(table.users, room)]
    rows += [(row, "muted") for row in wrap_lines(" · ".join(table.terms), room)]
    left = area[1] + height - 1 - (y + 2)
    for offset, (row, style) in enumerate(rows[:left]):
        cut = offset == left - 1 and len(rows) > left
        canvas.put(inside, y + 2 + offset, fit_text(f"{row} …", room) if cut else row, style)
    return len(rows) > left


def _draw_heading(canvas: Canvas) -> int:
    """Name the columns; returns the row of the first table."""
    heading = (tr("Game"), tr("Seats"), tr("State"), tr("Players"))
    _draw_cells(canvas, 0, heading, ("faint",) * len(heading))
    return 1


def _draw_cells(canvas: Canvas, y: int, cells: Sequence[str], styles: Sequence[str]) -> None:
    gap = 2 if canvas.width >= _ROOMY else 0
    x = canvas.put(3, y, fit_text(cells[0], _GAME), styles[0]) + gap
    x = canvas.put(x, y, fit_text(cells[1], _SEATS), styles[1]) + gap
    x = canvas.put(x, y, fit_text(cells[2], _STATE), styles[2]) + max(gap, 1)
    canvas.put(x, y, fit_text(cells[3], max(canvas.width - x - 2, 1)), styles[3])


UNASKED_SECONDS = 1.0
"""Seconds between two drawings of what others do: a crowd that arrives must not redraw every lobby for each of them."""

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
        """Whether what there is to do was requested before: then nothing moves once the lobby is open."""
        self._dates: Sequence[NextDate] = ()
        """The dates that are shown, each with its key."""
        self._countdowns = Countdowns()
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
            yield LobbySide(self._facts_beside)

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
        # Only when the page opens: later the user marks.
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
        """Show what has changed while another page or a dialog was in front."""
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
        """Show what Enter does with the marked table, and which key goes to a table that waits for the user."""
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
            self._is_stale = True  # the lobby says what has become of the puzzle of the day
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
        """Request what the user has done before, once until they have finished another game."""
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
        """Return what is above the list; in wide windows the dates and most offers are beside it."""
        invitation = invitation_offer(self.shell.session)
        if self.has_class(COLUMN):
            return Above(invitation)
        return Above(invitation, self._lines_of_dates(), self._list_offers())

    def _list_offers(self) -> Sequence[Offer]:
        has_daily_date = any(date.kind == "daily" for date in self._dates)
        offers = list_offers(self.shell.session, is_empty=not self._lobby.tables, has_daily_date=has_daily_date)
        return [*offers, *self._own_games.list_offers()]

    def _facts_beside(self) -> Beside:
        facts = facts_beside(self.shell.session, self._find_marked(), self._list.marked_row)
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
        now = self.shell.clock.seconds()
        tables = self._list_tables()
        self._countdowns.note_tables(tables, now)
        games = {game.slug: game for game in self.shell.session.games}
        hosts = {each.info.table: each.by for each in self._lobby.invitations}
        self._list.show_tables(
            [
                list_table(table, games, self._countdowns.left(table, now), invited_by=hosts.get(table.table, ""))
                for table in tables
            ]
        )
        if self._second is not None:
            self._second.cancel()
        self._second = call_after(self, 1, self._show_tables) if self._countdowns.run else None
        self.query_one(LobbySide).repaint()

    def _show_new_motd(self) -> None:
        """Open the message of the day, once after each change of it."""
        mark = self.shell.session.community.motd_mark
        if mark and not self.is_covered and not self.shell.settings.note_motd(mark):
            self.shell.navigation.open_server_texts()

    async def _read_chat(self) -> None:
        """Fetch what was said before."""
        await self.shell.session.chat.read_channel(LOBBY)
        self.query_one(LobbySide).repaint()

    def _list_tables(self) -> list[TableInfo]:
        return sort_for_user(self._lobby.tables, {each.info.table for each in self._lobby.invitations})

    def _find_marked(self) -> TableInfo | None:
        marked = self._list.marked
        return None if marked is None else self._lobby.find_table(marked)
