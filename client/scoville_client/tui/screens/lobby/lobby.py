"""Lobby screen: the tables of a server, invitations, and how others join."""

from collections.abc import Hashable
from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.events import Resize
from textual.widgets import Static

from scoville_client.i18n.language import tr
from scoville_client.i18n.table_text import Countdowns, for_me, listed, may_sit, wanted
from scoville_client.session.changes import (
    Change,
    ChatReceived,
    Connected,
    ConnectionLost,
    Invited,
    TableChanged,
    TablesChanged,
    UsersChanged,
)
from scoville_client.session.chat_channels import LOBBY
from scoville_client.session.lobby import Lobby
from scoville_client.tui.actions import LIST_KEYS, screen_bindings
from scoville_client.tui.screens.base import KeyActions
from scoville_client.tui.screens.leaving import LeaveFlow
from scoville_client.tui.screens.lobby.actions import LobbyActions
from scoville_client.tui.screens.lobby.side import LobbySide, beside
from scoville_client.tui.screens.lobby.table_list import TableList
from scoville_client.tui.screens.lobby.texts import advice, heading, invitation
from scoville_client.tui.screens.page import Page
from scoville_client.tui.widgets.canvas_widget import COLUMN
from scoville_client.tui.widgets.key_bar import KeyBar
from scoville_client.tui.widgets.menu import Menu
from scoville_client.tui.widgets.timers import Throttle, call_after
from scoville_runtime.clock import Alarm
from scoville_shared.engine.phrases import Phrase
from scoville_shared.protocol.messages import TableInfo

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
    BINDINGS: ClassVar[list[BindingType]] = [*screen_bindings("lobby", LIST_KEYS)]

    def __init__(self) -> None:
        super().__init__()
        self._countdowns = Countdowns()
        self._second: Alarm | None = None
        # Others' changes at most once a second: with 100 users at a door each arrival redrew every lobby, and a key
        # took 1.4 s.
        self._others = Throttle(self, UNASKED_SECONDS, self._show_if_visible)
        self._is_stale = False
        """Whether something has changed while another page was in front."""
        self._texts: dict[str, str | Content] = {}

    def compose_body(self) -> ComposeResult:
        """Arrange heading, join instructions of a hosted server, invitation, advice for an empty lobby, and list."""
        self._texts = self._current_texts()
        for which, text in self._texts.items():
            kind = "page-heading" if which == _HEADING else "page-text"
            yield Static(text, id=which, classes=kind if text else f"{kind} -empty", markup=False)
        with Horizontal(id="tables"):
            yield TableList(lambda: self.has_class(COLUMN), lambda: self.shell.preferences.density == "compact")
            yield LobbySide(lambda: beside(self.shell.session, self._marked(), self._list.marked_row))

    def on_mount(self) -> None:
        """Mark the table where it is the user's turn, else the first one with a free seat."""
        self._show()
        self.shell.request(self._read_chat())
        tables = self._tables()
        mark = next((table for table in tables if table.your_turn or may_sit(table)), None)
        self._list.mark(None if mark is None else mark.table)

    def session_changed(self, change: Change) -> None:
        """Show the current tables and invitations, or that the connection is lost."""
        if isinstance(change, TablesChanged | UsersChanged | ChatReceived):
            self._others.ask()
        elif isinstance(change, Invited | Connected | TableChanged):
            self._others.call()
        elif isinstance(change, ConnectionLost):
            way_out = Phrase("{sentence} Press Esc to go back.", {"sentence": change.reason})
            self.show_notice(way_out, error=True, sticky=True)

    def on_resize(self, event: Resize) -> None:
        super().on_resize(event)
        self.call_later(self._show_if_visible)

    def on_screen_resume(self) -> None:
        """Show what has changed while another page was in front."""
        if self._is_stale:
            self._show()

    def retranslate(self) -> None:
        self._show()
        super().retranslate()

    @property
    def meaning(self) -> Hashable:
        """The table that Enter chooses and the invitation that would be accepted; both change with what others do."""
        invited = [each.info.table for each in self._lobby.invitations[-1:]]
        return tuple(menu.jumps for menu in self.query(Menu)), tuple(invited)

    # --- keys -------------------------------------------------------------------------------------------

    def on_menu_marked(self) -> None:
        """Show what Enter does with the marked table, and which key goes to a table that waits for the user."""
        table = self._marked()
        self.query_one(LobbySide).repaint()
        keys = [] if table is None else [(tr("Enter"), tr("take a seat") if may_sit(table) else tr("watch"))]
        if any(each.your_turn for each in self._lobby.tables):
            keys.append(("w", tr("your turn")))
        elif wanted(self._lobby.tables, None) is not None:
            keys.append(("w", tr("my seat")))
        self.parts(KeyBar)[0].show("lobby", *keys)

    def on_menu_taken(self) -> None:
        table = self._marked()
        if table is not None:
            LobbyActions(self.shell).join(table)

    def key_actions(self) -> KeyActions:
        actions = LobbyActions(self.shell)
        return {
            **super().key_actions(),
            "accept_invitation": self._accept_invitation,
            "account": self.shell.navigation.open_account,
            "back": LeaveFlow(self.shell).leave_lobby,
            "create_table": lambda: actions.create_table(self.shell.client.start.game),
            "decline_invitation": self._decline_invitation,
            "invitation": actions.show_invitation,
            "join_by_code": actions.join_by_code,
            "quick_match": actions.quick_match,
            "users": actions.show_users,
            "waiting_table": actions.join_waiting_table,
        }

    def _accept_invitation(self) -> None:
        LobbyActions(self.shell).accept_invitation()
        self._show()

    def _decline_invitation(self) -> None:
        LobbyActions(self.shell).decline_invitation()
        self._show()

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
            self._show()

    def _show(self) -> None:
        self._is_stale = False
        texts = self._current_texts()
        for which, text in texts.items():
            if text != self._texts[which]:
                self._show_text(which, text)
        self._texts = texts
        self._show_tables()

    def _current_texts(self) -> dict[str, str | Content]:
        """Return heading, join instructions of a hosted server, invitation, and advice for an empty lobby."""
        client = self.shell.client
        return {
            _HEADING: heading(self.shell.session, has_side=self.has_class(COLUMN)),
            "ways": next(iter(client.join_instructions() if client.is_hosting else ()), ""),
            "invited": invitation(self.shell.session),
            "empty": "" if self._lobby.tables else advice(),
        }

    def _show_text(self, which: str, text: str | Content) -> None:
        """Show a text; the heading has a fixed height, so that another one needs no layout."""
        static = self.query_one(f"#{which}", Static)
        static.update(text, layout=which != _HEADING)
        static.set_class(not text, "-empty")

    def _show_tables(self) -> None:
        """Show the tables, and again each second while a game counts down."""
        now = self.shell.clock.seconds()
        tables = self._tables()
        self._countdowns.see(tables, now)
        games = {game.slug: game for game in self.shell.session.games}
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
        self.query_one(LobbySide).repaint()

    async def _read_chat(self) -> None:
        """Fetch what was said before."""
        await self.shell.session.chat.read(LOBBY)
        self.query_one(LobbySide).repaint()

    def _tables(self) -> list[TableInfo]:
        return for_me(self._lobby.tables, {each.info.table for each in self._lobby.invitations})

    def _marked(self) -> TableInfo | None:
        marked = self._list.marked
        return None if marked is None else self._lobby.find(marked)
