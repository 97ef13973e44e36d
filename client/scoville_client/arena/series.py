"""Series of matches, and their report: a table of ratings, the best first; the same as JSON and as a picture.

Each deal is played once from every seat, and each contestant follows each other one equally often.
"""

import asyncio
import hashlib
import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from html import escape
from itertools import combinations
from random import Random
from statistics import fmean
from typing import NamedTuple

from rich.cells import cell_len, set_cell_size

from scoville_client.arena.match import Contestant, Match, Terms, play_match
from scoville_client.i18n.language import format_number, render, render_count, tr
from scoville_client.transport.base import LinkError
from scoville_shared.engine.phrases import Phrase
from scoville_shared.errors import ScovilleError

Progress = Callable[[int, int], None]
"""Receives the number of finished matches and of all matches."""

ATTEMPTS = 3
"""How often a match is played when it fails: on a busy machine an answer can take too long once."""


def seed_of(seed: bytes, deal: int) -> bytes:
    """Return the seed of a deal: the same series has the same deals."""
    return hashlib.sha256(b"scoville/arena" + seed + deal.to_bytes(8)).digest()


def circular_orders(entrants: int) -> list[tuple[int, ...]]:
    """Return orders around the table in which each contestant follows each other one equally often.

    Turning a table changes who sits where, but nobody's neighbours; in games of attack the neighbours decide more.
    """
    if all(entrants % divisor for divisor in range(2, entrants)):
        # Of a prime number, the multiples of each step: balanced for neighbours at every distance.
        return [tuple(step * place % entrants for place in range(entrants)) for step in range(1, max(entrants, 2))]
    # Walecki's zigzag through all but one, turned, and closed by that last one; each order in both directions.
    others = entrants - 1
    zigzag = [(place // 2 if place % 2 == 0 else -(place + 1) // 2) for place in range(others)]
    turns = others if others % 2 else others // 2
    forward = [(others, *((turn + place) % others for place in zigzag)) for turn in range(turns)]
    return [*forward, *(order[::-1] for order in forward)]


def turned_orders(order: Sequence[int]) -> list[tuple[int, ...]]:
    """Return the seatings of one deal: each contestant once in every seat, with the same neighbours."""
    return [(*order[turn:], *order[:turn]) for turn in range(len(order))]


class Series:
    """Plays all matches, a few at a time, and keeps what was played when one cannot be.

    Args:
        terms: The conditions of every match.
        players: The contestants. In whatever order they are named, the same matches are played.
        deals: The least number of deals; `deals` is the next one in which all orders come equally often.
        seed: The deals come from it.
    """

    def __init__(self, terms: Terms, players: Sequence[Contestant], deals: int, seed: bytes) -> None:
        self._terms, self._seed = terms, seed
        self._players = players
        by_name = sorted(range(len(players)), key=lambda number: players[number].label)
        self._orders = [tuple(by_name[place] for place in order) for order in circular_orders(len(players))]
        self.deals = -(-deals // len(self._orders)) * len(self._orders)
        self.matches = self.deals * len(players)
        self._played: dict[tuple[int, int], Match] = {}

    async def play_matches(self, jobs: int, progress: Progress) -> None:
        """Play all matches, `jobs` at a time.

        Raises, in a group, the errors that kept a match from being played `ATTEMPTS` times: Unplayed, LinkError,
        ScovilleError.
        """
        room = asyncio.Semaphore(jobs)

        async def play_one(deal: int, turn: int, seated: tuple[int, ...]) -> None:
            async with room:
                self._played[deal, turn] = await self._play_match(deal, seated)
            progress(len(self._played), self.matches)

        async with asyncio.TaskGroup() as group:
            for deal in range(self.deals):
                for turn, seated in enumerate(turned_orders(self._orders[deal % len(self._orders)])):
                    group.create_task(play_one(deal, turn, seated))

    async def _play_match(self, deal: int, seated: tuple[int, ...]) -> Match:
        for _ in range(ATTEMPTS - 1):
            try:
                return await play_match(self._terms, self._players, seated, seed_of(self._seed, deal))
            # The same deal again: a lost connection says nothing about the players.
            except* (LinkError, ScovilleError):
                pass
        return await play_match(self._terms, self._players, seated, seed_of(self._seed, deal))

    def list_played(self) -> list[list[Match]]:
        """Return the matches that were played, by deal; a deal is left out until one of its matches is."""
        deals = sorted({deal for deal, _ in self._played})
        return [[self._played[key] for key in sorted(self._played) if key[0] == deal] for deal in deals]


def by_entrant(match: Match, by_seat: Sequence[int]) -> list[int]:
    """Reorder values by seat into values by contestant."""
    return [by_seat[match.seated.index(entrant)] for entrant in range(len(match.seated))]


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
    # Whole deals are drawn: the matches of one have the same cards, and are no independent results.
    draws = [
        fit_ratings((match for deal in luck.choices(deals, k=len(deals)) for match in deal), entrants)
        for _ in range(DRAWS)
    ]
    return [Rated(rating, *_find_interval(sorted(draw[n] for draw in draws))) for n, rating in enumerate(best)]


def fit_ratings(matches: Iterable[Places], entrants: int) -> list[float]:
    """Fit the model. Each pair gets one extra draw, so that a contestant without a loss has a rating, too."""
    # Bradley and Terry's model, in which nobody may have won, or lost, everything: their rating would be infinite.
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
    # Hunter's minorization-maximization (2004): no step size, and each round makes the results more likely.
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


class ContestantStanding(NamedTuple):
    """How a contestant did: its rating, first places, matches, mean score, and moves that a bot made for it."""

    label: str
    rating: Rated
    wins: int
    matches: int
    points: float
    missed: int


def list_standings(players: Sequence[Contestant], deals: Sequence[Sequence[Match]]) -> list[ContestantStanding]:
    """Return the standings, the best rating first."""
    ratings = rate_contestants([[by_entrant(match, match.places) for match in deal] for deal in deals], len(players))
    matches = [match for deal in deals for match in deal]
    found = [
        ContestantStanding(
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


_MATCHES = Phrase("{n} match", many="{n} matches")
_DEALT = Phrase(
    "{matches}: {deals} deal, played from every seat.", many="{matches}: {deals} deals, each played from every seat."
)
_UNBALANCED = Phrase(
    "Only {n} match was played: seats and neighbours are not balanced.",
    many="Only {n} matches were played: seats and neighbours are not balanced.",
)


def write_report(found: Sequence[ContestantStanding], deals: int, *, whole: bool = True) -> Iterator[str]:
    """Return the ratings with intervals, first places, mean scores, and timeouts; `whole` is a series to its end."""
    wide = max(cell_len(tr("contestant")), *(cell_len(standing.label) for standing in found))
    matches = found[0].matches
    if whole:
        yield render(_DEALT.with_fields({"matches": render_count(_MATCHES, matches), "deals": deals}, deals))
    else:
        yield render_count(_UNBALANCED, matches)
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


def json_report(found: Sequence[ContestantStanding], game: str, seed: str, deals: int) -> str:
    """Return the standings as JSON, with the seed and options that repeat the series."""
    contestants = [{**standing._asdict(), "rating": standing.rating._asdict()} for standing in found]
    whole = {"game": game, "seed": seed, "deals": deals, "contestants": contestants}
    return json.dumps(whole, ensure_ascii=False, indent=2) + "\n"


def svg_report(found: Sequence[ContestantStanding]) -> str:
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


def _draw_standing(
    standing: ContestantStanding, middle: float, place: int, x: Callable[[float], float]
) -> Iterator[str]:
    """Draw a contestant: its name, its interval as a line, its rating as a dot and a figure."""
    y, rating = _ROW * (place + 1), standing.rating
    yield f'<text x="12" y="{y + 5}" font-size="14">{escape(standing.label)}</text>'
    yield f'<path d="M{x(rating.low):.1f} {y}H{x(rating.high):.1f}" stroke="#2471a3" stroke-width="3"/>'
    yield f'<circle cx="{middle:.1f}" cy="{y}" r="5" fill="#2471a3"/>'
    yield f'<text x="{_WIDTH - _RIGHT + 14}" y="{y + 5}" font-size="14">{rating.rating:.0f}</text>'


def _format_row(wide: int, name: str, *cells: str) -> str:
    widths = (7, 11, 6, 8, 8)
    return set_cell_size(name, wide) + "".join(f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True))
