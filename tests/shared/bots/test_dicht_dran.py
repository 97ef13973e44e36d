"""Bots for Dicht dran that look one round ahead: single rounds."""

from scoville_shared.bots.dicht_dran.heuristics import Easy, Sensible
from scoville_shared.engine.dice import Dice
from scoville_shared.games.dicht_dran import GAME
from scoville_shared.games.dicht_dran.state import Play
from tests.shared.games.dicht_dran.tables import ANNA, lay_out

CHANCE = Dice(b"c" * 32)
OTHERS = [(20, 21), (45, 50)]


def choice(hand, **table):
    view = GAME.view(lay_out([hand, *OTHERS], **table), ANNA)
    return Sensible(GAME).choose_move(view, CHANCE.open_stream("choice"))


def test_it_takes_a_valuable_target_that_nobody_can_beat():
    assert choice((2, 68, 99)) == Play(68)


def test_it_discards_its_heaviest_card_into_the_gap():
    assert choice((2, 4, 93)) == Play(4)


def test_left_over_cards_are_played_cheaply():
    assert choice((94, 95), circle=(1, 30, 38, 100, 12, 80), target=1) == Play(95)


def test_an_easy_bot_plays_the_card_closest_to_the_target():
    view = GAME.view(lay_out([(2, 68, 99), *OTHERS]), ANNA)
    target = view.board.target_card
    assert Easy(GAME).choose_move(view, CHANCE.open_stream("choice")) == Play(
        min(view.hand, key=lambda card: abs(card - target))
    )
