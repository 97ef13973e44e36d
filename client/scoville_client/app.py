"""The Textual client: screens over one session. No game, server or network is loaded before the first paint."""

import sys
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from msgspec.structs import asdict, replace
from textual.app import App
from textual.binding import BindingType
from textual.driver import Driver
from textual.events import Event, Key
from textual.message import Message

from scoville_client import glyphs
from scoville_client.language import following, speak, spell, words
from scoville_client.remembered import Remembered, recall, remember
from scoville_client.screens.page import Common, Page
from scoville_client.screens.start import StartScreen
from scoville_client.start import Start
from scoville_client.themes import DARK, LIGHT, without_colour
from scoville_shared.kit.phrases import Phrase

if TYPE_CHECKING:
    from scoville_client.changes import Change
    from scoville_client.draft import Wish
    from scoville_client.hosting import Running
    from scoville_client.screens.join import Destination
    from scoville_client.screens.table import TableScreen
    from scoville_client.session import Session
    from scoville_shared.wire.messages import GameInfo

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


class ScovilleApp(App[int]):
    """Owns the session and what runs for it; screens ask it, and it tells them what was heard."""

    CSS_PATH = Path(__file__).parent / "styles" / "screens.tcss"
    TITLE = "Scoville"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = []

    session: "Session"

    def __init__(
        self,
        start: Start,
        *,
        pace: float = PACE,
        translation: glyphs.Table | None = None,
        remembers: bool = False,
    ) -> None:
        self._translation = translation
        super().__init__()
        self._remembers = remembers
        self._likes = recall() if remembers else Remembered()
        for theme in (DARK, LIGHT):
            self.register_theme(without_colour(theme) if self.no_color else theme)
        self.theme = LIGHT.name if self._likes.light else DARK.name
        self._start = start
        self._pace = pace
        self._line: Running | None = None
        self._opened: Start = start
        self._bots = start.bots
        self._fault: BaseException | None = None

    def show(self) -> int:
        """Run until the person quits; returns the exit status. A fault of ours is one sentence on stderr."""
        status = self.run() or self.return_code or 0
        if self._fault is not None:
            from scoville_client.crash import report

            report(self._fault)
        return status

    def get_driver_class(self) -> type[Driver]:
        """Give the driver of this platform, with the signs the terminal lacks replaced in what it writes."""
        driver = super().get_driver_class()
        return driver if self._translation is None else glyphs.translating(driver, self._translation)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Name the colours that our themes have beyond Textual's."""
        return DARK.variables

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
        self._ask_for_game(words("Practise"), replace(self._start, kind="practice"))

    def host(self) -> None:
        """Ask for a game, and open a table that others can reach."""
        self._ask_for_game(words("Host a table"), replace(self._start, kind="host", host=""))

    def _ask_for_game(self, heading: str, start: Start) -> None:
        from scoville_client.draft import offered
        from scoville_client.screens.choose import Choice, ChooseDialog

        games = offered()

        def chosen(choice: Choice | None) -> None:
            if choice is None:
                return
            self._start = replace(self._start, game=choice.game)
            if choice.options:
                self._ask_for_options(games, replace(start, game=choice.game))
            else:
                self._open(replace(start, game=choice.game))

        self.push_screen(ChooseDialog(heading, games, self._start.game), chosen)

    def _ask_for_options(self, games: "list[GameInfo]", start: Start) -> None:
        from scoville_client.screens.create import CreateDialog

        def wished(wish: "Wish | None") -> None:
            if wish is not None:
                self._open(
                    replace(
                        start,
                        game=wish.game,
                        players=wish.seats,
                        options=wish.options,
                        clock=wish.clock,
                        bots=wish.bots,
                    )
                )

        self.push_screen(CreateDialog(games, start.game), wished)

    def ask_where(self) -> None:
        """Ask for an address, and go there."""
        from scoville_client.screens.join import JoinDialog

        self.push_screen(JoinDialog(), self._go)

    def show_help(self, where: str) -> None:
        """Show the help over what is there."""
        from scoville_client.screens.help import HelpDialog

        self.push_screen(HelpDialog(where))

    def show_rules(self) -> None:
        """Show the rules of the game that is played, at the page that fits the moment."""
        from scoville_client.screens.rules import RulesDialog

        self.push_screen(RulesDialog(*self._page.rules))

    def show_log(self, lines: Callable[[], Sequence[str]]) -> None:
        """Show the whole story of a table over what is there."""
        from scoville_client.screens.log import LogDialog

        self.push_screen(LogDialog(lines))

    def change_language(self) -> None:
        """Go over to the next language, on every screen at once."""
        speak(following())
        for screen in self.screen_stack:
            if isinstance(screen, Common):
                screen.reword()

    def change_look(self) -> None:
        """Change between the dark and the light look."""
        light = self.theme == DARK.name
        self.theme = LIGHT.name if light else DARK.name
        self._like(replace(self._likes, light=light))

    @property
    def calm(self) -> bool:
        """Whether stories are to be told with less motion."""
        return self._likes.calm

    def like_calm(self, *, calm: bool) -> None:
        """Keep how much motion a story is to have."""
        self._like(replace(self._likes, calm=calm))

    def _like(self, likes: Remembered) -> None:
        if self._remembers and likes != self._likes:
            remember(likes)
        self._likes = likes

    def hang_up(self) -> None:
        """Leave the server, and go back to the start."""
        self._ask(self._hang_up())

    def _go(self, destination: "Destination | None") -> None:
        if destination is not None:
            host, port = destination.address
            self._open(replace(self._start, kind="join", host=host, port=port, name=destination.name))

    def _open(self, start: Start) -> None:
        self._page.tell(_under_way(start), stays=True)
        self._ask(self._begin(start))

    async def _begin(self, start: Start) -> None:
        from scoville_client.hosting import begin, session_for

        await self._close()
        self._opened, self._bots = start, start.bots
        self.session = session_for(start)
        self.session.subscribe(self._hear)
        self._line = await begin(self.session, start)
        self._page.tell("")
        if start.kind == "join":  # behind a table that one comes straight back to, too
            from scoville_client.screens.lobby import LobbyScreen

            await self.push_screen(LobbyScreen())
        if self.session.table is not None:
            await self.push_screen(self._table_screen())

    async def _hang_up(self) -> None:
        await self._close()
        while not isinstance(self.screen, StartScreen):
            await self.pop_screen()
        self._page.tell("")

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

        self._ask(keep(self.session, self._page.tell))

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

    def _leave_when_asked(self, leave: bool | None) -> None:
        if leave:
            self._ask(self._leave())

    def _table_screen(self) -> "TableScreen":
        from scoville_client.screens.table import TableScreen

        assert self.session.table is not None, "there is a table to show"
        address = self._line.address if self._line is not None else None
        return TableScreen(self.session.table, pace=self._pace, address=address.short if address is not None else "")

    # --- keys and faults --------------------------------------------------------------------------------

    async def on_event(self, event: Event) -> None:
        """Take away what was told before the key that is pressed now."""
        if isinstance(event, Key) and not event.is_forwarded and not self._line_down:
            for page in self._pages:
                page.forget()
        await super().on_event(event)

    def _fatal_error(self) -> None:
        """Keep the fault until the terminal is the person's again; Textual would print it with all its locals."""
        self._fault = self._fault or sys.exc_info()[1] or self._exception
        self._close_messages_no_wait()

    def panic(self, *renderables: object) -> None:  # noqa: ARG002 - what Textual would print
        """Treat faults that can draw themselves like all others."""
        self._fatal_error()

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

    def _ask_to_leave(self, answered: Callable[[bool | None], None]) -> None:
        from scoville_client.screens.quit import LeaveDialog

        if not isinstance(self.screen, LeaveDialog):
            self.push_screen(LeaveDialog(), answered)

    def _quit_when_asked(self, leave: bool | None) -> None:
        if leave:
            self.exit(0)

    # --- the session ------------------------------------------------------------------------------------

    def _hear(self, change: "Change") -> None:
        self.post_message(Heard(change))

    def on_heard(self, message: Heard) -> None:
        """Tell every screen what was heard; that the line is down stands before everything else."""
        from scoville_client.changes import LineDown

        self._page.forget()
        if isinstance(message.change, LineDown):
            way_out = Phrase("{sentence} Press Esc to go back.", {"sentence": message.change.sentence})
            self._page.tell(way_out, bad=True)
        for screen in self.screen_stack:
            if isinstance(screen, Common) and screen.children:  # before that it has nothing to tell it with
                screen.heard(message.change)

    @property
    def _line_down(self) -> bool:
        return self._line is not None and self.session.state == "lost"

    @property
    def _pages(self) -> list[Page]:
        return [screen for screen in self.screen_stack if isinstance(screen, Page)]

    @property
    def _page(self) -> Page:
        return self._pages[-1]

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
            self._page.tell(error.message, bad=True)
        except ScovilleError as error:
            self._page.tell(said(error), bad=True)
