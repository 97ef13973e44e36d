"""Leaderboards stay sorted, and are cheap to request."""

from hypothesis import given
from hypothesis import strategies as st

from scoville_server.players.model.rating import MOST_SHOWN, Leaderboard, Skill
from scoville_shared.ids import UserId

SURE = 2.0


def board(**mus: float) -> Leaderboard:
    made = Leaderboard()
    for user, mu in mus.items():
        made.rank_user(UserId(user), Skill(mu, SURE, 20))
    return made


def shown(made: Leaderboard) -> list[tuple[int, str]]:
    return [(placed.place, placed.user) for placed in made.list_best()]


def test_the_best_stand_first_and_equals_share_a_place() -> None:
    made = board(anna=30, ben=20, cleo=30, dora=10)
    assert shown(made) == [(1, "anna"), (1, "cleo"), (3, "ben"), (4, "dora")]
    assert [made.find_place(UserId(name)) for name in ("anna", "cleo", "ben", "dora")] == [1, 1, 3, 4]


def test_uncertain_rating_has_no_rank() -> None:
    made = board(anna=30)
    made.rank_user(UserId("ben"), Skill(40, 8.0, 2))
    assert made.find_place(UserId("ben")) is None
    assert shown(made) == [(1, "anna")]


def test_uncertain_or_deleted_user_loses_the_rank() -> None:
    made = board(anna=30, ben=20)
    made.rank_user(UserId("anna"), Skill())
    made.drop_user(UserId("nobody"))
    assert shown(made) == [(1, "ben")]


def test_no_more_are_shown_than_fit_an_answer() -> None:
    made = board(**{f"p{n}": n / 10 for n in range(3 * MOST_SHOWN)})
    assert len(made.list_best()) == MOST_SHOWN
    assert made.find_place(UserId("p0")) == 3 * MOST_SHOWN


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from([10.0, 20.0, 30.0]), st.booleans())))
def test_whatever_happens_places_are_those_of_a_sorted_list(steps: list[tuple[str, float, bool]]) -> None:
    made, known = Leaderboard(), {}
    for user, mu, stays in steps:
        if stays:
            made.rank_user(UserId(user), Skill(mu, SURE, 9))
            known[user] = mu
        else:
            made.drop_user(UserId(user))
            known.pop(user, None)
    expected = sorted(known, key=lambda user: (-known[user], user))
    assert [user for _, user in shown(made)] == expected
    for place, user in shown(made):
        assert place == 1 + sum(mu > known[user] for mu in known.values())
