"""Base of all screens: global keys, retranslation, and a sentence instead of the screen in too small a terminal."""

from collections.abc import Callable, Hashable, Mapping
from inspect import isawaitable
from typing import TYPE_CHECKING, ClassVar, Final, TypeVar, cast

from textual import on
from textual.binding import BindingType
from textual.events import Resize
from textual.widget import Widget

from scoville_client.i18n.language import tr
from scoville_client.i18n.wrapping import wrap_lines
from scoville_client.tui.actions import screen_bindings
from scoville_client.tui.drawing.canvas import Canvas
from scoville_client.tui.shell import Shell
from scoville_client.tui.textual_hooks.screen import HookedScreen
from scoville_client.tui.widgets.canvas_widget import COLUMN, CanvasWidget
from scoville_client.tui.widgets.key_hints import KeyHints
from scoville_client.tui.widgets.live_text import LiveText

if TYPE_CHECKING:
    from scoville_client.session.changes import Change

MINIMUM = (46, 19)
"""Columns and rows of the smallest terminal that the screens are made for."""
COLUMN_FROM = 120
"""Columns from which on a table has its log and its chat in a column beside it."""
WITH_COLUMN: Final = [(COLUMN_FROM, COLUMN)]
"""The breakpoints of screens with such a column."""
T = TypeVar("T")
W = TypeVar("W", bound=Widget)
KeyActions = Mapping[str, Callable[[], object]]
"""Functions to call for each action; an awaitable that is returned is awaited."""


class TooSmall(CanvasWidget):
    """The sentence that replaces a screen in too small a terminal."""

    def draw(self, width: int, height: int) -> Canvas:
        canvas = Canvas(width, height)
        screen = cast("BaseScreen[object]", self.screen)
        for y, row in enumerate(wrap_lines(screen.small_text, width)):
            canvas.put(0, y, row, "text")
        return canvas


def actions_everywhere(shell: Shell, context: str) -> KeyActions:
    """Return the functions of the keys that work on every screen; `context` is that of the help."""
    return {
        "chat": shell.navigation.open_chat,
        "help": lambda: shell.navigation.open_help(context),
        "language": shell.settings.show_next_language,
        "leaderboards": shell.navigation.open_leaderboards,
        "clubs": shell.navigation.open_clubs,
        "palette": shell.navigation.open_palette,
        "quit": shell.action_quit,
        "redraw": shell.action_redraw,
        "rules": shell.navigation.open_rules,
        "settings": shell.navigation.open_settings,
        "suspend_process": shell.action_suspend_process,
        "theme": shell.settings.show_next_theme,
    }


class BaseScreen(HookedScreen[T]):
    """A screen of the client; subclasses are pages and dialogs."""

    BINDINGS: ClassVar[list[BindingType]] = [*screen_bindings("everywhere")]
    KEY_CONTEXT = "everywhere"
    """The context of the key registry (`tui/actions.py`) whose keys work here."""
    SMALL_KEYS: ClassVar[frozenset[str]] = frozenset()
    """Keys that `small_text` names, in too small a terminal; all others except those that quit do nothing there."""
    _focused_before: Widget | None = None

    @property
    def shell(self) -> Shell:
        """The client around the screen."""
        return cast("Shell", self.app)

    def on_idle(self) -> None:
        self.shell.check_keys()

    def when_mounted(self, action: Callable[[], object]) -> None:
        """Call `action` now, or once the screen has its widgets; never when it is being removed."""
        if not self.is_mounted:
            self.call_later(self.when_mounted, action)
        elif self.is_open:
            action()

    @property
    def is_open(self) -> bool:
        """Whether the screen has its widgets: it is mounted and not being removed."""
        return self.is_mounted and not self.is_leaving

    def children_of(self, kind: type[W]) -> list[W]:
        """Return the direct children of a kind: keys ask several times each, and a query would look at every widget."""
        return [child for child in self.children if isinstance(child, kind)]

    @property
    def in_front(self) -> bool:
        """Whether no other screen is open above this one."""
        stack = self.app.screen_stack
        return bool(stack) and stack[-1] is self

    @property
    def meaning(self) -> Hashable:
        """The present meaning of this screen's keys, as far as other users can change it: see `key_input`."""
        return None

    @property
    def small_text(self) -> str:
        """The sentence to show in too small a terminal."""
        return tr(
            "This terminal is too small: it has {size}, Scoville needs {wanted}. Enlarge it, or press q to quit.",
            size=f"{self.size.width} x {self.size.height}",
            wanted=f"{MINIMUM[0]} x {MINIMUM[1]}",
        )

    @on(Resize)  # subclasses have an `on_resize` of their own: Textual calls the handlers of every class
    def _adopt_size(self, event: Resize) -> None:
        """Show the sentence about the size in too small a terminal, and give the focus back afterwards."""
        small = event.size.width < MINIMUM[0] or event.size.height < MINIMUM[1]
        if small == self.has_class("-small"):
            return
        if small:
            # A line of text that nobody sees would take the letters that quit.
            self._focused_before = self.focused
            self.set_focus(None)
        self.set_class(small, "-small")
        if not small and self.focused is None and self._focused_before is not None:
            # A board may have gone meanwhile, with its game.
            self.set_focus(self._focused_before if self._focused_before.is_attached else None)

    # --- keys ---------------------------------------------------------------------------------------------

    def key_actions(self) -> KeyActions:
        """Return the functions of this screen's keys, by the ids of their actions in the key registry."""
        return actions_everywhere(self.shell, self.KEY_CONTEXT)

    def allows_action(self, action: str) -> bool:  # noqa: ARG002 - most screens allow all of theirs
        """Return whether an action is possible now."""
        return True

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return self.allows_action(str(parameters[0])) if action == "do" else super().check_action(action, parameters)

    async def action_do(self, name: str) -> None:
        done = self.key_actions()[name]()
        if isawaitable(done):
            await done

    def session_changed(self, change: "Change") -> None:
        """Show a change of the session."""

    def retranslate(self) -> None:
        """Write every text in the current language.

        In place, never by composing again: a request that is under way would find no widget for its answer.
        """
        for text in self.query(LiveText):
            text.retranslate()
        for hints in self.query(KeyHints):
            hints.rewrite_hints()
        for widget in self.query(CanvasWidget):
            widget.repaint()
