"""The finale of a game: the points are counted seat by seat, gain by gain; then the winners are revealed.

Pure: how far the count is goes in, what is known by then comes out.
"""

from collections.abc import Sequence
from typing import NamedTuple

from scoville_client.tui.boards.motion import number_between
from scoville_shared.engine.contract import Gain

_LEAST_BEATS, _MOST_BEATS = 4, 8
"""Steps in which the points of one seat are counted: of more gains several are counted in a step."""
REVEAL_BEATS = 8
"""Steps in which the winners' names appear: all of them at once would be too many bytes for one frame."""


class Count(NamedTuple):
    """What is counted of a seat: its points so far, and how many of its gains these are."""

    points: int
    gains: int


class Finale:
    """The order of a count: `order` are the seats by their places, of which the last one is counted first.

    `gains` are those of each seat, or none at all where nobody knows why the seats have their points.
    """

    def __init__(self, order: Sequence[int], scores: Sequence[int], gains: Sequence[Sequence[Gain]]) -> None:
        self.order = order
        self.scores = scores
        self.gains = gains

    @property
    def beats(self) -> int:
        """The steps of the whole finale."""
        return sum(map(self._beats_of, self.order)) + REVEAL_BEATS

    def gains_of(self, seat: int) -> Sequence[Gain]:
        """Return the gains of a seat."""
        return self.gains[seat] if self.gains else ()

    def _beats_of(self, seat: int) -> int:
        return min(max(len(self.gains_of(seat)), _LEAST_BEATS), _MOST_BEATS)

    def count(self, seat: int, beat: float) -> Count:
        """Return what is counted of a seat after so many steps."""
        own = self._beats_of(seat)
        gains = self.gains_of(seat)
        done = min(own, max(0.0, beat - self._begin(seat)))
        if not gains:
            return Count(number_between(0, self.scores[seat], done / own), 0)
        counted = int(len(gains) * done / own)
        return Count(sum(gain.points for gain in gains[:counted]), counted)

    def is_counting(self, seat: int, beat: float) -> bool:
        """Whether the points of a seat are counted just now."""
        return 0 < beat - self._begin(seat) < self._beats_of(seat)

    def revealed(self, beat: float) -> float:
        """Return how much of the winners' names is to be seen, from 0 to 1."""
        return min(1.0, max(0.0, 1 - (self.beats - beat) / REVEAL_BEATS))

    def _begin(self, seat: int) -> int:
        after = self.order[self.order.index(seat) + 1 :]
        return sum(map(self._beats_of, after))
