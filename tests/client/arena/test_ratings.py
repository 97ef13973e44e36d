"""Ratings from places: fair, centred, and surer the more deals there are."""

import pytest

from scoville_client.arena.series import MEAN, fit_ratings, rate_contestants

FIRST_WINS, DRAWN, SECOND_WINS = (1, 2), (1, 1), (2, 1)


def test_equals_are_rated_equal() -> None:
    assert fit_ratings([FIRST_WINS, SECOND_WINS, DRAWN], 2) == pytest.approx([MEAN, MEAN])


def test_the_mean_of_all_ratings_stays_where_it_is() -> None:
    ratings = fit_ratings([(1, 2, 3), (1, 3, 2), (2, 1, 3)], 3)
    assert sum(ratings) / 3 == pytest.approx(MEAN)
    assert ratings[0] > ratings[1] > ratings[2]


def test_ten_wins_of_eleven_are_four_hundred_points() -> None:
    """The drawn match that every pair is given moves it a little towards the middle."""
    ratings = fit_ratings([FIRST_WINS] * 1000 + [SECOND_WINS] * 100, 2)
    assert ratings[0] - ratings[1] == pytest.approx(400, abs=2)


def test_who_never_lost_has_a_rating_all_the_same() -> None:
    assert 1500 < fit_ratings([FIRST_WINS] * 5, 2)[0] < 2500


def test_a_shared_place_is_half_a_win() -> None:
    assert fit_ratings([DRAWN] * 9, 2) == pytest.approx([MEAN, MEAN])


def test_an_interval_holds_the_rating_and_narrows_with_more_deals() -> None:
    deal = [[FIRST_WINS, FIRST_WINS], [SECOND_WINS, FIRST_WINS], [SECOND_WINS, SECOND_WINS]]
    few, many = rate_contestants(deal * 2, 2)[0], rate_contestants(deal * 40, 2)[0]
    assert few.low <= few.rating <= few.high
    assert many.high - many.low < few.high - few.low


def test_the_same_results_always_have_the_same_intervals() -> None:
    deals = [[FIRST_WINS, SECOND_WINS], [FIRST_WINS, DRAWN]]
    assert rate_contestants(deals, 2) == rate_contestants(deals, 2)
