"""Join dialog: the address of a server and the name to use there."""

from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Input, Static

from scoville_client.i18n.language import tr
from scoville_client.transport.address import Address, parse_destination
from scoville_client.tui.screens.base import TooSmall
from scoville_client.tui.screens.dialogs.dialog import Dialog
from scoville_client.tui.widgets.key_hints import KeyHints
from scoville_client.tui.widgets.notice import Notice
from scoville_shared.text import LONGEST_NAME


class JoinTarget(NamedTuple):
    """The address of a server (None for the one on the local network that knows `code`), and the name to use there.

    `logging_in` says that the user has claimed the name there.
    """

    address: Address | None
    name: str
    code: str = ""
    logging_in: bool = False

    @property
    def typed(self) -> str:
        """The destination as a user types it."""
        address = "" if self.address is None or not self.address.host else self.address.short
        return f"{self.code}@{address}" if self.code and address else self.code or address


class JoinDialog(Dialog[JoinTarget | None]):
    """Returns the destination, or None; `last` is filled in, and by keys those of `earlier` visits.

    A user who is `logging_in` needs a name.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "back", show=False),
        Binding("up", "app.focus_previous", show=False),
        Binding("down", "app.focus_next", show=False),
        Binding("pagedown", "fill_in(1)", show=False),
        Binding("pageup", "fill_in(-1)", show=False),
    ]

    def __init__(
        self, last: JoinTarget | None = None, earlier: Sequence[JoinTarget] = (), *, logging_in: bool = False
    ) -> None:
        super().__init__()
        self._earlier = earlier
        self._filled = 0
        self._logging_in = logging_in
        self._last = last

    def compose(self) -> ComposeResult:
        address, name = ("", "") if self._last is None else (self._last.typed, self._last.name)
        with Vertical(classes="box"):
            yield Static(tr("Log in to a server") if self._logging_in else tr("Join a server"), classes="heading")
            yield Static(tr("Address or table code"))
            yield Input(address, placeholder=tr("192.0.2.7:5757 or brave-otter"), id="address")
            yield Static(tr("Your claimed name") if self._logging_in else tr("Your name"))
            friendly = tr("its password is asked next") if self._logging_in else tr("leave empty for a random one")
            yield Input(name, placeholder=friendly, id="name", max_length=LONGEST_NAME)
            yield Notice()
            other = ((tr("PgUp PgDn"), tr("other server")),) if len(self._earlier) > 1 else ()
            yield KeyHints(lambda: ((tr("Enter"), tr("go")), ("Tab", tr("next")), *other, (tr("Esc"), tr("back"))))
        yield TooSmall()

    def on_input_submitted(self) -> None:
        """Return the destination, or show the error in the address."""
        address, name = self.query_one("#address", Input), self.query_one("#name", Input)
        if self._logging_in and not name.value.strip():
            # Enter at the address goes to the name; only there it is an error that none is typed.
            if name.has_focus:
                self.query_one(Notice).show_sentence(
                    tr("Type the name that you have claimed on this server."), error=True
                )
            name.focus()
            return
        try:
            # An empty line is a server on this computer, as after `scoville host`.
            place, code = parse_destination(address.value.strip() or "localhost")
            destination = JoinTarget(place, name.value, code, self._logging_in)
        except ValueError as error:
            self.query_one(Notice).show_sentence(str(error), error=True)
            address.focus()
        else:
            self.dismiss(destination)

    def action_fill_in(self, steps: int) -> None:
        """Fill in another server of those that were joined before."""
        if self._earlier:
            self._filled = (self._filled + steps) % len(self._earlier)
            self.query_one("#address", Input).value = self._earlier[self._filled].typed
            self.query_one("#name", Input).value = self._earlier[self._filled].name

    def action_back(self) -> None:
        self.dismiss(None)
