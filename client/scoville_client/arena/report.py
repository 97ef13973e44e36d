"""Report of a series: a table of ratings, the best first; the same as JSON and as a picture."""

import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from html import escape
from itertools import combinations
from random import Random
from statistics import fmean
from typing import NamedTuple

from rich.cells import cell_len, set_cell_size

from scoville_client.arena.match import Contestant, Match
from scoville_client.arena.series import by_entrant
from scoville_client.i18n.language import format_number, tr

MEAN, SCALE = 1500.0, 400.0
"""Mean of all ratings, and the difference at which the better player wins ten times out of eleven."""

ROUNDS = 200
"""Iterations of the fit, far more than it needs to converge."""

DRAWS = 200
"""Number of bootstrap samples."""

INTERVAL = 0.95

Places = Sequence[int]
"""Places of one match, from 1, in the order of the contestants."""


class Rated(NamedTuple):
    """A rating and its 95 % interval."""

    rating: float
    low: float
    high: float


def rate_contestants(deals: Sequence[Sequence[Places]], entrants: int) -> list[Rated]:
    """Rate the contestants by the matches of each deal."""
    best = fit_ratings((match for deal in deals for match in deal), entrants)
    luck = Random(0)  # noqa: S311 - the same results always have the same intervals
    draws = [
        fit_ratings((match for deal in luck.choices(deals, k=len(deals)) for match in deal), entrants)
        for _ in range(DRAWS)
    ]
    return [Rated(rating, *_find_interval(sorted(draw[n] for draw in draws))) for n, rating in enumerate(best)]


def fit_ratings(matches: Iterable[Places], entrants: int) -> list[float]:
    """Fit the model. Each pair gets one extra draw, so that a contestant without a loss has a rating, too."""
    wins = [[0.5 if a != b else 0.0 for b in range(entrants)] for a in range(entrants)]
    for places in matches:
        for a, b in combinations(range(entrants), 2):
            wins[a][b] += _share_won(places[a], places[b])
            wins[b][a] += _share_won(places[b], places[a])
    strengths = [1.0] * entrants
    for _ in range(ROUNDS):
        strengths = _normalize_strengths([_improve_strength(wins, strengths, a) for a in range(entrants)])
    return [MEAN + SCALE * math.log10(strength) for strength in strengths]


def _share_won(mine: int, other: int) -> float:
    return 0.5 if mine == other else float(mine < other)


def _improve_strength(wins: Sequence[Sequence[float]], strengths: Sequence[float], a: int) -> float:
    """Return the next estimate of the strength of `a`."""
    met = ((wins[a][b] + wins[b][a]) / (strengths[a] + strengths[b]) for b in range(len(strengths)) if b != a)
    return sum(wins[a]) / sum(met)


def _normalize_strengths(strengths: Sequence[float]) -> list[float]:
    """Scale the strengths to the mean rating."""
    middle = math.exp(sum(map(math.log, strengths)) / len(strengths))
    return [strength / middle for strength in strengths]


def _find_interval(ratings: Sequence[float]) -> tuple[float, float]:
    cut = round(len(ratings) * (1 - INTERVAL) / 2)
    return ratings[cut], ratings[-1 - cut]


_WIDTH, _ROW, _LEFT, _RIGHT = 720, 32, 190, 70
"""Measures of the picture; left of the diagram are the names, right of it the ratings."""


class Standing(NamedTuple):
    """How a contestant did: its rating, first places, matches, mean score, and moves that a bot made for it."""

    label: str
    rating: Rated
    wins: int
    matches: int
    points: float
    missed: int


def list_standings(players: Sequence[Contestant], deals: Sequence[Sequence[Match]]) -> list[Standing]:
    """Return the standings, the best rating first."""
    ratings = rate_contestants([[by_entrant(match, match.places) for match in deal] for deal in deals], len(players))
    matches = [match for deal in deals for match in deal]
    found = [
        Standing(
            player.label,
            ratings[n],
            sum(by_entrant(match, match.places)[n] == 1 for match in matches),
            len(matches),
            fmean(by_entrant(match, match.scores)[n] for match in matches),
            sum(by_entrant(match, match.missed)[n] for match in matches),
        )
        for n, player in enumerate(players)
    ]
    return sorted(found, key=lambda standing: -standing.rating.rating)


def write_report(found: Sequence[Standing], deals: int, *, whole: bool = True) -> Iterator[str]:
    """Return the ratings with intervals, first places, mean scores, and timeouts; `whole` is a series to its end."""
    wide = max(cell_len(tr("contestant")), *(cell_len(standing.label) for standing in found))
    matches = found[0].matches
    if whole:
        yield tr("{matches} matches: {deals} deals, each played from every seat.", matches=matches, deals=deals)
    else:
        yield tr("Only {matches} matches were played: seats and neighbours are not balanced.", matches=matches)
    yield _format_row(wide, tr("contestant"), tr("rating"), tr("95 %"), tr("wins"), tr("points"), tr("missed"))
    for standing in found:
        rating = standing.rating
        yield _format_row(
            wide,
            standing.label,
            f"{rating.rating:.0f}",
            f"{rating.low:.0f}–{rating.high:.0f}",
            str(standing.wins),
            format_number(standing.points),
            str(standing.missed),
        )


def json_report(found: Sequence[Standing], game: str, seed: str, deals: int) -> str:
    """Return the standings as JSON, with what repeats the series."""
    contestants = [{**standing._asdict(), "rating": standing.rating._asdict()} for standing in found]
    whole = {"game": game, "seed": seed, "deals": deals, "contestants": contestants}
    return json.dumps(whole, ensure_ascii=False, indent=2) + "\n"


def svg_report(found: Sequence[Standing]) -> str:
    """Return the ratings with their intervals as a picture."""
    low, high = min(each.rating.low for each in found), max(each.rating.high for each in found)
    span, height = max(high - low, 1.0), _ROW * (len(found) + 1)

    def x(rating: float) -> float:
        return _LEFT + (_WIDTH - _LEFT - _RIGHT) * (rating - low) / span

    rows = [row for n, each in enumerate(found) for row in _draw_standing(each, x(each.rating.rating), n, x)]
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" font-family="sans-serif" fill="#222">'
    )
    return "\n".join([head, f'<rect width="{_WIDTH}" height="{height}" fill="#fff"/>', *rows, "</svg>"]) + "\n"


def _draw_standing(standing: Standing, middle: float, place: int, x: Callable[[float], float]) -> Iterator[str]:
    """Draw a contestant: its name, its interval as a line, its rating as a dot and a figure."""
    y, rating = _ROW * (place + 1), standing.rating
    yield f'<text x="12" y="{y + 5}" font-size="14">{escape(standing.label)}</text>'
    yield f'<path d="M{x(rating.low):.1f} {y}H{x(rating.high):.1f}" stroke="#2471a3" stroke-width="3"/>'
    yield f'<circle cx="{middle:.1f}" cy="{y}" r="5" fill="#2471a3"/>'
    yield f'<text x="{_WIDTH - _RIGHT + 14}" y="{y + 5}" font-size="14">{rating.rating:.0f}</text>'


def _format_row(wide: int, name: str, *cells: str) -> str:
    widths = (7, 11, 6, 8, 8)
    return set_cell_size(name, wide) + "".join(f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True))
