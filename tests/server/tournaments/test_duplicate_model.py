"""Laws of duplicate evenings as values: who sits where, what a result is worth, and when it is known."""

import random
from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from scoville_server.tournaments.model.duplicate import (
    has_free_place,
    is_revealed,
    list_by_deal,
    list_deal_tables,
    list_teams,
    note_deal_table,
    rank_teams,
    score_columns,
    seat_entrants,
)
from scoville_server.tournaments.model.standings import rank_entrants
from scoville_server.tournaments.model.tournament import (
    NOBODY,
    Deal,
    Pairing,
    Tournament,
    add_round,
    end_tournament,
    enter_user,
    withdraw_user,
)
from scoville_shared.ids import TableId, UserId
from tests.server.tournaments.test_model import enter, new_tournament


def new_evening(seat_count: int, entrants: int, deals: int = 3) -> Tournament:
    drawn = tuple(Deal(f"evening-1-{n}", b"s" * 32, 1) for n in range(1, deals + 1))
    return replace(new_tournament("duplicate", seat_count, entrants, deals), deals=drawn)


def begin_deal(tournament: Tournament, absent: Sequence[int] = ()) -> Tournament:
    there = {entrant.number for entrant in tournament.entrants} - {*absent}
    seated = seat_entrants(tournament, there)
    tables = [(TableId(f"{seated.round}.{n}"), b"", seats) for n, seats in enumerate(list_deal_tables(seated))]
    return add_round(seated, tables, absent, 0)


def finish_deal(tournament: Tournament, chance: random.Random, leavers: Sequence[int] = ()) -> Tournament:
    for pairing in tournament.running:
        scores = [chance.randrange(4) for _ in pairing.seats]
        places = [1 + sum(other > mine for other in scores) for mine in scores]
        counted = [seat for seat, number in enumerate(pairing.seats) if number != NOBODY and number not in leavers]
        tournament = note_deal_table(tournament, pairing.table, places, scores, counted, 1_000)
    return tournament


