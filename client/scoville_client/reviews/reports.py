"""A review in its forms: text, JSON for programs, and a picture."""

from collections.abc import Iterator, Sequence
from html import escape
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
    verdict_name,
)
from scoville_shared.coach.sample import Estimate, Figures
from scoville_shared.coach.study import ERRORS, Verdict

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
    yield _write_title(review)
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


def _write_title(review: Review) -> str:
    header = review.reel.header
    return tr(
        "Review of {game}, table {table}, {day}",
        game=review.reel.game.info.title,
        table=header.table,
        day=f"{header.started:%Y-%m-%d}",
    )


def course_table(review: Review, rows: int = COURSE_ROWS) -> Iterator[str]:
    """Return the chances of all players at some positions, evenly spread."""
    course = review.course
    # A set: a short course has fewer points than rows, and several would be rounded to the same one.
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


WIDTH = 960
LEFT, RIGHT, TOP, BOTTOM = 60, 150, 60, 380
"""The edges of the diagram; to its right are the names."""

COLOURS = ("#c0392b", "#2471a3", "#1e8449", "#b7950b", "#7d3c98", "#ba4a00", "#566573")
DASHES = ("", "8 3", "2 3", "12 3 2 3", "5 5", "1 4", "10 6")
"""Each seat has a colour and a dash, so that lines can be distinguished without colour."""

SIZES = {Verdict.INACCURACY: 3, Verdict.MISTAKE: 5, Verdict.BLUNDER: 7}
_LETTER, _GAP = 7, 12
"""Pixels of a letter, and beside a sign of the legend."""
PICTURE_COLUMNS = 128
"""Characters of a row of the picture."""


def svg_report(review: Review) -> str:
    y = BOTTOM + 48 + 17 * (len(review.players) + 1) + 12
    rows = _list_sentences(review)
    written = [
        _write_text(LEFT, y + 17 * n, text, size=size, colour=colour) for n, (text, size, colour) in enumerate(rows)
    ]
    body = [
        *_draw_frame(review),
        *_draw_legend(review),
        *_draw_lines(review),
        *_mark_errors(review),
        *_draw_players(review),
        *written,
    ]
    height = y + 17 * len(rows) + 8
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        'font-family="sans-serif" font-size="13" fill="#222">'
    )
    return "\n".join([head, f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>', *body, "</svg>"])


def _place_x(review: Review, position: int) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * position / max(1, review.course[-1].position)


def _place_y(win: float) -> float:
    return BOTTOM - (BOTTOM - TOP) * win


def _draw_frame(review: Review) -> Iterator[str]:
    yield _write_text(LEFT, 30, _write_title(review), size=18)
    yield _write_text(LEFT, 48, tr("Chances to win"), colour="#666")
    for win in (0.0, 0.25, 0.5, 0.75, 1.0):
        y = _place_y(win)
        yield f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>'
        yield _write_text(LEFT - 8, y + 4, percent_text(win), anchor="end", colour="#666")
    for moment in review.moments:
        x = _place_x(review, moment.position)
        yield f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{BOTTOM}" stroke="#bbb" stroke-dasharray="2 2"/>'
        yield _write_text(x, BOTTOM + 16, str(moment.position), anchor="middle", colour="#666")


def _draw_legend(review: Review) -> Iterator[str]:
    """Explain the marks, to the right of the heading."""
    # From right to left, so that it ends where the diagram does, however long its words are in a language.
    x = WIDTH - RIGHT
    if review.moments:
        x -= _width_of(tr("turning point"))
        yield _write_text(x, 48, tr("turning point"), colour="#666")
        x -= _GAP
        yield f'<line x1="{x}" x2="{x}" y1="36" y2="50" stroke="#bbb" stroke-dasharray="2 2"/>'
        x -= 2 * _GAP
    for verdict, size in reversed(SIZES.items()):
        x -= _width_of(verdict_name(verdict))
        yield _write_text(x, 48, verdict_name(verdict), colour="#666")
        x -= _GAP
        yield f'<circle cx="{x}" cy="44" r="{size}" fill="#666"/>'
        x -= 2 * _GAP


def _width_of(text: str) -> int:
    """Return the pixels that a text takes, roughly: the fonts of readers differ."""
    return _LETTER * len(text)


def _draw_lines(review: Review) -> Iterator[str]:
    last = review.course[-1]
    taken: list[float] = []
    for seat, name in enumerate(names_of(review)):
        points = " ".join(
            f"{_place_x(review, each.position):.1f},{_place_y(each.wins[seat]):.1f}" for each in review.course
        )
        yield (
            f'<polyline points="{points}" fill="none" stroke="{_pick_colour(seat)}" stroke-width="2" '
            f'stroke-dasharray="{DASHES[seat % len(DASHES)]}"/>'
        )
        y = _place_y(last.wins[seat]) + 4
        # Two names must not cover each other. Upwards: all chances sum up to 1, so that there is more room above.
        while any(abs(y - other) < 15 for other in taken):
            y -= 15
        taken.append(y)
        yield _write_text(WIDTH - RIGHT + 8, y, name, colour=_pick_colour(seat))


def _mark_errors(review: Review) -> Iterator[str]:
    """Mark each error on its player's line; the title says what was better."""
    for move in review.moves:
        if move.verdict in ERRORS:
            yield (
                f'<circle cx="{_place_x(review, move.position):.1f}" cy="{_place_y(_find_chance(review, move)):.1f}" '
                f'r="{SIZES[move.verdict]}" fill="{_pick_colour(move.seat)}">'
                f"<title>{escape(move_sentence(review, move))}</title></circle>"
            )


def _find_chance(review: Review, move: MoveReview) -> float:
    # The course may lack this position: then the next one that it has.
    return next(each for each in review.course if each.position >= move.position).wins[move.seat]


def _draw_players(review: Review) -> Iterator[str]:
    columns = (LEFT, 220, 280, 370, 450, 530, 610, 695, 780)
    for row, cells in enumerate([player_headings(), *map(player_cells, review.players)]):
        for column, cell in zip(columns, cells, strict=True):
            yield _write_text(column, BOTTOM + 48 + 17 * row, cell, anchor="start" if column == LEFT else "end",
                        colour="#666" if row == 0 else "#222")  # fmt: skip


def _list_sentences(review: Review) -> list[tuple[str, int, str]]:
    """Return the rows below the table: text, size and colour, the moments first."""
    moments = [f"{moment.position}. {moment_sentence(review, moment)}" for moment in review.moments]
    rows = [(row, 12, "#222") for moment in moments for row in wrap_lines(moment, PICTURE_COLUMNS, indent="    ")]
    method = [
        row for sentence in method_sentences(review) for row in wrap_lines(sentence, PICTURE_COLUMNS + 20, indent="")
    ]
    return [*rows, *((row, 10, "#666") for row in method)]


def _pick_colour(seat: int) -> str:
    return COLOURS[seat % len(COLOURS)]


def _write_text(x: float, y: float, text: str, *, anchor: str = "start", colour: str = "#222", size: int = 13) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}" font-size="{size}">{escape(text)}</text>'
    )
