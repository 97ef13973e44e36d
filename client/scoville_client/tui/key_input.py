"""Key input: which keys and clicks are handled. None acts on a screen that its user had not seen yet.

Keys wait in queues while a screen is built or an answer is awaited. Their meaning at that moment may be gone by then:
an Enter for the next step of a reveal would play a card of the next round, a `y` would confirm a question that nobody
has read. A click is the key that it stands for, and the wheel is ↑ and ↓.
"""

from collections.abc import Hashable
from typing import NamedTuple

from textual.errors import NoWidget
from textual.events import Event, Key, MouseDown, MouseEvent, MouseMove, MouseScrollDown, MouseScrollUp
from textual.geometry import Offset
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input

from scoville_client.tui.actions import ACTIONS
from scoville_client.tui.drawing.canvas import Press, Target
from scoville_client.tui.drawing.key_names import character_of, key_list
from scoville_client.tui.screens.base import BaseScreen
from scoville_client.tui.textual_hooks.app import HookedApp
from scoville_client.tui.user_settings import UserSettings
from scoville_client.tui.widgets.canvas_widget import CanvasWidget

_OPENING = {
    "help", "rules", "log", "theme", "settings", "language", "chat", "table_users", "invitation", "quit", "palette",
}  # fmt: skip
"""Actions that only open something, or nothing, on every page: their keys may be typed while the table changes."""
MOST_KEYS_WAITING, MOST_LETTERS_WAITING = 64, 1_024
"""Keys that may wait to be handled, and letters for a line of text; a paste that is not marked as one is thousands."""
_QUITTING = ("q", "ctrl+q", "ctrl+c")
"""Keys that quit where the window is too small to show anything else."""
_LEFT = 1
_WHEEL: dict[type[MouseEvent], str] = {MouseScrollUp: "up", MouseScrollDown: "down"}


class Scene(NamedTuple):
    """The target of keys: the screen in front, and what its keys mean as far as other users can change it."""

    screen: Hashable
    meaning: Hashable


class KeyGate:
    """Compares when a key was typed with when the current scene was painted for the first time."""

    def __init__(self) -> None:
        self._scene: Scene | None = None
        self._since = self._screen_since = 0.0

    def note_painted(self, scene: Scene, at: float) -> None:
        """Note that the screen in front shows `scene`, since seconds `at` on the clock that stamps events."""
        if scene == self._scene:
            return
        self._since = at
        if self._scene is None or scene.screen != self._scene.screen:
            self._screen_since = self._since
        self._scene = scene

    def shows_scene(self, scene: Scene) -> bool:
        """Return whether the terminal shows `scene`."""
        return scene == self._scene

    def admits_key(self, scene: Scene, typed_at: float, *, decides: bool = True) -> bool:
        """Return whether a key that was typed at `typed_at` was meant for `scene`.

        A key that decides nothing, such as that of the help, only has to be meant for the screen.
        """
        if decides:
            return self.shows_scene(scene) and typed_at >= self._since
        return self._scene is not None and scene.screen == self._scene.screen and typed_at >= self._screen_since


class TargetClicked(Key):
    """A click on something without a key, such as a card. It waits its turn among the keys, and is filtered as one."""

    def __init__(self, widget: CanvasWidget, target: Target) -> None:
        super().__init__("click", None)
        self.widget = widget
        self.target = target


