"""Policies of Dicht dran: weights of the playout kernel's rule, trained by the cross-entropy method or chosen.

A policy is what a discarded, a won and a drawn pepper and closeness are worth (see `kernel.WEIGHTS`), then how many
random cards each opponent is worth who tries to come close. The farsighted and the fitted policy have weights of their
own.
"""

from math import log
from typing import NamedTuple

from scoville_shared.bots.dicht_dran.fitted import OPINIONS
from scoville_shared.bots.dicht_dran.foresight import NUMBERS
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
"""Players who look at this round only: `strong` expects the first one, the coach draws from all of them."""

WEIGHTS = tuple(weight for policy in POPULATION for weight in policy.weights)


def chances_by_rank(seats: int) -> list[float]:
    """Return for each policy its chance to win with 0 to 99 closer cards at a table of this size."""
    # Listed beforehand: playouts would compute the same powers for each card of each hand.
    return [
        max(1 - closer / _OTHERS, 0.0) ** (policy.rivalry * (seats - 1))
        for policy in POPULATION
        for closer in range(FARTHEST)
    ]


class Foresight(NamedTuple):
    """The weights of the farsighted policy (see `foresight`), in peppers.

    Attributes:
        discarded: A pepper of the played card, which leaves the hand.
        won: A pepper of the target.
        drawn: A pepper of a left-over card, for which a card is drawn.
        left_over: A left-over card, whatever its peppers.
        rival: How many random cards each opponent is worth who tries to come close.
        rivals_card: How many more for each card in their hands.
        crowd: By which part those are more if all unknown cards fit the gap.
        haste: A pepper of the target, divided by the cards of the smallest hand.
        kept: A pepper of a target to come that another card would be less likely to win.
        patience: The same of each further target, as a part of the one before.
        next: A pepper that the card could win in the next round.
        soon: A pepper that it could win in one of the two rounds after.
        fitting: A pepper of a card that may fit the next gap.
        full: A pepper of a left-over card, for each eight cards in the hand.
    """

    discarded: float
    won: float
    drawn: float
    left_over: float
    rival: float
    rivals_card: float
    crowd: float
    haste: float
    kept: float
    patience: float
    next: float
    soon: float
    fitting: float
    full: float


FORESIGHT = Foresight(
    discarded=0.864, won=0.937, drawn=1.722, left_over=-0.805, rival=1.410, rivals_card=0.277, crowd=0.556, haste=1.330,
    kept=0.873, patience=0.923, next=0.626, soon=0.224, fitting=0.271, full=-0.413,
)  # fmt: skip
"""Trained by the cross-entropy method against three of the first policy."""

LOGARITHMS = (0.0, *(log(number) for number in range(1, NUMBERS)))
"""Those of the numbers up to 100; there is none of 0."""


class Likelihood(NamedTuple):
    """The weights of the fitted policy (see `fitted`), in logarithms of a chance.

    A chance to win the target is that of eight random unknown cards none is closer.

    Attributes:
        best: The card is that of the trained policy.
        behind: A pepper by which the trained policy values it less than that one.
        little_behind: The same up to one pepper.
        peppers: A pepper of the card.
        winning: A pepper of the target, by the chance to win it.
        drawing: A pepper of the card, by the chance that it is left over.
        left_over: The chance that it is left over.
        first_loss: A pepper of the next target, by which the hand would lack the card there.
        second_loss: The same of the target after that, and so on.
        third_loss: See there.
        fourth_loss: See there.
        fifth_loss: See there.
        fits_next: A pepper of a card that fits the next gap.
        fits_second: The same of the gap after that.
        fits_third: See there.
        haste: A pepper of the card, divided by the cards of the smallest hand.
        winning_in_haste: A pepper of the target, by the chance to win it, divided by the same.
        drawing_when_full: A pepper of the card, by the chance that it is left over, for each eight cards in the hand.
        chance: The chance to win the target.
        winning_next: A pepper of the next target, by the chance to win it.
        winning_second: The same of the target after that.
        best_target: A pepper of the target, if the card is that of the trained policy.
        best_in_haste: That card, divided by the cards of the smallest hand.
        outside: The card does not fit the gap.
    """

    best: float
    behind: float
    little_behind: float
    peppers: float
    winning: float
    drawing: float
    left_over: float
    first_loss: float
    second_loss: float
    third_loss: float
    fourth_loss: float
    fifth_loss: float
    fits_next: float
    fits_second: float
    fits_third: float
    haste: float
    winning_in_haste: float
    drawing_when_full: float
    chance: float
    winning_next: float
    winning_second: float
    best_target: float
    best_in_haste: float
    outside: float


FITTED = Likelihood(
    best=2.568, behind=-0.300, little_behind=0.127, peppers=0.810, winning=0.644, drawing=-0.707, left_over=0.028,
    first_loss=-0.558, second_loss=-0.293, third_loss=-0.559, fourth_loss=-0.576, fifth_loss=-0.211, fits_next=-0.188,
    fits_second=-0.107, fits_third=-0.135, haste=-0.220, winning_in_haste=1.430, drawing_when_full=-0.259,
    chance=0.320, winning_next=-0.471, winning_second=-0.543, best_target=0.110, best_in_haste=0.909, outside=-0.034,
)  # fmt: skip
"""Fitted to 27,000 choices of `strong` at tables of four by `scripts/bench choices`; those at tables of three and five
are about as likely by it as by weights of their own."""

FITTED_FOR_TWO = Likelihood(
    best=2.416, behind=0.025, little_behind=0.630, peppers=0.342, winning=1.175, drawing=0.267, left_over=-0.430,
    first_loss=-0.927, second_loss=-0.222, third_loss=-0.706, fourth_loss=-0.601, fifth_loss=-0.190, fits_next=-0.053,
    fits_second=-0.116, fits_third=-0.053, haste=-0.373, winning_in_haste=0.673, drawing_when_full=-0.033,
    chance=-0.740, winning_next=-0.112, winning_second=-0.436, best_target=0.027, best_in_haste=0.286, outside=0.189,
)  # fmt: skip
"""Fitted to 15,000 choices of `strong` between two players."""


def likelihood_at(seats: int) -> Likelihood:
    """Return the weights of the fitted policy for a table of this size."""
    return FITTED_FOR_TWO if seats == 2 else FITTED


GUMBEL = tuple(-log(-log((2 * place + 1) / (2 * OPINIONS))) for place in range(OPINIONS))
"""Equally likely opinions of a card (see `fitted.OPINIONS`)."""
