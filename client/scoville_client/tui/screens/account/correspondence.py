"""Dialogs of games by correspondence: the user's vacation, the calendar of their deadlines, and their digest."""

from collections.abc import Iterable
from functools import partial
from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Static

from scoville_client.i18n.language import render, tr
from scoville_client.session.commands.players import calendar_lines, digest_lines, vacation_lines
from scoville_client.tui.screens.base import TooSmall
from scoville_client.tui.screens.dialogs.dialog import RequestDialog
from scoville_client.tui.screens.dialogs.form import Field, FormDialog, Values
from scoville_client.tui.widgets.key_hints import KeyHints
from scoville_client.tui.widgets.menu import Item, Menu
from scoville_client.tui.widgets.notice import Notice
from scoville_shared.engine.phrases import Phrase
from scoville_shared.protocol.messages import LONGEST_URL, MOST_VACATION_DAYS, CalendarReply, DigestReply, VacationReply

FEATURE: Final = "correspondence"
DIGESTS: Final = "digests"
_CHOICES: Final = (1, 3, 7, MOST_VACATION_DAYS)
"""Days that are offered; line mode and programs may take any number."""
_DAYS: Final = Phrase("{n} day", many="{n} days")
_END: Final = "end"


class _CorrespondenceDialog(RequestDialog[None]):
    """A box with a state that the server has answered, and a menu of what can be done about it."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q", "close", show=False)]

    def compose_box(
        self, heading: str, about: str = "", *, classes: str = "box", label_width: int = 24
    ) -> ComposeResult:
        with Vertical(classes=classes):
            yield Static(heading, classes="heading", markup=False)
            if about:
                yield Static(about, classes="about", markup=False)
            yield Static(id="state", markup=False)
            yield Menu([], label_width=label_width, filters=False)
            yield Notice()
            yield KeyHints(lambda: ((tr("Enter"), tr("choose")), (tr("Esc"), tr("back"))))
        yield TooSmall()

    def show_state(self, lines: Iterable[str], items: list[Item]) -> None:
        """Show the state, and the items of the menu as they follow from it."""
        self.query_one("#state", Static).update("\n".join(lines))
        menu = self.query_one(Menu)
        menu.show_items(items)
        menu.fit_height(len(items))


class VacationDialog(_CorrespondenceDialog):
    """Begins and ends a vacation."""

    def compose(self) -> ComposeResult:
        about = tr("On vacation your clocks rest in all games by correspondence. A day that has begun counts whole.")
        return self.compose_box(tr("Vacation"), about, label_width=20)

    def on_mount(self) -> None:
        self.send_request(self.shell.session.account.show_vacation(), self._show_vacation)

    def on_menu_taken(self, message: Menu.Taken) -> None:
        account = self.shell.session.account
        ends = message.item == _END
        act = account.end_vacation if ends else partial(account.begin_vacation, int(message.item))
        self.submit_change(act, self._show_vacation)

    def _show_vacation(self, vacation: VacationReply) -> None:
        self.show_state(vacation_lines(vacation), _list_choices(vacation))


def _list_choices(vacation: VacationReply) -> list[Item]:
    if vacation.until_ms is not None:
        return [Item(_END, tr("End the vacation"))]
    return [Item(str(n), render(_DAYS.with_fields({"n": n}, n))) for n in _CHOICES if n <= vacation.days_left]


class CalendarDialog(_CorrespondenceDialog):
    """Opens and ends the user's calendar, and shows its address once."""

    def compose(self) -> ComposeResult:
        about = tr("Calendar programs show your deadlines in games by correspondence.")
        return self.compose_box(tr("Calendar"), about)

    def on_mount(self) -> None:
        self.send_request(self.shell.session.account.show_calendar(), self._show_calendar)

    def on_menu_taken(self, message: Menu.Taken) -> None:
        account = self.shell.session.account
        act = account.close_calendar if message.item == _END else account.open_calendar
        self.submit_change(act, self._show_calendar)

    def _show_calendar(self, calendar: CalendarReply) -> None:
        is_open = calendar.since_ms is not None
        # The lines of one that is not open say it too, and a new address needs the room in small terminals.
        self.query_one(".about").display = is_open and calendar.path is None
        items = [Item("open", tr("Give it another address") if is_open else tr("Open the calendar"))]
        self.show_state(calendar_lines(calendar), [*items, Item(_END, tr("End the calendar"))] if is_open else items)


class DigestDialog(_CorrespondenceDialog):
    """Sets, tries and ends the user's digest, and shows the key of its signatures once."""

    def compose(self) -> ComposeResult:
        return self.compose_box(tr("Daily digest"), classes="box wide")

    def on_mount(self) -> None:
        self.send_request(self.shell.session.account.show_digest(), self._show_digest)

    def on_menu_taken(self, message: Menu.Taken) -> None:
        account = self.shell.session.account
        if message.item == "set":
            self._ask_for_address()
        elif message.item == "try":
            self.show_notice(tr("Waiting for your receiver …"))
            self.submit_change(account.try_digest, self._show_tried)
        else:
            self.submit_change(account.clear_digest, self._show_digest)

    def _ask_for_address(self) -> None:
        async def set_address(values: Values) -> None:
            digest = await self.shell.session.account.set_digest(values["url"].strip())
            # Later: until the request has ended, the form lies over this dialog.
            self.call_later(self._show_digest, digest)

        fields = [Field("url", tr("Address"), max_length=LONGEST_URL)]
        about = tr(
            "A program at this address receives your deadlines as JSON; ntfy and chat services can show their text."
        )
        self.shell.open_dialog(FormDialog(tr("Daily digest"), about, fields, tr("set"), set_address))

    def _show_tried(self, digest: DigestReply) -> None:
        self._show_digest(digest)
        self.show_notice(tr("Your receiver has accepted the test."))

    def _show_digest(self, digest: DigestReply) -> None:
        items = [Item("set", tr("Set the address"))]
        if digest.url is not None:
            items = [
                Item("try", tr("Send a test")),
                Item("set", tr("Give another address")),
                Item(_END, tr("End the digest")),
            ]
        self.show_state(digest_lines(digest), items)
