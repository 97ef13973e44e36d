"""Hooks of Textual's Screen: opened with one layout and one painting, and quiet while it is removed.

Textual lays a screen that is opened out and paints it two or three times.
"""

from asyncio import Task, create_task, wait
from collections.abc import Generator
from typing import Any, TypeVar

from textual.css.query import NoMatches
from textual.events import ScreenResume
from textual.geometry import Size
from textual.message import Message
from textual.screen import Screen
from textual.widget import AwaitMount, MountError, Widget

T = TypeVar("T")


class BottomScreen(Screen[None]):
    """Textual's own screen below all of ours: it shows nothing, so it is neither laid out nor painted."""

    def _refresh_layout(self, *args: Any, **options: Any) -> None:
        """Do nothing: it would lay out the whole screen, for widgets that are never seen."""


class Mounting(AwaitMount):
    """Waits until widgets are mounted. Textual's own then lays the whole screen out again and paints it."""

    def __await__(self) -> Generator[None, None, None]:
        return self._wait_for_widgets().__await__()

    async def _wait_for_widgets(self) -> None:
        waits: list[Task[bool]] = [create_task(widget._mounted_event.wait()) for widget in self._widgets]  # noqa: SLF001
        if waits:
            await wait(waits)


class HookedScreen(Screen[T]):
    """A screen that is laid out when it comes to the front, and then only for a reason."""

    @property
    def is_leaving(self) -> bool:
        """Whether the screen is being removed, or has been: messages that still reach it find no widgets."""
        app = self.app
        # Textual mounts no widgets any more once its app has been told to end.
        return self._pruning or app._exit or self not in app.screen_stack or not app.is_running  # noqa: SLF001

    async def mount_composed_widgets(self, widgets: list[Widget]) -> None:
        """Mount the composed widgets; the screen comes to the front after that."""
        if widgets:
            await Mounting(self, self.app._register(self, *widgets))  # noqa: SLF001

    def _on_screen_resume(self, event: ScreenResume) -> None:
        """Come to the front: lay everything out for another size, else paint it."""
        # The handler of Textual would lay everything out once more.
        event.prevent_default()
        self.stack_updates += 1
        self._update_auto_focus()
        if self.is_attached:
            self._adopt_breakpoints()
            if event.refresh_styles:
                self.update_node_styles(animate=False)
            if self._size == self.app.size:
                self.refresh()
            else:
                self._refresh_layout(self.app.size)

    def _adopt_breakpoints(self) -> None:
        """Take the classes of the window's size now: Textual takes them after the first picture, which then jumps."""
        for breakpoints, cells in (
            (self.HORIZONTAL_BREAKPOINTS or [], self.app.size.width),
            (self.VERTICAL_BREAKPOINTS or [], self.app.size.height),
        ):
            met = self._get_breakpoint_classes(cells, breakpoints)
            self.update_classes({name: name in met for _, name in breakpoints}, animate=False)

    def _screen_resized(self, size: Size) -> None:
        """Lay everything out for another size, unless that was done before this event came."""
        if self._compositor.size != size:
            super()._screen_resized(size)

    async def _dispatch_message(self, message: Message) -> None:
        """Drop messages that reach the screen while it is removed."""
        try:
            await super()._dispatch_message(message)
        except (NoMatches, MountError):
            if not self.is_leaving:
                raise

    async def _message_loop_exit(self) -> None:
        """End what the screen waits for before its widgets end: an answer would find none."""
        self.workers.cancel_node(self)
        await super()._message_loop_exit()
