"""Bots for Chilli Chase that look one turn ahead: single turns."""

from scoville_shared.bots.chilli_chase.heuristics import Easy, Sensible
from scoville_shared.engine.dice import Dice
from scoville_shared.games.chilli_chase import GAME
from scoville_shared.games.chilli_chase.state import KEEP, NewScore, Options
from tests.shared.games.chilli_chase.tables import A, do, lay_out, total_by

CHANCE = Dice(b"c" * 32)


def choice(state):
    return Sensible(GAME).choose_move(GAME.view(state, A), CHANCE.open_stream("choice"))


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


def test_it_keeps_its_score_without_a_legal_other():
    hit = after_a_hit((6, 6), (40, 11), die_scores=True)
    assert choice(hit) == NewScore(5)
    far = lay_out(100, (6, 5, 5), (2, 2, 2), scores=(40, 106), hot=(6,), options=Options(die_scores=True))
    assert choice(do(far, total_by("+", 6)).state) == KEEP


def test_an_easy_bot_hits_and_keeps_its_score():
    state = lay_out(2, (4, 1, 1), (2, 2, 2), scores=(8, 11))
    easy = Easy(GAME)
    assert do(state, easy.choose_move(GAME.view(state, A), CHANCE.open_stream("choice"))).state.board.points == (1, 0)
    assert easy.choose_move(GAME.view(after_a_hit((5, 5), (40, 11)), A), CHANCE.open_stream("choice")) == KEEP
