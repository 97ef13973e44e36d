"""Log-in dialogs: by password or SSH key."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from math import ceil
from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Static

from scoville_client.i18n.language import InputError, render, tr
from scoville_client.session.identity.account import password_strength
from scoville_client.session.identity.ssh_keys import PublicKey, find_keys, read_key, sign_text
from scoville_client.session.start_options import Start
from scoville_client.tui.screens.base import TooSmall
from scoville_client.tui.screens.dialogs.dialog import RequestDialog
from scoville_client.tui.screens.dialogs.form import Field, FormDialog, Values
from scoville_client.tui.shell import Shell
from scoville_client.tui.widgets.key_hints import KeyHints
from scoville_client.tui.widgets.menu import Item, Menu
from scoville_client.tui.widgets.notice import Notice
from scoville_client.tui.widgets.timers import call_after
from scoville_shared.protocol.messages import (
    CODE_CHARACTERS,
    NAME_CHARACTERS,
    WEB_CODE_CHARACTERS,
    AccountReply,
    CreateWebCodeReply,
)

Use = Callable[[str, str], Awaitable[None]]
"""Receives a public key and its signature of a text."""
UsePassword = Callable[[str], Awaitable[None]]
"""Receives a new password."""
Text = Callable[[], Awaitable[str]]
"""Composes the text that a key signs."""
Then = Callable[[bool | None], None] | None
"""Called with whether it was done."""


def ask_for_password(shell: Shell, name: str, then: Then = None, *, claimed: bool = False) -> None:
    """Ask for a name and its password, and log in; `claimed` when the server has refused the name to a guest."""

    async def log_in(values: Values) -> None:
        session = shell.session
        await session.connection.switch_user(session.account.log_in(values["name"].strip(), values["password"]))
        shell.show_notice(tr("You are {name}.", name=session.name))

    guest = shell.session.name
    about = (
        tr("The name {name} is claimed: log in if it is yours. Otherwise you are {guest}.", name=name, guest=guest)
        if claimed
        else tr("Use the password of your claimed name.")
    )
    fields = [
        Field("name", tr("Name"), name, max_length=NAME_CHARACTERS),
        Field("password", tr("Password"), hidden=True),
    ]
    shell.open_dialog(FormDialog(tr("Log in"), about, fields, tr("log in"), log_in), then)


def explain_guest(shell: Shell, start: Start) -> None:
    """Offer the log-in to a guest whose name is claimed; explain to others that theirs is not."""
    if shell.session.connection.name_claimed and start.kind == "join":
        ask_for_password(shell, start.name, claimed=True)
    elif not shell.session.connection.name_claimed:
        name = shell.session.name
        shell.announce(tr("Nobody has claimed the name {name} here. You are a guest; m claims it.", name=name))


def ask_for_proof(shell: Shell, account: AccountReply, then: Callable[[], None]) -> None:
    """Ask the owner of a name for the password, or else for a key; `then` is called once the server has accepted it."""

    def done(yes: bool | None) -> None:
        if yes:
            then()

    actions = shell.session.account
    heading = tr("Is that you?")
    if shell.is_hosted and not account.has_password:  # the key was proved to the door; the server knows how long ago
        then()
        return
    if not account.has_password:
        shell.open_dialog(SshKeyDialog(heading, actions.confirm_by_key, lambda: actions.text_to_sign("confirm")), done)
        return

    async def confirm(values: Values) -> None:
        await actions.confirm_user(values["password"])

    fields = [Field("password", tr("Password"), hidden=True)]
    about = tr("Your password protects this change.")
    shell.open_dialog(FormDialog(heading, about, fields, tr("next"), confirm), done)


def ask_for_recovery(shell: Shell, then: Then = None) -> None:
    """Ask for a name, an admin's recovery code and a new password, and log in."""

    async def recover(values: Values) -> None:
        session = shell.session
        name, code = values["name"].strip(), values["code"]
        await session.connection.switch_user(session.account.recover_account(name, code, values["password"]))
        shell.show_notice(tr("You are {name}. All other sessions have ended.", name=session.name))

    fields = [
        Field("name", tr("Name"), "", max_length=NAME_CHARACTERS),
        Field("code", tr("Code"), max_length=CODE_CHARACTERS),
        Field("password", tr("New password"), hidden=True),
    ]
    about = tr("An admin of this server can give you a code if you have lost your password.")
    shell.open_dialog(FormDialog(tr("Recover your account"), about, fields, tr("log in"), recover), then)


