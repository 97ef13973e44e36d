"""Vacation dialog: how long the user's clocks by correspondence rest, and the days that are left."""

from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Static

from scoville_client.i18n.language import render, tr
from scoville_client.session.commands.players import vacation_lines
from scoville_client.tui.screens.base import TooSmall
from scoville_client.tui.screens.dialogs.dialog import RequestDialog
from scoville_client.tui.widgets.key_hints import KeyHints
from scoville_client.tui.widgets.menu import Item, Menu
from scoville_client.tui.widgets.notice import Notice
from scoville_shared.engine.phrases import Phrase
from scoville_shared.protocol.messages import MOST_VACATION_DAYS, VacationReply

FEATURE: Final = "correspondence"
_CHOICES: Final = (1, 3, 7, MOST_VACATION_DAYS)
"""Days that are offered; line mode and programs may take any number."""
_DAYS: Final = Phrase("{n} day", many="{n} days")
_END: Final = "end"


class VacationDialog(RequestDialog[None]):
    """Begins and ends a vacation."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q", "close", show=False)]

    def compose(self) -> ComposeResult:
        about = tr("On vacation your clocks rest in all games by correspondence. A day that has begun counts whole.")
        with Vertical(classes="box"):
            yield Static(tr("Vacation"), classes="heading", markup=False)
            yield Static(about, classes="about", markup=False)
            yield Static(id="vacation", markup=False)
            yield Menu([], label_width=20, filters=False)
            yield Notice()
            yield KeyHints(lambda: ((tr("Enter"), tr("choose")), (tr("Esc"), tr("back"))))
        yield TooSmall()

    def on_mount(self) -> None:
        self.send_request(self.shell.session.account.show_vacation(), self._show_vacation)

    def on_menu_taken(self, message: Menu.Taken) -> None:
        account = self.shell.session.account
        ends = message.item == _END
        request = account.end_vacation() if ends else account.begin_vacation(int(message.item))
        self.send_request(request, self._show_vacation)

    def _show_vacation(self, vacation: VacationReply) -> None:
        self.query_one("#vacation", Static).update("\n".join(vacation_lines(vacation)))
        menu = self.query_one(Menu)
        menu.show_items(_list_choices(vacation))
        menu.fit_height(len(menu.items))


def _list_choices(vacation: VacationReply) -> list[Item]:
    if vacation.until_ms is not None:
        return [Item(_END, tr("End the vacation"))]
    return [Item(str(n), render(_DAYS.with_fields({"n": n}, n))) for n in _CHOICES if n <= vacation.days_left]
