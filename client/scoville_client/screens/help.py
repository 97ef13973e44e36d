"""How the game goes, in short, and every key."""

from collections.abc import Iterator
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.widgets import Static

from scoville_client.actions import ACTIONS
from scoville_client.screens.page import Dialog, TooSmall

_GAME = """\
Six cards lie in a circle. One of them is pushed inward: the [b]target[/b]. Its two neighbours on the rim are the \
ends of the [b]gap[/b].

Everybody chooses a card. When all have chosen, four things happen, one after the other:

[b]1[/b]  All cards are turned over.

[b]2[/b]  The card [b]closest[/b] to the target wins it; of two equally close ones, the higher. It takes the target's \
place in the circle. The peppers on what you win are your plus points.

[b]3[/b]  Every other card that lies strictly between the ends of the gap [b]fits[/b]: it is laid aside, free.

[b]4[/b]  Every card still left over is laid away, and its player draws a card for each of its peppers.

Then the next card clockwise becomes the target. A cycle ends when a hand is empty or the draw pile is used up; the \
peppers left in your hand are minus points. The most points after all cycles win.
"""
_PLACES = {
    "start": "At the start",
    "lobby": "In the lobby",
    "waiting": "Before the game",
    "play": "In the game",
    "no_thanks": "In a game of No Thanks!",
    "result": "After the game",
    "replay": "In a replay",
    "everywhere": "Everywhere",
}


class HelpDialog(Dialog[None]):
    """The place one came from is explained first."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,enter,question_mark,f1,q", "close", "close", show=False),
        Binding("up,k", "scroll(-1)", show=False),
        Binding("down,j,space", "scroll(1)", show=False),
    ]

    def __init__(self, where: str) -> None:
        super().__init__()
        self._where = where

    def compose(self) -> ComposeResult:
        """Put the text into a box that scrolls."""
        with Vertical(classes="box wide tall"):
            yield Static("How to play", classes="heading")
            with VerticalScroll(can_focus=False):
                yield Static(_GAME)
                yield Static("\n".join(self._keys()), classes="list")
            yield Static("[b]↑ ↓[/b] scroll   [b]Esc[/b] close", classes="keys")
        yield TooSmall()

    def action_close(self) -> None:
        """Go back."""
        self.dismiss(None)

    def action_scroll(self, pages: int) -> None:
        """Scroll by some lines."""
        self.query_one(VerticalScroll).scroll_relative(y=3 * pages, animate=False)

    def _keys(self) -> Iterator[str]:
        places = sorted(_PLACES, key=lambda place: place != self._where)
        for place in places:
            yield f"\n[b]{_PLACES[place]}[/b]"
            for action in ACTIONS:
                if place in action.where:
                    yield f"  {action.written:<10} {action.help}"
