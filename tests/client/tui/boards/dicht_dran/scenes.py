"""Tables of Dicht dran to draw, and the round of the rulebook's example."""

from msgspec.structs import replace

from scoville_client.tui.boards.dicht_dran.scene import Frame, Scene
from scoville_shared.games.dicht_dran.facts import Discarded, Drew, FellInGap, Revealed, RoundBegan, TargetWon
from scoville_shared.games.dicht_dran.state import Board, Options, View
from scoville_shared.ids import Seat

ANNA, PAUL, MAX, LINUS = map(Seat, range(4))
NAMES = ("Anna", "Paul", "Max", "Linus")
HAND = (4, 12, 33, 40, 63, 66, 70, 96)
"""Anna's hand: 4, 12 and 33 fit the gap from 1 to 38, 66 is closest to 67."""

BOARD = Board(
    options=Options(),
    cycle=1,
    round=1,
    circle=(1, 67, 38, 100, 22, 80),
    target=1,
    hands=(8, 8, 8, 8),
    won=(0, 0, 0, 0),
    won_peppers=None,
    pile=62,
    discard=0,
    cycles=(),
    totals=(0, 0, 0, 0),
    over=False,
)
VIEW = View(board=BOARD, chosen=(False,) * 4, seat=ANNA, hand=HAND, pick=None, won=(), take_backs=0)

EXAMPLE = (
    Revealed((4, 32, 63, 70)),
    TargetWon(seat=LINUS, card=70, target=67, peppers=3, distance=3, tie=False),
    FellInGap(ANNA, 4),
    FellInGap(PAUL, 32),
    Discarded(MAX, 63, 2),
    Drew(MAX, 2),
    RoundBegan(cycle=1, round=2, target=38, low=70, high=100),
)
"""The rulebook's example: Anna 4, Paul 32, Max 63, Linus 70; the target is 67, the gap from 1 to 38."""


def with_target(slot: int) -> Board:
    """Push another slot's card inward."""
    return replace(BOARD, target=slot)


def scene(view: View = VIEW, *, frame: Frame | None = None, selected: int | None = 66, prompt: str = "") -> Scene:
    """Put a scene together."""
    return Scene(view=view, names=NAMES, log=("Round 1 begins.",), selected=selected, prompt=prompt, frame=frame)
