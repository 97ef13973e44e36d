"""The Textual client: screens over one session. No game, server or network is loaded before the first paint."""

from collections.abc import Awaitable
from functools import cached_property, partial
from typing import TYPE_CHECKING

from textual.message import Message

from scoville_client.clock import REAL, Clock
from scoville_client.i18n.language import spell, words
from scoville_client.session.start_options import Start
from scoville_client.tui.screens.dialogs.answers import Answered
from scoville_client.tui.screens.page import Common, Page
from scoville_client.tui.screens.start.start import StartScreen
from scoville_client.tui.terminal import glyphs
from scoville_client.tui.window import Window
from scoville_shared.engine.phrases import Phrase

if TYPE_CHECKING:
    from pathlib import Path

    from scoville_client.session.changes import Change
    from scoville_client.session.hosting import Running
    from scoville_client.session.preferences import Preferences
    from scoville_client.session.session import Session
    from scoville_client.tui.screens.leaving import Exits
    from scoville_client.tui.screens.lobby.joining import Doors
    from scoville_client.tui.screens.lobby.social import Others
    from scoville_client.tui.screens.start.choices import Beginnings
    from scoville_client.tui.screens.table.actions import Deeds
    from scoville_client.tui.screens.table.table import TableScreen

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
        clock: Clock = REAL,
    ) -> None:
        super().__init__(translation=translation, remembers=remembers, clock=clock)
        self._start = start
        self._pace = pace
        self._line: Running | None = None
        self._opened: Start = start

    def on_mount(self) -> None:
        """Show the first screen."""
        self.push_screen(self.first_screen())

    def first_screen(self) -> Page:
        """Make the screen to begin with."""
        return StartScreen(_under_way(self._start))

    def first_painted(self) -> None:
        """Do what the command line asked for, now that the first screen is drawn."""
        if self._start.kind != "menu":
            self.begin(self._start)

    # --- where to go ------------------------------------------------------------------------------------

    @cached_property
    def beginnings(self) -> "Beginnings":
        """What the first screen offers."""
        from scoville_client.tui.screens.start.choices import Beginnings

        return Beginnings(self, self._start)

    def begin(self, start: Start) -> None:
        """Go to where a start leads."""
        self.page.tell(_under_way(start), stays=True)
        self.ask(self._begin(start))

    async def hang_up(self) -> None:
        """Leave the server, and go back to the start."""
        await self._close()
        await self.pop_to(lambda screen: isinstance(screen, StartScreen))
        self.page.tell("")

    async def _begin(self, start: Start) -> None:
        from scoville_client.session.hosting import begin, session_for

        await self._close()
        self._opened = start
        self.session = session_for(start, self.clock)
        self.session.subscribe(self._hear)
        self._line = await begin(self.session, start, self.clock)
        self.page.tell("")
        if self.among_people:
            from scoville_client.tui.screens.lobby.lobby import LobbyScreen

            await self.session.lobby.watch()
            await self.show_page(LobbyScreen())  # behind a table that one comes straight to, too
        if start.kind == "join":
            self.others.arrived()
        if self.session.table is not None:
            await self.show_page(self._table_screen())
        if self._line.again and start.kind == "host" and self.in_game:
            again = words("Your table is open again. To open another one, go to the lobby (Esc).")
            self.page.tell(again, stays=True)

    async def _close(self) -> None:
        line, self._line = self._line, None
        if line is not None:
            await line.close()

    # --- tables -----------------------------------------------------------------------------------------

    @cached_property
    def doors(self) -> "Doors":
        """The ways to a table and back to the lobby."""
        from scoville_client.tui.screens.lobby.joining import Doors

        return Doors(self)

    @cached_property
    def deeds(self) -> "Deeds":
        """What is asked for at a table."""
        from scoville_client.tui.screens.table.actions import Deeds

        return Deeds(self)

    @property
    def opened(self) -> Start:
        """How the line that is open was asked for."""
        return self._opened

    @property
    def among_people(self) -> bool:
        """Whether others may be here: not so in practice."""
        return self._opened.kind != "practice" and self._line is not None

    @property
    def hosts(self) -> bool:
        """Whether the server that others connect to runs here."""
        return self._opened.kind == "host" and self._line is not None

    @property
    def folder(self) -> "Path | None":
        """The folder in which the tables of the server that runs here are kept."""
        return None if self._line is None else self._line.folder

    @property
    def ways_to_join(self) -> "list[str]":
        """What others type to join the server that runs here; empty if none does."""
        return self._line.invitation() if self.hosts and self._line is not None else []

    @property
    def line(self) -> "Running | None":
        """What runs for the session."""
        return self._line

    async def show_table(self) -> None:
        """Show the table the session is at, in place of another one; nothing where it has gone meanwhile."""
        if self.session.table is None:
            return
        await self.pop_to(lambda screen: isinstance(screen, Page))
        if isinstance(self.page, StartScreen) or self.page.WHERE == "lobby":
            await self.push_screen(self._table_screen())
        else:
            await self.switch_screen(self._table_screen())

    def review(self) -> None:
        """Show the finished game again, step by step."""
        from scoville_client.tui.screens.replay.replay import show_again

        self.ask(show_again(self, self._pace or PACE))

    def save_game(self) -> None:
        """Save the finished game, and say where."""
        from scoville_client.replays.after_game import keep

        self.ask(keep(self.session, self.page.tell))

    def _table_screen(self) -> "TableScreen":
        from scoville_client.tui.screens.table.table import TableScreen

        assert self.session.table is not None, "there is a table to show"
        return TableScreen(self.session.table, pace=self._pace, hosted=self._line)

    # --- others ---------------------------------------------------------------------------------------------

    @cached_property
    def others(self) -> "Others":
        """Talk, people, and what calls me."""
        from scoville_client.tui.screens.lobby.social import Others

        return Others(self)

    def like(self, likes: "Preferences") -> None:
        """Like something else from now on, and be called accordingly."""
        super().like(likes)
        self.others.likes_changed()

    def somebody_is_here(self) -> None:
        """Stop calling."""
        self.others.caller.key()

    def on_app_focus(self) -> None:
        """Learn that the window is in front."""
        self.others.caller.focus(focused=True)

    def on_app_blur(self) -> None:
        """Learn that another window is in front."""
        self.others.caller.focus(focused=False)

    # --- leaving ----------------------------------------------------------------------------------------

    @cached_property
    def exits(self) -> "Exits":
        """The ways out of a table, and out of the client."""
        from scoville_client.tui.screens.leaving import Exits

        return Exits(self)

    @property
    def keeps_running(self) -> str:
        """Say that a server with other people on it must not be suspended."""
        from scoville_client.session.stop_text import others_connected

        if self.hosts and others_connected(self.session):
            return words("Other people are connected to your server: suspended, it would not answer them.")
        return ""

    async def action_quit(self) -> None:
        """Quit, after a question where that ends a game or disconnects other people."""
        if self.among_people or self.in_game:
            self.exits.quit()
        else:
            self.exit(0)

    @property
    def drain_seconds(self) -> float:
        """How long the other people on a server that is hosted here get to finish their moves."""
        return 0.0 if self._line is None else self._line.drain_seconds

    def finish(self, status: int = 0) -> None:
        """End with an exit status, once the people on a server that is hosted here have finished their moves."""
        self.call_later(self.exits.end, status)  # a signal may come in the context of anything

    async def on_unmount(self) -> None:
        """Hang up, and stop the server that runs here."""
        await self._close()

    @property
    def in_game(self) -> bool:
        """Whether I sit in a game that is not over."""
        if self._line is None or self.session.offline or self.session.table is None:
            return False
        return self.session.table.info.status == "playing" and self.session.table.seat is not None

    # --- the session ------------------------------------------------------------------------------------

    def _hear(self, change: "Change") -> None:
        self.post_message(Heard(change))

    def on_heard(self, message: Heard) -> None:
        """Tell every screen what was heard; that the line is down stands before everything else."""
        if not self.pages:  # the client ends
            return
        from scoville_client.session.changes import Announced, Connected, ConnectionDown, EventApplied, TableChanged

        match message.change:
            case TableChanged(presence=True):  # an answer to my key stays: it has nothing to do with who comes and goes
                pass
            case EventApplied() | TableChanged():
                self.page.forget()
        if isinstance(message.change, Announced):
            self.page.announce(words("Announcement: {text}", text=message.change.text))
        elif isinstance(message.change, ConnectionDown):
            way_out = Phrase("{sentence} Press Esc to go back.", {"sentence": message.change.sentence})
            self.page.tell(way_out, bad=True, stays=True)
        elif isinstance(message.change, Connected):
            self.page.tell("")
        self.others.hear(message.change)
        for screen in self.screen_stack:
            if isinstance(screen, Common):
                screen.when_mounted(partial(screen.heard, message.change))

    def ask(self, asked: Awaitable[object]) -> None:
        """Ask the server something, unhurried; a refusal is one sentence on the page."""
        Answered(asked, lambda _: None, lambda sentence: self.page.tell(sentence, bad=True)).begin(self)
