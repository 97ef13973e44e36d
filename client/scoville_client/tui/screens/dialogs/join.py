"""Join dialog: the address of a server and the name to use there."""

from typing import ClassVar, NamedTuple

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Input, Static

from scoville_client.i18n.language import tr
from scoville_client.transport.address import Address, parse_address
from scoville_client.tui.screens.base import TooSmall, key_hints
from scoville_client.tui.screens.dialogs.dialog import Dialog
from scoville_client.tui.widgets.notice import Notice

NAME_LENGTH = 24


class Destination(NamedTuple):
    """The address of a server, and the name to use there."""

    address: Address
    name: str


class JoinDialog(Dialog[Destination | None]):
    """Returns the destination, or None; `last` is filled in."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "back", show=False),
        Binding("up", "app.focus_previous", show=False),
        Binding("down", "app.focus_next", show=False),
    ]

    def __init__(self, last: Destination | None = None) -> None:
        super().__init__()
        self._last = last

    def compose(self) -> ComposeResult:
        """Arrange the two fields."""
        address, name = ("", "") if self._last is None else (self._last.address.short, self._last.name)
        with Vertical(classes="box"):
            yield Static(tr("Join a server"), classes="heading")
            yield Static(tr("Address"))
            yield Input(address, placeholder=tr("localhost or 192.0.2.7:5757"), id="address")
            yield Static(tr("Your name"))
            friendly = tr("leave empty for a random one")
            yield Input(name, placeholder=friendly, id="name", max_length=NAME_LENGTH)
            yield Notice()
            yield Static(
                key_hints((tr("Enter"), tr("go")), ("Tab", tr("next")), (tr("Esc"), tr("back"))),
                classes="keys",
            )
        yield TooSmall()

    def on_input_submitted(self) -> None:
        """Return the destination, or show what is wrong with the address."""
        address = self.query_one("#address", Input)
        try:
            destination = Destination(parse_address(address.value or "localhost"), self.query_one("#name", Input).value)
        except ValueError as error:
            self.query_one(Notice).show(str(error), error=True)
            address.focus()
        else:
            self.dismiss(destination)

    def action_back(self) -> None:
        """Return no destination."""
        self.dismiss(None)
