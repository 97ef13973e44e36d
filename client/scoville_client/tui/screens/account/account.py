"""Account dialog: the user's name, credentials and sessions; their vacation, calendar and digest of deadlines."""

from collections.abc import Awaitable, Callable, Iterable, Iterator
from functools import partial
from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Static

from scoville_client.i18n.clock_text import day_text
from scoville_client.i18n.language import choose_texts, render, tr
from scoville_client.session.commands.players import calendar_lines, digest_lines, vacation_lines
from scoville_client.session.identity.account import AccountActions, origin_text
from scoville_client.session.identity.hosted import HostedIdentity
from scoville_client.session.identity.warnings import warning_text
from scoville_client.session.session import Session
from scoville_client.tui.screens.account.login_dialogs import (
    SshKeyDialog,
    WebCodeDialog,
    ask_for_name,
    ask_for_new_password,
    ask_for_password,
    ask_for_proof,
    ask_for_recovery,
    ask_for_web_code,
)
from scoville_client.tui.screens.base import TooSmall
from scoville_client.tui.screens.dialogs.dialog import RequestDialog
from scoville_client.tui.screens.dialogs.form import Field, FormDialog, Values
from scoville_client.tui.screens.dialogs.question import ConfirmDialog
from scoville_client.tui.widgets.key_hints import KeyHints
from scoville_client.tui.widgets.menu import Item, Menu
from scoville_client.tui.widgets.notice import Notice
from scoville_shared.engine.phrases import Phrase
from scoville_shared.protocol.messages import (
    LONGEST_URL,
    MOST_VACATION_DAYS,
    AccountReply,
    CalendarReply,
    DigestReply,
    KeyInfo,
    SessionInfo,
    VacationReply,
)
from scoville_shared.protocol.proofs import Purpose

Confirm = Callable[[str, str, str, Callable[[], Awaitable[None]]], None]
"""Asks a question by its heading, its consequences and the word for yes; then calls what was confirmed."""


def ask_to_claim(session: Session, advantages: str, confirm: Confirm) -> None:
    """Ask whether the key shall own the user's name from now on."""
    about = f"{advantages} {tr('Your SSH key logs you in whenever you come with it.')}"
    confirm(tr("Claim the name {name}", name=session.name), about, tr("claim"), session.account.claim_by_door_key)


def ask_to_add(session: Session, confirm: Confirm) -> None:
    """Ask whether the key shall log in to the user's account from now on."""
    key = "" if session.connection.hosted is None else session.connection.hosted.fingerprint
    about = tr("It logs you in whenever you come with it: {key}", key=key)
    confirm(tr("Add your SSH key?"), about, tr("add"), session.account.add_door_key)


SESSION, KEY, WARNING = "session:", "key:", "warning:"
"""Beginnings of the ids of rows with a session, a key or a warning; the session's id, the key's fingerprint or the
warning's place follows."""
_OF_KEY_FILES: Final = frozenset({"claim_by_key", "log_in_by_key", "add_key"})
_OF_DOOR_KEY: Final = frozenset({"claim_by_door_key", "add_door_key"})


def about_account(account: AccountReply, hosted: HostedIdentity | None) -> str:
    """Describe how the user returns: as a guest, or with the credentials of a claimed name."""
    if not account.claimed:
        return _about_guest(hosted)
    ways = choose_texts({tr("a password"): account.has_password, tr("a key"): account.keys})
    return tr("You have claimed this name; you can log in with {ways}.", ways=f" {tr('or')} ".join(ways))


def _about_guest(hosted: HostedIdentity | None) -> str:
    if hosted is None:
        return tr("You are a guest: the name is yours as long as this client keeps its token.")
    if hosted.fingerprint:
        return tr("You are a guest: your SSH key leads back to this name as long as the server remembers it.")
    if hosted.resume_code:
        return tr(
            "You are a guest. To come back to this name, connect as the user {user} while the server remembers it.",
            user=f"resume-{hosted.resume_code}",
        )
    return tr("You are a guest: this browser leads back to this name as long as it keeps its cookie.")


def account_items(account: AccountReply, session: Session, *, admin: bool, narrow: bool) -> list[Item]:
    """List the possible acts on an account, its keys and sessions; without those that need a missing key.

    Files with keys are on this computer, which for hosted users is the server's; they have the key of the door instead.
    """
    hosted = session.connection.hosted
    known = [key.fingerprint for key in account.keys]
    is_new = session.connection.has_door_key and hosted is not None and hosted.fingerprint not in known
    left_out = (frozenset() if hosted is None else _OF_KEY_FILES) | (frozenset() if is_new else _OF_DOOR_KEY)
    if _CORRESPONDENCE not in session.connection.features:
        left_out |= {"vacation", "calendar"}
    if _DIGESTS not in session.connection.features:
        left_out |= {"digest"}
    return [item for item in _all_items(account, admin=admin, narrow=narrow) if item.id not in left_out]


