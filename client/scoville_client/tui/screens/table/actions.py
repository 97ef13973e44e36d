"""What is asked for at a table beside moves: to begin, who comes and goes, whose eyes to look through, another game."""

from typing import TYPE_CHECKING

from scoville_client.i18n.language import words
from scoville_client.session.table.table import AtTable
from scoville_client.tui.screens.dialogs.pick import Pick
from scoville_client.tui.screens.dialogs.prompt import Prompt
from scoville_client.tui.screens.dialogs.question import Sure
from scoville_client.tui.screens.table.people import Company
from scoville_client.tui.widgets.menu import Item
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import Seat

if TYPE_CHECKING:
    from scoville_client.tui.app import ScovilleApp

_REASON_LENGTH = 64


class Deeds:
    """Asks for it at the table of the session, and shows the dialogs that it takes. `bots` is how strong bots are."""

    def __init__(self, app: "ScovilleApp") -> None:
        self._app = app
        self.bots = app.opened.bots

    @property
    def _at(self) -> AtTable:
        """The table of the session. Raises ScovilleError when there is none: it may go at any moment."""
        at = self._app.session.table
        if at is None:
            raise ScovilleError(Code.NOT_SEATED, words("You are not at a table; join one first."))
        return at

    # --- before the game --------------------------------------------------------------------------------

    def start(self) -> None:
        """Start the game; bots take the empty seats."""
        self._app.ask(self._app.session.start(self.bots))

    def be_ready(self) -> None:
        """Say that I am ready, or not any more."""
        self._app.ask(self._be_ready())

    async def _be_ready(self) -> None:
        at = self._at
        await self._app.session.table_actions.ready(at.id, ready=at.seat not in at.info.ready)

    # --- in the game ------------------------------------------------------------------------------------

    def play(self, move: object) -> None:
        """Play a move; a refusal is shown in place."""
        self._app.ask(self._app.session.play(move))

    def pause(self) -> None:
        """Ask for a pause, or agree to one; in a pause, go on."""
        self._app.ask(self._pause())

    async def _pause(self) -> None:
        session = self._app.session
        await (session.resume() if self._at.info.paused else session.pause())

    # --- who is there -----------------------------------------------------------------------------------

    def show_company(self) -> None:
        """Show who sits and who looks on here; a host may do something about them."""
        self._app.ask(self._show_company())

    def kick(self) -> None:
        """Ask whom to send away, and why, and do it."""
        self._app.ask(self._kick())

    def transfer_host(self) -> None:
        """Ask who is to be the host, and make them that."""
        self._app.ask(self._transfer_host())

    async def _show_company(self) -> None:
        opened = self._at
        deed = await self._app.push_screen_wait(Company(lambda: self._app.session.table or opened))
        if deed is None:
            return
        if deed.kind == "invite":
            self._app.doors.show_people()
        elif deed.kind == "kick":
            await self._send_away(deed.name)
        else:
            await self._hand_over(deed.name)

    async def _kick(self) -> None:
        name = await self._choose(words("Send whom away?"), self._others() + self._at.spectators)
        if name is not None:
            await self._send_away(name)

    async def _send_away(self, name: str) -> None:
        heading = words("Send {name} away?", name=name)
        about = words("It is for good. Everybody here reads the reason; you may leave it empty.")
        asked = Prompt(heading, about, words("go on"), example=words("the reason"), most=_REASON_LENGTH)
        reason = await self._app.push_screen_wait(asked)
        if reason is None:
            return
        if await self._app.push_screen_wait(Sure(heading, _as_known(reason), words("send away"))):
            await self._app.session.table_actions.kick(self._at.id, name, reason)

    async def _transfer_host(self) -> None:
        name = await self._choose(words("Who is to be the host?"), self._others())
        if name is not None:
            await self._hand_over(name)

    async def _hand_over(self, name: str) -> None:
        """Make somebody else the host after a question: only the new host can undo it."""
        heading = words("Make {name} the host?", name=name)
        about = words("Only {name} can start the game and kick players then, and only {name} can undo this.", name=name)
        if not await self._app.push_screen_wait(Sure(heading, about, words("make host"))):
            return
        names = [seat.name for seat in self._at.info.seats]
        if name in names:
            await self._app.session.table_actions.transfer_host(self._at.id, names.index(name))

    async def _choose(self, heading: str, names: list[str]) -> str | None:
        if not names:
            self._app.page.tell(words("Nobody else is here."))
            return None
        return await self._app.push_screen_wait(Pick(heading, lambda: [Item(n, n) for n in names], words("choose")))

    def _others(self) -> list[str]:
        """Name the people who sit here beside me."""
        at = self._at
        return [each.name for seat, each in enumerate(at.info.seats) if each.kind == "human" and seat != at.seat]

    # --- looking on -------------------------------------------------------------------------------------

    def look_from_next(self) -> None:
        """Look from the next player's place; as a commentator, through their eyes."""
        at = self._app.session.table
        if at is None:
            return
        seats = [None, *map(Seat, range(len(at.info.seats)))]
        if at.key:
            following = seats[1:][(seats.index(at.point_of_view)) % (len(seats) - 1)]
            self._app.ask(self._commentate(at.key, following))
        else:
            at.viewpoint = seats[(seats.index(at.viewpoint) + 1) % len(seats)]

    def commentate(self) -> None:
        """See the hands of this table, by the key of its commentators."""
        self._app.ask(self._become_commentator())

    async def _become_commentator(self) -> None:
        if not self._at.info.settings.commentary:
            self._app.page.tell(words("This table has no commentators."))
            return
        key = self._app.session.commentary_keys.get(self._at.id)
        if not key:
            about = words("Whoever opened the table has it. With it you see the hands, one player's at a time.")
            asked = Prompt(words("The commentators' key"), about, words("look"), hidden=True)
            key = await self._app.push_screen_wait(asked)
        if key:
            await self._commentate(key, Seat(0))

    async def _commentate(self, key: str, point_of_view: Seat | None) -> None:
        await self._app.session.watch(self._at.id, key, point_of_view)

    # --- after the game ---------------------------------------------------------------------------------

    def rematch(self) -> None:
        """Play again with the same people; in practice it starts at once."""
        self._app.ask(self._rematch())

    async def _rematch(self) -> None:
        session, at = self._app.session, self._at
        if at.next is None and at.seat is None:
            self._app.page.tell(words("Whoever played may play again. You are told, and can look on."))
            return
        if at.next is None:
            at.next = (await session.rematch()).table
        await session.follow()
        if not self._app.among_people:
            await session.start(self.bots)
        await self._app.show_table()


def _as_known(reason: str) -> str:
    """Write the reason for sending somebody away as everybody will read it."""
    cannot = words("This cannot be undone.")
    return f"{reason}\n\n{cannot}" if reason else cannot