class KeyInput:
    """Drops keys of an App that were typed before the screen showed what they do, and floods of keys."""

    def __init__(self, app: HookedApp, settings: UserSettings) -> None:
        self._app = app
        self._settings = settings
        self._gate = KeyGate()
        given = settings.preferences.keys
        opening = (key_list(given.get(action.id, action.keys)) for action in ACTIONS if action.id in _OPENING)
        self._decide_nothing = frozenset(key for each in opening for key in each)
        self._awaited: Scene | None = None
        self._hovered: CanvasWidget | None = None
        """The widget that shows the pointer over something."""

    def translate_event(self, event: Event) -> Event | None:
        """Return the event to handle in place of one: the key of a click; None for one that cannot have been meant."""
        handled: Event | None = event
        # Textual forwards events that it has handed to us already: they were judged then.
        if isinstance(event, MouseEvent) and not event.is_forwarded and not self._is_for_text(event):
            if isinstance(event, MouseMove):
                self._mark_hovered(event)
                return None
            handled = self._key_of_mouse(event) if self._settings.uses_mouse else None
        if isinstance(handled, Key) and not handled.is_forwarded:
            self._end_hover()  # keys have moved on, and the pointer has not
            return handled if not self._app.is_ending and self._accepts_key(handled) else None
        return handled

    def is_hidden(self, event: Key) -> bool:
        """Return whether the terminal is too small to show what a key does."""
        front = self._app.screen
        return front.has_class("-small") and isinstance(front, BaseScreen) and event.key not in front.SMALL_KEYS

    def is_quit_key(self, event: Key) -> bool:
        """Return whether a key quits in too small a terminal."""
        return event.key in _QUITTING

    def _accepts_key(self, event: Key) -> bool:
        """Return whether a key is handled: it was meant for the screen in front, and not too many others wait."""
        scene = self._scene
        if scene is None:
            return False
        focused = self._app.focused
        # Letters for a line of text only appear on it: they may come before it is painted.
        if focused is not None and focused.check_consume_key(event.key, event.character):
            return self._app.message_queue_size < MOST_LETTERS_WAITING
        return self._app.message_queue_size < MOST_KEYS_WAITING and self._is_meant_for(scene, event)

    def is_meant(self, event: Key) -> bool:
        """Return whether the screen had shown what a key does when it was typed."""
        scene = self._scene
        return scene is not None and self._is_meant_for(scene, event)

    def _is_meant_for(self, scene: Scene, event: Key) -> bool:
        if not self._gate.shows_scene(scene):
            self._app.screen.refresh()  # else it might never be painted, and no key be taken any more
        return self._gate.admits_key(scene, event.time, decides=event.key not in self._decide_nothing)

    # --- what is painted ----------------------------------------------------------------------------------

    @property
    def up_to_date(self) -> bool:
        """Whether the terminal shows what keys mean now; until it does they are dropped."""
        return self._scene is not None and self._gate.shows_scene(self._scene)

    def note_painted(self, screen: Screen[object], at: float) -> None:
        """Note that a screen was painted, by a picture that was handed to the terminal at that time."""
        scene = self._scene
        if scene is not None and screen.is_mounted:
            self._gate.note_painted(scene, at)
            self._awaited = None

    def request_painting(self) -> None:
        """Paint the screen in front if its keys mean something new for which nothing on it had to be drawn again.

        Called whenever the app or a screen has handled its messages. Each meaning is waited for once: a terminal that
        takes no pictures now gets one when it does.
        """
        scene = self._scene
        if scene is not None and scene != self._awaited and not self._gate.shows_scene(scene):
            self._awaited = scene
            self._app.screen.call_after_refresh(self._paint_scene, scene)

    def _paint_scene(self, scene: Scene) -> None:
        if scene == self._scene and not self._gate.shows_scene(scene):
            self._app.screen.refresh()

    @property
    def _scene(self) -> Scene | None:
        """The screen and state that keys act on now; None while the client starts or ends."""
        front = self._app.screen_stack[-1] if self._app.screen_stack else None
        # A screen that becomes too small to be shown is another scene: a key that was typed before must not act unseen.
        return Scene((front, front.has_class("-small")), front.meaning) if isinstance(front, BaseScreen) else None

    # --- the mouse ----------------------------------------------------------------------------------------

    def _is_for_text(self, event: MouseEvent) -> bool:
        """Return whether Textual handles the event: in a line of text the mouse sets the cursor."""
        return self._app.mouse_captured is not None or isinstance(self._widget_under(event)[0], Input)

    def _key_of_mouse(self, event: MouseEvent) -> Key | None:
        """Return the keys that a click or the wheel stands for, typed when the event happened; None for nothing."""
        key = Key(_WHEEL[type(event)], None) if type(event) in _WHEEL else self._key_of_click(event)
        if key is not None:
            key.time = event.time
        return key

    def _key_of_click(self, event: MouseEvent) -> Key | None:
        if not isinstance(event, MouseDown) or event.button != _LEFT:
            return None
        widget, at = self._widget_under(event)
        target = widget.target_at(at.x, at.y, event.time) if isinstance(widget, CanvasWidget) else None
        if target is None or not isinstance(widget, CanvasWidget):
            return None
        return Key(target.key, character_of(target.key)) if isinstance(target, Press) else TargetClicked(widget, target)

    def _mark_hovered(self, event: MouseMove) -> None:
        """Show the target under the pointer."""
        widget, at = self._widget_under(event) if self._settings.uses_mouse else (None, Offset())
        if widget is not self._hovered:
            self._end_hover()
        if isinstance(widget, CanvasWidget):
            self._hovered = widget
            widget.hover(widget.target_at(at.x, at.y, event.time))

    def _end_hover(self) -> None:
        if self._hovered is not None and self._hovered.is_attached:
            self._hovered.hover(None)
        self._hovered = None

    def _widget_under(self, event: MouseEvent) -> tuple[Widget | None, Offset]:
        """Return the widget under the pointer, and where in it the pointer is."""
        if not self._app.screen_stack:
            return None, Offset()
        try:
            widget, region = self._app.screen.get_widget_at(event.x, event.y)
        # The window may have become smaller since the click.
        except NoWidget:
            return None, Offset()
        return widget, Offset(event.x, event.y) - region.offset
