"""Start screen: practise, join a server, or host a table."""

from collections.abc import Callable, Hashable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

from msgspec.structs import replace
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.events import Resize
from textual.message import Message
from textual.widgets import Static

from scoville_client.i18n.language import tr
from scoville_client.session.start_options import Start, games_folder
from scoville_client.tui.actions import LIST_KEYS, screen_bindings
from scoville_client.tui.drawing.canvas import Canvas
from scoville_client.tui.screens.base import BaseScreen, KeyActions
from scoville_client.tui.screens.page import Page
from scoville_client.tui.widgets.canvas_widget import CanvasWidget
from scoville_client.tui.widgets.menu import Item, Menu
from scoville_client.tui.widgets.timers import call_after
from scoville_shared.engine.phrases import Phrase

if TYPE_CHECKING:
    from scoville_client.replays.unfinished_games import UnfinishedFile
    from scoville_client.transport.address import Address
    from scoville_client.transport.lan.browser import Browse
    from scoville_client.transport.lan.found import FoundServer
    from scoville_client.tui.screens.dialogs.join import JoinTarget
    from scoville_client.tui.screens.start.lan_servers import LanServers
    from scoville_client.tui.screens.start.what_is_played import WhatIsPlayed


_LETTERS = {
    "S": (0b0111, 0b1000, 0b1000, 0b0110, 0b0001, 0b1110),
    "C": (0b0111, 0b1000, 0b1000, 0b1000, 0b1000, 0b0111),
    "O": (0b0110, 0b1001, 0b1001, 0b1001, 0b1001, 0b0110),
    "V": (0b1001, 0b1001, 0b1001, 0b1001, 0b1010, 0b0100),
    "I": (0b0110, 0b0110, 0b0110, 0b0110, 0b0110, 0b0110),
    "L": (0b1000, 0b1000, 0b1000, 0b1000, 0b1000, 0b1111),
    "E": (0b1111, 0b1000, 0b1110, 0b1000, 0b1000, 0b1111),
}
"""Letters of four by six pixels, the highest bit to the left."""
_NAME = "SCOVILLE"
_HEAT = ("heat1", "heat1", "heat2", "heat2", "heat3", "heat3", "heat4", "heat5")
_HALVES = " ▀▄█"
_STEP = 5
WIDTH = _STEP * len(_NAME) - 1
_SCALES: Final = (1, 2, 4, 6)
"""Columns of a pixel of the name."""
_BESIDE_LOGO: Final = 32
"""Rows of the tagline, of a menu with blank rows and of the keys beside a logo that is larger than usual."""
_LEAST_PLAYED: Final = 9
"""Rows that the games and their aims need below the menu."""
_AIRY_PLAYED: Final = 14
"""Rows that the games must have before the menu gets a blank row between its items."""
_AROUND_MENU: Final = 10
"""Rows of the tagline, the hint below the menu, a notice and the keys."""


class Logo(CanvasWidget):
    """Draws the name and a tagline."""

    def draw(self, width: int, height: int) -> Canvas:
        """Draw the name in the middle, two pixels to a cell, or each pixel of two cells or more in a wider logo."""
        canvas = Canvas(width, height)
        scale = max(scale for scale in _SCALES if scale == 1 or scale * WIDTH <= width)
        left = (width - scale * WIDTH) // 2
        for index, letter in enumerate(_NAME):
            for row in range(_logo_rows(scale)):
                blocks = _half_blocks(letter, row) if scale == 1 else _whole_blocks(letter, row, scale)
                canvas.put(left + scale * index * _STEP, row, blocks, _HEAT[index])
        below = min(_logo_rows(scale) + 1, height - 1)
        canvas.put_centred(0, width, below, f"{self._write_chilli()}{tr('a card table in the terminal')}", "muted")
        return canvas

    def _write_chilli(self) -> str:
        screen = self.screen
        assert isinstance(screen, BaseScreen), "all screens are ours"
        return screen.shell.settings.chilli


def _half_blocks(letter: str, row: int) -> str:
    upper, lower = _LETTERS[letter][2 * row : 2 * row + 2]
    return "".join(_HALVES[(upper >> bit & 1) + 2 * (lower >> bit & 1)] for bit in (3, 2, 1, 0))


