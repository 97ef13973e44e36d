"""Lobby actions: join tables from the list, by code, password, invitation or quick match; create one; invite users."""

from collections.abc import Callable, Sequence
from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.style import Style
from textual.widgets import Static

from scoville_client.i18n.dates_text import NextDate
from scoville_client.i18n.errors import error_text
from scoville_client.i18n.language import render, tr
from scoville_client.i18n.table_text import game_title, may_sit, next_table_of
from scoville_client.session.joining.invitation import Invitation
from scoville_client.session.lobby import sits_at
from scoville_client.session.playable import load_playable
from scoville_client.session.session import Session
from scoville_client.transport.base import LinkError
from scoville_client.tui.screens.base import TooSmall
from scoville_client.tui.screens.dialogs.create_table import CreateDialog
from scoville_client.tui.screens.dialogs.dialog import Dialog
from scoville_client.tui.screens.dialogs.pick import PickDialog
from scoville_client.tui.screens.dialogs.prompt import PromptDialog, TextLine
from scoville_client.tui.screens.dialogs.question import ConfirmDialog
from scoville_client.tui.shell import Shell
from scoville_client.tui.widgets.fitted_box import FittedBox
from scoville_client.tui.widgets.key_hints import KeyHints
from scoville_client.tui.widgets.menu import Item
from scoville_shared.engine.phrases import Phrase
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.messages import PASSWORD_CHARACTERS, TableInfo, UserInfo


