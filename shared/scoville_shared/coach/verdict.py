"""Verdicts on moves: how much chance to win a move gave away, where that is beyond doubt."""

from enum import StrEnum

from scoville_shared.coach.study import Judged
from scoville_shared.engine.phrases import Phrase


class Verdict(StrEnum):
    """A review's judgement of a move."""

    BEST = "best"
    AS_GOOD = "as_good"
    INACCURACY = "inaccuracy"
    MISTAKE = "mistake"
    BLUNDER = "blunder"


VERDICT_NAMES = {
    Verdict.BEST: Phrase("best move"),
    Verdict.AS_GOOD: Phrase("as good as the best"),
    Verdict.INACCURACY: Phrase("inaccuracy"),
    Verdict.MISTAKE: Phrase("mistake"),
    Verdict.BLUNDER: Phrase("blunder"),
}

INACCURATE, MISTAKEN, BLUNDERED = 0.005, 0.03, 0.1
"""Severities from which on a move is no longer as good, and more."""

POINT = 0.004
"""What a lost point adds to the lost chance to win: who cannot win any more, or is sure to, still errs by points."""

ERRORS = (Verdict.INACCURACY, Verdict.MISTAKE, Verdict.BLUNDER)


def give_verdict(judged: Judged, *, fewer: bool) -> Verdict:
    """Return the verdict; a loss within two standard errors, or of less than half a percent, is none.

    `fewer` says that fewer points are better.
    """
    if judged.played == judged.best:
        return Verdict.BEST
    points = judged.score_loss.mean if fewer else -judged.score_loss.mean
    loss = judged.win_loss.mean + POINT * max(points, 0.0)
    if not judged.sure or loss < INACCURATE:
        return Verdict.AS_GOOD
    return Verdict.BLUNDER if loss >= BLUNDERED else Verdict.MISTAKE if loss >= MISTAKEN else Verdict.INACCURACY
