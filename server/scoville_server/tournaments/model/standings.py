"""The standings of a tournament."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import NamedTuple

from msgspec.structs import replace

from scoville_server.tournaments.model.tournament import Entrant, Tournament, seed_key


def name_winner(tournament: Tournament, present: Collection[int]) -> Tournament:
    """Put out all of a knock-out but its winner, when fewer than two are left who are there.

    An absent player has not won against one who was there at the end; where nobody was, the standings so far decide.
    """
    left = [standing.entrant for standing in rank_entrants(tournament) if standing.entrant.stage == "in"]
    winner = next((entrant for entrant in left if entrant.number in present), next(iter(left), None))
    entrants = [
        replace(entrant, stage="out") if entrant.stage == "in" and entrant != winner else entrant
        for entrant in tournament.entrants
    ]
    return replace(tournament, entrants=tuple(entrants))


class Standing(NamedTuple):
    """How an entrant stands: `points` are halves of opponents beaten.

    `opposition` is the mean of the points of all opponents who are entrants, in thousandths; it orders those with equal
    points: who got them against better players is before. `last_round` is the last one that they played in.
    """

    place: int
    entrant: Entrant
    points: int
    opposition: int
    game_count: int
    last_round: int


def rank_entrants(tournament: Tournament) -> list[Standing]:
    """Rank all entrants, the best first. Equal places are shared: only who is level in everything has one.

    In a knock-out who came further is before, whatever the points.
    """
    points, played, last = _count_points(tournament)
    # In a duplicate evening nobody has beaten those at the same table.
    is_duplicate = tournament.format == "duplicate"
    opposition = dict.fromkeys(points, 0) if is_duplicate else _rate_opposition(tournament, points)
    keys = {
        entrant.number: (
            entrant.stage == "removed",
            *(_depth_key(tournament, entrant, last) if tournament.format == "knockout" else ()),
            -points[entrant.number],
            -opposition[entrant.number],
        )
        for entrant in tournament.entrants
    }
    ordered = sorted(tournament.entrants, key=lambda entrant: (keys[entrant.number], *seed_key(entrant)))
    found: list[Standing] = []
    for n, entrant in enumerate(ordered):
        number = entrant.number
        level = n > 0 and keys[ordered[n - 1].number] == keys[number]
        place = found[-1].place if level else n + 1
        found.append(Standing(place, entrant, points[number], opposition[number], played[number], last[number]))
    return found


def _depth_key(tournament: Tournament, entrant: Entrant, last: dict[int, int]) -> tuple[bool, int, int]:
    """Return the sort key of entrants of a knock-out: still in, then the last round, then the place at its table."""
    place = 0
    for pairing in tournament.pairings:
        if entrant.number in pairing.seats and pairing.places:
            place = pairing.places[pairing.seats.index(entrant.number)]
    return entrant.stage != "in", -last[entrant.number], place


def _count_points(tournament: Tournament) -> tuple[dict[int, int], dict[int, int], dict[int, int]]:
    """Return points, finished games and the last round of each entrant."""
    # Half a bye is half of the points of a table.
    half = tournament.table_count - 1 if tournament.format == "duplicate" else tournament.seat_count - 1
    points = {each.number: each.byes * half for each in tournament.entrants}
    played: dict[int, int] = dict.fromkeys(points, 0)
    last: dict[int, int] = dict.fromkeys(points, 0)
    for pairing in tournament.pairings:
        for seat, number in enumerate(pairing.seats):
            # A guest who gave up the place to another entrant is not there any more.
            if number in points:
                last[number] = max(last[number], pairing.round)
                if pairing.points:
                    points[number] += pairing.points[seat]
                    played[number] += 1
    return points, played, last


def _rate_opposition(tournament: Tournament, points: dict[int, int]) -> dict[int, int]:
    met: defaultdict[int, list[int]] = defaultdict(list)
    for pairing in tournament.pairings:
        for number in pairing.players:
            met[number] += [points[other] for other in pairing.players if other != number and other in points]
    return {number: _mean_thousandths(met[number]) for number in points}


def _mean_thousandths(values: Iterable[int]) -> int:
    listed = [*values]
    return 1000 * sum(listed) // len(listed) if listed else 0
