"""Replay app: the client with a replay instead of a connection."""

from scoville_client.i18n.language import spell
from scoville_client.replays.playback import Playback
from scoville_client.session.start_options import Start
from scoville_client.settings.file import SettingsFile
from scoville_client.tui.app import ScovilleApp
from scoville_client.tui.screens.page import Page
from scoville_client.tui.screens.replay.replay import ReplayScreen
from scoville_client.tui.terminal import glyphs
from scoville_runtime.clock import SYSTEM, Clock


def run(playback: Playback, pace: float, settings: SettingsFile) -> int:
    """Show a replay in this terminal until the user quits; returns the exit status."""
    level = glyphs.find_level(settings.preferences.characters)
    spell(plainly=level == "ascii")
    app = ReplayApp(playback, pace=pace, translation=glyphs.table(level), settings=settings)
    return app.run_in_terminal()


class ReplayApp(ScovilleApp):
    """Shows a replay first, instead of the start screen."""

    def __init__(
        self,
        playback: Playback,
        *,
        pace: float,
        translation: glyphs.Table | None = None,
        settings: SettingsFile | None = None,
        clock: Clock = SYSTEM,
    ) -> None:
        super().__init__(Start(), pace=pace, translation=translation, settings=settings, clock=clock)
        self._playback = playback

    def first_page(self) -> Page:
        return ReplayScreen(self._playback, self.pace)
