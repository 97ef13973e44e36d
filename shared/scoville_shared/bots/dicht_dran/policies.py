"""Policies of Dicht dran: weights of the playout kernel's rule, trained by the cross-entropy method or chosen.

A policy is what a discarded, a won and a drawn pepper and closeness are worth (see `kernel.WEIGHTS`), then how many
random cards each opponent is worth who tries to come close.
"""

from typing import NamedTuple

from scoville_shared.bots.dicht_dran.kernel import FARTHEST

_OTHERS = 98
"""Cards among which a closer one may be."""


class Policy(NamedTuple):
    """The worth of peppers and of closeness, and the rivalry."""

    discarded: float
    won: float
    drawn: float
    closeness: float
    rivalry: float

    @property
    def weights(self) -> tuple[float, float, float, float]:
        return self[:4]


POPULATION = (
    Policy(0.873, 1.0, 1.7, 0.007, 2.65),
    Policy(1.0, 1.0, 1.25, 0.0, 2.0),
    Policy(0.0, 0.0, 0.0, 1.0, 2.0),
    Policy(0.847, 1.0, 1.682, 0.007, 2.69),
)
"""Opponents of a searching bot; it expects itself to go on as the first one."""

WEIGHTS = tuple(weight for policy in POPULATION for weight in policy.weights)


def chances_by_rank(seats: int) -> list[float]:
    """Return for each policy its chance to win with 0 to 99 closer cards at a table of this size."""
    # Listed beforehand: playouts would compute the same powers for each card of each hand.
    return [
        max(1 - closer / _OTHERS, 0.0) ** (policy.rivalry * (seats - 1))
        for policy in POPULATION
        for closer in range(FARTHEST)
    ]
