"""The App without a session: looks, languages, dialogs that any page may open, notices that go away, and faults."""

import asyncio
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from msgspec.structs import replace
from rich.console import RenderableType
from textual.app import App
from textual.binding import BindingType
from textual.driver import Driver
from textual.events import Event, Key
from textual.screen import Screen

from scoville_client.clock import REAL, Clock
from scoville_client.i18n.language import following, speak
from scoville_client.session.preferences import Preferences, load_preferences, save_preferences
from scoville_client.tui import STYLES
from scoville_client.tui.actions import ACTIONS, Action
from scoville_client.tui.boards.actions import USUAL
from scoville_client.tui.key_gate import KeyGate, Scene
from scoville_client.tui.notifications import has_titles
from scoville_client.tui.screens.page import Common, Dialog, Page
from scoville_client.tui.terminal import glyphs
from scoville_client.tui.terminal.colourless import colourless
from scoville_client.tui.terminal.hangup import detecting_hangup
from scoville_client.tui.terminal.restore import Ending, ended_by_signals, restoring
from scoville_client.tui.terminal.title import titled
from scoville_client.tui.themes import DARK, LIGHT, without_colour

_QUITTING = ("q", "ctrl+q", "ctrl+c")
"""Keys that quit where the window is too small to show anything else."""
_OPENING = {"help", "rules", "log", "theme", "likes", "language", "chat", "company", "quit"}
_DECIDE_NOTHING = frozenset(key for action in ACTIONS if action.id in _OPENING for key in action.keys.split(","))
"""Keys that only open something on every page: they may be typed while the table changes."""
_MOST_DIALOGS = 6
"""Dialogs over each other; our own paths need four."""
_FIRST = 2
"""Screens that are never left behind: Textual's own, and our first."""
MOST_KEYS_WAITING, MOST_LETTERS_WAITING = 64, 1_024
"""Keys that may wait to be handled, and letters for a line of text; a paste that is not marked as one is thousands."""


