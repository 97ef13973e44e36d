"""Ratings at puzzles: they rise with right answers, more against harder puzzles, and settle where they belong."""

from random import Random

from scoville_shared.puzzles.maker import RATINGS, rate_by_levels
from scoville_shared.puzzles.rating import LEAST, MEAN, MOST, PuzzleSkill, first_skill, rate_attempt


def test_a_right_answer_lifts_the_player_and_lowers_the_puzzle() -> None:
    new = PuzzleSkill()
    right, wrong = (rate_attempt(new, first_skill(1_500), right=right) for right in (True, False))
    assert right.player.mu > MEAN > wrong.player.mu
    assert right.puzzle.mu < 1_500 < wrong.puzzle.mu
    assert right.player.sigma < new.sigma
    assert (right.player.attempts, right.puzzle.attempts) == (1, 1)


def test_a_hard_puzzle_counts_more_than_an_easy_one() -> None:
    hard, easy = (rate_attempt(PuzzleSkill(), first_skill(rating), right=True).player.mu for rating in (1_900, 1_100))
    assert hard > easy > MEAN


def test_the_rating_settles_where_the_player_belongs() -> None:
    chance, skill, true = Random(1), PuzzleSkill(), 1_800
    for _ in range(400):
        rating = chance.choice(range(1_200, 2_200))
        right = chance.random() < 1 / (1 + 10 ** ((rating - true) / 400))
        skill = rate_attempt(skill, first_skill(rating), right=right).player
    assert abs(skill.mu - true) < 100
    assert skill.certain
    assert not PuzzleSkill().certain


def test_ratings_have_bounds() -> None:
    skill = PuzzleSkill(mu=LEAST + 1.0)
    assert rate_attempt(skill, first_skill(400), right=False).player.mu >= LEAST
    assert rate_attempt(PuzzleSkill(mu=MOST - 1.0), first_skill(3_000), right=True).player.mu <= MOST


def test_bots_say_how_hard_a_puzzle_is() -> None:
    levels = [*RATINGS]
    by_strength = [rate_by_levels(levels[weakest:]) for weakest in range(len(levels) + 1)]
    assert by_strength == sorted(by_strength), "the fewer solve it, the harder it is"
    assert by_strength[0] < 1_000
    assert by_strength[-1] > 1_900
