"""Start screen: practise, join a server, or host a table."""

from collections.abc import Hashable
from typing import TYPE_CHECKING, ClassVar, Final

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.widgets import Static

from scoville_client.i18n.language import tr
from scoville_client.session.start_options import Start
from scoville_client.tui.actions import LIST_KEYS, screen_bindings
from scoville_client.tui.screens.start.logo import Logo
from scoville_client.tui.screens.start.start_menu import StartMenu
from scoville_client.tui.widgets.menu import Item, Menu
from scoville_client.tui.widgets.timers import call_after
from scoville_shared.engine.phrases import Phrase

if TYPE_CHECKING:
    from scoville_client.transport.lan.browser import Browse
    from scoville_client.transport.lan.found import FoundServer
    from scoville_client.tui.screens.start.servers import LanServers

_TALL = "-tall"
_BREAKPOINTS: Final = [(24, _TALL)]
_AROUND, _CLOSELY = 12, 8
"""Rows of the terminal around the menu, with a tall logo and without: logo, hint, notice and keys."""

_CHOICES: Final = frozenset({"practise", "tutorial", "join", "host", "watch_replay", "log_in"})
"""Actions that choose what to start."""

_LABEL = 16
"""Columns of a label in every language."""
_FLUSH_SECONDS = 0.003
"""Seconds that Textual's thread gets to write what was painted: beside imports it would take five times as long."""


class StartScreen(StartMenu):
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
        """The user has chosen what to start."""

        def __init__(self, start: Start) -> None:
            super().__init__()
            self.start = start

    def __init__(self, start: Start, notice: str | Phrase = "", browse: "Browse | None" = None) -> None:
        super().__init__(start)
        self._browse = browse
        self._servers: LanServers | None = None
        self._searched = False
        self._was_painted = False
        self._starts_at_once = start.kind != "menu" and not self.OFFERS_RETRY
        self.progress = notice

    def compose_body(self) -> ComposeResult:
        with Vertical(id="start"):
            yield Logo()
            menu = Menu(self.items(), label_width=_LABEL, at_once=True)
            menu.display = not self._starts_at_once
            yield menu
            yield Static(id="lan", markup=False)

    def items(self) -> list[Item]:
        """Return the entries of the menu; each runs the action of its name."""
        servers = () if self._servers is None else self._servers.items()
        return [
            Item("practise", f"p  {tr('Practise')}", tr("at once, against bots")),
            Item("tutorial", f"g  {tr('New here?')}", tr("two guided rounds")),
            Item("join", f"j  {tr('Join')}", tr("a game on a server")),
            *servers,
            Item("host", f"h  {tr('Host')}", tr("a table for others")),
            Item("watch_replay", f"w  {tr('Watch')}", tr("a game that was saved")),
            Item("log_in", f"i  {tr('Log in')}", tr("with your claimed name")),
            Item("settings", f"N  {tr('Settings')}", tr("language, colours …")),
            Item("rules", f"r  {tr('Rules')}", tr("of the three games")),
            Item("help", f"?  {tr('Help')}", tr("the keys")),
            Item("quit", f"q  {tr('Quit')}"),
        ]

    def choose(self, start: Start) -> None:
        self.post_message(self.Chosen(start))

    def on_mount(self) -> None:
        if self._start.kind == "menu" and self.shell.settings.is_first_start:
            if not self._start.searching:  # that user has been invited: the mark waits for the server that is found
                self.query_one(Menu).mark("tutorial")
            self.show_notice(Phrase("New here? Press g for two guided rounds of a game."), sticky=True)

    def offer_menu(self) -> None:
        """Show the menu: nothing starts by itself any more."""
        if self._starts_at_once:
            self._starts_at_once = False
            self.query_one(Menu).display = True
            self.query_one(Menu).focus()

    def allows_action(self, action: str) -> bool:
        return not (self._starts_at_once and action in _CHOICES)  # there is no menu then

    @property
    def meaning(self) -> Hashable:
        return self._starts_at_once

    def painted(self) -> None:
        """Do what takes time, once the screen is on the terminal."""
        if not self._was_painted:
            self._was_painted = True
            call_after(self, _FLUSH_SECONDS, self._after_paint)

    def _after_paint(self) -> None:
        self.post_message(self.Painted())
        if self._start.kind == "menu":
            if self.shell.settings.is_first_start:
                self.shell.settings.note_first_start()
            self._search()

    def retranslate(self) -> None:
        self._show_items()
        super().retranslate()

    async def on_menu_taken(self, message: Menu.Taken) -> None:
        """Run the action of the chosen item, or join the chosen server."""
        server = None if self._servers is None else self._servers.find(message.item)
        if server is not None:
            self.shell.request(self._join_found(server))
        else:
            await self.run_action(f"do({message.item!r})")

    # --- the local network ------------------------------------------------------------------------------

    def on_screen_resume(self) -> None:
        """Offer the menu once the page that covered this one is gone; search the local network again."""
        if self._was_painted:
            self.offer_menu()
        if self._servers is not None:
            self._search()

    async def on_screen_suspend(self) -> None:
        """Search no longer while another page is in front."""
        if self._servers is not None and self.shell.screen is not self:
            await self._servers.close()

    async def on_unmount(self) -> None:
        if self._servers is not None:
            await self._servers.close()

    def _search(self) -> None:
        """Search the local network; nothing of it is loaded before the first paint."""
        if self._browse is None:
            self._say_missing()
            return
        from scoville_client.tui.screens.start.servers import SEARCH_SECONDS, LanServers

        if self._servers is None:
            self._servers = LanServers(self._browse, self._servers_changed)
        self.run_worker(self._servers.open(), exit_on_error=False)
        self._searched = False
        call_after(self, SEARCH_SECONDS, self._end_of_search)

    def _say_missing(self) -> None:
        """Say what to install, to a user who has asked for the servers on the local network."""
        if self._start.searching:
            from scoville_client.transport.lan.browser import missing_zeroconf

            self.query_one("#lan", Static).update(missing_zeroconf())

    def _end_of_search(self) -> None:
        self._searched = True
        self.when_mounted(self._show_items)

    def _servers_changed(self) -> None:
        self.when_mounted(self._show_items)

    def _show_items(self) -> None:
        """Show the menu with the servers, and where to type what if there are none."""
        menu, items = self.query_one(Menu), self.items()
        known = {item.id for item in menu.items}
        menu.fill(items)
        menu.fit(self.size.height - (_AROUND if self.has_class(_TALL) else _CLOSELY))
        found = next((item.id for item in items if item.id not in known), None)
        if found is not None and self._start.searching and menu.index == 0:
            menu.mark(found)
        hint = self.query_one("#lan", Static)
        hint.update(self._servers.hint() if self._servers is not None and self._searched else "")

    async def _join_found(self, server: "FoundServer") -> None:
        from scoville_client.transport.known_servers import KnownServers
        from scoville_client.transport.lan.reach import find_reachable_address

        address = await find_reachable_address(server, KnownServers.of_user(), self.shell.clock)
        self.choose_destination(address, self._start.name)