class Window(App[int]):
    """Shows pages.

    `translation` replaces signs that the terminal lacks, `remembers` keeps settings between runs, and `clock` is the
    time of all screens.
    """

    CSS_PATH = STYLES / "screens.tcss"
    TITLE = "Scoville"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = []

    def __init__(
        self, *, translation: glyphs.Table | None = None, remembers: bool = False, clock: Clock = REAL
    ) -> None:
        self._translation = translation
        super().__init__()
        self.clock = clock
        self.ending = Ending(self)
        self._gate = KeyGate(REAL.now)  # the clock by which Textual stamps events
        self._last_page: Page | None = None
        self._fault: BaseException | None = None
        self._remembers = remembers
        self._likes = load_preferences() if remembers else Preferences()
        for theme in (DARK, LIGHT):
            self.register_theme(without_colour(theme) if self.no_color else theme)
        self.theme = LIGHT.name if self._likes.light else DARK.name

    def show(self) -> int:
        """Run until the person quits; returns the exit status. A fault of ours is one sentence on stderr."""
        with ended_by_signals(self, self.ending):
            status = self.run(mouse=False) or self.return_code or 0  # keys do everything; a mouse can select text
        if self._fault is not None:
            from scoville_client.crash import report

            report(self._fault)
        return status

    @property
    def drain_seconds(self) -> float:
        """How long other people get to finish their moves before the client ends."""
        return 0.0

    def finish(self, status: int = 0) -> None:
        """End with an exit status, once other people have finished; a second call ends that wait."""
        self.exit(status)

    def get_driver_class(self) -> type[Driver]:
        """Give the driver of this platform; in what it writes, colours and signs that are not wanted are replaced."""
        driver = restoring(super().get_driver_class())
        if os.name == "posix":
            driver = detecting_hangup(driver)
        if has_titles():
            driver = titled(driver)
        if self.no_color:
            driver = colourless(driver)
        return driver if self._translation is None else glyphs.translating(driver, self._translation)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Name the colours that our themes have beyond Textual's."""
        return DARK.variables

    def write_to_terminal(self, sequence: str) -> None:
        """Write what is drawn nowhere: the bell, the title. Whoever calls answers for what is in it."""
        if self._driver is not None:
            self._driver.write(sequence)

    def action_suspend_process(self) -> None:
        """Give the terminal back to the shell until `fg`; nothing of this process runs meanwhile."""
        reason = self.keeps_running
        if reason:
            self.page.tell(reason, bad=True)
        else:
            super().action_suspend_process()

    @property
    def keeps_running(self) -> str:
        """Say why the process must not be suspended; empty where it may."""
        return ""

    # --- pages ------------------------------------------------------------------------------------------

    @property
    def pages(self) -> list[Page]:
        """The pages that are open, the one in front last."""
        return [screen for screen in self.screen_stack if isinstance(screen, Page)]

    @property
    def page(self) -> Page:
        """The page in front; a dialog may lie over it. At the client's end, the last one: it shows nothing more."""
        self._last_page = next(reversed(self.pages), self._last_page)
        assert self._last_page is not None, "there is a page once the client runs"
        return self._last_page

    async def pop_to(self, wanted: Callable[[Screen[object]], bool]) -> None:
        """Go back to the first screen beneath that is wanted; dialogs above it are closed without an answer."""
        while len(self.screen_stack) > _FIRST and not wanted(self.screen_stack[-1]):
            front = self.screen_stack[-1]
            if isinstance(front, Dialog) and not front.answered:
                await front.dismiss(None)
            else:
                await self.pop_screen()

    async def show_page(self, page: Page) -> None:
        """Show a page over the one in front; dialogs that were opened before it came are closed, not covered."""
        await self.pop_to(lambda screen: isinstance(screen, Page))
        await self.push_screen(page)

    def push_screen(self, screen: Any, *args: Any, **options: Any) -> Any:
        """Show a screen over the others; but no second dialog of the same kind, and no tower of dialogs.

        Each dialog is drawn over a picture of all those beneath it: forty of them are more than Python's stack holds.
        What is not shown answers None to whoever waits for it.
        """
        if not isinstance(screen, Dialog) or self._has_room_for(screen):
            return super().push_screen(screen, *args, **options)
        nothing: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        nothing.set_result(None)
        return nothing

    def _has_room_for(self, dialog: Dialog[Any]) -> bool:
        open_ones = [screen for screen in self.screen_stack if isinstance(screen, Dialog) and not screen.answered]
        again = bool(open_ones) and type(open_ones[-1]) is type(dialog)
        return not again and len(open_ones) < _MOST_DIALOGS

    # --- keys -------------------------------------------------------------------------------------------

    async def on_event(self, event: Event) -> None:
        """Drop keys that nobody can have meant; take away what was told before the key that is pressed now."""
        if isinstance(event, Key) and not event.is_forwarded:
            if self._exit or not self._takes(event):
                return
            self._key_taken()
            if self._is_small and event.key not in self._front.SMALL_KEYS:
                if event.key in _QUITTING:
                    await self.action_quit()
                return
        await super().on_event(event)

    def on_key(self, event: Key) -> None:
        """Drop keys whose meaning has changed while they waited for their turn."""
        if self._exit or not self._admits(event):
            event.prevent_default()

    def _key_taken(self) -> None:
        self.somebody_is_here()
        for page in self.pages:
            page.forget()
        if self.screen is self.page:  # under a dialog it may not have been read
            self.page.forget_announced()

    def _takes(self, event: Key) -> bool:
        """Say whether a key is handled: it was meant for what is shown, and not too many others wait.

        Letters for a line of text only appear on it; they may come before it is painted.
        """
        if self._scene is None:
            return False
        focused = self.focused
        if focused is not None and focused.check_consume_key(event.key, event.character):
            return self.message_queue_size < MOST_LETTERS_WAITING
        return self.message_queue_size < MOST_KEYS_WAITING and self._admits(event)

    def _admits(self, event: Key) -> bool:
        scene = self._scene
        if scene is None:
            return False
        if not self._gate.shows(scene):
            self.screen.refresh()  # else it might never be painted, and no key be taken any more
        return self._gate.admits(scene, event.time, decides=event.key not in _DECIDE_NOTHING)

    @property
    def up_to_date(self) -> bool:
        """Whether the terminal shows what keys mean now; until it does they are dropped."""
        return self._exit or (self._scene is not None and self._gate.shows(self._scene))

    @property
    def _scene(self) -> Scene | None:
        """What keys act on now; None while the client starts or ends."""
        front = self.screen_stack[-1] if self.screen_stack else None
        return Scene((front, front.has_class("-small")), front.meaning) if isinstance(front, Common) else None

    @property
    def _front(self) -> Common[object]:
        front = self.screen
        assert isinstance(front, Common), "keys are taken once a screen of ours is shown"
        return front

    @property
    def _is_small(self) -> bool:
        return self._front.has_class("-small")

    def _display(self, screen: Screen[object], renderable: RenderableType | None) -> None:
        """Note what is painted. A hook of Textual's: `test_questions.py` holds it to that."""
        super()._display(screen, renderable)
        if renderable is not None and not self._batch_count and self._scene is not None and screen.is_mounted:
            self._gate.painted(self._scene)

    def somebody_is_here(self) -> None:
        """Learn that a key was pressed."""

    # --- dialogs ----------------------------------------------------------------------------------------

    def show_help(self, where: str, own: Sequence[Action] = USUAL) -> None:
        """Show the help of a place over what is there; `own` are the keys of the game that is played."""
        from scoville_client.tui.screens.help.help import HelpDialog

        self.push_screen(HelpDialog(where, own))

    def show_rules(self) -> None:
        """Show the rules of the game that is played, at the page that fits the moment."""
        from scoville_client.tui.screens.help.rules import RulesDialog

        self.push_screen(RulesDialog(*self.page.rules))

    def show_log(self, lines: Callable[[], Sequence[str]]) -> None:
        """Show the whole story of a table over what is there."""
        from scoville_client.tui.screens.table.log import LogDialog

        self.push_screen(LogDialog(lines))

    def show_likes(self) -> None:
        """Ask what is liked, over what is there."""
        from scoville_client.tui.screens.dialogs.settings import LikesDialog

        self.push_screen(LikesDialog())

    # --- what one likes ---------------------------------------------------------------------------------

    def change_language(self) -> None:
        """Go over to the next language, on every screen at once."""
        speak(following())
        for screen in self.screen_stack:
            if isinstance(screen, Common):
                screen.when_mounted(screen.reword)

    def change_look(self) -> None:
        """Change between the dark and the light look."""
        light = self.theme == DARK.name
        self.theme = LIGHT.name if light else DARK.name
        self._like(replace(self._likes, light=light))

    @property
    def likes(self) -> Preferences:
        """What is liked now."""
        return self._likes

    def like(self, likes: Preferences) -> None:
        """Like something else from now on."""
        self._like(likes)

    @property
    def calm(self) -> bool:
        """Whether stories are to be told with less motion."""
        return self._likes.calm

    def like_calm(self, *, calm: bool) -> None:
        """Keep how much motion a story is to have."""
        self._like(replace(self._likes, calm=calm))

    def _like(self, likes: Preferences) -> None:
        if self._remembers and likes != self._likes:
            save_preferences(likes)
        self._likes = likes

    # --- faults -----------------------------------------------------------------------------------------

    def _fatal_error(self) -> None:
        """Keep the fault until the terminal is the person's again; Textual would print it with all its locals."""
        self._fault = self._fault or sys.exc_info()[1] or self._exception
        self._close_messages_no_wait()

    def panic(self, *renderables: object) -> None:  # noqa: ARG002 - what Textual would print
        """Treat faults that can draw themselves like all others."""
        self._fatal_error()
