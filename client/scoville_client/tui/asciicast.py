"""Asciicast: a replay recorded as terminal output (version 2 of the format), in a terminal of 80 x 24.

The file is a header, one JSON object, and a line `[seconds, "o", text]` for each output.
"""

import asyncio
import io
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rich.console import Console
from textual.drivers.headless_driver import HeadlessDriver

from scoville_client.replays.playback import Playback
from scoville_client.session.start_options import Start
from scoville_client.tui.app import ReplayPlatform, ScovilleApp
from scoville_client.tui.boards.board import Board
from scoville_client.tui.boards.storyboard import StoryBoard
from scoville_client.tui.screens.replay.replay import ReplayScreen

if TYPE_CHECKING:
    from textual.pilot import Pilot

SIZE = (80, 24)
BYTES = 8 * 2**20
"""The maximum size of a recording; a longer game skips to its result."""

_NEVER = 1e6
"""Seconds longer than any recording, so that the timers of the board never run."""
_LOOK_AT_THE_DEAL = 2.0
_LOOK_AT_THE_RESULT = 4.0
_QUICK = 0.5
"""Steps that a move without an animation stays."""
_QUIET = 3
"""How often nothing more is drawn before a picture is complete: a message may bring on another one."""
_OPENING = "\x1b[?25l\x1b[2J\x1b[H"
"""Hides the cursor and clears the terminal."""
_CLOSING = "\x1b[0m\x1b[?25h\r\n"


class Tape:
    """Terminal output with its times; `now` is the time of the recording in seconds, which passes without waiting."""

    def __init__(self) -> None:
        self.now = 0.0
        self.bytes = 0
        self._written: list[tuple[float, str]] = []

    def write(self, text: str) -> None:
        """Record output at the current time; output at the same time is joined."""
        self.bytes += len(text.encode())
        if self._written and self._written[-1][0] == self.now:
            text = self._written.pop()[1] + text
        self._written.append((self.now, text))

    def write_lines(self, title: str) -> Iterator[str]:
        """Write the lines of the asciicast."""
        width, height = SIZE
        header = {
            "version": 2,
            "width": width,
            "height": height,
            "duration": round(self.now, 3),
            "title": title,
            "env": {"TERM": "xterm-256color"},
        }
        yield json.dumps(header, ensure_ascii=False)
        for seconds, text in self._written:
            yield json.dumps([round(seconds, 3), "o", text], ensure_ascii=False)


def record_replay(playback: Playback, pace: float) -> str:
    """Play the rest of a game on its board; returns the asciicast. A step of an animation stays `pace` seconds."""
    recording = _Recording(playback)
    asyncio.run(recording.record_game(pace))
    return "".join(f"{line}\n" for line in recording.tape.write_lines(playback.reel.game.info.title))


class _Recording:
    """A client that plays a replay, and whose driver writes to a tape."""

    def __init__(self, playback: Playback) -> None:
        self.tape = tape = Tape()
        self._playback = playback

        class Recorder(HeadlessDriver):
            is_headless = False  # so that output is written

            def write(self, data: str) -> None:
                tape.write(data)

        self._app = app = ScovilleApp(Start(), ReplayPlatform(playback, _NEVER), pace=_NEVER)
        app.driver_class = Recorder
        app.console = Console(file=io.StringIO(), color_system="truecolor", force_terminal=True, legacy_windows=False)

    async def record_game(self, pace: float) -> None:
        """Play to the end of the game."""

        async def play(pilot: "Pilot[Any]") -> None:
            try:
                await self._play_game(pilot, pace)
            finally:
                self._app.exit(0)

        self.tape.write(_OPENING)
        await self._app.run_async(size=SIZE, mouse=False, auto_pilot=play)
        self.tape.write(_CLOSING)

    async def _play_game(self, pilot: "Pilot[Any]", pace: float) -> None:
        await self._draw_all(pilot, _LOOK_AT_THE_DEAL)
        screen = self._app.screen
        assert isinstance(screen, ReplayScreen), "a replay opens on its screen"
        last = self._playback.reel.last
        while self._playback.position < last or screen.board.animating:
            if self.tape.bytes > BYTES:
                screen.player.show_end()
            else:
                screen.player.show_next()
            await self._draw_all(pilot, pace * _count_steps(screen.board))
        await self._draw_all(pilot, _LOOK_AT_THE_RESULT)

    async def _draw_all(self, pilot: "Pilot[Any]", seconds: float) -> None:
        """Draw everything, and let time pass over it.

        Frames are drawn as soon as messages are handled, not sixty times a second: a recording waits for no clock.
        """
        quiet = 0
        while quiet < _QUIET:
            before = self.tape.bytes
            await pilot.pause(0)  # messages are handled, and changes are drawn
            quiet = quiet + 1 if self.tape.bytes == before else 0
        self.tape.now += seconds


def _count_steps(board: Board) -> float:
    """Return how many steps the board stays as it is."""
    frame = board.frame if isinstance(board, StoryBoard) else None
    return _QUICK if frame is None else float(frame.steps)
