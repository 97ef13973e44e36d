"""Web code dialogs: one client shows a one-time code, and in a browser somebody logs in with it."""

from math import ceil
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Static

from scoville_client.i18n.language import tr
from scoville_client.tui.screens.account.login_dialogs import Then
from scoville_client.tui.screens.base import TooSmall
from scoville_client.tui.screens.dialogs.form import Field, FormDialog, Values
from scoville_client.tui.screens.dialogs.request_dialog import RequestDialog
from scoville_client.tui.shell import Shell
from scoville_client.tui.widgets.key_hints import KeyHints
from scoville_client.tui.widgets.notice import Notice
from scoville_client.tui.widgets.timers import call_after
from scoville_shared.protocol.messages import CreateWebCodeReply

CODE_LENGTH = 32


class WebCodeDialog(RequestDialog[None]):
    """Shows a code and the seconds for which it is valid; Enter requests another one."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "close", show=False),
        Binding("enter", "renew", show=False),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._code = ""
        self._ends = 0.0

    def compose(self) -> ComposeResult:
        with Vertical(classes="box"):
            yield Static(tr("Log in with a browser"), classes="heading", markup=False)
            yield Static(tr("In the browser, press m in the lobby and type this code:"), classes="about", markup=False)
            yield Static(id="code", classes="heading", markup=False)
            yield Static(id="left", markup=False)
            yield Notice()
            yield KeyHints(lambda: ((tr("Enter"), tr("new code")), (tr("Esc"), tr("close"))))
        yield TooSmall()

    def on_mount(self) -> None:
        self.action_renew()

    def action_renew(self) -> None:
        self.request(self.shell.session.account.create_web_code(), self._show)

    def _show(self, reply: CreateWebCodeReply) -> None:
        self._code, self._ends = reply.code, self.shell.clock.seconds() + reply.valid_ms / 1000
        self._count_down(reply.code)

    def _count_down(self, code: str) -> None:
        if code != self._code or not self.is_open:
            return
        left = ceil(self._ends - self.shell.clock.seconds())
        if left > 0:
            self.query_one("#code", Static).update(code)
            self.query_one("#left", Static).update(tr("Valid for {seconds} s, and once.", seconds=left))
            call_after(self, 1, lambda: self._count_down(code))
        else:
            self.query_one("#code", Static).update("–")
            self.query_one("#left", Static).update(tr("The code has expired."))


def ask_for_web_code(shell: Shell, then: Then = None) -> None:
    """Ask for the code that another client of the user shows, and log in."""

    async def log_in(values: Values) -> None:
        session = shell.session
        await session.connection.switch_user(session.account.log_in_by_web_code(values["code"]))
        shell.show_notice(tr("You are {name}.", name=session.name))

    fields = [Field("code", tr("Code"), max_length=CODE_LENGTH)]
    about = tr("The client in your terminal shows a code: press m there, or type webcode in line mode.")
    shell.open_dialog(FormDialog(tr("Log in with a code"), about, fields, tr("log in"), log_in), then)
