"""Key gate: drops keys that were typed before the screen showed what they would do.

Keys wait in queues while a screen is built or an answer is awaited. What they meant when they were typed may be gone by
then: an Enter for the next step of a reveal would play a card of the next round, a `y` would confirm a question that
nobody has read.
"""

from collections.abc import Hashable
from typing import NamedTuple


class Scene(NamedTuple):
    """The target of keys: the screen in front, and what its keys mean as far as other users can change it."""

    screen: Hashable
    meaning: Hashable


class KeyGate:
    """Compares when a key was typed with when the current scene was painted for the first time."""

    def __init__(self) -> None:
        self._scene: Scene | None = None
        self._since = self._screen_since = 0.0

    def painted(self, scene: Scene, at: float) -> None:
        """Note that the screen in front shows `scene`, since seconds `at` on the clock that stamps events."""
        if scene == self._scene:
            return
        self._since = at
        if self._scene is None or scene.screen != self._scene.screen:
            self._screen_since = self._since
        self._scene = scene

    def shows(self, scene: Scene) -> bool:
        """Return whether the terminal shows `scene`."""
        return scene == self._scene

    def admits(self, scene: Scene, typed_at: float, *, decides: bool = True) -> bool:
        """Return whether a key that was typed at `typed_at` was meant for `scene`.

        A key that decides nothing, such as that of the help, only has to be meant for the screen.
        """
        if decides:
            return self.shows(scene) and typed_at >= self._since
        return self._scene is not None and scene.screen == self._scene.screen and typed_at >= self._screen_since
