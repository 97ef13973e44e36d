"""Asks for an address and a name."""

from typing import ClassVar, NamedTuple

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Input, Static

from scoville_client.i18n.language import words
from scoville_client.transport.address import Address, parse_address
from scoville_client.tui.screens.page import Dialog, TooSmall, keys
from scoville_client.tui.widgets.notice import Notice

NAME_LENGTH = 24


class Destination(NamedTuple):
    """Where to go, and as whom."""

    address: Address
    name: str


class JoinDialog(Dialog[Destination | None]):
    """None when nobody wants to go anywhere."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "back", show=False),
        Binding("up", "app.focus_previous", show=False),
        Binding("down", "app.focus_next", show=False),
    ]

    def __init__(self, last: Destination | None = None) -> None:
        super().__init__()
        self._last = last

    def compose(self) -> ComposeResult:
        """Arrange two fields; they hold where one has been last, and as whom."""
        address, name = ("", "") if self._last is None else (self._last.address.short, self._last.name)
        with Vertical(classes="box"):
            yield Static(words("Join a server"), classes="heading")
            yield Static(words("Address"))
            yield Input(address, placeholder=words("localhost or 192.0.2.7:5757"), id="address")
            yield Static(words("Your name"))
            friendly = words("leave empty for a friendly one")
            yield Input(name, placeholder=friendly, id="name", max_length=NAME_LENGTH)
            yield Notice()
            yield Static(
                keys((words("Enter"), words("go")), ("Tab", words("next")), (words("Esc"), words("back"))),
                classes="keys",
            )
        yield TooSmall()

    def on_input_submitted(self) -> None:
        """Go there, or say what is wrong with the address."""
        address = self.query_one("#address", Input)
        try:
            destination = Destination(parse_address(address.value or "localhost"), self.query_one("#name", Input).value)
        except ValueError as error:
            self.query_one(Notice).tell(str(error), bad=True)
            address.focus()
        else:
            self.dismiss(destination)

    def action_back(self) -> None:
        """Stay where one is."""
        self.dismiss(None)
