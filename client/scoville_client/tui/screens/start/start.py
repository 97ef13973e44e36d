"""Start screen: practise, join a server, or host a table."""

from typing import TYPE_CHECKING, ClassVar

from msgspec.structs import replace
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.message import Message

from scoville_client.i18n.language import tr
from scoville_client.session.start_options import Start
from scoville_client.tui.actions import bindings
from scoville_client.tui.screens.page import Page
from scoville_client.tui.screens.start.logo import Logo
from scoville_client.tui.widgets.menu import Item, Menu
from scoville_client.tui.widgets.timers import call_after

if TYPE_CHECKING:
    from scoville_client.tui.screens.dialogs.join import Destination
    from scoville_shared.engine.phrases import Phrase

_TWO_FRAMES = 2 / 60
"""Seconds; Textual paints sixty times a second, and loading a game or a server can wait that long."""


class StartScreen(Page):
    """Offers a menu. `start` are the options of the command line; the last choices are filled in."""

    KEY_CONTEXT = "start"
    BINDINGS: ClassVar[list[BindingType]] = [
        binding for binding in bindings("start") if binding.action not in {"up", "down", "take"}
    ]

    class Painted(Message):
        """The screen has been painted for the first time."""

    class Chosen(Message):
        """The user has chosen what to start."""

        def __init__(self, start: Start) -> None:
            super().__init__()
            self.start = start

    def __init__(self, start: Start, notice: "str | Phrase" = "") -> None:
        super().__init__()
        self._start = start
        self._notice = notice
        self._last: Destination | None = None

    def compose_body(self) -> ComposeResult:
        """Arrange the logo and the menu."""
        with Vertical(id="start"):
            yield Logo()
            yield Menu(self.items())

    def items(self) -> list[Item]:
        """Return the entries of the menu; each runs the action of its name."""
        return [
            Item("practise", f"p  {tr('Practise')}", tr("at once, against bots")),
            Item("join", f"j  {tr('Join')}", tr("a game on a server")),
            Item("host", f"h  {tr('Host')}", tr("a table for others")),
            Item("rules", f"r  {tr('Rules')}", tr("of the three games")),
            Item("help", f"?  {tr('Help')}", tr("the keys")),
            Item("quit", f"q  {tr('Quit')}"),
        ]

    def on_mount(self) -> None:
        """Show the notice, and post `Painted` once it is on the terminal."""
        self.show_notice(self._notice, sticky=True)
        call_after(self, _TWO_FRAMES, lambda: self.post_message(self.Painted()))

    def retranslate(self) -> None:
        """Write every text in the current language."""
        self.query_one(Menu).fill(self.items())
        super().retranslate()

    async def on_menu_taken(self, message: Menu.Taken) -> None:
        """Run the action of the chosen item."""
        await self.run_action(message.item)

    def action_practise(self) -> None:
        """Choose a game to play against bots."""
        self.shell.request(self._choose_game(tr("Practise"), replace(self._start, kind="practice")))

    def action_host(self) -> None:
        """Choose a game for a table that others can reach."""
        self.shell.request(self._choose_game(tr("Host a table"), replace(self._start, kind="host", host="")))

    def action_join(self) -> None:
        """Enter the address of a server."""
        from scoville_client.transport.address import Address
        from scoville_client.tui.screens.dialogs.join import Destination, JoinDialog

        start = self._start
        if self._last is None and start.kind == "join":
            self._last = Destination(Address(start.host, start.port, start.pin), start.name)
        self.shell.open_dialog(JoinDialog(self._last), self._join)

    async def _choose_game(self, heading: str, start: Start) -> None:
        from scoville_client.tui.screens.dialogs.game_picker import ask_for_game

        chosen = await ask_for_game(self.shell, heading, start)
        if chosen is not None:
            self._start = replace(self._start, game=chosen.game)
            self.post_message(self.Chosen(chosen))

    def _join(self, destination: "Destination | None") -> None:
        if destination is not None:
            self._last = destination
            host, port, pin = destination.address
            place = replace(self._start, kind="join", host=host, port=port, pin=pin)
            self.post_message(self.Chosen(replace(place, name=destination.name)))
