"""The Textual client: screens over one session. No game, server or network is loaded before the first paint."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from msgspec.structs import asdict, replace
from textual.message import Message

from scoville_client import glyphs
from scoville_client.language import spell, words
from scoville_client.screens.page import Common, Page
from scoville_client.screens.start import StartScreen
from scoville_client.screens.window import Window
from scoville_client.start import Start
from scoville_shared.kit.phrases import Phrase

if TYPE_CHECKING:
    from scoville_client.changes import Change
    from scoville_client.draft import Wish
    from scoville_client.hosting import Running
    from scoville_client.screens.join import Destination
    from scoville_client.screens.quit import Leaving
    from scoville_client.screens.table import TableScreen
    from scoville_client.session import Session

PACE = 1.3
"""How many seconds a step of a story stays."""

_UNDER_WAY = {
    "practice": Phrase("Shuffling the cards …"),
    "join": Phrase("Going to {host} …"),
    "host": Phrase("Opening a table …"),
}


def run(start: Start) -> int:
    """Show the client in this terminal until the person quits; returns the exit status."""
    level = glyphs.find_level(ascii_wanted=start.ascii)
    spell(plainly=level == "ascii")
    return ScovilleApp(start, translation=glyphs.table(level), remembers=True).show()


def _under_way(start: Start) -> Phrase | str:
    """Say what a start does, while it does it."""
    phrase = _UNDER_WAY.get(start.kind)
    return "" if phrase is None else phrase.of({"host": start.host})


class Heard(Message):
    """The session has changed."""

    def __init__(self, change: "Change") -> None:
        super().__init__()
        self.change = change


class ScovilleApp(Window):
    """Owns the session and what runs for it; screens ask it, and it tells them what was heard."""

    session: "Session"

    def __init__(
        self,
        start: Start,
        *,
        pace: float = PACE,
        translation: glyphs.Table | None = None,
        remembers: bool = False,
    ) -> None:
        super().__init__(translation=translation, remembers=remembers)
        self._start = start
        self._pace = pace
        self._line: Running | None = None
        self._opened: Start = start
        self._bots = start.bots

    def on_mount(self) -> None:
        """Show the first screen."""
        self.push_screen(self.first_screen())

    def first_screen(self) -> Page:
        """Make the screen to begin with."""
        return StartScreen(_under_way(self._start))

    def first_painted(self) -> None:
        """Do what the command line asked for, now that the first screen is drawn."""
        if self._start.kind != "menu":
            self._open(self._start)

    # --- where to go ------------------------------------------------------------------------------------

    def practise(self) -> None:
        """Ask for a game, and play it against bots."""
        self._ask(self._ask_for_game(words("Practise"), replace(self._start, kind="practice")))

    def host(self) -> None:
        """Ask for a game, and open a table that others can reach."""
        self._ask(self._ask_for_game(words("Host a table"), replace(self._start, kind="host", host="")))

    async def _ask_for_game(self, heading: str, start: Start) -> None:
        from scoville_client.screens.choose import ask_for_game

        chosen = await ask_for_game(self, heading, start)
        if chosen is not None:
            self._start = replace(self._start, game=chosen.game)
            self._open(chosen)

    def ask_where(self) -> None:
        """Ask for an address, and go there."""
        from scoville_client.screens.join import JoinDialog

        self.push_screen(JoinDialog(), self._go)

    def hang_up(self) -> None:
        """Leave the server, and go back to the start."""
        self._ask(self._hang_up())

    def _go(self, destination: "Destination | None") -> None:
        if destination is not None:
            host, port = destination.address
            self._open(replace(self._start, kind="join", host=host, port=port, name=destination.name))

    def _open(self, start: Start) -> None:
        self.page.tell(_under_way(start), stays=True)
        self._ask(self._begin(start))

    async def _begin(self, start: Start) -> None:
        from scoville_client.hosting import begin, session_for

        await self._close()
        self._opened, self._bots = start, start.bots
        self.session = session_for(start)
        self.session.subscribe(self._hear)
        self._line = await begin(self.session, start)
        self.page.tell("")
        if start.kind == "join":  # behind a table that one comes straight back to, too
            from scoville_client.screens.lobby import LobbyScreen

            await self.push_screen(LobbyScreen())
        if self.session.table is not None:
            await self.push_screen(self._table_screen())
        if self._line.again and start.kind == "host" and self._in_game:
            again = words("Your table is open again. To host another one, leave it and give your seat up (g).")
            self.page.tell(again, stays=True)

    async def _hang_up(self) -> None:
        await self._close()
        while not isinstance(self.screen, StartScreen):
            await self.pop_screen()
        self.page.tell("")

    async def _close(self) -> None:
        line, self._line = self._line, None
        if line is not None:
            await line.close()

    # --- tables -----------------------------------------------------------------------------------------

    def ask_for_table(self) -> None:
        """Ask what a new table should play, and open it."""
        from scoville_client.screens.create import CreateDialog

        self.push_screen(CreateDialog(self.session.games, self._start.game), self._create)

    @property
    def among_people(self) -> bool:
        """Whether others may be here: not so in practice."""
        return self._opened.kind != "practice" and self._line is not None

    def refresh_tables(self) -> None:
        """Ask the server which tables there are."""
        self._ask(self.session.refresh())

    def sit_down(self, table: str) -> None:
        """Take a seat."""
        self._ask(self._sit_down(table))

    def look_on(self, table: str) -> None:
        """Go to a table without taking a seat."""
        self._ask(self._look_on(table))

    def start_game(self) -> None:
        """Start the game of my table."""
        self._ask(self.session.start(self._bots))

    def pause(self) -> None:
        """Ask for a pause, or agree to one; in a pause, go on."""
        at = self.session.table
        assert at is not None, "only a table can be paused"
        self._ask(self.session.resume() if at.info.paused else self.session.pause())

    def play(self, move: object) -> None:
        """Play a move; a refusal is shown in place."""
        self._ask(self.session.play(move))

    def play_again(self) -> None:
        """Go to where the others gather for another game, or open a table for it; in practice it starts at once."""
        self._ask(self._play_again())

    def review(self) -> None:
        """Show the finished game again, step by step."""
        from scoville_client.screens.replay import show_again

        self._ask(show_again(self, self._pace or PACE))

    def save_game(self) -> None:
        """Save the finished game, and say where."""
        from scoville_client.replaying.afterwards import keep

        self._ask(keep(self.session, self.page.tell))

    async def leave_table(self) -> None:
        """Leave the table; a game that is not over only after a question."""
        if self._in_game:
            self._ask_to_leave(self._leave_when_asked)
        else:
            self._ask(self._leave())

    def _create(self, wish: "Wish | None") -> None:
        if wish is not None:
            self._ask(self._open_table(wish))

    async def _open_table(self, wish: "Wish") -> None:
        self._bots = wish.bots
        info = await self.session.create(wish.game, wish.seats, wish.options, wish.clock)
        await self._sit_down(info.table)

    async def _sit_down(self, table: str) -> None:
        await self.session.join(table)
        await self.push_screen(self._table_screen())

    async def _look_on(self, table: str) -> None:
        await self.session.watch(table)
        await self.push_screen(self._table_screen())

    async def _play_again(self) -> None:
        from scoville_client.rematch import rematch

        assert self.session.table is not None, "only a table can be played again"
        over = self.session.table.info
        await self.session.refresh()
        again = rematch(self.session.tables, over, self.session.name)
        await self.session.leave()
        again = again or await self.session.create(over.game, len(over.seats), over.options, asdict(over.clock))
        await self.session.join(again.table)
        if self._opened.kind == "practice":
            await self.session.start(self._bots)
        await self.switch_screen(self._table_screen())

    async def _leave(self) -> None:
        if self._opened.kind != "join" or self.session.state != "online":
            await self._hang_up()
            return
        await self.session.leave()
        await self.pop_screen()
        await self.session.refresh()

    def _leave_when_asked(self, answer: "Leaving | None") -> None:
        if answer == "give up":
            self._ask(self._give_up(self._leave))
        elif answer == "leave":
            self._ask(self._leave())

    async def _give_up(self, then: Callable[[], Awaitable[object]]) -> None:
        await self.session.leave()
        await then()

    def _table_screen(self) -> "TableScreen":
        from scoville_client.screens.table import TableScreen

        assert self.session.table is not None, "there is a table to show"
        return TableScreen(self.session.table, pace=self._pace, hosted=self._line)

    # --- leaving ----------------------------------------------------------------------------------------

    async def action_quit(self) -> None:
        """Quit, after a question when a game would be left."""
        if self._in_game:
            self._ask_to_leave(self._quit_when_asked)
        else:
            self.exit(0)

    async def on_unmount(self) -> None:
        """Hang up, and stop the server that runs here."""
        await self._close()

    @property
    def _in_game(self) -> bool:
        if self._line is None or self.session.state == "offline" or self.session.table is None:
            return False
        return self.session.table.info.status == "playing" and self.session.table.seat is not None

    def _ask_to_leave(self, answered: "Callable[[Leaving | None], None]") -> None:
        from scoville_client.screens.quit import LeaveDialog

        if not isinstance(self.screen, LeaveDialog):
            kind = self._opened.kind
            lost = kind == "join" and self.session.state == "lost"
            self.push_screen(LeaveDialog("lost" if lost else kind), answered)

    def _quit_when_asked(self, answer: "Leaving | None") -> None:
        if answer == "give up":
            self._ask(self._give_up(self._quit))
        elif answer == "leave":
            self.exit(0)

    async def _quit(self) -> None:
        self.exit(0)

    # --- the session ------------------------------------------------------------------------------------

    def _hear(self, change: "Change") -> None:
        self.post_message(Heard(change))

    def on_heard(self, message: Heard) -> None:
        """Tell every screen what was heard; that the line is down stands before everything else."""
        from scoville_client.changes import Connected, LineDown, TablesChanged

        if not isinstance(message.change, TablesChanged):  # the list is looked at again and again, unseen
            self.page.forget()
        if isinstance(message.change, LineDown):
            way_out = Phrase("{sentence} Press Esc to go back.", {"sentence": message.change.sentence})
            self.page.tell(way_out, bad=True, stays=True)
        elif isinstance(message.change, Connected):
            self.page.tell("")
        for screen in self.screen_stack:
            if isinstance(screen, Common) and screen.children:  # before that it has nothing to tell it with
                screen.heard(message.change)

    def _ask(self, asked: Awaitable[object]) -> None:
        self.run_worker(self._answered(asked), exit_on_error=True)

    async def _answered(self, asked: Awaitable[object]) -> None:
        """Wait for an answer; a refusal or a lost line is one sentence on the page."""
        from scoville_client.link.base import LinkError
        from scoville_client.refusals import said
        from scoville_shared.errors import ScovilleError

        try:
            await asked
        except LinkError as error:
            self.page.tell(error.message, bad=True)
        except ScovilleError as error:
            self.page.tell(said(error), bad=True)
