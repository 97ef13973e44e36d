"""Ratings learn from places, and their uncertainty shrinks."""

from scoville_server.players.model.rating import MOST_DOUBT, Skill, rate_players


def test_the_first_gains_and_the_last_loses() -> None:
    first, second, third = rate_players([Skill(), Skill(), Skill()], [1, 2, 3])
    assert first.mu > second.mu > third.mu
    assert first.games == 1


def test_equals_who_share_a_place_stay_equal() -> None:
    one, other = rate_players([Skill(), Skill()], [1, 1])
    assert one.mu == other.mu


def test_ten_games_give_a_rank() -> None:
    skills, games = [Skill(), Skill(), Skill()], 0
    while not skills[0].certain:
        learned = rate_players(skills, [1, 2, 3] if games % 2 else [3, 2, 1])
        assert learned[0].sigma < skills[0].sigma
        skills, games = learned, games + 1
    assert 5 <= games <= 15
    assert skills[0].sigma <= MOST_DOUBT


def test_to_beat_somebody_better_is_worth_more() -> None:
    strong, weak = Skill(mu=35, sigma=5), Skill(mu=20, sigma=5)
    upset = rate_players([weak, strong], [1, 2])[0].mu - weak.mu
    expected = rate_players([strong, weak], [1, 2])[0].mu - strong.mu
    assert upset > expected > 0


def test_the_cautious_estimate_lies_below_the_best_one() -> None:
    assert Skill().cautious_rating == 0
    assert Skill(mu=30, sigma=2).cautious_rating == 24
