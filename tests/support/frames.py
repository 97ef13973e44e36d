"""Textual for tests: frames come at once, and waits end when the event loop is idle.

Textual paints sixty times a second, and its pilot estimates by CPU time whether an App is idle. Both would
make tests wait for real time, and be wrong on a busy machine. Importing this module changes both.
"""

import textual.app
import textual.pilot
import textual.screen

from tests.support.idle import FRAME, idle

textual.screen.UPDATE_PERIOD = FRAME / 2  # type: ignore[misc]
textual.app.wait_for_idle = idle  # type: ignore[assignment]
textual.pilot.wait_for_idle = idle  # type: ignore[assignment]
