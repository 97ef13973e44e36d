"""Account dialog: the user's name, credentials and sessions."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.events import Resize
from textual.widgets import Static

from scoville_client.i18n.language import tr
from scoville_client.session.identity.account import AccountActions
from scoville_client.tui.screens.account.account_rows import KEY, SESSION, about_account, account_items
from scoville_client.tui.screens.account.door_key import ask_to_add, ask_to_claim
from scoville_client.tui.screens.account.login_dialogs import (
    SshKeyDialog,
    ask_for_name,
    ask_for_new_password,
    ask_for_password,
    ask_for_proof,
    ask_for_recovery,
)
from scoville_client.tui.screens.account.web_code import WebCodeDialog, ask_for_web_code
from scoville_client.tui.screens.base import TooSmall
from scoville_client.tui.screens.dialogs.question import ConfirmDialog
from scoville_client.tui.screens.dialogs.request_dialog import RequestDialog
from scoville_client.tui.widgets.key_hints import KeyHints
from scoville_client.tui.widgets.menu import Item, Menu
from scoville_client.tui.widgets.notice import Notice
from scoville_shared.protocol.messages import AccountReply
from scoville_shared.protocol.proofs import Purpose

_AROUND = 12
"""Rows of the terminal around the list."""
_LABEL = 20
_NARROW = 60


class AccountDialog(RequestDialog[None]):
    """Shows the account; Enter on a line changes it."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q", "close", show=False)]

    def __init__(self) -> None:
        super().__init__()
        self._account: AccountReply | None = None

    def compose(self) -> ComposeResult:
        with Vertical(classes="box wide"):
            yield Static(self.shell.session.name, id="me", classes="heading", markup=False)
            yield Static(id="about", classes="about", markup=False)
            yield Menu([], label_width=_LABEL)
            yield Notice()
            yield KeyHints(lambda: ((tr("Enter"), tr("choose")), (tr("Esc"), tr("close"))))
        yield TooSmall()

    def on_mount(self) -> None:
        self._fetch()

    def on_resize(self, event: Resize) -> None:
        """Give the list the rows it needs, as far as the terminal has them."""
        super().on_resize(event)
        self._fit()

    def on_menu_taken(self, message: Menu.Taken) -> None:
        if message.item.startswith(SESSION):
            self._end_session(message.item.removeprefix(SESSION))
        elif message.item.startswith(KEY):
            self._remove_key(message.item.removeprefix(KEY))
        else:
            self._actions[message.item]()

    # --- what is shown ----------------------------------------------------------------------------------

    def _fetch(self) -> None:
        self.request(self._requests.show(), self._show)

    def _show(self, account: AccountReply) -> None:
        self._account = account
        self.query_one("#me", Static).update(account.name)
        self.query_one("#about", Static).update(about_account(account, self.shell.session.connection.hosted))
        self.query_one(Menu).fill(self._items(account))
        self._fit()

    def _items(self, account: AccountReply) -> list[Item]:
        admin = self.shell.session.lobby.is_admin(self.shell.session.name)
        return account_items(account, self.shell.session, admin=admin, narrow=self.size.width < _NARROW)

    def _fetch_when(self, done: bool | None) -> None:
        if done:
            self._fetch()

    def _fit(self) -> None:
        self.query_one(Menu).fit(self.size.height - _AROUND)

    # --- what can be done -------------------------------------------------------------------------------

    @property
    def _actions(self) -> dict[str, Callable[[], None]]:
        return {
            "profile": self.shell.navigation.open_profile,
            "admin": self.shell.navigation.open_admin,
            "claim": self._claim,
            "claim_by_key": self._claim_by_key,
            "claim_by_door_key": lambda: ask_to_claim(self.shell.session, _advantages(), self._confirm),
            "log_in": self._log_in,
            "log_in_by_key": lambda: ask_for_name(self.shell, self._log_in_by_key),
            "log_in_by_code": lambda: ask_for_web_code(self.shell, self._fetch_when),
            "web_code": lambda: self.shell.open_dialog(WebCodeDialog()),
            "recover": lambda: ask_for_recovery(self.shell, self._fetch_when),
            "password": lambda: self._prove(self._change_password),
            "add_key": lambda: self._prove(self._add_key),
            "add_door_key": lambda: self._prove(lambda: ask_to_add(self.shell.session, self._confirm)),
            "others": lambda: self._end_session(""),
            "log_out": self._log_out,
            "release": self._release,
            "delete": self._delete,
        }

    @property
    def _requests(self) -> AccountActions:
        return self.shell.session.account

    @property
    def _user_name(self) -> str:
        return self.shell.session.name

    def _claim(self) -> None:
        heading = tr("Claim the name {name}", name=self._user_name)
        ask_for_new_password(self.shell, heading, _advantages(), self._requests.claim, self._fetch_when)

    def _claim_by_key(self) -> None:
        self._by_key(tr("Claim {name} with a key", name=self._user_name), self._requests.claim_by_key, "claim")

    def _prove(self, then: Callable[[], None]) -> None:
        """Ask for a proof of who the user is, as the server does before a change of credentials."""
        if self._account is not None:
            ask_for_proof(self.shell, self._account, then)

    def _change_password(self) -> None:
        async def change(new: str) -> None:
            changed = await self._requests.change_password(new)
            ended = tr("The password was changed, and all other sessions have ended.")
            look = tr("Look at the SSH keys: remove those that are not yours.") if changed.keys else ""
            self.call_later(self.show_notice, f"{ended} {look}".rstrip())

        about = tr("All other sessions end.")
        ask_for_new_password(self.shell, tr("Change the password"), about, change, self._fetch_when)

    def _add_key(self) -> None:
        self._by_key(tr("Add a key"), self._requests.add_key, "add-key")

    def _log_in(self) -> None:
        ask_for_password(self.shell, "", self._fetch_when)

    def _by_key(
        self, heading: str, use: Callable[[str, str], Awaitable[None]], purpose: Purpose, name: str = ""
    ) -> None:
        text = partial(self._requests.text_to_sign, purpose, name)
        self.shell.open_dialog(SshKeyDialog(heading, use, text), self._fetch_when)

    def _log_in_by_key(self, name: str) -> None:
        async def log_in(key: str, signature: str) -> None:
            await self.shell.session.connection.switch_user(self._requests.log_in_by_key(name, key, signature))

        self._by_key(tr("Log in with a key"), log_in, "log-in", name)

    def _log_out(self) -> None:
        about = tr("You become a guest with a new name. You keep your claimed name and can log in again.")
        self._confirm(tr("Log out?"), about, tr("log out"), self._become_guest)

    async def _become_guest(self) -> None:
        await self.shell.session.connection.switch_user(self._requests.log_out())

    def _release(self) -> None:
        about = tr("You lose your rating and your results, and anybody can take the name. This cannot be undone.")
        heading = tr("Give up the name {name}?", name=self._user_name)
        self._prove(lambda: self._confirm(heading, about, tr("give up"), self._requests.release))

    def _delete(self) -> None:
        about = tr(
            "The server deletes everything about you; the results of others keep your name. Nobody can have the name "
            "for 30 days. This cannot be undone."
        )
        heading = tr("Delete the account {name}?", name=self._user_name)
        self._prove(lambda: self._confirm(heading, about, tr("delete"), self._become_nobody))

    async def _become_nobody(self) -> None:
        await self.shell.session.connection.switch_user(self._requests.delete())

    def _end_session(self, session: str) -> None:
        about = tr("The client there has to log in again, and its connection is closed.")
        heading = tr("End this session?") if session else tr("End all other sessions?")
        self._confirm(heading, about, tr("end"), lambda: self._requests.end_session(session))

    def _remove_key(self, fingerprint: str) -> None:
        about = tr("You can no longer log in with this key: {key}", key=fingerprint)
        heading = tr("Remove this key?")
        self._prove(lambda: self._confirm(heading, about, tr("remove"), lambda: self._requests.remove_key(fingerprint)))

    def _confirm(self, heading: str, about: str, action: str, do: Callable[[], Awaitable[None]]) -> None:
        def answered(yes: bool | None) -> None:
            if yes:
                self.request(do(), lambda _: self._fetch())

        self.shell.open_dialog(ConfirmDialog(heading, about, action), answered)


def _advantages() -> str:
    return tr("Nobody else can use your name, your results count, and you can log in from anywhere.")
