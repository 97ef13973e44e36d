"""Who I am here, and how I prove it."""

from collections.abc import Awaitable, Callable, Iterator
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.events import Resize
from textual.widgets import Static

from scoville_client.i18n.dates import day
from scoville_client.i18n.language import words
from scoville_client.session.identity.account import AccountActions
from scoville_client.tui.screens.account.login_dialogs import KeyDialog, ask_for_new_password, ask_for_password
from scoville_client.tui.screens.dialogs.form import Field, Form, Values
from scoville_client.tui.screens.dialogs.question import Sure
from scoville_client.tui.screens.dialogs.request_dialog import AskingDialog
from scoville_client.tui.screens.page import TooSmall, keys
from scoville_client.tui.widgets.menu import Item, Menu
from scoville_client.tui.widgets.notice import Notice
from scoville_shared.protocol.messages import AccountReply, KeyInfo, TokenInfo

_AROUND = 12
"""Rows of the window that the list leaves to what is around it."""
_LABEL = 20
_NARROW = 60
_TOKEN, _KEY = "token:", "key:"


class AccountDialog(AskingDialog[None]):
    """What is kept of me; each line can be acted upon with Enter."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q", "close", show=False)]

    def __init__(self) -> None:
        super().__init__()
        self._account: AccountReply | None = None

    def compose(self) -> ComposeResult:
        """Arrange who I am, and what can be done about it."""
        with Vertical(classes="box wide"):
            yield Static(self.scoville.session.name, id="me", classes="heading", markup=False)
            yield Static(id="about", classes="about", markup=False)
            yield Menu([], label_width=_LABEL)
            yield Notice()
            yield Static(keys((words("Enter"), words("choose")), (words("Esc"), words("close"))), classes="keys")
        yield TooSmall()

    def on_mount(self) -> None:
        """Ask what is kept."""
        self._fetch()

    def on_resize(self, event: Resize) -> None:
        """Give the list the rows it needs, as far as the window has them."""
        super().on_resize(event)
        self._fit()

    def on_menu_taken(self, message: Menu.Taken) -> None:
        """Do what the line says."""
        if message.item.startswith(_TOKEN):
            self._revoke(message.item.removeprefix(_TOKEN))
        elif message.item.startswith(_KEY):
            self._remove_key(message.item.removeprefix(_KEY))
        else:
            self._deeds[message.item]()

    def action_close(self) -> None:
        """Go back."""
        self.dismiss(None)

    # --- what is shown ----------------------------------------------------------------------------------

    def _fetch(self) -> None:
        self.fetch(self._desk.show(), self._show)

    def _show(self, account: AccountReply) -> None:
        self._account = account
        self.query_one("#me", Static).update(account.name)
        self.query_one("#about", Static).update(_about(account))
        self.query_one(Menu).fill(self._items(account))
        self._fit()

    def _items(self, account: AccountReply) -> list[Item]:
        looks_after = self.scoville.others.talk.looks_after
        return list(_items(account, looks_after=looks_after, narrow=self.size.width < _NARROW))

    def _fetch_when(self, done: bool | None) -> None:
        if done:
            self._fetch()

    def _fit(self) -> None:
        menu = self.query_one(Menu)
        menu.styles.height = max(1, min(len(menu.items), self.size.height - _AROUND))

    # --- what can be done -------------------------------------------------------------------------------

    @property
    def _deeds(self) -> dict[str, Callable[[], None]]:
        return {
            "profile": self.scoville.others.profile,
            "admin": self.scoville.others.admin,
            "claim": self._claim,
            "claim_by_key": self._claim_by_key,
            "log_in": self._log_in,
            "log_in_by_key": lambda: self._by_key(words("Log in by a key"), self._become_by_key),
            "password": self._change_password,
            "add_key": lambda: self._by_key(words("Add a key"), self._desk.add_key),
            "others": lambda: self._revoke(""),
            "log_out": self._log_out,
            "release": self._release,
        }

    @property
    def _desk(self) -> AccountActions:
        return self.scoville.session.account

    @property
    def _me(self) -> str:
        return self.scoville.session.name

    def _claim(self) -> None:
        async def claim(new: str, _: str) -> None:
            await self._desk.claim(new)

        heading = words("Claim the name {name}", name=self._me)
        self._ask_for_password(heading, _what_it_gives(), claim)

    def _claim_by_key(self) -> None:
        self._by_key(words("Claim {name} by a key", name=self._me), self._desk.claim_by_key)

    def _change_password(self) -> None:
        old = self._account is not None and self._account.password
        self._ask_for_password(words("Another password"), "", self._desk.change_password, old=old)

    def _ask_for_password(
        self, heading: str, about: str, use: Callable[[str, str], Awaitable[None]], *, old: bool = False
    ) -> None:
        ask_for_new_password(self.scoville, heading, about, use, self._fetch_when, old=old)

    def _log_in(self) -> None:
        ask_for_password(self.scoville, "", self._fetch_when)

    def _by_key(self, heading: str, use: Callable[[str, str], Awaitable[None]]) -> None:
        self.scoville.push_screen(KeyDialog(heading, use), self._fetch_when)

    async def _become_by_key(self, key: str, signature: str) -> None:
        await self.scoville.session.switch_user(self._desk.log_in_by_key(key, signature))

    def _log_out(self) -> None:
        about = words("This client is a new guest then. Your name stays yours, and you can log in again.")
        self._sure(words("Log out?"), about, words("log out"), self._become_guest)

    async def _become_guest(self) -> None:
        await self.scoville.session.switch_user(self._desk.log_out())

    def _release(self) -> None:
        about = words("Your rating and your results go with it, and anybody can take the name. This cannot be undone.")
        heading = words("Give up the name {name}?", name=self._me)

        def ask(password: str) -> None:
            self._sure(heading, about, words("give it up"), lambda: self._desk.release(password))

        async def ask_with(values: Values) -> None:
            self.call_later(ask, values["password"])  # once the form has gone

        if self._account is None or not self._account.password:
            ask("")
        else:
            fields = [Field("password", words("Password"), hidden=True)]
            self.scoville.push_screen(Form(heading, about, fields, words("go on"), ask_with))

    def _revoke(self, token: str) -> None:
        about = words("Whoever comes with it is a stranger then, and a line that came in by it is closed.")
        heading = words("Revoke this token?") if token else words("Revoke all other tokens?")
        self._sure(heading, about, words("revoke"), lambda: self._desk.revoke(token))

    def _remove_key(self, fingerprint: str) -> None:
        about = words("It proves nothing any more: {key}", key=fingerprint)
        self._sure(words("Remove this key?"), about, words("remove"), lambda: self._desk.remove_key(fingerprint))

    def _sure(self, heading: str, about: str, deed: str, do: Callable[[], Awaitable[None]]) -> None:
        def answered(yes: bool | None) -> None:
            if yes:
                self.fetch(do(), lambda _: self._fetch())

        self.scoville.push_screen(Sure(heading, about, deed), answered)


def _what_it_gives() -> str:
    return words("The name stays yours: nobody else can bear it, your results count, and you can log in from anywhere.")


def _about(account: AccountReply) -> str:
    if not account.claimed:
        return words("You are a guest: the name is yours while this client keeps its token.")
    ways = [words("a password")] * account.password + [words("a key")] * bool(account.keys)
    return words("The name is your own, proved by {ways}.", ways=f" {words('or')} ".join(ways))


def _items(account: AccountReply, *, looks_after: bool, narrow: bool) -> Iterator[Item]:
    yield Item("profile", words("My results"))
    if account.claimed:
        yield Item("password", words("Change the password") if account.password else words("Set a password"))
        yield Item("add_key", words("Add a key of SSH"))
    else:
        yield Item("claim", words("Claim the name"), words("by a password"))
        yield Item("claim_by_key", words("Claim the name"), words("by a key of SSH"))
        yield Item("log_in", words("Log in"), words("by a password"))
        yield Item("log_in_by_key", words("Log in"), words("by a key of SSH"))
    for key in account.keys:
        yield _key(key)
    for token in account.tokens:
        yield _token(token, narrow=narrow)
    if len(account.tokens) > 1:
        yield Item("others", words("Revoke all others"))
    if looks_after:
        yield Item("admin", words("Look after this server"))
    if account.claimed:
        yield Item("log_out", words("Log out"))
        yield Item("release", words("Give the name up"))


def _key(key: KeyInfo) -> Item:
    return Item(f"{_KEY}{key.fingerprint}", words("Key {comment}", comment=key.comment).rstrip(), key.fingerprint)


def _token(token: TokenInfo, *, narrow: bool) -> Item:
    used = words("this one") if token.current else day(token.used_ms)
    client = "" if narrow or not token.client else f", {token.client}"
    return Item(f"{_TOKEN}{token.id}", words("Token {id}", id=token.id), f"{used}{client}")
