"""Advice as lines: each move with its chance to win, its expected score, and one sentence why."""

from collections.abc import Iterator

from scoville_client.i18n.language import number, render, tr
from scoville_client.reviews.advice import Advice
from scoville_client.reviews.sentences import percent_with_error, policy_name
from scoville_shared.coach.sample import SURE, Estimate, Figures
from scoville_shared.engine.phrases import Phrase


def advice_lines(advice: Advice) -> Iterator[str]:
    """Return a line for each move, the best first, then what the figures assume."""
    for figures, move, reason in advice.rows:
        yield tr(
            "{move}: wins {win}, score {score}{mark}; {reason}.",
            move=move,
            win=percent_with_error(figures.win),
            score=_score(figures.score),
            mark=_mark(figures),
            reason=reason,
        )
    yield tr("Figures assume: {policy}.", policy=policy_name(advice.study.policy))
    if not advice.study.sample.exact:
        yield tr("± is the standard error of {worlds} sampled games.", worlds=advice.study.sample.worlds)


def _score(score: Estimate) -> str:
    return number(score.mean) if not score.error else f"{number(score.mean)} ± {number(score.error)}"


def _mark(figures: Figures) -> str | Phrase:
    """Say whether a move is as good as the best one, as far as the samples tell."""
    behind = figures.behind
    if behind.mean <= 0:
        return render(Phrase(", best"))
    return "" if behind.mean > SURE * behind.error else render(Phrase(", as good"))
