"""A review as JSON, for programs: figures as numbers, sentences in the current language."""

from typing import Any

import msgspec

from scoville_client.i18n.language import render
from scoville_client.reviews.review import MoveReview, Review
from scoville_client.reviews.sentences import (
    method_sentences,
    moment_sentence,
    names_of,
    policy_name,
    reason_sentences,
)
from scoville_shared.coach.sample import Estimate, Figures

FORMAT = 1
"""Version of the format."""


def json_report(review: Review) -> str:
    """Return the review as one JSON object."""
    reel = review.reel
    value = {
        "scoville_review": FORMAT,
        "game": reel.header.game,
        "table": reel.header.table,
        "policies": {policy.value: render(policy_name(policy)) for policy in review.policies},
        "course_policy": review.course_policy.value,
        "full_samples": review.fast,
        "method": list(method_sentences(review)),
        "players": [
            {
                "seat": player.seat,
                "name": player.name,
                "score": player.score,
                "place": player.place,
                "share_of_win": player.share,
                "skill": _estimate_data(player.skill),
                "luck": player.luck,
                "each_loss": player.each_loss,
                "verdicts": {verdict.value: count for verdict, count in player.verdicts.items()},
                "leaks": [
                    {"kind": render(leak.kind), "errors": leak.errors, "loss": leak.loss}
                    for leak in review.list_leaks(player.seat)
                ],
            }
            for player in review.players
        ],
        "moments": [
            {
                "move": moment.position,
                "seat": moment.seat,
                "before": moment.before,
                "after": moment.after,
                "why": moment_sentence(review, moment),
            }
            for moment in review.moments
        ],
        "course": [{"move": each.position, "wins": each.wins, "scores": each.scores} for each in review.course],
        "decisions": [_decision_data(review, move) for move in review.moves],
    }
    return msgspec.json.format(msgspec.json.encode(value), indent=1).decode()


def _decision_data(review: Review, move: MoveReview) -> dict[str, Any]:
    return {
        "move": move.position,
        "seat": move.seat,
        "name": names_of(review)[move.seat],
        "played": move.played.move,
        "best": move.better.move,
        "verdict": move.verdict.value,
        "kind": None if move.kind is None else render(move.kind),
        "loss": _estimate_data(move.loss),
        "score_loss": _estimate_data(move.score_loss),
        "why": reason_sentences(review, move),
        "policy": move.policy.value,
        "exact": move.exact,
        "worlds": move.worlds,
        "moves": [_figure_data(figures) for figures in move.figures],
        "round_equilibrium": move.shares or None,
    }


def _figure_data(figures: Figures) -> dict[str, Any]:
    return {"move": figures.move, "score": _estimate_data(figures.score), "win": _estimate_data(figures.win)}


def _estimate_data(estimate: Estimate) -> dict[str, float]:
    return {"mean": estimate.mean, "error": estimate.error}
