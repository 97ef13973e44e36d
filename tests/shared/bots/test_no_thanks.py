"""Bots for No Thanks! that decide by rules of thumb: single decisions."""

from scoville_shared.bots.no_thanks.heuristics import Easy, Sensible
from scoville_shared.engine.dice import Dice
from scoville_shared.games.no_thanks import GAME
from scoville_shared.games.no_thanks.state import PASS, TAKE
from tests.shared.games.no_thanks.tables import PETER, lay_out

CHANCE = Dice(b"c" * 32)


def choice(deck, **table):
    return Sensible(GAME).choose(GAME.view(lay_out(deck, **table), PETER), CHANCE.stream("choice"))


def test_it_declines_a_dear_card_while_it_has_chips():
    assert choice([35, 3]) == PASS


def test_it_takes_a_dear_card_without_chips():
    assert choice([35, 3], chips=(0, 16, 17)) == TAKE


def test_it_takes_a_card_that_pays():
    assert choice([12, 3], pot=12, chips=(9, 6, 6)) == TAKE


def test_it_lets_others_pay_for_a_card_that_only_it_can_use():
    assert choice([30, 3], cards=((31,), (), ())) == PASS
    assert choice([30, 3], cards=((31,), (), ()), chips=(0, 16, 17)) == TAKE


def test_an_easy_bot_takes_what_costs_nothing_or_what_it_must():
    easy = Easy(GAME)
    for pot, chips, move in ((4, 2, PASS), (12, 2, TAKE), (4, 0, TAKE)):
        view = GAME.view(lay_out([12, 3], pot=pot, chips=(chips, 30 - pot - chips, 3)), PETER)
        assert easy.choose(view, CHANCE.stream("choice")) == move