class UserListDialog(PickDialog):
    """Returns the chosen user. `action` is the word for Enter; without it Enter is for a profile, else v is."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("v", "profile", show=False)]

    def __init__(self, heading: str, items: Callable[[], Sequence[Item]], action: str = "", *, about: str = "") -> None:
        super().__init__(heading, items, action or tr("profile"), about=about)
        self._has_action = bool(action)

    def more_keys(self) -> Sequence[tuple[str, str]]:
        """Name the key of the profile where Enter does something else."""
        return [("v", tr("profile"))] if self._has_action else []

    def action_profile(self) -> None:
        if self.marked is not None:
            self.shell.navigation.open_profile(self.marked)


_ANY = "any"


class LobbyActions:
    """Asks the user for the details of an action, requests it, and opens its table; it holds no state."""

    def __init__(self, shell: Shell) -> None:
        self._shell = shell

    @property
    def _session(self) -> Session:
        return self._shell.session

    # --- actions of keys --------------------------------------------------------------------------------

    def join_table(self, table: TableInfo) -> None:
        """Take a seat at a table, or watch it where no seat is free; ask for its password."""
        self._shell.send_request(self._join_table(table))

    def join_by_code(self) -> None:
        """Ask for a table code, and join that table."""
        self._shell.send_request(self._join_by_code())

    def enter_code(self, code: str) -> None:
        """Join the table with a code to which the user has come; ask for another one where no table has it."""
        self._shell.send_request(self._arrive_by_code(code))

    def watch_code(self, code: str) -> None:
        """Watch the table with a code; ask for another one where no table has it, and for its password."""
        self._shell.send_request(self._arrive_by_code(code, watching=True))

    def accept_invitation(self) -> None:
        """Join the table of the latest invitation."""
        if self._session.lobby.invitations:
            info = self._session.lobby.invitations[-1].info
            # It is answered, and not offered again when the user comes back to the lobby.
            self._session.lobby.decline_invitation(info.table)
            self._shell.send_request(self._join_table(self._session.lobby.find_table(info.table) or info))

    def decline_invitation(self) -> None:
        """Remove the latest invitation."""
        if self._session.lobby.invitations:
            self._session.lobby.decline_invitation(self._session.lobby.invitations[-1].info.table)

    def open_date(self, date: NextDate) -> None:
        """Go to the table, the tournament, the club or the daily deal of a date."""
        session = self._session
        if date.kind == "turn" and (table := session.lobby.find_table(date.where)) is not None:
            self.join_table(table)
        elif date.kind == "tournament" and date.is_waiting:
            self._shell.navigation.open_tournament_table(date.where)
        elif date.kind == "tournament":
            self._shell.navigation.open_tournaments(date.where)
        elif date.kind == "club":
            self._shell.navigation.open_clubs(date.where)
        elif date.kind == "daily":
            self._shell.navigation.open_daily()

    def quick_match(self) -> None:
        """Ask for a game, and take a seat at any public table that waits for players."""
        self._shell.send_request(self._quick_match())

    def create_table(self, first: str) -> None:
        """Ask for the game of a new table, beginning with `first`, create it and take a seat."""
        self._shell.send_request(self._create_table(first))

    def join_waiting_table(self) -> None:
        """Go to the table that waits for the user; from one of several to the next."""
        at, lobby = self._session.table, self._session.lobby
        table = next_table_of(lobby.tables, None if at is None else at.id, lobby.deadline_of)
        if table is None:
            self._shell.show_notice(tr("No table is waiting for you."))
        else:
            self._shell.send_request(self._open_table(table))

    def show_invitation(self) -> None:
        """Show every way in which others join this table or server; nothing where no one else can."""
        found = self._shell.client.make_invitation()
        if found.ways or found.code:
            self._shell.open_dialog(InvitationDialog(found))
        else:
            self._shell.show_notice(tr("Nobody else can join."))

    def show_users(self) -> None:
        """List the users of the server; the chosen one is invited to the user's table, or shown where there is none."""
        self._shell.send_request(self._show_users())

    def invite_user(self) -> None:
        """List who can come to the user's table; the chosen one is invited."""
        self._shell.send_request(self._ask_whom_to_invite())

    # --- joining ----------------------------------------------------------------------------------------

    async def _join_table(self, table: TableInfo) -> None:
        try:
            await self._open_table(table)
        except ScovilleError as error:
            if error.code != Code.WRONG_PASSWORD:
                raise
            opened = await self._unlock_table(table=table.table)
            if opened is not None:
                await self._open_table(opened)

    async def _arrive_by_code(self, code: str, *, watching: bool = False) -> None:
        session = self._session

        async def join_unless_gone() -> None:
            # While the server was away the user may have left it, or have gone to another table.
            if self._session is session and session.table is None:
                await self._join_by_code(code, watching=watching)

        try:
            await session.connection.insist_on_answer(join_unless_gone)
        except LinkError:
            if self._session is session:
                raise

    async def _join_by_code(self, given: str = "", *, watching: bool = False) -> None:
        """Ask again while no table has the code; the dialog keeps the text."""
        code, fault = given, ""
        while code := given or await self._ask_code(code, fault) or "":
            given = ""
            try:
                opened = await self._unlock_table(code=code)
            except ScovilleError as error:
                if error.code != Code.UNKNOWN_CODE:
                    raise
                fault = error_text(error)
            else:
                return None if opened is None else await self._open_table(opened, watching=watching)
        return None

    async def _ask_code(self, typed: str = "", fault: str = "") -> str | None:
        about = tr("Two words; ask a player at the table for them.")
        dialog = PromptDialog(tr("Join by code"), about, tr("go"), TextLine("brave-otter", value=typed, fault=fault))
        return await self._shell.ask_user(dialog)

    async def _unlock_table(self, *, code: str = "", table: str = "") -> TableInfo | None:
        """Get access to a table, by its password where it has one; None when the user gives none."""
        # Without a password first: the server knows whether this user has to type one.
        password: str | None = ""
        while True:
            try:
                return await self._session.lobby.enter_table(code=code, table=table, password=password or "")
            except ScovilleError as error:
                if error.code != Code.WRONG_PASSWORD:
                    raise
                fault = error_text(error) if password else ""
            password = await self._ask_password(fault)
            if not password:
                return None

    async def _ask_password(self, fault: str) -> str | None:
        about = tr("This table has a password; ask the host for it.")
        heading = tr("Password")
        dialog = PromptDialog(
            heading, about, tr("join"), TextLine(hidden=True, fault=fault, max_length=PASSWORD_CHARACTERS)
        )
        return await self._shell.ask_user(dialog)

    async def _open_table(self, table: TableInfo, *, watching: bool = False) -> None:
        if sits_at(table) and not self._session.playable.can_play(table.game):
            await self._give_up_unplayable(table)
        elif may_sit(table) and not watching:
            await self._session.join_table(table.table)
            await self._shell.navigation.open_table()
        else:
            await self._session.watch_table(table.table)
            await self._shell.navigation.open_table()

    async def _give_up_unplayable(self, table: TableInfo) -> None:
        """Offer to leave a table whose game this client cannot show."""
        try:
            hosted = self._session.connection.hosted is not None
            load_playable(table.game, self._session.games, hosted=hosted)
        except ScovilleError as error:
            about = error_text(error)
            if await self._shell.ask_user(ConfirmDialog(tr("Give up your seat?"), about, tr("give up"))):
                await self._session.give_up_seat(table.table)

    async def _quick_match(self) -> None:
        about = tr("You get a seat at a waiting table or at a new one; bots take the free seats after half a minute.")
        dialog = PickDialog(tr("Quick match"), self._list_games, tr("go"), about=about)
        game = await self._shell.ask_user(dialog)
        if game is not None:
            await self._session.quick_match("" if game == _ANY else game)
            await self._shell.navigation.open_table()

    def _list_games(self) -> list[Item]:
        return [Item(_ANY, tr("Any game")), *(Item(game.slug, game.title) for game in self._session.games)]

    async def _create_table(self, first: str) -> None:
        new = await self._shell.ask_user(
            CreateDialog(self._session.games, first, shared=True, calm=self._shell.preferences.calm)
        )
        if new is None:
            return
        info = await self._session.lobby.create_table(
            new.game,
            new.seats,
            new.options,
            new.clock,
            new.settings,
            password=new.password,
        )
        await self._session.join_table(info.table)
        await self._shell.navigation.open_table()

    # --- users ------------------------------------------------------------------------------------------

    async def _show_users(self) -> None:
        table = self._table_to_invite_to()
        action = tr("invite") if table is not None else ""
        name = await self._shell.ask_user(
            UserListDialog(tr("Users"), self._list_users, action, about=self._count_text())
        )
        if name is not None and (table is None or name in _list_seated(table) or name == self._session.name):
            self._shell.navigation.open_profile(name)
        elif name is not None and table is not None:
            await self._invite_user(table, name)

    async def _ask_whom_to_invite(self) -> None:
        table = self._table_to_invite_to()
        if table is None:
            return
        if not self._list_guests(table):
            self._shell.show_notice(tr("Nobody else is here to invite."))
            return

        def list_guests() -> list[Item]:
            return self._list_guests(self._table_to_invite_to() or table)

        name = await self._shell.ask_user(UserListDialog(tr("Invite to your table"), list_guests, tr("invite")))
        if name is not None:
            await self._invite_user(table, name)

    async def _invite_user(self, table: TableInfo, name: str) -> None:
        await self._session.table_actions.invite_user(table.table, name)
        self._shell.show_notice(tr("{name} has been invited to your table.", name=name))

    def _table_to_invite_to(self) -> TableInfo | None:
        """Find the table to which the user may invite: the current one, else a waiting one with the user's seat."""
        at = self._session.table
        if at is not None:
            return at.info if at.seat is not None else None
        return next((table for table in self._session.lobby.my_tables if table.status == "waiting"), None)

    def _list_users(self) -> list[Item]:
        users = sorted(self._session.lobby.users.values(), key=lambda user: user.name.casefold())
        return [Item(user.name, user.name, self._describe_user(user)) for user in users]

    def _list_guests(self, table: TableInfo) -> list[Item]:
        """List who can come to a table: not the user and its players, and last those who play elsewhere."""
        seated = {self._session.name, *_list_seated(table)}
        users = [user for user in self._session.lobby.users.values() if user.name not in seated]
        games = {
            name: game_title(other.game, self._session.games)
            for other in self._session.lobby.tables
            if other.status == "playing"
            for name in _list_seated(other)
        }
        users.sort(key=lambda user: (user.name in games, user.name.casefold()))
        return [Item(user.name, user.name, self._describe_user(user, games.get(user.name, ""))) for user in users]

    def _describe_user(self, user: UserInfo, game: str = "") -> str:
        """Describe a user, who plays `game` at another table; empty for none."""
        parts = [
            tr("you") if user.name == self._session.name else "",
            tr("plays {game}", game=game) if game else "",
            self._session.lobby.describe_role(user.name),
            tr("claimed name") if user.claimed else "",
        ]
        return ", ".join(filter(None, parts))

    def _count_text(self) -> str:
        here = self._session.lobby.here
        return render(Phrase("{n} user is here.", {"n": here}, many="{n} users are here.", number=here))


