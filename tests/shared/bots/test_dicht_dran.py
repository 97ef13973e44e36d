"""The greedy bot of Dicht dran: single rounds, and that it beats the random bot."""

import pytest

from scoville_shared.bots.base import find_bot, random_bot
from scoville_shared.bots.dicht_dran import greedy
from scoville_shared.engine.dice import Dice
from scoville_shared.engine.play import play
from scoville_shared.games.dicht_dran import GAME
from scoville_shared.games.dicht_dran.state import Options, Play
from tests.shared.games.dicht_dran.tables import ANNA, lay_out

CHANCE = Dice(b"c" * 32)
OTHERS = [(20, 21), (45, 50)]


def choice(hand, **table):
    view = GAME.view(lay_out([hand, *OTHERS], **table), ANNA)
    return greedy(GAME, view, CHANCE.stream("greedy"))


def test_it_takes_a_valuable_target_that_nobody_can_beat():
    assert choice((2, 68, 99)) == Play(68)


def test_it_drops_its_heaviest_card_into_the_gap_when_the_target_is_out_of_reach():
    assert choice((2, 4, 93)) == Play(4)


def test_of_cards_that_will_be_left_over_it_plays_one_that_costs_little():
    assert choice((94, 95), circle=(1, 30, 38, 100, 12, 80), target=1) == Play(95)


def test_it_is_found_by_its_strength_and_an_unknown_one_plays_at_random():
    assert find_bot("dicht_dran", "greedy") is greedy
    assert find_bot("dicht_dran", "no such strength") is random_bot


def wins(games, seats):
    """Count the wins of one greedy bot against random ones, in every seat in turn; ties are shared."""
    return sum(won_share(Dice(number.to_bytes(32)), seats, number % seats) for number in range(games))


def won_share(dice, seats, hero):
    state = GAME.setup(Options(cycles=1), seats, dice)
    chances = [dice.stream(f"bot/{seat}") for seat in range(seats)]
    while pending := sorted(GAME.pending(state)):
        seat = pending[0]
        bot = greedy if seat == hero else random_bot
        state = play(GAME, state, seat, bot(GAME, GAME.view(state, seat), chances[seat])).state
    places = GAME.outcome(state).places
    return 1 / places.count(1) if places[hero] == 1 else 0


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_it_clearly_beats_random_players_at_every_size_of_table(seats):
    assert wins(60, seats) >= 45
