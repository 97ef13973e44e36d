"""Report of a series: a table of ratings, the best first."""

from collections.abc import Iterator, Sequence
from statistics import fmean

from rich.cells import cell_len, set_cell_size

from scoville_client.arena.contestants import Contestant
from scoville_client.arena.match import Match
from scoville_client.arena.ratings import rated
from scoville_client.arena.series import by_entrant
from scoville_client.i18n.language import number, tr


def report(players: Sequence[Contestant], deals: Sequence[Sequence[Match]]) -> Iterator[str]:
    """Return the ratings with intervals, first places, mean scores, and timeouts."""
    ratings = rated([[by_entrant(match, match.places) for match in deal] for deal in deals], len(players))
    matches = [match for deal in deals for match in deal]
    order = sorted(range(len(players)), key=lambda n: -ratings[n].rating)
    wide = max(cell_len(tr("contestant")), *(cell_len(player.label) for player in players))
    yield tr("{matches} matches: {deals} deals, each played from every seat.", matches=len(matches), deals=len(deals))
    yield _row(wide, tr("contestant"), tr("rating"), tr("95 %"), tr("wins"), tr("points"), tr("missed"))
    for n in order:
        first = sum(by_entrant(match, match.places)[n] == 1 for match in matches)
        yield _row(
            wide,
            players[n].label,
            f"{ratings[n].rating:.0f}",
            f"{ratings[n].low:.0f}–{ratings[n].high:.0f}",
            str(first),
            number(fmean(by_entrant(match, match.scores)[n] for match in matches)),
            str(sum(by_entrant(match, match.missed)[n] for match in matches)),
        )


def _row(wide: int, name: str, *cells: str) -> str:
    widths = (7, 11, 6, 8, 8)
    return set_cell_size(name, wide) + "".join(f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True))
