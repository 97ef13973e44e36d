"""A review as lines of text, and as JSON for programs: figures as numbers, sentences in the current language."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from rich.cells import cell_len, set_cell_size

from scoville_client.i18n.language import render, tr
from scoville_client.i18n.wrapping import wrap_lines
from scoville_client.reviews.review import MoveReview, Review
from scoville_client.reviews.sentences import (
    leak_sentence,
    method_sentences,
    moment_sentence,
    move_sentence,
    names_of,
    percent_text,
    player_cells,
    player_headings,
    policy_name,
    reason_sentences,
)
from scoville_shared.coach.sample import Estimate, Figures
from scoville_shared.coach.study import ERRORS

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


COLUMNS = 80
COURSE_ROWS = 12
"""Points of the course that are written out."""


def text_report(review: Review) -> Iterator[str]:
    """Return the whole review, every decision in a line and every error with its reasons."""
    header = review.reel.header
    yield tr("Review of {game}, table {table}, {day}", game=review.reel.game.info.title, table=header.table,
             day=f"{header.started:%Y-%m-%d}")  # fmt: skip
    yield ""
    yield from format_table([player_headings(), *map(player_cells, review.players)])
    for player in review.players:
        if leaks := leak_sentence(player.name, review.list_leaks(player.seat)):
            yield from wrap_lines(leaks, COLUMNS, indent="  ")
    yield ""
    yield tr("The moments that decided:")
    for moment in review.moments:
        yield from _wrap_text(tr("{position}. {what}", position=moment.position, what=moment_sentence(review, moment)))
    yield ""
    yield tr("Chances to win:")
    yield from course_table(review)
    yield ""
    yield tr("Every decision:")
    for move in review.moves:
        yield from _wrap_text(move_sentence(review, move))
        if move.verdict in ERRORS:
            for sentence in reason_sentences(review, move):
                yield from (f"    {row}" for row in wrap_lines(sentence, COLUMNS - 4, indent="  "))
    yield ""
    for sentence in method_sentences(review):
        yield from wrap_lines(sentence, COLUMNS, indent="")


def course_table(review: Review, rows: int = COURSE_ROWS) -> Iterator[str]:
    """Return the chances of all players at some positions, evenly spread."""
    course = review.course
    places = sorted({round(n * (len(course) - 1) / max(1, rows - 1)) for n in range(rows)})
    cells = [[str(course[place].position), *(percent_text(win) for win in course[place].wins)] for place in places]
    yield from format_table([[tr("move"), *names_of(review)], *cells])


def format_table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Align cells in columns, the first to the left, the others to the right."""
    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    for first, *others in rows:
        cells = (" " * (width - cell_len(cell)) + cell for cell, width in zip(others, widths[1:], strict=True))
        yield "  ".join([set_cell_size(first, widths[0]), *cells]).rstrip()


def _wrap_text(sentence: str) -> Iterator[str]:
    yield from (f"  {row}" for row in wrap_lines(sentence, COLUMNS - 2, indent="    "))
