"""A bot for Last Stick."""

from last_stick.values import MOST_TAKEN, Take, View
from scoville_shared.engine.contract import AnyGame
from scoville_shared.engine.dice import Stream


def greedy(game: AnyGame, view: View, chance: Stream) -> Take:
    """Leave a multiple of four if possible, else take one: optimal for two players."""
    rest = view.heap.sticks % (MOST_TAKEN + 1)
    return Take(rest or 1)
