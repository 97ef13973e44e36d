"""Key filter: decides for each key whether it is handled, dropped, or one key too many."""

from typing import Any

from textual.app import App
from textual.events import Key
from textual.screen import Screen

from scoville_client.tui.actions import ACTIONS, USUAL_KEYS, Keys
from scoville_client.tui.drawing.key_names import key_list
from scoville_client.tui.key_gate import KeyGate, Scene
from scoville_client.tui.screens.base import BaseScreen
from scoville_runtime.clock import SYSTEM

_OPENING = {"help", "rules", "log", "theme", "settings", "language", "chat", "table_users", "quit", "palette"}
"""Actions that only open something on every page: their keys may be typed while the table changes."""
MOST_KEYS_WAITING, MOST_LETTERS_WAITING = 64, 1_024
"""Keys that may wait to be handled, and letters for a line of text; a paste that is not marked as one is thousands."""


class KeyFilter:
    """Drops keys of an App that were typed before the screen showed what they do, and floods of keys."""

    def __init__(self, app: App[Any], keys: Keys = USUAL_KEYS) -> None:
        self._app = app
        self._gate = KeyGate()
        opening = (key_list(keys.get(action.id, action.keys)) for action in ACTIONS if action.id in _OPENING)
        self._awaited: Scene | None = None
        self._decide_nothing = frozenset(key for each in opening for key in each)

    def takes(self, event: Key) -> bool:
        """Return whether a key is handled: it was meant for the screen in front, and not too many others wait.

        Letters for a line of text only appear on it; they may come before it is painted.
        """
        if self._scene is None:
            return False
        focused = self._app.focused
        if focused is not None and focused.check_consume_key(event.key, event.character):
            return self._app.message_queue_size < MOST_LETTERS_WAITING
        return self._app.message_queue_size < MOST_KEYS_WAITING and self.admits(event)

    def admits(self, event: Key) -> bool:
        """Return whether the screen had shown what a key does when it was typed."""
        scene = self._scene
        if scene is None:
            return False
        if not self._gate.shows(scene):
            self._app.screen.refresh()  # else it might never be painted, and no key be taken any more
        return self._gate.admits(scene, event.time, decides=event.key not in self._decide_nothing)

    def catch_up(self) -> None:
        """Paint the screen in front if its keys mean something new for which nothing on it had to be drawn again.

        Called whenever the app or a screen has handled its messages. Each meaning is waited for once: a terminal that
        takes no pictures now gets one when it does.
        """
        scene = self._scene
        if scene is not None and scene != self._awaited and not self._gate.shows(scene):
            self._awaited = scene
            self._app.screen.call_after_refresh(self._paint, scene)

    def _paint(self, scene: Scene) -> None:
        if scene == self._scene and not self._gate.shows(scene):
            self._app.screen.refresh()

    def now(self) -> float:
        """Return the time on the clock by which Textual stamps events."""
        return SYSTEM.seconds()

    def painted(self, screen: Screen[Any], at: float) -> None:
        """Note that a screen was painted, by a picture that was handed to the terminal at that time."""
        if self._scene is not None and screen.is_mounted:
            self._gate.painted(self._scene, at)
            self._awaited = None

    @property
    def up_to_date(self) -> bool:
        """Whether the terminal shows what keys mean now; until it does they are dropped."""
        return self._scene is not None and self._gate.shows(self._scene)

    @property
    def _scene(self) -> Scene | None:
        """The screen and state that keys act on now; None while the client starts or ends."""
        front = self._app.screen_stack[-1] if self._app.screen_stack else None
        return Scene((front, front.has_class("-small")), front.meaning) if isinstance(front, BaseScreen) else None