def _whole_blocks(letter: str, row: int, scale: int) -> str:
    pixels = _LETTERS[letter][row // (scale // 2)]
    return "".join((" █"[pixels >> bit & 1]) * scale for bit in (3, 2, 1, 0))


def _logo_rows(scale: int) -> int:
    """Return the rows of the name: of two pixels each, or half as many rows a pixel as it has columns."""
    return 3 if scale == 1 else 6 * (scale // 2)


def _scale_of_logo(width: int, height: int) -> int:
    """Return the columns of a pixel, as large as a window has room for beside its menu."""
    fits = (scale for scale in _SCALES if scale * WIDTH + 4 <= width and _logo_rows(scale) + _BESIDE_LOGO <= height)
    return max(fits, default=1)


_TALL = "-tall"
_BREAKPOINTS: Final = [(24, _TALL)]
_AROUND, _CLOSELY = 12, 8
"""Rows of the terminal around the menu, with a tall logo and without: logo, hint, notice and keys."""

_CHOICES: Final = frozenset(
    {"practise", "continue_practice", "tutorial", "puzzles", "join", "join_last", "host", "watch_replay", "log_in"}
)
"""Actions that choose a start."""

_LABEL = 16
"""Columns of a label in every language."""
_FLUSH_SECONDS = 0.003
"""Seconds that Textual's thread gets to write the painted bytes: beside imports it would take five times as long."""


class StartChoices:
    """Asks for a game, a server or a file, and hands what the user chooses to `choose`.

    `start` are the options of the command line; last choices are filled in.
    """

    def __init__(self, page: Page, start: Start, choose: Callable[[Start], None]) -> None:
        self._page = page
        self._start = start
        self._choose = choose
        self._last: JoinTarget | None = None

    @property
    def last_practice(self) -> "UnfinishedFile | None":
        """The practice game that was played last, if it is not over."""
        from scoville_client.replays.unfinished_games import list_unfinished

        # Users of a door have no files here: these belong to the user who runs the door.
        return None if self._page.shell.is_hosted else next(iter(list_unfinished()), None)

    def choose_practice(self, game: str) -> None:
        """Begin to practise a game."""
        self._choose(replace(self._start, kind="practice", game=game))

    def key_actions(self) -> KeyActions:
        """Return the functions of the menu's keys."""
        return {
            "continue_practice": self._continue_practice,
            "host": self._choose_hosted_game,
            "join": self._ask_for_server,
            "join_last": self._join_last_server,
            "log_in": self._ask_for_own_server,
            "practise": self._choose_practice_game,
            "puzzles": self._solve_puzzles,
            "tutorial": self._choose_tutorial,
            "watch_replay": lambda: self._page.shell.send_request(self._watch_replay()),
        }

    def _continue_practice(self) -> None:
        """Go on with the practice game that was played last."""
        kept = self.last_practice
        if kept is None:
            self._page.show_notice(tr("There is no practice game to continue."))
        else:
            self._continue_game(kept.path)

    def _continue_game(self, path: Path) -> None:
        from scoville_client.replays.unfinished_games import continue_game
        from scoville_shared.errors import ScovilleError

        try:
            self._choose(continue_game(path, self._start))
        except ScovilleError as error:
            self._page.show_notice(error.message)

    def _choose_practice_game(self) -> None:
        self._page.shell.send_request(self._choose_game(tr("Practise"), replace(self._start, kind="practice")))

    def _choose_tutorial(self) -> None:
        from scoville_client.tui.screens.dialogs.game_picker import choose_tutorial

        choose_tutorial(self._page.shell, self._start.game)

    def _solve_puzzles(self) -> None:
        from scoville_client.puzzles.practice import users_puzzles

        self._page.shell.navigation.open_next_puzzle(users_puzzles())

    def _choose_hosted_game(self) -> None:
        self._page.shell.send_request(self._choose_game(tr("Host a table"), replace(self._start, kind="host", host="")))

    def _ask_for_server(self, *, logging_in: bool = False) -> None:
        from scoville_client.transport.address import Address
        from scoville_client.tui.screens.dialogs.join import JoinDialog, JoinTarget

        start = self._start
        if self._last is None and start.kind == "join":
            self._last = JoinTarget(Address(start.host, start.port, start.pin), start.name, start.code)
        earlier = self.list_joined()
        if self._last is None and earlier:
            self._last = earlier[0]
        self._page.shell.open_dialog(JoinDialog(self._last, earlier, logging_in=logging_in), self._join_server)

    def list_joined(self) -> "list[JoinTarget]":
        """Return the servers that the user has joined, the last one first."""
        from scoville_client.transport.address import parse_destination
        from scoville_client.tui.screens.dialogs.join import JoinTarget

        found = []
        for typed, name in self._page.shell.settings.joined:
            with suppress(ValueError):  # a settings file that somebody has edited
                found.append(JoinTarget(parse_destination(typed)[0], self._start.name or name))
        return found

    def _join_last_server(self) -> None:
        """Join the last server again, under the name that the user had there."""
        earlier = self.list_joined()
        if earlier:
            self._join_server(earlier[0])

    async def _watch_replay(self) -> None:
        from scoville_client.reviews.decisions import OwnMistakes
        from scoville_client.tui.screens.start.saved_games import choose_saved_game

        chosen = await choose_saved_game(self._page.shell)
        if isinstance(chosen, Path):
            self._continue_game(chosen)
        elif isinstance(chosen, OwnMistakes):
            self._page.shell.navigation.open_next_mistake(chosen)
        elif chosen is not None:
            self._page.shell.navigation.open_replay(playback=chosen)

    def _ask_for_own_server(self) -> None:
        """Enter the address of a server, and the name that was claimed there."""
        self._ask_for_server(logging_in=True)

    async def _choose_game(self, heading: str, start: Start) -> None:
        from scoville_client.tui.screens.dialogs.game_picker import ask_for_game

        chosen = await ask_for_game(self._page.shell, heading, start)
        if chosen is not None:
            self._start = replace(self._start, game=chosen.game)
            self._choose(chosen)

    def _join_server(self, destination: "JoinTarget | None") -> None:
        if destination is not None:
            self._last = destination
            self.choose_destination(*destination)

    def choose_destination(
        self, address: "Address | None", name: str, code: str = "", logging_in: bool = False
    ) -> None:
        """Connect to a server, or to the one on the local network that knows `code`."""
        host, port, pin = address or ("", self._start.port, "")
        place = replace(self._start, kind="join", host=host, port=port, pin=pin)
        self._choose(replace(place, name=name, code=code, logging_in=logging_in))


class StartScreen(Page):
    """Offers a menu. `start` are the options of the command line; the last choices are filled in.

    While what the command line asks for is under way there is only its progress: a menu would be gone in a moment, and
    its keys with it.
    """

    OFFERS_RETRY: ClassVar[bool] = False
    """Whether the page appears only once a start takes long, with a menu that repeats it."""
    KEY_CONTEXT = "start"
    VERTICAL_BREAKPOINTS = _BREAKPOINTS
    BINDINGS: ClassVar[list[BindingType]] = [*screen_bindings("start", LIST_KEYS)]

    class Painted(Message):
        """The screen has been painted for the first time."""

    class Chosen(Message):
        """The user has chosen a start."""

        def __init__(self, start: Start) -> None:
            super().__init__()
            self.start = start

    def __init__(self, start: Start, notice: str | Phrase = "", browse: "Browse | None" = None) -> None:
        super().__init__()
        self.choices = StartChoices(self, start, self.choose_start)
        self._start = start
        self._browse = browse
        self._servers: LanServers | None = None
        self._searched = False
        self._greets = False
        """Whether the notice for new users is shown."""
        self._was_painted = False
        self._logo_scale = 1
        self._tells_games = False
        """Whether the games may be shown, which loads them: only after the first paint."""
        self._played: WhatIsPlayed | None = None
        self._starts_at_once = start.kind != "menu" and not self.OFFERS_RETRY
        self.progress = notice

    def compose_body(self) -> ComposeResult:
        with Vertical(id="start"):
            yield Logo()
            menu = Menu(self.list_items(), label_width=_LABEL, at_once=True)
            menu.display = not self._starts_at_once
            yield menu
            yield Static(id="lan", markup=False)

    def list_items(self) -> list[Item]:
        """Return the entries of the menu; each runs the action of its name."""
        servers = () if self._servers is None else self._servers.list_items()
        kept = self.choices.last_practice
        return [
            *(
                Item("continue_practice", f"c  {tr('Continue')}", tr("against bots, {when}", when=self._time_of(file)))
                for file in ([] if kept is None else [kept])
            ),
            Item("practise", f"p  {tr('Practise')}", tr("at once, against bots")),
            Item("tutorial", f"g  {tr('New here?')}", tr("two guided rounds")),
            Item("puzzles", f"z  {tr('Puzzles')}", tr("find the best move")),
            Item("join", f"j  {tr('Join')}", tr("a game on a server")),
            *(
                Item("join_last", f"   {tr('Join again')}", f"{server}, {name}")
                for server, name in self.shell.settings.joined[:1]
            ),
            *servers,
            Item("host", f"h  {tr('Host')}", tr("a table for others")),
            Item("watch_replay", f"w  {tr('My games')}", tr("watch and review them")),
            Item("log_in", f"i  {tr('Log in')}", tr("with your claimed name")),
            Item("settings", f"N  {tr('Settings')}", tr("language, colours …")),
            Item("rules", f"r  {tr('Rules')}", tr("of every game")),
            Item("quit", f"q  {tr('Quit')}"),
        ]

    def _time_of(self, kept: "UnfinishedFile") -> str:
        from scoville_client.i18n.clock_text import time_or_day  # late: it loads the protocol

        return time_or_day(kept.played_ms, self.shell.clock.date_ms())

    def choose_start(self, start: Start) -> None:
        """Start the user's choice."""
        self.post_message(self.Chosen(start))

    def key_actions(self) -> KeyActions:
        return {**super().key_actions(), **self.choices.key_actions()}

    def on_mount(self) -> None:
        if self._start.searching and self.shell.settings.joined:  # `scoville join` without a server
            self.query_one(Menu).mark_item("join_last")
        if self._start.kind == "menu" and self.shell.settings.is_first_start and not self._has_played():
            if not self._start.searching:  # that user has been invited: the mark waits for the server that is found
                self.query_one(Menu).mark_item("tutorial")
            self._greets = True
            self.show_notice(Phrase("New here? Press g for two guided rounds of a game."), sticky=True)

    def _has_played(self) -> bool:
        """Whether the user has finished a game here: `scoville practice` begins without this screen."""
        if self.shell.is_hosted:
            return False  # the files here belong to the user who runs the door
        with suppress(OSError):
            return any(games_folder().glob("*.jsonl"))
        return False

    def offer_menu(self) -> None:
        """Show the menu, and stop automatic starts."""
        if self._starts_at_once:
            self._starts_at_once = False
            # A start may fail before the page has its widgets, and be cancelled after it is gone.
            self.when_mounted(self._show_menu)

    def _show_menu(self) -> None:
        menu = self.query_one(Menu)
        menu.display = True
        menu.focus()

    def allows_action(self, action: str) -> bool:
        return not (self._starts_at_once and action in _CHOICES)  # there is no menu then

    @property
    def meaning(self) -> Hashable:
        return self._starts_at_once

    def note_painted(self) -> None:
        """Do the slow part, once the screen is on the terminal."""
        if not self._was_painted:
            self._was_painted = True
            call_after(self, _FLUSH_SECONDS, self._after_paint)

    def _after_paint(self) -> None:
        self.post_message(self.Painted())
        if self._start.kind == "menu":
            self._tells_games = True
            self.when_mounted(self._show_items)
            if self.shell.settings.is_first_start:
                self.shell.settings.note_first_start()
            self._search_network()

    def retranslate(self) -> None:
        self._show_items()
        super().retranslate()

    async def on_menu_taken(self, message: Menu.Taken) -> None:
        """Run the action of the chosen item, or join the chosen server."""
        server = None if self._servers is None else self._servers.find_server(message.item)
        if server is not None:
            self.shell.send_request(self._join_found(server))
        else:
            await self.run_action(f"do({message.item!r})")

    # --- the local network ------------------------------------------------------------------------------

    def on_screen_resume(self) -> None:
        """Offer the menu once the page that covered this one is gone; search the local network again."""
        if self._was_painted:
            self.offer_menu()
            self.when_mounted(self._show_items)  # there may be a game to continue now
        if self._servers is not None:
            self._search_network()

    async def on_screen_suspend(self) -> None:
        """Search no longer while another page is in front."""
        if self._servers is not None and self.shell.screen is not self:
            await self._servers.stop_search()

    async def on_unmount(self) -> None:
        if self._servers is not None:
            await self._servers.stop_search()

    def _search_network(self) -> None:
        """Search the local network; nothing of it is loaded before the first paint."""
        if self._browse is None:
            self._say_missing()
            return
        from scoville_client.tui.screens.start.lan_servers import SEARCH_SECONDS, LanServers

        if self._servers is None:
            self._servers = LanServers(self._browse, self._servers_changed)
        self.run_worker(self._servers.start_search(), exit_on_error=False)
        self._searched = False
        call_after(self, SEARCH_SECONDS, self._end_of_search)

    def _say_missing(self) -> None:
        """Name the package that must be installed before servers on the local network can be found."""
        if self._start.searching:
            from scoville_client.transport.lan.browser import missing_zeroconf

            self.query_one("#lan", Static).update(missing_zeroconf())

    def _end_of_search(self) -> None:
        self._searched = True
        self.when_mounted(self._show_items)

    def on_resize(self, event: Resize) -> None:
        # A usual window has the first picture of the style sheet: nothing is arranged twice at the start.
        is_roomy = any(menu.is_airy for menu in self.query(Menu)) or self._played is not None
        if event.size.height >= _BESIDE_LOGO or is_roomy:
            self.when_mounted(self._show_items)

    def _fit_logo(self, scale: int) -> None:
        """Let the logo take the rows of a name in pixels of so many columns."""
        if scale != self._logo_scale:
            self._logo_scale = scale
            logo, below = self.query_one(Logo), (self.query_one(Menu), self.query_one("#lan"))
            if scale > 1:
                logo.styles.width, logo.styles.height = scale * WIDTH, _logo_rows(scale) + 3
            else:
                logo.styles.clear_rule("width")
                logo.styles.clear_rule("height")
            for widget in below:  # in the middle of the logo
                widget.styles.offset = ((scale - 1) * WIDTH // 2 if scale > 1 else 0, 0)

    def _servers_changed(self) -> None:
        self.when_mounted(self._show_items)

    def _show_items(self) -> None:
        """Show the menu with the servers, or the commands for both machines if there are none."""
        menu, items = self.query_one(Menu), self.list_items()
        known = {item.id for item in menu.items}
        menu.show_items(items)
        scale = _scale_of_logo(*self.size)
        played = self._fit_played(scale, len(items))
        menu.is_airy = self.size.height >= _BESIDE_LOGO and (not played or played >= _AIRY_PLAYED)
        around = _AROUND if self.size.height >= _BREAKPOINTS[0][0] else _CLOSELY
        menu.fit_height(self.size.height - around - _logo_rows(scale) + _logo_rows(1) - played)
        self._fit_logo(scale)
        found = next((item.id for item in items if item.id not in known), None)
        if found is not None and self._start.searching and menu.index == 0:
            menu.mark_item(found)
        hint = self.query_one("#lan", Static)
        # In low windows the notice for new users would cover the command at its end.
        has_room = self.size.height >= _BREAKPOINTS[0][0] or not self._greets
        shown = self._servers if self._searched and has_room else None
        hint.update("" if shown is None else shown.hint_text())

    def _fit_played(self, scale: int, items: int) -> int:
        """Show the games below the menu, if it leaves rows for them, and return these rows."""
        free = self.size.height - _logo_rows(scale) - _AROUND_MENU - items if self._tells_games else 0
        below_airy_menu = free - items
        rows = below_airy_menu if below_airy_menu >= _AIRY_PLAYED else free if free >= _LEAST_PLAYED else 0
        if rows and self._played is None:
            from scoville_client.tui.screens.start.what_is_played import WhatIsPlayed  # late: it loads the games

            self._played = WhatIsPlayed()
            self.query_one("#start").mount(self._played)
        if self._played is not None:
            self._played.display = rows > 0
            self._played.styles.height = rows
        return rows

    async def _join_found(self, server: "FoundServer") -> None:
        from scoville_client.transport.known_servers import KnownServers
        from scoville_client.transport.lan.found import find_reachable_address

        address = await find_reachable_address(server, KnownServers.of_user(), self.shell.clock)
        self.choices.choose_destination(address, self._start.name)