def ask_for_name(shell: Shell, then: Callable[[str], None]) -> None:
    """Ask for the claimed name to log in to."""

    async def take(values: Values) -> None:
        # Later: until the request has ended, this form is in front, and has no room for another one over it.
        shell.call_later(then, values["name"].strip())

    fields = [Field("name", tr("Name"), "", max_length=NAME_CHARACTERS)]
    about = tr("Which claimed name is yours?")
    shell.open_dialog(FormDialog(tr("Log in with a key"), about, fields, tr("next"), take))


def ask_for_new_password(shell: Shell, heading: str, about: str, use: UsePassword, then: Then = None) -> None:
    """Ask for a password twice; `use` receives it."""

    async def submit(values: Values) -> None:
        if values["password"] != values["again"]:
            raise InputError(tr("The two passwords differ."))
        await use(values["password"])

    def hint(values: Values) -> str:
        password = values["password"]
        if not password:
            return ""
        differs = values["again"] and values["again"] != password
        word = render(password_strength(password, shell.session.name))
        return tr("Strength: {word}.", word=word) + (f" {tr('The two passwords differ.')}" if differs else "")

    fields = [
        Field("password", tr("New password"), hidden=True),
        Field("again", tr("Repeat it"), hidden=True),
    ]
    shell.open_dialog(FormDialog(heading, about, fields, tr("save"), submit, hint), then)


class SshKeyDialog(RequestDialog[bool]):
    """Lists SSH keys; returns True once the chosen one has signed a text and `use` has accepted it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "back", show=False),
        Binding("f", "file", show=False),
    ]

    def __init__(self, heading: str, use: Use, text: Text) -> None:
        super().__init__()
        self._heading = heading
        self._use = use
        self._text = text
        self._found: Sequence[PublicKey] = ()

    def compose(self) -> ComposeResult:
        with Vertical(classes="box wide"):
            yield Static(self._heading, classes="heading", markup=False)
            yield Static(tr("Looking for keys …"), classes="about", id="about", markup=False)
            yield Menu([], label_width=28)
            yield Notice()
            yield KeyHints(lambda: ((tr("Enter"), tr("sign")), ("f", tr("another file")), (tr("Esc"), tr("back"))))
        yield TooSmall()

    def on_mount(self) -> None:
        self.send_request(find_keys(clock=self.shell.clock), self._show_found)

    def on_menu_taken(self, message: Menu.Taken) -> None:
        key = self._found[int(message.item)]
        self.show_notice(tr("Signing … If your key is on a security device, touch it."))
        self.submit_change(partial(self._sign, key), lambda _: self.dismiss(True))

    def action_back(self) -> None:
        self.dismiss(False)

    def action_file(self) -> None:
        async def take(values: Values) -> None:
            self._found = [*self._found, read_key(Path(values["file"].strip()))]
            self._show_keys()
            self.query_one(Menu).mark_item(str(len(self._found) - 1))

        fields = [Field("file", tr("File"), "~/.ssh/", max_length=1_000)]
        self.shell.open_dialog(FormDialog(tr("A key in a file"), "", fields, tr("use it"), take))

    def _show_found(self, found: Sequence[PublicKey]) -> None:
        self._found = found
        self._show_keys()

    async def _sign(self, key: PublicKey) -> None:
        signature = await sign_text(key, await self._text(), self.shell.clock)
        await self._use(key.line, signature)

    def _show_keys(self) -> None:
        about = tr("The key signs for this server alone; it never leaves this computer.")
        nothing = tr("No key found in ~/.ssh or in the agent. Create one with ssh-keygen -t ed25519.")
        self.query_one("#about", Static).update(about if self._found else nothing)
        menu = self.query_one(Menu)
        menu.show_items([Item(str(number), key.label, _name_kind(key)) for number, key in enumerate(self._found)])
        menu.styles.height = max(1, min(len(self._found), self.size.height - 12))


def _name_kind(key: PublicKey) -> str:
    return f"{key.line.partition(' ')[0].removeprefix('ssh-')}, {key.origin}"


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
        self.submit_change(self.shell.session.account.create_web_code, self._show_code)

    def _show_code(self, reply: CreateWebCodeReply) -> None:
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

    fields = [Field("code", tr("Code"), max_length=WEB_CODE_CHARACTERS)]
    about = tr("The client in your terminal shows a code: press m there, or type webcode in line mode.")
    shell.open_dialog(FormDialog(tr("Log in with a code"), about, fields, tr("log in"), log_in), then)
