"""Advice and explanations as lines: each move with its chance to win, its expected score, and one sentence why."""

from collections.abc import Iterator

from scoville_client.i18n.language import format_number, render, tr
from scoville_client.i18n.option_text import level_name
from scoville_client.reviews.advice import Advice
from scoville_client.reviews.explanation import Explanation
from scoville_client.reviews.sentences import answer_text, percent_with_error, policy_name
from scoville_shared.coach.sample import Estimate, Figures
from scoville_shared.coach.study import Study, is_right
from scoville_shared.engine.phrases import Phrase


def advice_lines(advice: Advice) -> Iterator[str]:
    """Return a line for each move, the best first, then what the figures assume."""
    for figures, move, reason in advice.rows:
        yield _move_line(figures, move, reason, _mark_text(figures) + _share_text(advice.study, figures))
    if advice.balance:
        yield advice.balance
    yield from _method_lines(advice.study)


def verdict_lines(explanation: Explanation) -> Iterator[str]:
    """Return the played move, and in a few words whether it was good and why; no figures."""
    name, move = explanation.name, explanation.played_move
    if explanation.about:
        name = tr("{name} – {about}", name=name, about=explanation.about)
    if explanation.position is None:
        yield tr("The latest move of {name}: {move}.", name=name, move=move)
    else:
        yield tr("Move {position}, {name}: {move}.", position=explanation.position, name=name, move=move)
    if not explanation.is_compared:
        return
    if explanation.played.behind.mean <= 0:
        yield tr("It is the best move. {why}", why=explanation.short)
    elif is_right(explanation.played):
        yield tr("It is as good as the best move.")
    else:
        best = explanation.rows[0][1]
        yield tr("Better: {best}. {why}", best=best, why=explanation.short)


def note_lines(explanation: Explanation) -> Iterator[str]:
    """Describe how the bot of a running game plays, and the facts that the coach has used."""
    name = explanation.name
    if explanation.habit is not None:
        level = level_name(explanation.level or "")
        yield tr("{name} plays at the level {level}: it {habit}.", name=name, level=level, habit=explanation.habit)
    if explanation.public:
        yield tr("These figures use only what everybody at the table knows. The replay explains moves with the hand.")
    else:
        yield tr("These figures use only what {name} could know then.", name=name)


def explanation_lines(explanation: Explanation) -> Iterator[str]:
    """Return the decision, a line for the best moves and the played one, the best first, and what figures assume."""
    name, shown = explanation.name, len(explanation.rows)
    yield from verdict_lines(explanation)
    for figures, move, reason in explanation.rows:
        played = tr(", {name} played it", name=name) if figures is explanation.played else ""
        mark = _mark_text(figures) if explanation.is_compared else ""
        yield _move_line(figures, move, reason, mark + _share_text(explanation.study, figures) + played)
    if shown < len(explanation.study.sample.moves):
        yield tr("Other moves are worth less.")
    if explanation.balance:
        yield explanation.balance
    yield from note_lines(explanation)
    yield from _method_lines(explanation.study)


def answer_lines(explanation: Explanation, chosen: Figures, label: str) -> Iterator[str]:
    """Judge a move that was chosen again, then give the reasons for the worth of the best one and of this one."""
    yield answer_text(chosen, explanation.rows[0][0], label)
    for nth, (figures, move, reason) in enumerate(explanation.rows):
        if nth == 0 or figures.move == chosen.move:
            yield _move_line(figures, move, reason, _mark_text(figures))


def _move_line(figures: Figures, move: str, reason: str, mark: str) -> str:
    return tr(
        "{move}: wins {win}, score {score}{mark}; {reason}.",
        move=move,
        win=percent_with_error(figures.win),
        score=_score_text(figures.score),
        mark=mark,
        reason=reason,
    )


def _method_lines(study: Study) -> Iterator[str]:
    """Describe the assumptions of a study's figures, and how sure they are."""
    yield tr("Figures assume: {policy}.", policy=policy_name(study.policy))
    if not study.sample.exact:
        yield tr(
            "± is the standard error of {worlds} sampled games; it does not cover players who decide otherwise.",
            worlds=study.sample.worlds,
        )


def _score_text(score: Estimate) -> str:
    return (
        format_number(score.mean) if not score.error else f"{format_number(score.mean)} ± {format_number(score.error)}"
    )


def _share_text(study: Study, figures: Figures) -> str:
    """Say how often the equilibrium of the round plays a move, where it plays several."""
    share = study.shares[study.sample.moves.index(figures.move)] if study.shares else 0.0
    return tr(", this round in {percent} % of cases", percent=round(100 * share)) if 0 < share < 1 else ""


def _mark_text(figures: Figures) -> str:
    """Say whether a move is as good as the best one, as far as the samples tell."""
    if figures.behind.mean <= 0:
        return render(Phrase(", best"))
    return render(Phrase(", as good")) if is_right(figures) else ""
