"""A replay recorded as an asciicast, version 2: what its board writes to a terminal of 80 x 24, at a reader's pace.

The file is a header, one JSON object, and a line `[seconds, "o", text]` for each thing written.
"""

import asyncio
import io
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rich.console import Console
from textual.drivers.headless_driver import HeadlessDriver

from scoville_client.replays.playback import Playback
from scoville_client.tui.boards.board import Board
from scoville_client.tui.boards.storyboard import StoryBoard
from scoville_client.tui.replay_app import ReplayApp
from scoville_client.tui.screens.replay.replay import ReplayScreen

if TYPE_CHECKING:
    from textual.driver import Driver
    from textual.pilot import Pilot

SIZE = (80, 24)
BYTES = 8 * 2**20
"""How large a recording gets at most; a longer game ends with its result earlier."""

_NEVER = 1e6
"""Seconds that no recording takes: the board's own timers stay out of it."""
_LOOK_AT_THE_DEAL = 2.0
_LOOK_AT_THE_RESULT = 4.0
_QUICK = 0.5
"""Of a step's time: how long a move stays that has no story."""
_OPENING = "\x1b[?25l\x1b[2J\x1b[H"
"""Hides the cursor and clears the terminal."""
_CLOSING = "\x1b[0m\x1b[?25h\r\n"


class Tape:
    """What was written to a terminal, and when; `now` is the time in seconds, and nobody waits for it to pass."""

    def __init__(self) -> None:
        self.now = 0.0
        self.bytes = 0
        self._written: list[tuple[float, str]] = []

    def write(self, text: str) -> None:
        """Take down what is written now; what is written at one time is joined."""
        self.bytes += len(text.encode())
        if self._written and self._written[-1][0] == self.now:
            text = self._written.pop()[1] + text
        self._written.append((self.now, text))

    def lines(self, title: str) -> Iterator[str]:
        """Give the lines of the asciicast."""
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


def record(playback: Playback, pace: float) -> str:
    """Play the rest of a game on its board, and give the asciicast; a step of a story stays `pace` seconds."""
    tape = Tape()
    app = _Recorded(playback, tape)
    asyncio.run(app.perform(pace))
    return "".join(f"{line}\n" for line in tape.lines(playback.reel.game.info.title))


class _Recorded(ReplayApp):
    """A client whose terminal is a tape."""

    def __init__(self, playback: Playback, tape: Tape) -> None:
        self._tape = tape
        super().__init__(playback, pace=_NEVER)
        self.console = Console(file=io.StringIO(), color_system="truecolor", force_terminal=True, legacy_windows=False)

    def get_driver_class(self) -> "type[Driver]":
        """Give a driver that writes to the tape."""
        tape = self._tape

        class Recorder(HeadlessDriver):
            is_headless = False  # what is drawn is to be written

            def write(self, data: str) -> None:
                tape.write(data)

        return Recorder

    async def perform(self, pace: float) -> None:
        """Play to the end."""

        async def play(pilot: "Pilot[Any]") -> None:
            try:
                await self._play(pilot, pace)
            finally:
                self.exit(0)

        self._tape.write(_OPENING)
        await self.run_async(size=SIZE, mouse=False, auto_pilot=play)
        self._tape.write(_CLOSING)

    async def _play(self, pilot: "Pilot[Any]", pace: float) -> None:
        await self._drawn(pilot, _LOOK_AT_THE_DEAL)
        screen = self.screen
        assert isinstance(screen, ReplayScreen), "a replay opens on its screen"
        last = self._playback.reel.last
        while self._playback.position < last or screen.board.telling:
            if self._tape.bytes > BYTES:
                screen.action_to_end()
            else:
                screen.go_on()
            await self._drawn(pilot, pace * _steps(screen.board))
        await self._drawn(pilot, _LOOK_AT_THE_RESULT)

    async def _drawn(self, pilot: "Pilot[Any]", seconds: float) -> None:
        """Wait until all is drawn, and let time pass over it."""
        await pilot.pause()
        self._tape.now += seconds


def _steps(board: Board) -> float:
    """Say for how many steps' time the board stays as it is."""
    frame = board.frame if isinstance(board, StoryBoard) else None
    return _QUICK if frame is None else float(frame.steps)
