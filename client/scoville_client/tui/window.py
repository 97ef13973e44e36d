"""Window: the App with its stack of pages and dialogs, notices, preferences and keys; it knows no session."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, ClassVar, TypeVar

from rich.console import RenderableType
from textual.binding import BindingType
from textual.events import Event, Key, MouseEvent
from textual.screen import ModalScreen, Screen

from scoville_client.settings.file import SettingsFile
from scoville_client.settings.terminals import Measured
from scoville_client.tui import STYLES, mouse
from scoville_client.tui.drawing.key_names import key_list
from scoville_client.tui.key_filter import KeyFilter
from scoville_client.tui.request import Request
from scoville_client.tui.screens.base import BaseScreen
from scoville_client.tui.screens.dialogs.dialog import Dialog
from scoville_client.tui.screens.page import Page
from scoville_client.tui.terminal import glyphs
from scoville_client.tui.terminal.preferred_app import PreferredApp
from scoville_runtime.clock import SYSTEM, Clock
from scoville_shared.engine.phrases import Phrase

T = TypeVar("T")
_QUITTING = ("q", "ctrl+q", "ctrl+c")
"""Keys that quit where the window is too small to show anything else."""
_MOST_DIALOGS = 6
"""Dialogs over each other; our own paths need four."""
_FIRST = 2
"""Screens that are never removed: Textual's own, and our first."""


class Window(PreferredApp):
    """Shows pages.

    `settings` keeps preferences, `measured` is what is known of the terminal, `clock` the time of all screens.
    """

    CSS_PATH = STYLES / "screens.tcss"
    TITLE = "Scoville"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = []

    def __init__(
        self,
        *,
        translation: glyphs.Table | None = None,
        settings: SettingsFile | None = None,
        measured: Measured | None = None,
        clock: Clock = SYSTEM,
    ) -> None:
        super().__init__(translation=translation, settings=settings, measured=measured)
        self.clock = clock
        self._keys = KeyFilter(self, self.preferences.keys)
        self.set_keymap({action: ",".join(key_list(keys)) for action, keys in self.preferences.keys.items()})
        self._last_page: Page | None = None

    # --- pages and dialogs ------------------------------------------------------------------------------

    @property
    def pages(self) -> list[Page]:
        """The pages that are open, the one in front last."""
        return [screen for screen in self.screen_stack if isinstance(screen, Page)]

    @property
    def page(self) -> Page:
        """The page in front, perhaps beneath dialogs. While the client ends, the last one, which shows nothing more."""
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
        """Show a page over the one in front; dialogs that were opened before it are closed, not covered."""
        await self.pop_to(lambda screen: isinstance(screen, Page))
        await self.push_screen(page)

    def close_page(self, page: Screen[Any]) -> None:
        """Close a page soon, if it is still in front, and show what lies beneath.

        It is not awaited: a screen is removed once it has handled its messages, so one that waited for that while it
        handles one would wait for ever, and the client with it.
        """
        self.call_later(self._close_page, page)

    async def _close_page(self, page: Screen[Any]) -> None:
        if page is self.screen:
            await self.pop_screen()

    def push_screen(self, screen: Any, *args: Any, **options: Any) -> Any:
        """Show a screen over the others; but no second dialog of the same kind, and no tower of dialogs.

        Each dialog is drawn over a picture of all those beneath it: forty of them are more than Python's stack holds.
        A dialog that is not shown answers None.
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

    def open_dialog(self, dialog: ModalScreen[T], on_close: Callable[[T | None], object] | None = None) -> None:
        """Open a dialog and pass its result to `on_close`."""
        self.push_screen(dialog, on_close)

    async def ask(self, dialog: ModalScreen[T]) -> T | None:
        """Open a dialog and wait for its result; only in a worker, such as that of `request`."""
        return await self.push_screen_wait(dialog)

    # --- notices and requests ---------------------------------------------------------------------------

    def show_notice(self, sentence: str | Phrase, *, error: bool = False, sticky: bool = False) -> None:
        """Show a sentence until the next key, or until it is replaced if it is `sticky`; an empty one hides it."""
        self.page.show_notice(sentence, error=error, sticky=sticky)

    def announce(self, sentence: str) -> None:
        """Show a sentence until a key is pressed, whatever else is shown or happens meanwhile."""
        self.page.announce(sentence)

    def show_suspend_refusal(self, reason: str) -> None:
        """Show on the page why the process is not suspended."""
        self.show_notice(reason, error=True)

    def request(self, awaited: Awaitable[object]) -> None:
        """Await a request of the server in the background; show on the page why it was refused."""
        Request(awaited, lambda _: None, lambda sentence: self.show_notice(sentence, error=True)).start(self)

    # --- keys -------------------------------------------------------------------------------------------

    async def on_event(self, event: Event) -> None:
        """Drop keys that cannot have been meant; dismiss notices that were read before this key. A click is a key."""
        if isinstance(event, MouseEvent) and not event.is_forwarded and not mouse.is_for_text(self, event):
            key = mouse.key_of(self, event) if self.uses_mouse else None
            if key is not None:
                await self.on_event(key)
            return
        if isinstance(event, Key) and not event.is_forwarded:
            if self._exit or not self._keys.takes(event):
                return
            self.key_pressed()
            front = self._front
            if front.has_class("-small") and event.key not in front.SMALL_KEYS:
                if event.key in _QUITTING:
                    await self.action_quit()
                return
        await super().on_event(event)

    def on_key(self, event: Key) -> None:
        """Drop keys whose meaning has changed while they waited for their turn."""
        if self._exit or not self._keys.admits(event):
            event.prevent_default()

    def on_target_clicked(self, event: mouse.TargetClicked) -> None:
        """Do what was clicked, unless its meaning has changed while it waited."""
        if not self._exit and self._keys.admits(event) and event.widget.is_attached:
            event.widget.clicked(event.target)

    def on_idle(self) -> None:
        self.check_keys()

    def check_keys(self) -> None:
        """Paint the screen in front if its keys mean something new, and nothing on it is drawn again for that."""
        self._keys.catch_up()

    def key_pressed(self) -> None:
        """Dismiss notices: the user has seen them."""
        for page in self.pages:
            page.dismiss_notice()
        if self.screen is self.page:  # under a dialog it may not have been read
            self.page.dismiss_announcements()

    @property
    def up_to_date(self) -> bool:
        """Whether the terminal shows what keys mean now; until it does they are dropped."""
        return self._exit or self._keys.up_to_date

    @property
    def _front(self) -> BaseScreen[object]:
        front = self.screen
        assert isinstance(front, BaseScreen), "keys are taken once a screen of ours is shown"
        return front

    def _display(self, screen: Screen[object], renderable: RenderableType | None) -> None:
        """Note that a screen was painted. A hook of Textual's: `test_questions.py` holds it to that."""
        handed_over_at = self._keys.now()  # before it is written: who reads the screen may answer before this returns
        super()._display(screen, renderable)
        if renderable is not None and not self._batch_count:
            self._keys.painted(screen, handed_over_at)
            if isinstance(screen, Page):
                screen.painted()

    # --- preferences ------------------------------------------------------------------------------------

    def refuse_preferences(self, sentence: str) -> None:
        self.show_notice(sentence, error=True)

    def retranslate(self) -> None:
        for screen in self.screen_stack:
            if isinstance(screen, BaseScreen):
                screen.when_mounted(screen.retranslate)
