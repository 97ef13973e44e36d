"""Statistics of moves over a sample of worlds: means, standard errors, and paired differences between moves."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from math import sqrt
from typing import Any, NamedTuple

from scoville_shared.coach.tally import COLUMNS, COMPARED, FIRST, LEAD, SCORE, SECOND, THIRD, WIN
from scoville_shared.engine.phrases import Phrase


class Aim(StrEnum):
    """The aim by which moves are compared: the chance to win and a little the lead, or the lead alone."""

    WIN = "win"
    LEAD = "lead"


_WEIGHTS: Mapping[Aim, Mapping[int, float]] = {Aim.WIN: {WIN: 1.0, LEAD: 0.001}, Aim.LEAD: {LEAD: 1.0}}


class Estimate(NamedTuple):
    """A mean and its standard error, 0 for an exact value."""

    mean: float
    error: float


class Figures(NamedTuple):
    """Figures of a move.

    `score` is the final score that it leads to on average, `win` the chance to win (a shared win counts in part),
    `lead` by how much the score is better than the best opponent's, `behind` by how much its worth falls short of the
    best move's. `first`, `second` and `third` are figures of the game's own.
    """

    move: Any
    score: Estimate
    win: Estimate
    lead: float
    behind: Estimate
    first: float
    second: float
    third: float


class Weighed(NamedTuple):
    """A move's figures, those of the `rival` that it is compared with, and those of all moves."""

    figures: Figures
    rival: Figures
    others: Sequence[Figures]

    @property
    def is_best(self) -> bool:
        """Whether no move is worth more."""
        return self.figures.behind.mean <= 0


def weigh_move(others: Sequence[Figures], place: int, rival: int | None = None) -> Weighed:
    """Compare a move with a `rival`: by default with the best move, and the best with the next best."""
    if rival is None:
        rest = [other for other in range(len(others)) if other != place]
        rival = min(rest, key=lambda other: others[other].behind.mean, default=place)
    return Weighed(others[place], others[rival], others)


class Sample(NamedTuple):
    """Sums over `worlds`, in which the moves met the same cards and opponents; `exact` if these are all worlds."""

    moves: tuple[Any, ...]
    aim: Aim
    worlds: int
    exact: bool
    sums: tuple[float, ...]
    products: tuple[float, ...]

    def mean_of(self, place: int, column: int) -> float:
        return self.sums[place * COLUMNS + column] / self.worlds

    def estimate_column(self, place: int, column: int) -> Estimate:
        """Return the mean of a compared column with its standard error.

        That of a share of the win is at least what it is for something that has not happened in any world yet.
        """
        found = self._estimate_contrast({place * COMPARED + column: 1.0})
        # Without it a move that never won in a small sample would be said, without any error, to win never.
        floor = UNSEEN / self.worlds if column == WIN and not self.exact else 0.0
        return Estimate(found.mean, max(found.error, floor))

    def estimate_difference(self, place: int, other: int, column: int) -> Estimate:
        """Return by how much a move's column exceeds another's in the same worlds."""
        if place == other:
            return Estimate(0.0, 0.0)
        return self._estimate_contrast({place * COMPARED + column: 1.0, other * COMPARED + column: -1.0})

    def estimate_advantage(self, place: int, other: int) -> Estimate:
        """Return by how much a move is worth more than another one."""
        if place == other:
            return Estimate(0.0, 0.0)
        signs = ((place, 1.0), (other, -1.0))
        weights = _WEIGHTS[self.aim]
        return self._estimate_contrast(
            {at * COMPARED + column: sign * weight for at, sign in signs for column, weight in weights.items()}
        )

    def worth_of_move(self, place: int) -> float:
        return sum(weight * self.mean_of(place, column) for column, weight in _WEIGHTS[self.aim].items())

    @property
    def best_move(self) -> int:
        """The place of the move that is worth most; of equals the first."""
        return max(range(len(self.moves)), key=self.worth_of_move)

    def figures_of_moves(self) -> tuple[Figures, ...]:
        """Return the figures of every move, in the order of the moves."""
        best = self.best_move
        return tuple(
            Figures(
                move=move,
                score=self.estimate_column(place, SCORE),
                win=self.estimate_column(place, WIN),
                lead=self.mean_of(place, LEAD),
                behind=self.estimate_advantage(best, place),
                first=self.mean_of(place, FIRST),
                second=self.mean_of(place, SECOND),
                third=self.mean_of(place, THIRD),
            )
            for place, move in enumerate(self.moves)
        )

    def _estimate_contrast(self, weights: Mapping[int, float]) -> Estimate:
        mean = sum(weight * self.mean_of(place // COMPARED, place % COMPARED) for place, weight in weights.items())
        if self.exact:
            return Estimate(mean, 0.0)
        # The variance of a weighted sum from the products of its columns: moves met the same worlds, so their
        # covariances count, and a difference has far less error than either figure.
        square = sum(
            one * two * self._product_of(place, other)
            for place, one in weights.items()
            for other, two in weights.items()
        )
        # Rounding can bring a variance of zero below it.
        spread = max(square / self.worlds - mean * mean, 0.0)
        return Estimate(mean, sqrt(spread / max(self.worlds - 1, 1)))

    def _product_of(self, place: int, other: int) -> float:
        size = len(self.moves) * COMPARED
        # The products are symmetric, and only one half of them is summed up.
        return self.products[max(place, other) * size + min(place, other)]


def certain_sample(moves: Sequence[Any], aim: Aim, rows: Sequence[Sequence[float]]) -> Sample:
    """Return a sample of exact values: for each move the score, the share of the win and the lead."""
    # -1 in the game's own columns: perfect play does not tell them, and the reasons leave them out.
    sums = tuple(float(value) for row in rows for value in (*row, *[-1.0] * (COLUMNS - len(row))))
    return Sample(tuple(moves), aim, 1, True, sums, ())


_SETS_BACK = Phrase("{why}; on average worse, but {harm} {unit} worse for the best opponent")
_SUFFICES = Phrase("{why}; on average worse, but more often enough to win")
_ONLY_SETS_BACK = Phrase("{why}; about as many {unit} on average, but {harm} worse for the best opponent")
_ONLY_SUFFICES = Phrase("{why}; about as many {unit} on average, but more often enough to win")

PART = 0.3
"""Harm to the best opponent is worth a word from this part of a noticeable price on."""


def add_price(why: Phrase, weighed: Weighed, unit: Phrase, noticeable: float, *, fewer: bool) -> Phrase:
    """Add to the reason for the best move its cost compared with its rival, and the gain that this buys.

    Args:
        why: The reason without the price.
        weighed: The move and its rival.
        unit: The unit of the scores.
        noticeable: The smallest difference of scores worth a word.
        fewer: Whether fewer points are better.
    """
    price = weighed.rival.score.mean - weighed.figures.score.mean
    price = -price if fewer else price
    if not weighed.is_best or weighed.rival is weighed.figures or price <= -noticeable:
        return why
    harm = weighed.figures.lead - weighed.rival.lead + price
    sets_back = harm > max(price, PART * noticeable)
    if price < noticeable:
        text = _ONLY_SETS_BACK if sets_back else _ONLY_SUFFICES
    else:
        text = _SETS_BACK if sets_back else _SUFFICES
    return text.with_fields({"why": why, "harm": round(harm, 1), "unit": unit})


SURE = 2.0
"""Standard errors from which on a difference counts."""


UNSEEN = 1.5
"""An event that is expected in less than twice so many worlds of a sample may well be missing there (e**-3)."""
