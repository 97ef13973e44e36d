"""The greedy bot of No Thanks!: its decisions, and that it beats the fallback moves."""

import pytest

from scoville_shared.bots.base import find_bot
from scoville_shared.bots.no_thanks import greedy
from scoville_shared.engine.dice import Dice
from scoville_shared.engine.play import play
from scoville_shared.games.no_thanks import GAME
from scoville_shared.games.no_thanks.state import PASS, TAKE, Options
from tests.shared.games.no_thanks.tables import PETER, lay_out

CHANCE = Dice(b"c" * 32)


def choice(deck, **table):
    return greedy(GAME, GAME.view(lay_out(deck, **table), PETER), CHANCE.stream("greedy"))


def test_it_declines_a_dear_card_while_it_has_chips():
    assert choice([35, 3]) == PASS


def test_it_takes_a_dear_card_without_chips():
    assert choice([35, 3], chips=(0, 16, 17)) == TAKE


def test_it_takes_a_cheap_card_when_its_chips_run_low():
    assert choice([12, 3], pot=4, chips=(2, 13, 14)) == TAKE
    assert choice([12, 3], pot=4, chips=(9, 10, 10)) == PASS


def test_it_takes_a_card_that_pays():
    assert choice([12, 3], pot=12, chips=(9, 6, 6)) == TAKE


def test_it_lets_others_pay_for_a_card_that_only_it_can_use():
    assert choice([30, 3], cards=((31,), (), ())) == PASS
    assert choice([30, 3], cards=((31,), (29,), ())) == TAKE
    assert choice([30, 3], cards=((31,), (), ()), chips=(0, 16, 17)) == TAKE


def test_it_is_found_by_its_strength():
    assert find_bot("no_thanks", "greedy") is greedy


def cautious(game, view, chance):
    return game.fallback(view)


def wins(games, seats):
    """Count the wins of one greedy bot against cautious ones, in every seat in turn; ties are shared."""
    return sum(won_share(Dice(number.to_bytes(32)), seats, number % seats) for number in range(games))


def won_share(dice, seats, mine):
    state, chance = GAME.setup(Options(), seats, dice), dice.stream("bots")
    while pending := GAME.pending(state):
        (seat,) = pending
        bot = greedy if seat == mine else cautious
        state = play(GAME, state, seat, bot(GAME, GAME.view(state, seat), chance)).state
    places = GAME.outcome(state).places
    return (places[mine] == 1) / places.count(1)


@pytest.mark.parametrize("seats", [3, 5])
def test_it_beats_players_who_take_only_what_costs_nothing(seats):
    assert wins(40, seats) > 40 / seats * 1.5
