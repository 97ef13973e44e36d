"""The tables of a server: join one, or open another."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.widgets import Static

from scoville_client.actions import bindings
from scoville_client.changes import Change, Lost, TablesChanged
from scoville_client.language import told, words
from scoville_client.screens.page import Page
from scoville_client.widgets.keybar import KeyBar
from scoville_client.widgets.menu import Item, Menu
from scoville_shared.kit.phrases import Phrase
from scoville_shared.wire.messages import TableInfo

_STATES = {"waiting": Phrase("waiting"), "playing": Phrase("playing"), "finished": Phrase("over")}
_ORDER = list(_STATES)


class LobbyScreen(Page):
    """A line a table: the game, its seats, who is there. Enter sits down, or watches where one cannot."""

    WHERE = "lobby"
    LIVE = 2.0
    """How many seconds the list is believed while it is shown."""
    BINDINGS: ClassVar[list[BindingType]] = [
        binding for binding in bindings("lobby") if binding.action not in {"up", "down", "take"}
    ]

    def compose_body(self) -> ComposeResult:
        """Arrange a heading, the list, and what to do when there is nothing to choose from."""
        yield Static(self._heading(), classes="page-heading", id="whoami")
        yield Static(classes="page-text", id="empty")
        yield Menu([], label_width=20)

    def on_mount(self) -> None:
        """Show the tables, the first one with a free seat marked, and keep them live."""
        self._show()
        self.query_one(Menu).mark(next((table.table for table in self._tables() if self._may_sit(table)), None))
        self.set_interval(self.LIVE, self._look)

    def heard(self, change: Change) -> None:
        """Show the tables there are now; say that the line is gone."""
        if isinstance(change, TablesChanged):
            self._show()
        elif isinstance(change, Lost):
            self.tell(Phrase("{reason} Press Esc to go back.", {"reason": change.reason}), bad=True, stays=True)

    def reword(self) -> None:
        """Say everything again, in another language."""
        self.query_one("#whoami", Static).update(self._heading())
        self._show()
        super().reword()

    # --- keys -------------------------------------------------------------------------------------------

    def on_menu_marked(self) -> None:
        """Say what Enter does with the marked table."""
        table = self._marked()
        if table is None:
            self.query_one(KeyBar).show("lobby")
        else:
            word = words("sit down") if self._may_sit(table) else words("watch")
            self.query_one(KeyBar).show("lobby", (words("Enter"), word))

    def on_menu_taken(self, message: Menu.Taken) -> None:
        """Sit down at the marked table, or watch it."""
        table = self._marked()
        if table is not None and self._may_sit(table):
            self.scoville.sit_down(message.item)
        else:
            self.scoville.look_on(message.item)

    def action_create(self) -> None:
        """Ask for a game and its options, and open a table."""
        self.scoville.ask_for_table()

    def action_refresh(self) -> None:
        """Ask the server again."""
        self.scoville.refresh_tables()

    def action_back(self) -> None:
        """Hang up and go back to the start."""
        self.scoville.hang_up()

    # --- the list ---------------------------------------------------------------------------------------

    def _look(self) -> None:
        """Ask the server again, unseen, while nothing lies over the list."""
        if self.scoville.screen is self and self.scoville.session.state == "online":
            self.scoville.refresh_tables()

    def _show(self) -> None:
        titles = {game.slug: game.title for game in self.scoville.session.games}
        tables = self._tables()
        empty = "" if tables else words("There is no table yet. Press c to open one.")
        self.query_one("#empty", Static).update(empty)
        self.query_one("#empty", Static).display = not tables
        self.query_one(Menu).fill([_item(table, titles) for table in tables])

    def _tables(self) -> list[TableInfo]:
        """List the tables, those that still wait first."""
        return sorted(self.scoville.session.tables, key=lambda table: _ORDER.index(table.status))

    def _marked(self) -> TableInfo | None:
        marked = self.query_one(Menu).marked
        return next((table for table in self._tables() if table.table == marked), None)

    def _may_sit(self, table: TableInfo) -> bool:
        """Say whether a seat is free here, or is mine: also one that a bot keeps for me."""
        if table.status == "waiting" and any(seat.kind == "open" for seat in table.seats):
            return True
        return table.status != "finished" and table.yours is not None

    def _heading(self) -> Content:
        you = words("you are {name}", name=self.scoville.session.name)
        return Content.assemble(words("Tables"), "  ", (you, "dim"))


def _item(table: TableInfo, titles: dict[str, str]) -> Item:
    taken = [seat.name for seat in table.seats if seat.kind != "open"]
    people = ", ".join(taken) or words("nobody yet")
    label = f"{titles.get(table.game, table.game)} {len(taken)}/{len(table.seats)}"
    return Item(table.table, label, f"{told(_STATES[table.status]):<8} {people}")