def _all_items(account: AccountReply, *, admin: bool, narrow: bool) -> Iterator[Item]:
    yield Item("profile", tr("My results"))
    if account.claimed:
        yield Item("vacation", tr("Vacation"), tr("from games by correspondence"))
        yield Item("calendar", tr("Calendar"), tr("of your deadlines"))
        yield Item("digest", tr("Daily digest"), tr("to an address on the web"))
        yield Item("password", tr("Change the password") if account.has_password else tr("Set a password"))
        yield Item("add_key", tr("Add an SSH key"))
        yield Item("add_door_key", tr("Add an SSH key"), tr("the one you came with"))
        yield Item("web_code", tr("Log in elsewhere"), tr("with a code"))
    else:
        yield Item("claim", tr("Claim the name"), tr("with a password"))
        yield Item("claim_by_key", tr("Claim the name"), tr("with an SSH key"))
        yield Item("claim_by_door_key", tr("Claim the name"), tr("with the SSH key you came with"))
        yield Item("log_in", tr("Log in"), tr("with a password"))
        yield Item("log_in_by_key", tr("Log in"), tr("with an SSH key"))
        yield Item("log_in_by_code", tr("Log in"), tr("with a code from your terminal"))
        yield Item("recover", tr("Log in"), tr("with an admin's recovery code"))
    for key in account.keys:
        yield _key_item(key)
    for session in account.sessions:
        yield _session_item(session, narrow=narrow)
    if len(account.sessions) > 1:
        yield Item("others", tr("End all others"))
    for number, warning in enumerate(account.warnings):
        yield Item(
            f"{WARNING}{number}", tr("Warning, {day}", day=day_text(warning.at_ms)), render(warning_text(warning))
        )
    if admin:
        yield Item("admin", tr("Admin tools"))
    if account.claimed:
        yield Item("log_out", tr("Log out"))
        yield Item("release", tr("Give up the name"))
        yield Item("delete", tr("Delete the account"))


def _key_item(key: KeyInfo) -> Item:
    return Item(f"{KEY}{key.fingerprint}", tr("Key {comment}", comment=key.comment or "").rstrip(), key.fingerprint)


