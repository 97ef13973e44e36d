"""The ways to a table: from the list, by a code or a password, by an invitation, at random, by opening one."""

from typing import TYPE_CHECKING

from scoville_client.i18n.errors import said
from scoville_client.i18n.language import told, words
from scoville_client.i18n.table_text import may_sit, wanted
from scoville_client.tui.screens.dialogs.create_table import CreateDialog
from scoville_client.tui.screens.dialogs.pick import Pick
from scoville_client.tui.screens.dialogs.prompt import Prompt
from scoville_client.tui.screens.lobby.people import Here
from scoville_client.tui.widgets.menu import Item
from scoville_shared.engine.phrases import Phrase
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.messages import TableInfo, UserInfo

if TYPE_CHECKING:
    from scoville_client.session.session import Session
    from scoville_client.tui.app import ScovilleApp

_ANY = "any"
_PASSWORD_LENGTH = 128


class Doors:
    """Leads to tables; dialogs that it takes are shown by the `app`."""

    def __init__(self, app: "ScovilleApp") -> None:
        self._app = app

    @property
    def _session(self) -> "Session":
        return self._app.session

    # --- what the keys ask for --------------------------------------------------------------------------

    def enter(self, table: TableInfo) -> None:
        """Sit down at a table, or watch it where one cannot; its password is asked for."""
        self._app.ask(self._enter(table))

    def enter_by_code(self) -> None:
        """Ask for the code of a table, and go there."""
        self._app.ask(self._enter_by_code())

    def accept(self) -> None:
        """Come to the table to which I was invited last."""
        if self._session.lobby.invitations:
            info = self._session.lobby.invitations[-1].info
            self._session.lobby.decline(info.table)
            self._app.ask(self._enter(self._session.lobby.find(info.table) or info))

    def decline(self) -> None:
        """Put the latest invitation away."""
        if self._session.lobby.invitations:
            self._session.lobby.decline(self._session.lobby.invitations[-1].info.table)

    def quick(self) -> None:
        """Ask which game is wanted, and be seated wherever somebody waits for it."""
        self._app.ask(self._quick())

    def create(self, first: str) -> None:
        """Ask what a new table should play, beginning with a game, and open it."""
        self._app.ask(self._create(first))

    def go_where_wanted(self, marked: str | None = None) -> None:
        """Go to the table that waits for me; from one of several to the next."""
        here = self._session.table.id if self._session.table is not None else marked
        table = wanted(self._session.tables, here) or (wanted(self._session.tables, None) if marked else None)
        if table is None:
            self._app.page.tell(words("No table waits for you."))
        else:
            self._app.ask(self._go_in(table))

    def show_people(self) -> None:
        """Show who is here; where I sit at a table that waits, whom I want to invite."""
        self._app.ask(self._show_people())

    # --- how it is done ---------------------------------------------------------------------------------

    async def _enter(self, table: TableInfo) -> None:
        try:
            await self._go_in(table)
        except ScovilleError as error:
            if error.code != Code.WRONG_PASSWORD:
                raise
            opened = await self._open(table=table.table)
            if opened is not None:
                await self._go_in(opened)

    async def _enter_by_code(self) -> None:
        """Ask again where no table has the code: what was typed can be put right."""
        code, fault = "", ""
        while code := await self._ask_code(code, fault) or "":
            try:
                opened = await self._open(code=code)
            except ScovilleError as error:
                if error.code != Code.UNKNOWN_CODE:
                    raise
                fault = said(error)
            else:
                return None if opened is None else await self._go_in(opened)
        return None

    async def _ask_code(self, typed: str = "", fault: str = "") -> str | None:
        about = words("Two words, as whoever sits there tells you.")
        asked = Prompt(words("Join by code"), about, words("go"), example="brave-otter", value=typed, fault=fault)
        return await self._app.push_screen_wait(asked)

    async def _open(self, *, code: str = "", table: str = "") -> TableInfo | None:
        """Have a door opened, by its password where it has one; None when nobody knows it."""
        password: str | None = ""
        while True:
            try:
                return await self._session.lobby.enter(code=code, table=table, password=password or "")
            except ScovilleError as error:
                if error.code != Code.WRONG_PASSWORD:
                    raise
                fault = said(error) if password else ""
            password = await self._ask_password(fault)
            if not password:
                return None

    async def _ask_password(self, fault: str) -> str | None:
        about = words("This table has a password. Whoever opened it knows it.")
        heading = words("Password")
        asked = Prompt(heading, about, words("go in"), hidden=True, fault=fault, most=_PASSWORD_LENGTH)
        return await self._app.push_screen_wait(asked)

    async def _go_in(self, table: TableInfo) -> None:
        if may_sit(table):
            await self._session.join(table.table)
        else:
            await self._session.watch(table.table)
        await self._app.show_table()

    async def _quick(self) -> None:
        about = words("You are seated where somebody waits, or at a new table; bots fill in after half a minute.")
        asked = Pick(words("Seat me anywhere"), self._games, words("go"), about=about)
        game = await self._app.push_screen_wait(asked)
        if game is not None:
            await self._session.quick_match("" if game == _ANY else game)
            await self._app.show_table()

    def _games(self) -> list[Item]:
        return [Item(_ANY, words("Any game")), *(Item(game.slug, game.title) for game in self._session.games)]

    async def _create(self, first: str) -> None:
        wish = await self._app.push_screen_wait(CreateDialog(self._session.games, first, among_people=True))
        if wish is None:
            return
        info = await self._session.create(
            wish.game, wish.seats, wish.options, wish.clock, wish.settings, password=wish.password
        )
        self._app.deeds.bots = wish.bots
        await self._session.join(info.table)
        await self._app.show_table()

    # --- people -----------------------------------------------------------------------------------------

    async def _show_people(self) -> None:
        inviting = self._inviting()
        deed = words("invite") if inviting is not None else words("who is it")
        name = await self._app.push_screen_wait(Here(words("Who is here"), self._people, deed, about=self._count()))
        if name is not None and inviting is None:
            self._app.others.profile(name)
        elif name is not None and inviting is not None:
            await self._session.table_actions.invite(inviting, name)
            self._app.page.tell(words("{name} is invited to your table.", name=name))

    def _inviting(self) -> str | None:
        """Find the table to which I may invite: the one where I am, else one that waits where I sit."""
        at = self._session.table
        if at is not None:
            return at.id if at.seat is not None else None
        waiting = (table.table for table in self._session.lobby.mine if table.status == "waiting")
        return next(waiting, None)

    def _people(self) -> list[Item]:
        people = sorted(self._session.lobby.people.values(), key=lambda person: person.name.casefold())
        return [Item(person.name, person.name, self._known_as(person)) for person in people]

    def _known_as(self, person: UserInfo) -> str:
        signs = [
            words("you") if person.name == self._session.name else "",
            words("looks after this server") if person.admin else "",
            words("name of their own") if person.claimed else "",
        ]
        return ", ".join(filter(None, signs))

    def _count(self) -> str:
        here = self._session.lobby.here
        return told(Phrase("{n} person is here.", {"n": here}, many="{n} people are here.", number=here))
