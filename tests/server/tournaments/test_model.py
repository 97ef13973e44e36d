"""Laws of a tournament as a value: pairings, points, places, and who may take part."""

import random
from collections.abc import Callable, Sequence
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoville_server.tournaments.model.division import divide_players
from scoville_server.tournaments.model.pairing import pair_entrants
from scoville_server.tournaments.model.standings import name_winner, rank_entrants
from scoville_server.tournaments.model.tournament import (
    MOST_ENTRANTS,
    NOBODY,
    Format,
    Tournament,
    add_round,
    advance_count,
    begin_tournament,
    count_seats,
    enter_user,
    erase_user,
    note_result,
    score_closed,
    score_table,
    withdraw_user,
)
from scoville_shared.ids import TableId, UserId
from scoville_shared.protocol.messages import TableClock


def new_tournament(played: Format, seat_count: int, entrants: int, rounds: int = 0) -> Tournament:
    """Return a tournament that runs; the first entrant has the highest rating."""
    tournament = Tournament(
        id="1",
        name="Evening",
        format=played,
        game="high_card",
        options={},
        seat_count=seat_count,
        bot_level="sensible",
        clock=TableClock(move_ms=30_000),
        director=UserId("d"),
        director_name="Dora",
        round_count=rounds,
        starts_ms=0,
        created_ms=0,
    )
    for n in range(entrants):
        tournament = enter(tournament, f"u{n}", strength=float(entrants - n))
    return begin_tournament(tournament, 0)


def enter(tournament: Tournament, user: str, *, strength: float = 0.0, claimed: bool = True) -> Tournament:
    after = enter_user(tournament, UserId(user), user.title(), claimed=claimed, strength=strength)
    assert after is not None
    return after


def pair_all(tournament: Tournament, absent: Sequence[int] = ()) -> Tournament:
    """Begin the next round with all but the absent."""
    users = [entrant.user for entrant in tournament.entrants if entrant.number not in absent]
    tables = pair_entrants(tournament, tournament.list_free(users))
    drawn = [(TableId(f"{tournament.round}.{n}"), b"seed", seats) for n, seats in enumerate(tables)]
    return add_round(tournament, drawn, absent, 0)


def finish_all(tournament: Tournament, rank: Callable[[int], float]) -> Tournament:
    """Finish all tables: entrants are placed by `rank` of their number, the smallest first, and bots last."""
    for pairing in tournament.running:
        order = [rank(number) if number != NOBODY else 1e9 for number in pairing.seats]
        places = [1 + sum(other < mine for other in order) for mine in order]
        points = score_table(places, range(tournament.seat_count))
        tournament = note_result(tournament, pairing.table, places, points, 1_000)
    return tournament


def count_meetings(tournament: Tournament) -> dict[tuple[int, int], int]:
    met: dict[tuple[int, int], int] = {}
    for pairing in tournament.pairings:
        for pair in combinations(sorted(pairing.players), 2):
            met[pair] = met.get(pair, 0) + 1
    return met