def _list_seated(table: TableInfo) -> list[str]:
    """Name the users who sit at a table."""
    return [seat.name for seat in table.seats if seat.kind == "human" and seat.name is not None]


BORDER: Final = 2
"""Light modules around the code. The standard asks for four; scanners are content with two on a dark screen."""

_HALVES: Final = {(False, False): " ", (True, False): "▀", (False, True): "▄", (True, True): "█"}
_DARK, _LIGHT = "on #000000", "on #ffffff"
_INK: Final = "#000000 on #ffffff"

Run = tuple[str, str]
"""Text, and its style in Textual's notation, empty for none."""


def qr_modules(text: str) -> list[list[bool]]:
    """Return the modules of a QR code with its border, row by row; True is dark."""
    import segno

    rows = segno.make_qr(text, error="l", boost_error=False).matrix_iter(border=BORDER)
    return [[bool(module) for module in row] for row in rows]


def draw_modules(square: list[list[bool]], *, half_blocks: bool, colour: bool) -> list[list[Run]]:
    """Draw modules as rows of runs.

    With colours dark modules are black on white in every theme. Without them light modules are drawn and dark ones left
    out, which is right where the terminal is dark.
    """
    if half_blocks:
        ink = square if colour else [[not module for module in row] for row in square]
        style = _INK if colour else ""
        blank = [False] * len(square)
        pairs = zip(ink[::2], [*ink[1::2], blank], strict=False)
        return [[("".join(_HALVES[pair] for pair in zip(*rows, strict=True)), style)] for rows in pairs]
    if colour:
        return [[("  ", _DARK if module else _LIGHT) for module in row] for row in square]
    return [[("".join("  " if module else "██" for module in row), "")] for row in square]


