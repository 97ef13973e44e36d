"""Dialogs of games by correspondence: the user's vacation, and the calendar of their deadlines."""

from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Static

from scoville_client.i18n.language import render, tr
from scoville_client.session.commands.players import calendar_lines, vacation_lines
from scoville_client.tui.screens.base import TooSmall
from scoville_client.tui.screens.dialogs.dialog import RequestDialog
from scoville_client.tui.widgets.key_hints import KeyHints
from scoville_client.tui.widgets.menu import Item, Menu
from scoville_client.tui.widgets.notice import Notice
from scoville_shared.engine.phrases import Phrase
from scoville_shared.protocol.messages import MOST_VACATION_DAYS, CalendarReply, VacationReply

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


class CalendarDialog(RequestDialog[None]):
    """Opens and ends the user's calendar, and shows its address once."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q", "close", show=False)]

    def compose(self) -> ComposeResult:
        about = tr("Calendar programs show your deadlines in games by correspondence.")
        with Vertical(classes="box"):
            yield Static(tr("Calendar"), classes="heading", markup=False)
            yield Static(about, classes="about", markup=False)
            yield Static(id="calendar", markup=False)
            yield Menu([], label_width=24, filters=False)
            yield Notice()
            yield KeyHints(lambda: ((tr("Enter"), tr("choose")), (tr("Esc"), tr("back"))))
        yield TooSmall()

    def on_mount(self) -> None:
        self.send_request(self.shell.session.account.show_calendar(), self._show_calendar)

    def on_menu_taken(self, message: Menu.Taken) -> None:
        account = self.shell.session.account
        request = account.close_calendar() if message.item == _END else account.open_calendar()
        self.send_request(request, self._show_calendar)

    def _show_calendar(self, calendar: CalendarReply) -> None:
        self.query_one("#calendar", Static).update("\n".join(calendar_lines(calendar)))
        # The address needs the room in small terminals.
        self.query_one(".about").display = calendar.path is None
        is_open = calendar.since_ms is not None
        items = [Item("open", tr("Give it another address") if is_open else tr("Open the calendar"))]
        menu = self.query_one(Menu)
        menu.show_items([*items, Item(_END, tr("End the calendar"))] if is_open else items)
        menu.fit_height(len(menu.items))
