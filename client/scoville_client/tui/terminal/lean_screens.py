"""Lean screens: opened with one layout and one painting of everything. Textual does each two or three times.

Hooks of Textual's; `test_lean_screens.py` checks them.
"""

from asyncio import Task, create_task, wait
from collections.abc import Generator
from typing import Any, TypeVar

from textual.events import ScreenResume
from textual.geometry import Size
from textual.screen import Screen
from textual.widget import AwaitMount, Widget

T = TypeVar("T")


class Beneath(Screen[None]):
    """The screen of Textual's own beneath all of ours: it shows nothing, so that it is neither laid out nor painted."""

    def _refresh_layout(self, *args: Any, **options: Any) -> None:
        """Lay nothing out."""


class Mounting(AwaitMount):
    """Waits until widgets are mounted. Textual's own then lays the whole screen out again and paints it."""

    def __await__(self) -> Generator[None, None, None]:
        return self._wait().__await__()

    async def _wait(self) -> None:
        waits: list[Task[bool]] = [create_task(widget._mounted_event.wait()) for widget in self._widgets]  # noqa: SLF001
        if waits:
            await wait(waits)


class LeanScreen(Screen[T]):
    """A screen that is laid out when it comes to the front, and then only for a reason."""

    async def mount_composed_widgets(self, widgets: list[Widget]) -> None:
        """Mount what was composed; the screen comes to the front after that."""
        if widgets:
            await Mounting(self, self.app._register(self, *widgets))  # noqa: SLF001

    def _on_screen_resume(self, event: ScreenResume) -> None:
        """Come to the front: lay everything out for another size, else paint it."""
        event.prevent_default()
        self.stack_updates += 1
        self._update_auto_focus()
        if self.is_attached:
            if event.refresh_styles:
                self.update_node_styles(animate=False)
            if self._size == self.app.size:
                self.refresh()
            else:
                self._refresh_layout(self.app.size)

    def _screen_resized(self, size: Size) -> None:
        """Lay everything out for another size, unless that was done before this event came."""
        if self._compositor.size != size:
            super()._screen_resized(size)
