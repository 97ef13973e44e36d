"""Hooks of Textual's App: what is painted, faults, the driver, and screens that are mounted with one layout."""

import asyncio
import sys
from collections.abc import Callable, Iterable
from typing import Any

from textual.app import App
from textual.dom import DOMNode
from textual.driver import Driver
from textual.message_pump import MessagePump
from textual.screen import Screen
from textual.theme import Theme
from textual.widget import AwaitMount, Widget
from textual.worker import Worker

from scoville_client.tui.textual_hooks.screen import BottomScreen, Mounting
from scoville_runtime.clock import SYSTEM


class HookedApp(App[int]):
    """An App whose subclasses see each picture before and after it is written, and every widget that is made."""

    _theme_in_use: Theme | None = None

    def __init__(self) -> None:
        super().__init__()
        # Else Textual adds two widgets to each screen, and lays it out once more.
        self._disable_tooltips = self._disable_notifications = True
        self.fault: BaseException | None = None
        self.end_task: asyncio.Task[Any] | None = None

    @property
    def driver(self) -> Driver | None:
        """The driver, once there is one."""
        return self._driver

    @property
    def is_ending(self) -> bool:
        """Whether the app was told to end: Textual mounts no widgets any more."""
        return self._exit

    @property
    def current_theme(self) -> Theme:
        """The theme in use. Textual asks for it at each row that it draws, and would copy the list of all themes."""
        found = self._theme_in_use
        if found is None or found.name != self.theme:
            found = self._theme_in_use = super().current_theme
        return found

    # --- pictures -----------------------------------------------------------------------------------------

    def change_picture(self, picture: Any) -> Any:
        """Return the picture to write in place of another; None for nothing."""
        return picture

    def note_written(self, screen: Screen[Any], started_at: float) -> None:
        """Note that a picture of a screen was written, since seconds `started_at` on the clock that stamps events."""

    def _display(self, screen: Screen[object], renderable: Any) -> None:
        started_at = SYSTEM.seconds()  # a user who reads the screen may answer before the writing has returned
        picture = None if renderable is None else self.change_picture(renderable)
        super()._display(screen, picture)
        if picture is not None and not self._batch_count:  # in a batch Textual writes nothing
            self.note_written(screen, started_at)

    def _end_batch(self) -> None:
        """Paint the layout from while the start held all painting back: our screens are not laid out again."""
        super()._end_batch()
        if not self._batch_count and self.screen_stack:
            self.screen.refresh()

    def _set_pointer_shape(self, shape: str) -> None:
        """Leave the pointer of the mouse alone: old terminals would print the sequence."""

    # --- screens and widgets ------------------------------------------------------------------------------

    def note_widget(self, widget: DOMNode) -> None:
        """Note a widget that was made."""

    def get_default_screen(self) -> Screen[None]:
        return BottomScreen(id="_default")

    def _get_screen(self, screen: Screen[Any] | str) -> tuple[Screen[Any], AwaitMount]:
        """Register a screen that is opened, without a second layout for it."""
        if isinstance(screen, str) or screen.is_running:
            return super()._get_screen(screen)
        mounting = Mounting(screen, self._register(self, screen))
        self.call_next(mounting)
        return screen, mounting

    def _register_child(self, parent: DOMNode, child: Any, before: int | None, after: int | None) -> None:
        self.note_widget(child)
        super()._register_child(parent, child, before, after)

    def _start_widget(self, parent: Widget, widget: Widget) -> None:
        self.note_widget(widget)  # scroll bars come only by here: no widget has them as its children
        super()._start_widget(parent, widget)

    # --- the start and the end ----------------------------------------------------------------------------

    def prepare_loop(self) -> None:
        """Prepare the event loop before the first message."""

    async def _process_messages(self, *args: Any, **options: Any) -> None:
        self.prepare_loop()
        await super()._process_messages(*args, **options)

    async def _shutdown(self) -> None:
        """Note the task of the end: Textual shields it, so that it goes on when the task of the app is cancelled."""
        self.end_task = asyncio.current_task()
        await super()._shutdown()

    def _fatal_error(self) -> None:
        """Keep the exception until the terminal is restored; Textual would print it with all local variables."""
        self.fault = self.fault or sys.exc_info()[1] or self._exception
        self._close_messages_no_wait()

    def panic(self, *renderables: object) -> None:  # noqa: ARG002 - what Textual would print
        """Treat exceptions that can render themselves like all others."""
        self._fatal_error()


async def dismantle_app(pumps: Iterable[Any]) -> None:
    """Empty an app and all of its widgets, which refer to each other in circles.

    Only a collection of the oldest generation would find these, and it stops all users of a process.
    """
    emptied: list[MessagePump] = list(pumps)
    tasks = [pump._task for pump in emptied]  # noqa: SLF001
    for app in (pump for pump in emptied if isinstance(pump, HookedApp)):
        # Requests too: one that connects would go on, and its connection would live as long as the process.
        tasks += [app.end_task, *(worker._task for worker in app.workers)]  # noqa: SLF001
    others = {*tasks} - {None, asyncio.current_task()}
    unfinished = [task for task in others if task is not None and not task.done()]
    for task in unfinished:  # a session that was cancelled has not ended its widgets
        task.cancel()
    if unfinished:
        await asyncio.wait(unfinished)
    for pump in emptied:
        pump.__dict__.clear()
        pump._closing = pump._closed = True  # noqa: SLF001 - a late timer still posts messages, which this drops
        pump._running = False  # noqa: SLF001


def call_at_end(worker: Worker[Any], callback: Callable[[object], object]) -> None:
    """Call something once a worker has ended, also before it began: only its task says so."""
    if worker._task is not None:  # noqa: SLF001
        worker._task.add_done_callback(callback)  # noqa: SLF001