def size_of(rows: list[list[Run]]) -> tuple[int, int]:
    """Return columns and rows that a drawn code takes."""
    return sum(len(text) for text, _ in rows[0]), len(rows)


class InvitationDialog(Dialog[None]):
    """Shows an invitation; Enter shows its QR code."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,I", "back", show=False),
        Binding("enter,space", "qr", show=False),
    ]

    def __init__(self, invitation: Invitation) -> None:
        super().__init__()
        self._invitation = invitation

    def compose(self) -> ComposeResult:
        with FittedBox(classes="box wide fitted"):
            yield Static(tr("How others join"), classes="heading", markup=False)
            with VerticalScroll():
                yield Static(self._ways_text(), markup=False)
            qr = [(tr("Enter"), tr("QR code"))] if self._invitation.qr_text else []
            yield KeyHints(lambda: (*qr, (tr("Esc"), tr("close"))))
        yield TooSmall()

    def _ways_text(self) -> Content:
        parts: list[str | tuple[str, str | Style]] = []
        before = ""
        for way in self._invitation.ways:
            if way.title != before:
                parts += [(way.title, "dim"), "\n"]
            parts += [(way.typed, Style(bold=True, link=way.link or None)), "\n"]
            before = way.title
        if self._invitation.code:
            parts += [(tr("Table code:"), "dim"), " ", (self._invitation.code, "bold"), "\n"]
        if self._invitation.pin:
            parts += [(tr("Pin of the server:"), "dim"), " ", self._invitation.pin, "\n"]
        if self._invitation.note:
            parts += [(self._invitation.note, "dim"), "\n"]
        return Content.assemble(*parts).rstrip()

    def action_qr(self) -> None:
        if self._invitation.qr_text:
            self.shell.open_dialog(QrDialog(self._invitation.qr_text))

    def action_back(self) -> None:
        self.dismiss(None)


class QrDialog(Dialog[None]):
    """Shows a text as a QR code that fills the terminal; any of the usual keys closes it."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,enter,space,I", "back", show=False)]

    def __init__(self, text: str) -> None:
        super().__init__()
        self._modules = qr_modules(text)

    def compose(self) -> ComposeResult:
        """Arrange the code and the key that closes it."""
        yield Static(id="qr", markup=False)
        yield KeyHints(lambda: ((tr("Esc"), tr("close")),), id="qr-keys")
        yield TooSmall()

    def on_resize(self) -> None:
        self._draw_code()

    def _draw_code(self) -> None:
        rows = draw_modules(self._modules, half_blocks=self.shell.terminal.half_blocks, colour=not self.app.no_color)
        columns, height = size_of(rows)
        if columns > self.app.size.width or height > self.app.size.height - 1:
            sentence = tr(
                "The QR code needs {size} cells. Enlarge the terminal, or make its font smaller.",
                size=f"{columns} x {height + 1}",
            )
            self.query_one("#qr", Static).update(sentence)
            return
        lines = [Content.assemble(*row) for row in rows]
        self.query_one("#qr", Static).update(Content("\n").join(lines))

    def action_back(self) -> None:
        self.dismiss(None)
