"""The lobby: the tables of a server and how to get to one, who is here, and who invites me."""

from collections.abc import Hashable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.widgets import Static

from scoville_client.clock import Handle
from scoville_client.i18n.language import told, words
from scoville_client.i18n.table_text import Countdowns, for_me, listed, may_sit, wanted
from scoville_client.session.changes import (
    Change,
    Connected,
    ConnectionLost,
    Invited,
    PeopleChanged,
    TableChanged,
    TablesChanged,
)
from scoville_client.session.lobby import Lobby
from scoville_client.tui.actions import bindings
from scoville_client.tui.screens.lobby.table_list import TableList
from scoville_client.tui.screens.page import Page
from scoville_client.tui.widgets.key_bar import KeyBar
from scoville_client.tui.widgets.menu import Menu
from scoville_client.tui.widgets.timers import call_after
from scoville_shared.engine.phrases import Phrase
from scoville_shared.protocol.messages import TableInfo


class LobbyScreen(Page):
    """The tables, those that concern me first. Enter sits down, or watches where one cannot."""

    WHERE = "lobby"
    BINDINGS: ClassVar[list[BindingType]] = [
        binding for binding in bindings("lobby") if binding.action not in {"up", "down", "take"}
    ]

    def __init__(self) -> None:
        super().__init__()
        self._countdowns = Countdowns()
        self._second: Handle | None = None

    def compose_body(self) -> ComposeResult:
        """Arrange a heading, how others join a hosted server, invitations, the list, and advice for an empty one."""
        yield Static(id="whoami", classes="page-heading", markup=False)
        yield Static(id="ways", classes="page-text", markup=False)
        yield Static(id="invited", classes="page-text", markup=False)
        yield Static(id="empty", classes="page-text", markup=False)
        yield TableList()

    def on_mount(self) -> None:
        """Show the tables, what waits for me marked, else the first one with a free seat."""
        self._show()
        tables = self._tables()
        mark = next((table for table in tables if table.your_turn or may_sit(table)), None)
        self._list.mark(None if mark is None else mark.table)

    def heard(self, change: Change) -> None:
        """Show what there is now; say that the line is gone."""
        if isinstance(change, TablesChanged | PeopleChanged | Invited | Connected | TableChanged):
            self._show()
        elif isinstance(change, ConnectionLost):
            self.tell(Phrase("{reason} Press Esc to go back.", {"reason": change.reason}), bad=True, stays=True)

    def reword(self) -> None:
        """Say everything again, in another language."""
        self._show()
        super().reword()

    @property
    def meaning(self) -> Hashable:
        """Which table Enter takes, where others have changed that; which invitation is accepted."""
        invited = [each.info.table for each in self._lobby.invitations[-1:]]
        return tuple(menu.jumps for menu in self.query(Menu)), tuple(invited)

    # --- keys -------------------------------------------------------------------------------------------

    def on_menu_marked(self) -> None:
        """Say what Enter does with the marked table, and which key goes where I am wanted."""
        table = self._marked()
        keys = [] if table is None else [(words("Enter"), words("sit down") if may_sit(table) else words("watch"))]
        if any(each.your_turn for each in self._lobby.tables):
            keys.append(("w", words("your turn")))
        elif wanted(self._lobby.tables, None) is not None:
            keys.append(("w", words("my seat")))
        self.query_one(KeyBar).show("lobby", *keys)

    def on_menu_taken(self) -> None:
        """Sit down at the marked table, or watch it."""
        table = self._marked()
        if table is not None:
            self.scoville.doors.enter(table)

    def action_create(self) -> None:
        """Ask for a game and its options, and open a table."""
        self.scoville.doors.create(self.scoville.opened.game)

    def action_quick(self) -> None:
        """Be seated where somebody waits."""
        self.scoville.doors.quick()

    def action_by_code(self) -> None:
        """Ask for a code, and go there."""
        self.scoville.doors.enter_by_code()

    def action_wanted(self) -> None:
        """Go to the table that waits for me."""
        self.scoville.doors.go_where_wanted()

    def action_accept_invitation(self) -> None:
        """Come to the table to which I am invited."""
        self.scoville.doors.accept()
        self._show()

    def action_decline_invitation(self) -> None:
        """Put the invitation away."""
        self.scoville.doors.decline()
        self._show()

    def action_people(self) -> None:
        """Show who is here."""
        self.scoville.doors.show_people()

    def action_back(self) -> None:
        """Leave the server; the one that is hosted here stops, after a question."""
        self.scoville.exits.leave_lobby()

    # --- what is shown ----------------------------------------------------------------------------------

    @property
    def _lobby(self) -> Lobby:
        return self.scoville.session.lobby

    @property
    def _list(self) -> TableList:
        return self.query_one(TableList)

    def _show(self) -> None:
        self._show_text("#whoami", self._heading())
        self._show_text("#ways", next(iter(self.scoville.ways_to_join), ""))
        self._show_text("#invited", self._invitation())
        self._show_text("#empty", "" if self._lobby.tables else self._advice())
        self._show_tables()

    def _show_text(self, which: str, text: str | Content) -> None:
        static = self.query_one(which, Static)
        static.update(text)
        static.display = bool(text)

    def _show_tables(self) -> None:
        """Show the list, and again each second while a table counts down."""
        now = self.scoville.clock.now()
        tables = self._tables()
        self._countdowns.see(tables, now)
        games = {game.slug: game for game in self.scoville.session.games}
        hosts = {each.info.table: each.by for each in self._lobby.invitations}
        self._list.show(
            [
                listed(table, games, self._countdowns.left(table, now), invited_by=hosts.get(table.table, ""))
                for table in tables
            ]
        )
        if self._second is not None:
            self._second.cancel()
        self._second = call_after(self, 1, self._show_tables) if self._countdowns.run else None

    def _tables(self) -> list[TableInfo]:
        return for_me(self._lobby.tables, {each.info.table for each in self._lobby.invitations})

    def _marked(self) -> TableInfo | None:
        marked = self.query_one(Menu).marked
        return None if marked is None else self._lobby.find(marked)

    def _heading(self) -> Content:
        you = words("you are {name}", name=self.scoville.session.name)
        here = self._lobby.here
        count = told(Phrase("{n} person here", {"n": here}, many="{n} people here", number=here))
        return Content.assemble(words("Tables"), "  ", (f"{you}, {count}", "dim"))

    def _invitation(self) -> str:
        """Say who invites me, the latest first."""
        if not self._lobby.invitations:
            return ""
        latest = self._lobby.invitations[-1]
        game = next((g.title for g in self.scoville.session.games if g.slug == latest.info.game), latest.info.game)
        return words("{name} invites you to {game}: a to come, d to decline.", name=latest.by, game=game)

    @staticmethod
    def _advice() -> str:
        return words(
            "There is no table yet. Press c to open one, or s to be seated as soon as there is a game: bots fill in."
        )
