"""Boards with prepared faults, for the healthy game of this package: each fails at another entrance."""

from pathlib import Path

BOARD = """
from scoville_client.tui.actions import Action, bindings
from scoville_client.tui.boards.actions import MOVES
from scoville_client.tui.boards.board import Board
from scoville_client.tui.boards.scene import Step
from scoville_client.tui.boards.storyboard import StoryBoard
from scoville_client.tui.drawing.canvas import Canvas
from textual.binding import Binding


class Frame(Step):
    pass


class StrangeBoard(StoryBoard):
    ACTIONS = (
        Action("play", "enter", "Enter", "play", "Play."),
        Action("boom", "b", "b", "boom", "Make a noise."),
    )
    BINDINGS = [*bindings("play", ACTIONS)]

    def draw_table(self, width, height):
        canvas = Canvas(width, height)
        canvas.put(2, 1, f"Strange: {self.at.view.left}", "text")
        return canvas

    def frames_of(self, change):
        return ()

    def action_play(self):
        moves = self.at.moves()
        if moves:
            self.decide_move(moves[0])

    def action_boom(self):
        pass
"""

FAULTS = {
    "at import": ("", "raise ValueError('boom')"),
    "exits at import": ("", "raise SystemExit(3)"),
    "no board": ("", "StrangeBoard = 7"),
    "actions that are none": ("", "StrangeBoard.ACTIONS = (7,)"),
    "wrong styles": ("    DEFAULT_CSS = 'StrangeBoard { colour }'", ""),
    "when made": ("    def __init__(self, at, pace):\n        raise ValueError('boom')", ""),
    "half made": ("    def __init__(self, at, pace):\n        super().__init__(at, pace)\n        self.boom()", ""),
    "when drawn": ("    def draw_table(self, width, height):\n        raise ValueError('boom')", ""),
    "exits when drawn": ("    def draw_table(self, width, height):\n        raise SystemExit('boom')", ""),
    "without end when drawn": ("    def draw_table(self, width, height):\n        while True: pass", ""),
    "without end at import": ("", "while True: pass"),
    "without end for its keys": ("    @property\n    def keys(self):\n        while True: pass", ""),
    "draws nothing": ("    def draw_table(self, width, height):\n        return None", ""),
    "for its keys": ("    @property\n    def keys(self):\n        raise ValueError('boom')", ""),
    "keys that are none": ("    @property\n    def keys(self):\n        return [7]", ""),
    "for its meaning": ("    @property\n    def meaning(self):\n        return [7]", ""),
    "when mounted": ("    def on_mount(self):\n        raise ValueError('boom')", ""),
    "in a timer": ("    def on_mount(self):\n        self.call_later(self.boom)", ""),
    "at its start": ("    def show_opening(self, opening):\n        raise ValueError('boom')", ""),
}
"""Faults that show before the first key, as a piece of the class and one behind it."""

FAILING_FRAME = """
    def frames_of(self, change):
        return [Frame()]

    def draw_table(self, width, height):
        if self.animating:
            raise ValueError("boom")
        canvas = Canvas(width, height)
        canvas.put(2, 1, "Strange: ", "text")
        return canvas
"""

LATER = {
    "when animated": ("    def frames_of(self, change):\n        raise ValueError('boom')", ""),
    "at an event": ("    def show_event(self, change):\n        raise ValueError('boom')", ""),
    "by its key": ("    def action_boom(self):\n        raise ValueError('boom')", ""),
    "without end at its key": ("    def action_boom(self):\n        while True: pass", ""),
    "by its key, late": ("    async def action_boom(self):\n        raise ValueError('boom')", ""),
    "at any key": ("    def on_key(self, event):\n        raise ValueError('boom')", ""),
    "a wrong move": ("    def action_boom(self):\n        self.decide_move('boom')", ""),
    "a frame": (FAILING_FRAME, ""),
}
"""Faults that show when `b` and Enter are pressed."""


def add_board(folder: Path, inside: str = "", behind: str = "", slug: str = "counting") -> None:
    """Add a board to a package that `write_package` has written."""
    (folder / f"{slug}_board_module.py").write_text(f"{BOARD}\n{inside}\n\n{behind}\n")
    with (folder / f"{slug}-1.0.dist-info" / "entry_points.txt").open("a") as file:
        file.write(f"\n[scoville.boards]\n{slug} = {slug}_board_module:StrangeBoard\n")
