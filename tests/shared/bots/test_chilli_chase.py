"""The greedy bot of Chilli Chase: single turns, and that it beats the random bot."""

import pytest

from scoville_shared.bots.base import find_bot, random_bot
from scoville_shared.bots.chilli_chase import greedy
from scoville_shared.engine.dice import Dice
from scoville_shared.engine.play import play
from scoville_shared.games.chilli_chase import GAME
from scoville_shared.games.chilli_chase.state import KEEP, NewScore, Options
from tests.shared.games.chilli_chase.tables import A, do, lay_out, total_by

CHANCE = Dice(b"c" * 32)


def choice(state):
    return greedy(GAME, GAME.view(state, A), CHANCE.stream("greedy"))


def test_it_hits_its_own_score():
    state = lay_out(2, (4, 1, 1), (2, 2, 2), scores=(8, 11))
    assert do(state, choice(state)).state.board.points == (1, 0)


def test_it_gives_no_point_away_when_it_need_not():
    state = lay_out(14, (3, 3, 3), (2, 2, 2), scores=(8, 11), hot=(6,))
    assert do(state, choice(state)).state.board.points == (0, 0)


def test_it_leaves_the_next_player_no_easy_hit():
    state = lay_out(30, (5, 5, 5), (2, 2, 2), scores=(-40, 37), hot=(6,))
    assert do(state, choice(state)).state.board.total not in range(31, 44)


def after_a_hit(hand, scores, **options):
    state = lay_out(14, (3, *hand), (2, 2, 2), scores=scores, hot=(6,), options=Options(**options))
    return do(state, total_by("-", 3)).state


def test_it_takes_a_small_score_that_its_cards_reach():
    assert choice(after_a_hit((5, 5), (40, 11))) == NewScore(6)


def test_it_keeps_a_score_that_its_cards_reach_already():
    assert choice(after_a_hit((5, 5), (16, 11))) == KEEP


def test_it_keeps_its_score_when_none_that_it_reaches_is_allowed():
    hit = after_a_hit((6, 6), (40, 11), die_scores=True)
    assert choice(hit) == NewScore(5)
    far = lay_out(100, (6, 5, 5), (2, 2, 2), scores=(40, 106), hot=(6,), options=Options(die_scores=True))
    assert choice(do(far, total_by("+", 6)).state) == KEEP


def test_it_is_found_by_its_strength():
    assert find_bot("chilli_chase", "greedy") is greedy


def wins(games, seats):
    """Count the wins of one greedy bot against random ones, in every seat in turn; ties are shared."""
    return sum(won_share(Dice(number.to_bytes(32)), seats, number % seats) for number in range(games))


def won_share(dice, seats, mine):
    state, chance = GAME.setup(Options(points=3), seats, dice), dice.stream("bots")
    while pending := GAME.pending(state):
        (seat,) = pending
        bot = greedy if seat == mine else random_bot
        state = play(GAME, state, seat, bot(GAME, GAME.view(state, seat), chance)).state
    places = GAME.outcome(state).places
    return (places[mine] == 1) / places.count(1)


@pytest.mark.parametrize("seats", [2, 4])
def test_it_beats_chance(seats):
    assert wins(20, seats) > 20 / seats * 1.5
