"""Prices of better moves: why a move wins more often although it does not score better on average, in every game."""

from scoville_shared.coach.sample import Weighed
from scoville_shared.engine.phrases import Phrase

_SETS_BACK = Phrase("{why}; on average worse, but {harm} {unit} worse for the best opponent")
_SUFFICES = Phrase("{why}; on average worse, but more often enough to win")
_ONLY_SETS_BACK = Phrase("{why}; about as many {unit} on average, but {harm} worse for the best opponent")
_ONLY_SUFFICES = Phrase("{why}; about as many {unit} on average, but more often enough to win")

PART = 0.3
"""Harm to the best opponent is worth a word from this part of a noticeable price on."""


def add_price(why: Phrase, weighed: Weighed, unit: Phrase, noticeable: float, *, fewer: bool) -> Phrase:
    """Add to the reason for the best move what it costs compared with its rival, and what that pays for.

    Args:
        why: The reason without the price.
        weighed: The move and its rival.
        unit: What scores count.
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