@given(st.integers(1, 200), st.integers(2, 10))
def test_tables_are_few_and_equal(players: int, seats: int) -> None:
    sizes = divide_players(players, seats)
    assert sum(sizes) == players
    assert len(sizes) == -(-players // seats)
    assert max(sizes) - min(sizes) <= 1


@given(st.integers(2, 26), st.integers(2, 6), st.integers(1, 9), st.randoms(use_true_random=False))
def test_a_swiss_tournament_seats_everybody_once_a_round(
    entrants: int, seats: int, rounds: int, chance: random.Random
) -> None:
    tournament = new_tournament("swiss", seats, entrants, rounds)
    for number in range(1, rounds + 1):
        tournament = pair_all(tournament)
        this = [pairing for pairing in tournament.pairings if pairing.round == number]
        assert sorted(player for pairing in this for player in pairing.players) == list(range(1, entrants + 1))
        assert all(len(pairing.seats) == seats for pairing in this)
        tournament = finish_all(tournament, lambda _: chance.random())
    often = count_seats(tournament)
    assert {sum(counts) for counts in often.values()} == {rounds}
    assert max(max(counts) - min(counts) for counts in often.values()) <= 2, "nobody has one seat much more often"


@pytest.mark.parametrize(("entrants", "seats", "rounds"), [(11, 2, 11), (12, 2, 12), (13, 2, 15), (22, 3, 15)])
def test_seats_stay_even_where_all_have_met(entrants: int, seats: int, rounds: int) -> None:
    chance = random.Random(entrants)
    tournament = new_tournament("swiss", seats, entrants, rounds)
    for _ in range(rounds):
        tournament = finish_all(pair_all(tournament), lambda _: chance.random())
    assert max(max(counts) - min(counts) for counts in count_seats(tournament).values()) <= 3


@given(st.integers(2, 26), st.integers(2, 6), st.randoms(use_true_random=False))
def test_pairing_is_no_matter_of_chance(entrants: int, seats: int, chance: random.Random) -> None:
    tournament = finish_all(pair_all(new_tournament("swiss", seats, entrants, 3)), lambda _: chance.random())
    assert pair_all(tournament) == pair_all(tournament)


@pytest.mark.parametrize(
    ("entrants", "seats", "rounds", "most"),
    # Five rounds of sixteen at tables of four are possible without meeting anybody again, but found by few orders.
    [(9, 3, 4, 0), (24, 3, 6, 0), (20, 2, 7, 0), (32, 4, 6, 2), (16, 4, 5, 8)],
)
def test_nobody_meets_twice_where_that_can_be_avoided(entrants: int, seats: int, rounds: int, most: int) -> None:
    chance = random.Random(entrants)
    tournament = new_tournament("swiss", seats, entrants, rounds)
    for _ in range(rounds):
        tournament = finish_all(pair_all(tournament), lambda _: chance.random())
    assert sum(times - 1 for times in count_meetings(tournament).values()) <= most


def test_those_with_like_points_meet() -> None:
    tournament = new_tournament("swiss", 4, 16, 2)
    tournament = finish_all(pair_all(tournament), lambda number: number)
    after = pair_all(tournament)
    points = {each.entrant.number: each.points for each in rank_entrants(tournament)}
    spread = [
        max(points[player] for player in pairing.players) - min(points[player] for player in pairing.players)
        for pairing in after.running
    ]
    assert max(spread) <= 2, spread


@given(st.integers(2, 40), st.integers(2, 6), st.randoms(use_true_random=False))
def test_a_knockout_ends_with_one_winner(entrants: int, seats: int, chance: random.Random) -> None:
    tournament = new_tournament("knockout", seats, entrants)
    left = entrants
    while left > 1:
        tournament = finish_all(pair_all(tournament), lambda _: chance.random())
        now = sum(entrant.stage == "in" for entrant in tournament.entrants)
        assert now < left
        left = now
    ranked = rank_entrants(tournament)
    assert (ranked[0].place, ranked[0].entrant.stage) == (1, "in")
    assert sum(standing.place == 1 for standing in ranked) == 1


def test_who_is_not_there_at_the_end_has_not_won() -> None:
    tournament = finish_all(pair_all(new_tournament("knockout", 3, 6)), float)
    ended = name_winner(tournament, {4})
    assert [entrant.number for entrant in ended.entrants if entrant.stage == "in"] == [4]
    assert [entrant.number for entrant in name_winner(tournament, ()).entrants if entrant.stage == "in"] == [1]


def test_better_half_goes_on() -> None:
    tournament = pair_all(new_tournament("knockout", 4, 8))
    pairing = tournament.running[0]
    level = note_result(tournament, pairing.table, [1] * 4, score_table([1] * 4, range(4)), 0)
    still = {entrant.number for entrant in level.entrants if entrant.stage == "in"} & {*pairing.players}
    assert still == {*sorted(pairing.players)[: advance_count(4)]}


@given(st.lists(st.integers(1, 6), min_size=2, max_size=6))
def test_points_of_a_table_are_shared_among_all(raw: list[int]) -> None:
    places = [1 + sum(other < mine for other in raw) for mine in raw]
    points = score_table(places, range(len(raw)))
    assert sum(points) == len(raw) * (len(raw) - 1)
    assert all(
        (one > other) == (mine < theirs)
        for one, mine in zip(points, places, strict=True)
        for other, theirs in zip(points, places, strict=True)
    )


def test_who_left_gets_nothing_and_the_game_counts_for_the_others() -> None:
    assert score_table([1, 2, 3], [1, 2]) == (0, 2, 0)
    assert score_closed(4, [0, 2]) == (3, 0, 3, 0)


def test_a_result_counts_once() -> None:
    tournament = pair_all(new_tournament("swiss", 3, 6, 2))
    table = tournament.running[0].table
    once = note_result(tournament, table, (1, 2, 3), (4, 2, 0), 0)
    assert note_result(once, table, (3, 2, 1), (0, 2, 4), 0) == once


def test_who_enters_late_has_half_a_bye_once() -> None:
    tournament = finish_all(pair_all(new_tournament("swiss", 3, 6, 4)), lambda number: number)
    assert tournament.admits_entrants
    late = enter(tournament, "late")
    assert [each.points for each in rank_entrants(late) if each.entrant.name == "Late"] == [2]
    again = enter(withdraw_user(late, UserId("late")), "late")
    assert [each.points for each in rank_entrants(again) if each.entrant.name == "Late"] == [2]
    third = finish_all(pair_all(finish_all(pair_all(again), float)), float)
    assert not third.admits_entrants


def test_who_misses_two_rounds_has_withdrawn_and_may_come_back() -> None:
    tournament = new_tournament("swiss", 3, 6, 9)
    for _ in range(2):
        tournament = finish_all(pair_all(tournament, absent=[2]), float)
    assert tournament.find_number(2).stage == "withdrawn"
    assert enter(tournament, "u1").find_number(2).stage == "in"


def test_guests_who_vanish_keep_nobody_out() -> None:
    tournament = new_tournament("arena", 3, 0)
    for n in range(MOST_ENTRANTS):
        tournament = enter(tournament, f"g{n}", claimed=False)
    assert enter_user(tournament, UserId("anna"), "Anna", claimed=True, strength=0.0) is None
    gone = [UserId("g5"), UserId("g9")]
    after = enter_user(tournament, UserId("anna"), "Anna", claimed=True, strength=0.0, gone=gone)
    assert after is not None
    assert after.find_entrant(UserId("g5")) is None
    assert after.entrants[-1].number == MOST_ENTRANTS + 1, "no number is given twice"


def test_an_erased_user_leaves_a_ghost() -> None:
    tournament = finish_all(pair_all(new_tournament("swiss", 3, 6, 2)), float)
    ghost = erase_user(tournament, UserId("u0"))
    before, after = rank_entrants(tournament), rank_entrants(ghost)
    assert [(each.place, each.points) for each in before] == [(each.place, each.points) for each in after]
    assert (after[0].entrant.user, after[0].entrant.name) == ("", "")
    assert ghost.find_entrant(UserId("")) is None
