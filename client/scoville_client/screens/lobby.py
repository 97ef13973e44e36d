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
from scoville_client.widgets.menu import Item, Menu
from scoville_shared.kit.phrases import Phrase
from scoville_shared.wire.messages import TableInfo

_STATES = {"waiting": Phrase("waiting"), "playing": Phrase("playing"), "finished": Phrase("over")}
_EMPTY = Phrase("There is no table yet. Press c to open one.")


class LobbyScreen(Page):
    """A line a table: the game, its seats, who is there, and whether one can still sit down."""

    WHERE = "lobby"
    BINDINGS: ClassVar[list[BindingType]] = [
        binding for binding in bindings("lobby") if binding.action not in {"up", "down", "take"}
    ]

    def compose_body(self) -> ComposeResult:
        """Arrange a heading and the list."""
        yield Static(self._heading(), classes="page-heading", id="whoami")
        yield Menu(self._items(), label_width=20)

    def on_mount(self) -> None:
        """Say what to do when there is nothing to choose from."""
        self._show()

    def heard(self, change: Change) -> None:
        """Show the tables there are now; say that the line is gone."""
        if isinstance(change, TablesChanged):
            self._show()
        elif isinstance(change, Lost):
            self.tell(Phrase("{reason} Press Esc to go back.", {"reason": change.reason}), bad=True, stays=True)

    def reword(self) -> None:
        """Say everything again, in another language."""
        self.query_one("#whoami", Static).update(self._heading())
        self.query_one(Menu).fill(self._items())
        super().reword()

    async def on_menu_taken(self, message: Menu.Taken) -> None:
        """Sit down at the marked table."""
        self.scoville.sit_down(message.item)

    def action_create(self) -> None:
        """Ask for a game and its options, and open a table."""
        self.scoville.ask_for_table()

    def action_refresh(self) -> None:
        """Ask the server again."""
        self.scoville.refresh_tables()

    def action_back(self) -> None:
        """Hang up and go back to the start."""
        self.scoville.hang_up()

    def _show(self) -> None:
        self.query_one(Menu).fill(self._items())
        self.tell("" if self.scoville.session.tables else _EMPTY)

    def _heading(self) -> Content:
        you = words("you are {name}", name=self.scoville.session.name)
        return Content.assemble(words("Tables"), "  ", (you, "dim"))

    def _items(self) -> list[Item]:
        titles = {game.slug: game.title for game in self.scoville.session.games}
        return [_item(table, titles) for table in self.scoville.session.tables]


def _item(table: TableInfo, titles: dict[str, str]) -> Item:
    taken = [seat.name for seat in table.seats if seat.kind != "open"]
    people = ", ".join(taken) or words("nobody yet")
    label = f"{titles.get(table.game, table.game)} {len(taken)}/{len(table.seats)}"
    return Item(table.table, label, f"{told(_STATES[table.status]):<8} {people}")
