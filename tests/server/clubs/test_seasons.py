"""Seasons of clubs as values: what a game counts, who goes up and down, and that nothing counts twice."""

from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from scoville_server.clubs.model.club import LOWEST_DIVISION, Club, Member
from scoville_server.clubs.model.season import (
    MOST_COUNTED,
    MOST_GAMES,
    SEASON_MS,
    advance_season,
    count_game,
    count_points,
    find_season,
    forecast_rises,
    season_ends_ms,
)
from scoville_shared.ids import TableId, UserId

USERS = [UserId(name) for name in ("anna", "ben", "carl", "dora", "eve", "finn")]
ANNA, BEN, CARL, DORA, EVE, FINN = USERS
NOW = 1_796_083_200_000


def club_of(*users: UserId, divisions: Mapping[UserId, int] | None = None) -> Club:
    members = {
        user: Member(since_ms=1, leads=user == ANNA, division=(divisions or {}).get(user, LOWEST_DIVISION))
        for user in users
    }
    return Club(name="Peppers", since_ms=1, members=members)


def points_of(club: Club) -> dict[UserId, int]:
    return {user: count_points(member) for user, member in club.members.items()}


def play(club: Club, table: str, places: Mapping[UserId, int | None], now: int = NOW) -> Club:
    return count_game(club, TableId(table), 5, places, now)


def with_points(points: Mapping[UserId, int], **divisions: int) -> Club:
    club = club_of(*points, divisions={UserId(user): division for user, division in divisions.items()})
    members = {user: replace(member, best_games=(points[user],), game_count=1) for user, member in club.members.items()}
    return replace(club, members=members, season=find_season(NOW))


def test_members_behind_and_level_give_points() -> None:
    club = play(club_of(ANNA, BEN, CARL), "t", {ANNA: 1, BEN: 2, CARL: 2, UserId("stranger"): 1})
    assert points_of(club) == {ANNA: 4, BEN: 1, CARL: 1}
    assert [club.members[user].game_count for user in (ANNA, BEN, CARL)] == [1, 1, 1]


def test_table_counts_once_over_the_end_of_a_season() -> None:
    club = play(club_of(ANNA, BEN), "t", {ANNA: 1, BEN: 2})
    assert play(club, "t", {ANNA: 1, BEN: 2}) is club
    later = advance_season(club, NOW + SEASON_MS)
    assert play(later, "t", {ANNA: 1, BEN: 2}, NOW + SEASON_MS) is later


def test_a_leaver_gets_nothing_and_is_behind_all_others() -> None:
    club = play(club_of(ANNA, BEN, CARL), "t", {ANNA: None, BEN: 3, CARL: 2})
    assert points_of(club) == {ANNA: 0, BEN: 2, CARL: 4}
    everybody_left = club_of(ANNA, BEN)
    assert play(everybody_left, "u", {ANNA: None, BEN: None}) is everybody_left


def test_games_with_fewer_than_two_members_count_nothing() -> None:
    club = club_of(ANNA, BEN)
    assert play(club, "t", {ANNA: 1, UserId("stranger"): 2}) is club
    late = replace(club, members={**club.members, BEN: Member(since_ms=9)})
    assert play(late, "t", {ANNA: 1, BEN: 2}) is late, "who has joined since the start does not count"
    closed = replace(club, closed_ms=7)
    assert play(closed, "t", {ANNA: 1, BEN: 2}) is closed


def test_only_the_best_games_count() -> None:
    club = club_of(ANNA, BEN)
    for n in range(MOST_GAMES + 10):
        club = play(club, f"t{n}", {ANNA: 1, BEN: 2})
    assert points_of(club) == {ANNA: 2 * MOST_GAMES, BEN: 0}
    assert club.members[ANNA].game_count == MOST_GAMES + 10
    assert len(club.counted) == MOST_GAMES + 10 <= MOST_COUNTED


def test_the_better_third_goes_up_and_the_last_third_down() -> None:
    club = with_points(dict(zip(USERS, (9, 7, 5, 4, 3, 1), strict=True)), **dict.fromkeys(USERS, 2))
    rises = forecast_rises(club)
    assert [rises[user] for user in USERS] == [1, 1, 0, 0, -1, -1]
    lowest = with_points(dict(zip(USERS, (9, 7, 5, 4, 3, 0), strict=True)))
    assert [*forecast_rises(lowest).values()] == [1, 1, 0, 0, 0, 0], "nobody leaves the lowest downwards"
    highest = with_points(dict(zip(USERS, (9, 7, 5, 4, 3, 0), strict=True)), **dict.fromkeys(USERS, 1))
    assert [*forecast_rises(highest).values()] == [0, 0, 0, 0, -1, -1]


def test_level_members_are_treated_alike() -> None:
    up = with_points({ANNA: 4, BEN: 4, CARL: 0}, anna=2, ben=2, carl=2)
    assert [*forecast_rises(up).values()] == [1, 1, -1]
    down = with_points({ANNA: 9, BEN: 4, CARL: 4}, anna=2, ben=2, carl=2)
    assert [*forecast_rises(down).values()] == [1, 0, 0]
    nothing = with_points({ANNA: 0, BEN: 0})
    assert [*forecast_rises(nothing).values()] == [0, 0], "without a point nobody goes up"


def test_who_has_not_played_stays() -> None:
    club = with_points({ANNA: 4, BEN: 2}, anna=2, ben=2)
    idle = replace(club, members={**club.members, CARL: Member(since_ms=1, division=2)})
    assert forecast_rises(idle)[CARL] == 0


def test_clock_jumps_end_a_season_once() -> None:
    club = with_points({ANNA: 4, BEN: 2})
    far = advance_season(club, NOW + 30 * SEASON_MS)
    assert [(each.division, each.rose, each.game_count) for each in far.members.values()] == [(2, 1, 0), (3, 0, 0)]
    assert advance_season(far, NOW + 30 * SEASON_MS) is far
    assert advance_season(far, NOW) is far, "a clock that was set back ends nothing, and begins no season again"
    assert play(far, "t", {ANNA: 2, BEN: 1}, NOW).season == far.season


def test_seasons_follow_each_other_without_a_gap() -> None:
    season = find_season(NOW)
    assert season_ends_ms(season - 1) <= NOW < season_ends_ms(season)
    assert find_season(season_ends_ms(season)) == season + 1


@given(
    st.lists(
        st.tuples(
            st.sampled_from([f"t{n}" for n in range(12)]),
            st.dictionaries(st.sampled_from(USERS), st.one_of(st.none(), st.integers(1, 6)), max_size=6),
            st.integers(0, 3),
        ),
        max_size=40,
    )
)
def test_divisions_stay_in_their_bounds_and_forecasts_come_true(
    games: list[tuple[str, dict[UserId, int | None], int]],
) -> None:
    club = club_of(*USERS)
    now = NOW
    for table, places, seasons in games:
        now += seasons * SEASON_MS
        before = advance_season(club, now)
        club = advance_season(play(club, table, places, now), now)
        assert all(1 <= member.division <= LOWEST_DIVISION for member in club.members.values())
        assert {user: club.members[user].division for user in USERS} == {
            user: before.members[user].division for user in USERS
        }
        rises = forecast_rises(club)
        ended = advance_season(club, now + SEASON_MS)
        if ended.members != club.members:
            assert {user: each.rose for user, each in ended.members.items()} == rises
            assert all(club.members[user].division - ended.members[user].division == rises[user] for user in USERS)
