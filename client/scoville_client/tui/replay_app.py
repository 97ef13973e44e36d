"""The client with a replay in front, and no session behind it."""

from scoville_client.clock import REAL, Clock
from scoville_client.i18n.language import spell
from scoville_client.replays.playback import Playback
from scoville_client.session.start_options import Start
from scoville_client.tui.app import ScovilleApp
from scoville_client.tui.screens.page import Page
from scoville_client.tui.screens.replay.replay import ReplayScreen
from scoville_client.tui.terminal import glyphs


def run(playback: Playback, pace: float, *, ascii_wanted: bool) -> int:
    """Show a replay in this terminal until the person quits; returns the exit status."""
    level = glyphs.find_level(ascii_wanted=ascii_wanted)
    spell(plainly=level == "ascii")
    app = ReplayApp(playback, pace=pace, translation=glyphs.table(level))
    return app.show()


class ReplayApp(ScovilleApp):
    """Opens on a replay instead of the start."""

    def __init__(
        self, playback: Playback, *, pace: float, translation: glyphs.Table | None = None, clock: Clock = REAL
    ) -> None:
        super().__init__(Start(), pace=pace, translation=translation, clock=clock)
        self._playback = playback

    def first_screen(self) -> Page:
        """Make the replay's screen."""
        return ReplayScreen(self._playback, self._pace)