def _session_item(session: SessionInfo, *, narrow: bool) -> Item:
    used = tr("this one") if session.current else day_text(session.used_ms)
    facts = [used, origin_text(session), *([session.client or ""] if session.client and not narrow else [])]
    return Item(f"{SESSION}{session.id}", tr("Session {id}", id=session.id), ", ".join(facts))


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
            yield Menu([], label_width=_LABEL, is_tight=True)
            yield Notice()
            yield KeyHints(lambda: ((tr("Enter"), tr("choose")), (tr("Esc"), tr("close"))))
        yield TooSmall()

    def on_mount(self) -> None:
        self._fetch_account()

    def on_resize(self) -> None:
        """Give the list the rows it needs, as far as the terminal has them."""
        self._fit_menu()

    def on_menu_taken(self, message: Menu.Taken) -> None:
        if message.item.startswith(SESSION):
            self._end_session(message.item.removeprefix(SESSION))
        elif message.item.startswith(KEY):
            self._remove_key(message.item.removeprefix(KEY))
        elif message.item.startswith(WARNING) and self._account is not None:
            # All of it: the row has room for its beginning.
            self.show_notice(render(warning_text(self._account.warnings[int(message.item.removeprefix(WARNING))])))
        else:
            self._actions[message.item]()

    # --- what is shown ----------------------------------------------------------------------------------

    def _fetch_account(self) -> None:
        self.send_request(self._requests.show_account(), self._show_account)

    def _show_account(self, account: AccountReply) -> None:
        self._account = account
        self.query_one("#me", Static).update(account.name)
        self.query_one("#about", Static).update(about_account(account, self.shell.session.connection.hosted))
        self.query_one(Menu).show_items(self._list_items(account))
        self._fit_menu()

    def _list_items(self, account: AccountReply) -> list[Item]:
        admin = self.shell.session.lobby.is_admin(self.shell.session.name)
        return account_items(account, self.shell.session, admin=admin, narrow=self.size.width < _NARROW)

    def _fetch_when(self, done: bool | None) -> None:
        if done:
            self._fetch_account()

    def _fit_menu(self) -> None:
        self.query_one(Menu).fit_height(self.size.height - _AROUND)

    # --- what can be done -------------------------------------------------------------------------------

    @property
    def _actions(self) -> dict[str, Callable[[], None]]:
        return {
            "profile": self.shell.navigation.open_profile,
            "admin": self.shell.navigation.open_admin,
            "claim": self._claim_by_password,
            "claim_by_key": self._claim_by_key,
            "claim_by_door_key": lambda: ask_to_claim(
                self.shell.session, _advantages_of_claiming(), self._ask_to_confirm
            ),
            "log_in": self._log_in,
            "log_in_by_key": lambda: ask_for_name(self.shell, self._log_in_by_key),
            "log_in_by_code": lambda: ask_for_web_code(self.shell, self._fetch_when),
            "web_code": lambda: self.shell.open_dialog(WebCodeDialog()),
            "vacation": lambda: self.shell.open_dialog(VacationDialog()),
            "calendar": lambda: self.shell.open_dialog(CalendarDialog()),
            "digest": lambda: self.shell.open_dialog(DigestDialog()),
            "recover": lambda: ask_for_recovery(self.shell, self._fetch_when),
            "password": lambda: self._ask_who_it_is(self._change_password),
            "add_key": lambda: self._ask_who_it_is(self._add_key),
            "add_door_key": lambda: self._ask_who_it_is(lambda: ask_to_add(self.shell.session, self._ask_to_confirm)),
            "others": lambda: self._end_session(""),
            "log_out": self._log_out,
            "release": self._release_name,
            "delete": self._delete_account,
        }

    @property
    def _requests(self) -> AccountActions:
        return self.shell.session.account

    @property
    def _user_name(self) -> str:
        return self.shell.session.name

    def _claim_by_password(self) -> None:
        heading = tr("Claim the name {name}", name=self._user_name)
        ask_for_new_password(
            self.shell, heading, _advantages_of_claiming(), self._requests.claim_name, self._fetch_when
        )

    def _claim_by_key(self) -> None:
        self._by_key(tr("Claim {name} with a key", name=self._user_name), self._requests.claim_by_key, "claim")

    def _ask_who_it_is(self, then: Callable[[], None]) -> None:
        """Ask for a proof of who the user is, as the server does before a change of credentials."""
        if self._account is not None:
            ask_for_proof(self.shell, self._account, then)

    def _change_password(self) -> None:
        async def change(new: str) -> None:
            changed = await self._requests.change_password(new)
            ended = tr("The password was changed, and all other sessions have ended.")
            look = tr("Look at the SSH keys: remove those that are not yours.") if changed.keys else ""
            # Later: until the request has ended, the form lies over this dialog and its notice.
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
        self._ask_to_confirm(tr("Log out?"), about, tr("log out"), self._become_guest)

    async def _become_guest(self) -> None:
        await self.shell.session.connection.switch_user(self._requests.log_out(), to_guest=True)

    def _release_name(self) -> None:
        about = tr("You lose your rating and your results, and anybody can take the name. This cannot be undone.")
        heading = tr("Give up the name {name}?", name=self._user_name)
        self._ask_who_it_is(lambda: self._ask_to_confirm(heading, about, tr("give up"), self._requests.release_name))

    def _delete_account(self) -> None:
        about = tr(
            "The server deletes everything about you; the results of others keep your name. Nobody can have the name "
            "for 30 days. This cannot be undone."
        )
        heading = tr("Delete the account {name}?", name=self._user_name)
        self._ask_who_it_is(lambda: self._ask_to_confirm(heading, about, tr("delete"), self._delete_and_become_guest))

    async def _delete_and_become_guest(self) -> None:
        await self.shell.session.connection.switch_user(self._requests.delete_account(), to_guest=True)

    def _end_session(self, session: str) -> None:
        about = tr("The client there has to log in again, and its connection is closed.")
        heading = tr("End this session?") if session else tr("End all other sessions?")
        self._ask_to_confirm(heading, about, tr("end"), lambda: self._requests.end_session(session))

    def _remove_key(self, fingerprint: str) -> None:
        about = tr("You can no longer log in with this key: {key}", key=fingerprint)
        heading = tr("Remove this key?")
        self._ask_who_it_is(
            lambda: self._ask_to_confirm(heading, about, tr("remove"), lambda: self._requests.remove_key(fingerprint))
        )

    def _ask_to_confirm(self, heading: str, about: str, action: str, do: Callable[[], Awaitable[None]]) -> None:
        def on_answer(yes: bool | None) -> None:
            if yes:
                self.submit_change(do, lambda _: self._fetch_account())

        self.shell.open_dialog(ConfirmDialog(heading, about, action), on_answer)


def _advantages_of_claiming() -> str:
    return tr("Nobody else can use your name, your results count, and you can log in from anywhere.")


# --- correspondence ---------------------------------------------------------------------------------

_CORRESPONDENCE: Final = "correspondence"
_DIGESTS: Final = "digests"
_CHOICES: Final = (1, 3, 7, MOST_VACATION_DAYS)
"""Days that are offered; line mode and programs may take any number."""
_DAYS: Final = Phrase("{n} day", many="{n} days")
_END: Final = "end"


class _CorrespondenceDialog(RequestDialog[None]):
    """A box with a state that the server has answered, and a menu of possible acts."""

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
        # A calendar that is not open says so in its lines, and a new address needs the room in small terminals.
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