@given(st.integers(2, 60), st.integers(2, 10))
def test_seats_are_filled_one_after_the_other(entrants: int, seats: int) -> None:
    tournament = seat_entrants(new_evening(seats, entrants), range(1, entrants + 1))
    tables = list_deal_tables(tournament)
    assert len(tables) == tournament.table_count == max(2, -(-entrants // seats))
    assert sorted(number for table in tables for number in table if number != NOBODY) == list(range(1, entrants + 1))
    in_seat = [sum(table[seat] != NOBODY for table in tables) for seat in range(seats)]
    assert sum(0 < count < len(tables) for count in in_seat) <= 1, "as many people as possible have the same cards"
    at_table = [sum(number != NOBODY for number in table) for table in tables]
    assert max(at_table) - min(at_table) <= 1


@given(st.integers(2, 30), st.integers(2, 6), st.randoms(use_true_random=False))
def test_nobody_changes_seats(entrants: int, seats: int, chance: random.Random) -> None:
    tournament = begin_deal(new_evening(seats, entrants))
    first = [pairing.seats for pairing in tournament.pairings]
    tournament = begin_deal(finish_deal(tournament, chance), absent=[1])
    assert [pairing.seats for pairing in tournament.running] == first


@given(st.integers(2, 6), st.integers(2, 8), st.randoms(use_true_random=False))
def test_the_points_of_a_seat_are_shared_among_its_results(seats: int, rows: int, chance: random.Random) -> None:
    tables = [make_table(row, [chance.randrange(5) for _ in range(seats)]) for row in range(rows)]
    points = score_columns(tables)
    for seat in range(seats):
        assert sum(row[seat] for row in points) == rows * (rows - 1)
    order = [*range(rows)]
    chance.shuffle(order)
    assert score_columns([tables[row] for row in order]) == [points[row] for row in order]


def make_table(row: int, scores: Sequence[int], counted: Sequence[int] | None = None) -> Pairing:
    places = tuple(1 + sum(other > mine for other in scores) for mine in scores)
    all_seats = range(len(scores)) if counted is None else counted
    return Pairing(
        round=1,
        table=TableId(str(row)),
        seed=b"",
        seats=tuple(100 * row + seat for seat in range(len(scores))),
        at_ms=0,
        places=places,
        scores=tuple(scores),
        counted=tuple(all_seats),
        over=True,
    )


def test_one_wild_result_is_worth_no_more_than_any_other() -> None:
    level = [make_table(row, [3, 1]) for row in range(4)]
    # A friend at the first table lets the second seat win by very much.
    bought, wild = ([*level[:3], make_table(3, [1, score])] for score in (2, 1_000))
    assert [points[0] for points in score_columns(bought)] == [points[0] for points in score_columns(wild)]


def test_fewer_points_are_better_where_places_say_so() -> None:
    low = [replace(make_table(row, [0, 0]), places=(1, 2), scores=(mine, 30)) for row, mine in enumerate((10, 20))]
    assert [points[0] for points in score_columns(low)] == [2, 0]


def test_who_left_has_nothing_and_the_result_counts_for_the_others() -> None:
    tables = [make_table(0, [5, 1], counted=[1]), make_table(1, [3, 1])]
    assert score_columns(tables) == [(0, 1), (0, 1)]


def test_a_table_that_was_closed_is_level_with_all() -> None:
    closed = replace(make_table(0, [0, 0]), places=(), scores=(), counted=(1,))
    assert score_columns([closed, make_table(1, [3, 1])]) == [(0, 1), (1, 1)]


def test_nothing_is_known_before_all_tables_have_played_the_deal() -> None:
    tournament = begin_deal(new_evening(2, 4))
    first, second = tournament.running
    half = note_deal_table(tournament, first.table, (1, 2), (9, 1), (0, 1), 5)
    assert half.running == [second]
    assert not is_revealed(half, 1)
    assert all(standing.points == 0 == standing.game_count for standing in rank_entrants(half))
    assert (half.next_ms, list_by_deal(half)[1]) == (0, [])
    done = note_deal_table(half, second.table, (2, 1), (2, 5), (0, 1), 5)
    assert is_revealed(done, 1)
    assert not is_revealed(done, 2)
    assert sum(standing.points for standing in rank_entrants(done)) == 4
    assert done.next_ms > 5
    again = note_deal_table(done, second.table, (1, 2), (99, 5), (0, 1), 9)
    assert again == done, "a result counts once"


def test_a_cancelled_evening_reveals_what_is_not_being_played() -> None:
    tournament = end_tournament(begin_deal(new_evening(2, 4)), "cancelled", 0)
    assert (is_revealed(tournament, 1), is_revealed(tournament, 2)) == (False, True)


def test_latecomers_replace_bots_for_half_a_deal() -> None:
    chance = random.Random(1)
    tournament = finish_deal(begin_deal(new_evening(3, 5, 4)), chance)
    assert tournament.admits_entrants
    late = enter(tournament, "late")
    assert not has_free_place(seat_entrants(late, range(1, 7)))
    tournament = begin_deal(late)
    assert sum(6 in pairing.seats for pairing in tournament.running) == 1
    assert {each.entrant.name: each.points for each in rank_entrants(tournament)}["Late"] == tournament.table_count - 1
    gone = withdraw_user(finish_deal(tournament, chance), UserId("u1"))
    assert has_free_place(gone)
    seated = [number for pairing in begin_deal(gone).running for number in pairing.seats]
    assert (2 in seated, seated.count(NOBODY)) == (False, 1)
    back = begin_deal(enter(gone, "u1"))
    assert [pairing.seats for pairing in back.running] == [pairing.seats for pairing in tournament.pairings[-2:]]


def test_guests_who_vanish_before_the_start_fill_no_tables() -> None:
    tournament = new_evening(2, 4)
    for n in range(40):
        tournament = enter(tournament, f"g{n}", claimed=False)
    assert begin_deal(tournament, absent=range(5, 45)).table_count == 2


def with_partners(tournament: Tournament, wishes: dict[str, list[str]]) -> Tournament:
    for user, partners in wishes.items():
        after = enter_user(tournament, UserId(user), user.title(), claimed=True, strength=0.0, partners=partners)
        assert after is not None
        tournament = after
    return tournament


def test_only_those_who_name_each_other_are_a_team() -> None:
    wishes = {"u0": ["U1"], "u1": ["u0"], "u2": ["U0"], "u3": []}
    tournament = with_partners(replace(new_evening(2, 4), stage="announced", team_size=2), wishes)
    assert [[member.number for member in team] for team in list_teams(tournament)] == [[1, 2]]


@pytest.mark.parametrize(("seats", "teams", "size"), [(2, 4, 2), (3, 6, 2), (4, 4, 4), (4, 8, 3)])
def test_teams_sit_at_different_tables_and_in_different_seats(seats: int, teams: int, size: int) -> None:
    users = [f"u{n}" for n in range(teams * size)]
    wishes = {
        user: [other.title() for m, other in enumerate(users) if m // size == n // size and other != user]
        for n, user in enumerate(users)
    }
    announced = replace(new_evening(seats, teams * size), stage="announced", team_size=size)
    tournament = begin_deal(replace(with_partners(announced, wishes), stage="running"))
    for members in list_teams(tournament):
        assert len(members) == size
        assert len({each.table for each in members}) == size
        if size <= seats:
            assert len({each.seat for each in members}) == size
    tournament = finish_deal(tournament, random.Random(3))
    points = {each.entrant.number: each.points for each in rank_entrants(tournament)}
    ranked = rank_teams(tournament, points)
    assert sum(team.points for team in ranked) == sum(points.values())
    assert [team.place for team in ranked] == sorted(team.place for team in ranked)


def test_accounts_of_one_network_have_the_same_cards() -> None:
    tournament = new_evening(3, 9)
    origins = {1: 7, 2: 7, 5: 9, 6: 9, 8: 9}
    entrants = tuple(replace(each, origin=origins.get(each.number)) for each in tournament.entrants)
    tournament = begin_deal(replace(tournament, entrants=entrants))
    seats = Counter((each.origin, each.seat) for each in tournament.entrants if each.origin)
    assert sorted(seats.values()) == [2, 3]
