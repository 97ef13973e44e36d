"""The first screen: what to do."""

from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical

from scoville_client.i18n.language import words
from scoville_client.tui.actions import bindings
from scoville_client.tui.screens.page import Page
from scoville_client.tui.screens.start.logo import Logo
from scoville_client.tui.widgets.menu import Item, Menu
from scoville_client.tui.widgets.timers import call_after

if TYPE_CHECKING:
    from scoville_shared.engine.phrases import Phrase

_TWO_FRAMES = 2 / 60
"""Textual paints sixty times a second; what loads a game and a server can wait so long."""


class StartScreen(Page):
    """Practise, join, host, or leave. Busy while something that was chosen is under way."""

    WHERE = "start"
    BINDINGS: ClassVar[list[BindingType]] = [
        binding for binding in bindings("start") if binding.action not in {"up", "down", "take"}
    ]

    def __init__(self, sentence: "str | Phrase" = "") -> None:
        super().__init__()
        self._sentence = sentence

    def compose_body(self) -> ComposeResult:
        """Arrange the name and the menu."""
        with Vertical(id="start"):
            yield Logo()
            yield Menu(_items())

    def on_mount(self) -> None:
        """Say what is under way when the command line already chose."""
        self.tell(self._sentence, stays=True)
        call_after(self, _TWO_FRAMES, self.scoville.first_painted)

    def reword(self) -> None:
        """Say everything again, in another language."""
        self.query_one(Menu).fill(_items())
        super().reword()

    async def on_menu_taken(self, message: Menu.Taken) -> None:
        """Do what was chosen."""
        await self.run_action(message.item)

    def action_practise(self) -> None:
        """Open a game against bots."""
        self.scoville.beginnings.practise()

    def action_join(self) -> None:
        """Ask for an address and go there."""
        self.scoville.beginnings.join()

    def action_host(self) -> None:
        """Open a table that others can reach."""
        self.scoville.beginnings.host()


def _items() -> list[Item]:
    return [
        Item("practise", f"p  {words('Practise')}", words("at once, against bots")),
        Item("join", f"j  {words('Join')}", words("people at an address")),
        Item("host", f"h  {words('Host')}", words("a table for others")),
        Item("rules", f"r  {words('Rules')}", words("of the three games")),
        Item("help", f"?  {words('Help')}", words("the game and the keys")),
        Item("quit", f"q  {words('Quit')}"),
    ]
