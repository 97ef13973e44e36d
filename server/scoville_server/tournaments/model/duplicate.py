"""Duplicate evenings: the same deals at all tables, and results compared in the same seat.

Entrants keep their seats all evening. A result is compared with those in the same seat at the other tables, where
others had the same cards: two half points for each one that is worse, one for each one that is level. These
matchpoints, and not the difference to the mean, because a single result cannot weigh more than any other: neither a
wild deal decides an evening, nor a friend at another table who plays as badly as possible to move the mean.

At least two tables, and as many people as possible in one seat: two entrants sit alone with bots, in the same seat.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations
from typing import Final, NamedTuple

from msgspec.structs import replace

from scoville_server.tournaments.model.division import deal_in_turns
from scoville_server.tournaments.model.tournament import (
    NOBODY,
    Deal,
    Entrant,
    Pairing,
    Tournament,
    begin_break,
    seed_key,
)
from scoville_shared.engine.dice import DealTerms, commit_to
from scoville_shared.ids import TableId

FEWEST_TABLES: Final = 2
"""Least tables of an evening: at a single one there is nothing to compare."""

_MOST_PASSES: Final = 8
"""How often the seating is gone through for entrants who should not sit as they do."""

Place = tuple[int, int]
"""A table and a seat of an evening."""


# --- deals ----------------------------------------------------------------------------------------------


def commit_to_deal(tournament: Tournament, deal: Deal) -> str:
    """Return the commitment to a deal and to all that it follows from, hex; that of each of its tables as well."""
    terms = DealTerms(
        table=deal.name,
        game=tournament.game,
        rules_version=deal.rules_version,
        options=tournament.options,
        seats=tournament.seat_count,
        dealer=None,
    )
    return commit_to(deal.seed, terms).hex()


def is_revealed(tournament: Tournament, number: int) -> bool:
    """Whether the deal of a round is public: all tables have played it, or nobody ever will."""
    tables = [pairing for pairing in tournament.pairings if pairing.round == number]
    return not any(pairing.is_running for pairing in tables) and (bool(tables) or not tournament.is_open)


# --- seating --------------------------------------------------------------------------------------------


def seat_entrants(tournament: Tournament, present: Collection[int]) -> Tournament:
    """Seat the entrants without a place: all before the first deal, later only new ones.

    Guests who are not there before the first deal get none, so that those who enter and vanish fill no tables. Where no
    place is free, an entrant waits for one.
    """
    if tournament.table_count:
        for entrant in tournament.entrants:
            if entrant.stage == "in" and entrant.number in present and not _has_place(tournament, entrant):
                tournament = _seat_late(tournament, entrant)
        return tournament
    field = [each for each in tournament.entrants if each.stage == "in" and (each.claimed or each.number in present)]
    tournament = _form_teams(tournament, field)
    field = [tournament.find_number(each.number) for each in field]
    table_count = max(FEWEST_TABLES, -(-len(field) // tournament.seat_count))
    places = _improve_places(_deal_places(field, table_count), field, table_count)
    return replace(
        tournament,
        table_count=table_count,
        entrants=tuple(_give_place(each, places.get(each.number, (NOBODY, NOBODY))) for each in tournament.entrants),
    )


def list_deal_tables(tournament: Tournament, barred: Collection[int] = ()) -> list[tuple[int, ...]]:
    """List who sits where in the next deal, by table and seat; NOBODY for a bot, also in the seats of the `barred`."""
    tables = [[NOBODY] * tournament.seat_count for _ in range(tournament.table_count)]
    for entrant in tournament.entrants:
        if entrant.stage == "in" and entrant.user and entrant.table != NOBODY and entrant.number not in barred:
            tables[entrant.table][entrant.seat] = entrant.number
    return [tuple(table) for table in tables]


def has_free_place(tournament: Tournament) -> bool:
    """Whether a new entrant finds a seat now; there is no bound before the first deal."""
    return not tournament.table_count or bool(_list_free_places(tournament))


def list_teams(tournament: Tournament) -> list[list[Entrant]]:
    """List the teams, as they would be now before the evening has begun."""
    if not tournament.table_count:
        tournament = _form_teams(tournament, [each for each in tournament.entrants if each.stage == "in"])
    numbers = sorted({entrant.team for entrant in tournament.entrants if entrant.team})
    return [[entrant for entrant in tournament.entrants if entrant.team == number] for number in numbers]


def _form_teams(tournament: Tournament, field: Iterable[Entrant]) -> Tournament:
    """Form teams of those who have named each other: nobody gets into one against the will of its first member."""
    teams: dict[int, int] = {}
    if tournament.team_size:
        named = {entrant.name.casefold(): entrant for entrant in field}
        for entrant in named.values():
            if entrant.number in teams:
                continue
            wanted = [named[name.casefold()] for name in entrant.partners if name.casefold() in named]
            mutual = [
                each
                for each in dict.fromkeys(wanted)
                if each.number not in teams
                and each is not entrant
                and entrant.name.casefold() in {name.casefold() for name in each.partners}
            ]
            if mutual:
                members = [entrant, *mutual][: tournament.team_size]
                teams |= {each.number: min(member.number for member in members) for each in members}
    return replace(
        tournament,
        entrants=tuple(replace(entrant, team=teams.get(entrant.number, 0)) for entrant in tournament.entrants),
    )


def _deal_places(field: Sequence[Entrant], table_count: int) -> dict[int, Place]:
    """Deal entrants to the seats, all tables of a seat before the next one, so that seats and tables are as strong."""
    full, rest = divmod(len(field), table_count)
    sizes = [table_count] * full + ([rest] if rest else [])
    columns = deal_in_turns([entrant.number for entrant in sorted(field, key=seed_key)], sizes)
    places: dict[int, Place] = {}
    for seat, column in enumerate(columns):
        # There and back, so that the strongest of one seat sits with the weakest of the next.
        order = column if seat % 2 == 0 else column[::-1]
        places |= {number: (table, seat) for table, number in enumerate(order)}
    return places


def _improve_places(places: dict[int, Place], field: Sequence[Entrant], table_count: int) -> dict[int, Place]:
    """Swap entrants until teams sit apart, and users of one network have the same cards.

    Two accounts of one person at two tables would see two hands of the same deal; in the same seat they see one, and
    take points from each other. Where more come from one network than there are tables, it says nothing.
    """
    pairs = _list_pairs(field, table_count)
    if not pairs:
        return places

    def cost(number: int) -> int:
        return sum(_pair_cost(places[number], places[other], are_team=team) for other, team in pairs.get(number, ()))

    numbers = [entrant.number for entrant in field]
    for _ in range(_MOST_PASSES):
        better = False
        for one in pairs:
            if not cost(one):
                continue
            for other in numbers:
                before = cost(one) + cost(other)
                places[one], places[other] = places[other], places[one]
                if cost(one) + cost(other) < before:
                    better = True
                else:
                    # It was better before.
                    places[one], places[other] = places[other], places[one]
        if not better:
            break
    return places


def _list_pairs(field: Sequence[Entrant], table_count: int) -> dict[int, list[tuple[int, bool]]]:
    """List for each entrant those whose place matters to theirs, and whether they are a team."""
    pairs: dict[int, list[tuple[int, bool]]] = {}
    for key, is_team in (("team", True), ("origin", False)):
        groups: dict[object, list[Entrant]] = {}
        for entrant in field:
            value = getattr(entrant, key)
            if value:
                groups.setdefault(value, []).append(entrant)
        for group in groups.values():
            if not is_team and len(group) > table_count:
                continue
            for one, other in combinations(group, 2):
                if is_team or not one.team or one.team != other.team:
                    pairs.setdefault(one.number, []).append((other.number, is_team))
                    pairs.setdefault(other.number, []).append((one.number, is_team))
    return pairs


def _pair_cost(one: Place, other: Place, *, are_team: bool) -> int:
    if are_team:
        return 8 * (one[0] == other[0]) + 2 * (one[1] == other[1])
    return int(one[1] != other[1])


def _seat_late(tournament: Tournament, entrant: Entrant) -> Tournament:
    """Seat a late entrant: where they sat before, else where most people have the same cards."""
    free = _list_free_places(tournament)
    if not free:
        return tournament
    sat = _list_taken(tournament)
    in_seat = [sum(seat == column for _, seat in sat) for column in range(tournament.seat_count)]
    at_table = [sum(table == row for table, _ in sat) for row in range(tournament.table_count)]
    # The former place first: results are compared within a seat, so entrants keep theirs all evening.
    own = entrant.table, entrant.seat
    best = own if own in free else min(free, key=lambda place: (-in_seat[place[1]], at_table[place[0]], place))
    return replace(
        tournament,
        entrants=tuple(_give_place(each, best) if each is entrant else each for each in tournament.entrants),
    )


def _list_taken(tournament: Tournament) -> set[Place]:
    return {(each.table, each.seat) for each in tournament.entrants if each.stage == "in" and each.table != NOBODY}


def _has_place(tournament: Tournament, entrant: Entrant) -> bool:
    """Whether an entrant has a place of their own, as no user has taken it after they withdrew."""
    place = entrant.table, entrant.seat
    holders = [each for each in tournament.entrants if each.stage == "in" and (each.table, each.seat) == place]
    return entrant.table != NOBODY and holders == [entrant]


def _list_free_places(tournament: Tournament) -> list[Place]:
    taken = _list_taken(tournament)
    every = ((table, seat) for table in range(tournament.table_count) for seat in range(tournament.seat_count))
    return [place for place in every if place not in taken]


def _give_place(entrant: Entrant, place: Place) -> Entrant:
    return replace(entrant, table=place[0], seat=place[1])


# --- results --------------------------------------------------------------------------------------------


def note_deal_table(
    tournament: Tournament,
    table: TableId,
    places: Sequence[int],
    scores: Sequence[int],
    counted: Iterable[int],
    now_ms: int,
) -> Tournament:
    """Note the result of a table, once; with the last one of a deal all of its tables get their points."""
    noted = tuple(
        replace(each, places=tuple(places), scores=tuple(scores), counted=tuple(sorted(counted)), over=True)
        if each.table == table and each.is_running
        else each
        for each in tournament.pairings
    )
    after = replace(tournament, pairings=noted)
    # Not before the last table: a result that is known would tell others what the deal holds.
    if not tournament.running or after.running:
        return after
    # Earlier deals have points already, so these are the tables of this one.
    this = [each for each in noted if each.over and not each.points]
    points = dict(zip((each.table for each in this), score_columns(this), strict=True))
    scored = tuple(replace(each, points=points.get(each.table, each.points)) for each in noted)
    return begin_break(tournament, replace(after, pairings=scored), now_ms)


def score_columns(tables: Sequence[Pairing]) -> list[tuple[int, ...]]:
    """Return the half points of the tables of a deal by seat.

    Better is the higher place at the table, then the better score. A player who did not stay has none, whatever
    the bot in the seat reached, and the result counts for the others. A table that was closed before its end
    is level with all.
    """
    higher = _rewards_high_scores(tables)
    columns = [
        [_rank_result(table, seat, higher=higher) for table in tables]
        for seat in range(len(tables[0].seats) if tables else 0)
    ]
    return [
        tuple(
            _count_better(column, row) if seat in tables[row].counted or tables[row].seats[seat] == NOBODY else 0
            for seat, column in enumerate(columns)
        )
        for row in range(len(tables))
    ]


def _rank_result(table: Pairing, seat: int, *, higher: bool) -> tuple[int, int] | None:
    """Return how good a result is, the smaller the better; None where there is none."""
    return (table.places[seat], -table.scores[seat] if higher else table.scores[seat]) if table.places else None


def _count_better(column: Sequence[tuple[int, int] | None], row: int) -> int:
    mine = column[row]
    others = [*column[:row], *column[row + 1 :]]
    return sum(1 if mine is None or other is None else 2 * (mine < other) + (mine == other) for other in others)


def _rewards_high_scores(tables: Sequence[Pairing]) -> bool:
    """Whether more points are better, which is read off the places at all tables."""
    return (
        sum(
            (table.scores[one] - table.scores[other]) * (table.places[other] - table.places[one])
            for table in tables
            if table.places
            for one, other in combinations(range(len(table.places)), 2)
        )
        >= 0
    )


def list_by_deal(tournament: Tournament) -> Mapping[int, list[int | None]]:
    """List the half points of each entrant by deal, None for one that they did not sit in."""
    scored = {pairing.round for pairing in tournament.pairings if pairing.points}
    by_deal: dict[int, list[int | None]] = {each.number: [None] * len(scored) for each in tournament.entrants}
    for pairing in tournament.pairings:
        for seat, number in enumerate(pairing.seats):
            if pairing.points and number in by_deal:
                by_deal[number][pairing.round - 1] = pairing.points[seat]
    return by_deal


class TeamStanding(NamedTuple):
    """How a team stands: the sum of the points of its members."""

    place: int
    members: list[Entrant]
    points: int


def rank_teams(tournament: Tournament, points: Mapping[int, int]) -> list[TeamStanding]:
    """Rank the teams by the points of their members, without those who were removed. Equal places are shared."""
    teams = [
        (sum(points[each.number] for each in members if each.stage != "removed"), members)
        for members in list_teams(tournament)
    ]
    ordered = sorted(teams, key=lambda team: -team[0])
    return [TeamStanding(1 + sum(other > total for other, _ in ordered), members, total) for total, members in ordered]
