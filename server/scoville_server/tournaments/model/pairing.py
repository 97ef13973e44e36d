"""Who plays whom: entrants are divided among tables at the least cost, and then take the seats they had least often.

In Swiss rounds nobody sits in a seat three times more than in another one, as long as there is somebody left whom they
have not met.

The same entrants with the same past are always divided in the same way.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, pairwise
from typing import Final

from scoville_server.tournaments.model.division import deal_in_turns, divide_players
from scoville_server.tournaments.model.standings import rank_entrants
from scoville_server.tournaments.model.tournament import NOBODY, Entrant, Tournament, count_seats, seed_key

_MET_COST: Final = 1_000_000
"""Cost of two entrants who have met before, times how often: more than any differences of points at all tables."""

_SEAT_COST: Final = 10_000
"""Cost of an entrant who must sit in a seat for a third time more than in another one: more than any differences of
points at a table of two, less than to meet somebody again."""

_MOST_MORE: Final = 2
"""How many times more an entrant has sat in a seat than in another one, where they are not to sit again."""

_BOT_COST: Final = 30
"""Cost of a table with a bot for each one that an entrant has met before: they take turns where points allow."""

_MOST_PASSES: Final = 40
"""Rounds of improvement; each makes the cost smaller, and some ten are enough."""

_WINDOW: Final = 5
"""Neighbouring tables of two whose players are divided together again: 945 ways, most of which soon cost too much."""

_REACH: Final = 40
"""How far apart in the ranking two entrants are who may change places: a swap over more is only worth it for
meetings, which the nearer ones also avoid."""


def pair_entrants(tournament: Tournament, players: Sequence[Entrant]) -> list[tuple[int, ...]]:
    """Divide entrants among tables; returns their numbers by seat, NOBODY for bots.

    In Swiss rounds and arenas those with like points meet who have not met; the first round and all of a knock-out are
    seeded, so that the strongest meet late.
    """
    sizes = divide_players(len(players), tournament.seat_count)
    if tournament.format == "knockout" or not tournament.pairings:
        order = [player.number for player in sorted(players, key=seed_key)]
        return _seat_tables(tournament, deal_in_turns(order, sizes))
    among = {player.number for player in players}
    ranked = [standing for standing in rank_entrants(tournament) if standing.entrant.number in among]
    met, bots = _count_meetings(tournament)
    points = {standing.entrant.number: standing.points for standing in ranked}
    costs = _Costs(points, met, bots, _list_worn(tournament), tournament.seat_count)
    tables = _improve_tables(_deal_in_rows([standing.entrant.number for standing in ranked], sizes), costs)
    return _seat_tables(tournament, _improve_pairs(tables, costs) if tournament.seat_count == 2 else tables)


def _deal_in_rows(order: Sequence[int], sizes: Sequence[int]) -> list[list[int]]:
    """Seat neighbours in the ranking together."""
    ends = [sum(sizes[: n + 1]) for n in range(len(sizes))]
    return [[*order[first:end]] for first, end in pairwise([0, *ends])]


class _Costs:
    """The cost of seating entrants together: gaps in points, meetings, bots, and seats that they had too often."""

    def __init__(
        self,
        points: Mapping[int, int],
        met: Counter[tuple[int, int]],
        bots: Counter[int],
        worn: Mapping[int, Sequence[int]],
        seat_count: int,
    ) -> None:
        self._points = points
        self._met = met
        self._bots = bots
        self._worn = worn
        self._seat_count = seat_count

    def rank_of_table(self, table: Sequence[int]) -> tuple[int, list[int]]:
        """Return the sort key of tables by the points of their players, the most first."""
        return -sum(self._points[number] for number in table) // len(table), [*table]

    def of_table(self, table: Sequence[int]) -> int:
        points, met = self._points, self._met
        # By squares: one wide gap costs more than two narrow ones, and a third meeting more than two second ones.
        cost = sum(
            (points[one] - points[other]) ** 2 + _MET_COST * met[(one, other) if one < other else (other, one)] ** 2
            for one, other in combinations(table, 2)
        )
        worn = [self._worn[number] for number in table if number in self._worn]
        # Nearly always each of them finds another seat, whichever the others take: then there is nothing to look for.
        if worn and min(seats.count(0) for seats in worn) < len(worn):
            cost += _SEAT_COST * _choose_seats(worn)[0]
        open_seats = self._seat_count - len(table)
        return cost + _BOT_COST * open_seats * sum(self._bots[number] for number in table) if open_seats else cost


def _improve_tables(tables: list[list[int]], costs: _Costs) -> list[list[int]]:
    """Let entrants change places as long as that costs less."""
    current = [costs.of_table(table) for table in tables]
    for _ in range(_MOST_PASSES):
        better = False
        # Anew in each pass: a ranking by place in the present division.
        places = [(table, seat) for table in range(len(tables)) for seat in range(len(tables[table]))]
        for n, (one, seat) in enumerate(places):
            for other, other_seat in places[n + 1 : n + 1 + _REACH]:
                if one == other:
                    continue
                better |= _swap_if_better(tables, current, costs, (one, seat), (other, other_seat))
        if not better:
            break
    return tables


def _improve_pairs(tables: list[list[int]], costs: _Costs) -> list[list[int]]:
    """Divide the players of neighbouring tables of two again, in the best of all ways, as long as that costs less.

    Swaps of two players alone end at pairs that cost more than those of a published library in every fifth round
    (`tests.server.tournaments.oracle`).
    """
    tables = sorted(tables, key=costs.rank_of_table)
    for _ in range(_MOST_PASSES):
        better = False
        for first in range(max(1, len(tables) - _WINDOW + 1)):
            window = tables[first : first + _WINDOW]
            before = sum(map(costs.of_table, window))
            cost, best = _pair_best([player for table in window for player in table], costs, before)
            if cost < before:
                tables[first : first + _WINDOW] = best
                better = True
        tables.sort(key=costs.rank_of_table)
        if not better:
            break
    return tables


def _pair_best(players: Sequence[int], costs: _Costs, most: int) -> tuple[int, list[list[int]]]:
    """Return the cheapest pairs of so few players, and their cost; `most` and no pairs if none is better."""
    if len(players) <= 2:
        table = [*players]
        cost = costs.of_table(table) if table else 0
        return (cost, [table] if table else []) if cost < most else (most, [])
    first, *others = players
    best: tuple[int, list[list[int]]] = (most, [])
    for other in others:
        pair = [first, other]
        # Branch and bound: a pair that alone costs more than the best division so far is not followed further.
        own = costs.of_table(pair)
        if own < best[0]:
            rest = [player for player in others if player != other]
            cost, pairs = _pair_best(rest, costs, best[0] - own)
            if cost + own < best[0]:
                best = cost + own, [pair, *pairs]
    return best


def _swap_if_better(
    tables: list[list[int]], current: list[int], costs: _Costs, first: tuple[int, int], second: tuple[int, int]
) -> bool:
    one, other = first[0], second[0]
    before = current[one] + current[other]
    _swap_players(tables, first, second)
    after = costs.of_table(tables[one]), costs.of_table(tables[other])
    if sum(after) < before:
        current[one], current[other] = after
        return True
    _swap_players(tables, first, second)
    return False


def _swap_players(tables: list[list[int]], first: tuple[int, int], second: tuple[int, int]) -> None:
    (one, seat), (other, other_seat) = first, second
    tables[one][seat], tables[other][other_seat] = tables[other][other_seat], tables[one][seat]


def _count_meetings(tournament: Tournament) -> tuple[Counter[tuple[int, int]], Counter[int]]:
    """Count how often each pair of entrants has met, and each entrant a bot."""
    met: Counter[tuple[int, int]] = Counter()
    bots: Counter[int] = Counter()
    for pairing in tournament.pairings:
        met.update(combinations(sorted(pairing.players), 2))
        open_seats = tournament.seat_count - len(pairing.players)
        if open_seats:
            bots.update(dict.fromkeys(pairing.players, open_seats))
    return met, bots


def _list_worn(tournament: Tournament) -> dict[int, list[int]]:
    """Return by seat the cost for entrants who have sat there often enough: 1 to sit there again."""
    worn = {
        number: [int(times - min(sat) >= _MOST_MORE) for times in sat]
        for number, sat in count_seats(tournament).items()
    }
    return {number: costs for number, costs in worn.items() if any(costs)}


def _seat_tables(tournament: Tournament, tables: Iterable[Sequence[int]]) -> list[tuple[int, ...]]:
    sat = count_seats(tournament)
    none = [0] * tournament.seat_count
    return [_seat_players(table, {number: sat.get(number, none) for number in table}) for table in tables]


def _seat_players(table: Sequence[int], sat: Mapping[int, Sequence[int]]) -> tuple[int, ...]:
    """Give each entrant of a table a seat, so that all use each seat about equally often."""
    seat_count = len(next(iter(sat.values())))
    # By powers of more than there are seats: nobody sits somewhere a third time more than in another seat to spare
    # others a second time.
    prices = [[16 ** (times - min(sat[number])) for times in sat[number]] for number in table]
    _, chosen = _choose_seats(prices)
    seats = [NOBODY] * seat_count
    for number, seat in zip(table, chosen, strict=True):
        seats[seat] = number
    return tuple(seats)


def _choose_seats(prices: Sequence[Sequence[int]]) -> tuple[int, tuple[int, ...]]:
    """Choose a seat for each player, all different, at the least sum of their `prices` by seat; returns sum and seats.

    By the sets of taken seats: of the ways to the same set only the cheapest goes on, so that ten players of ten seats
    take five thousand steps.
    """
    cheapest: dict[int, tuple[int, tuple[int, ...]]] = {0: (0, ())}
    for of_player in prices:
        further: dict[int, tuple[int, tuple[int, ...]]] = {}
        for taken, (cost, seats) in cheapest.items():
            for seat, price in enumerate(of_player):
                after = taken | 1 << seat
                if after != taken and (after not in further or cost + price < further[after][0]):
                    further[after] = cost + price, (*seats, seat)
        cheapest = further
    return min(cheapest.values())
