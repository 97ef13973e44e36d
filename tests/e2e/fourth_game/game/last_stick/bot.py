"""A bot for Last Stick."""

from last_stick.values import MOST_TAKEN, Take, View
from scoville_shared.bots.base import Bot
from scoville_shared.engine.dice import Stream
from scoville_shared.engine.phrases import Phrase


class Sensible(Bot):
    """Leaves a multiple of four if possible, else takes one: optimal for two players."""

    description = Phrase("leaves a multiple of four")

    def choose_move(self, view: View, chance: Stream) -> Take:
        """Take what leaves a multiple of four."""
        rest = view.heap.sticks % (MOST_TAKEN + 1)
        return Take(rest or 1)
