"""Chilli Chase by the game contract: info, codec, options."""

from random import Random

import pytest

from scoville_shared.bots.registry import list_levels
from scoville_shared.engine.contract import Info
from scoville_shared.games.chilli_chase import GAME
from scoville_shared.games.chilli_chase.state import Options
from tests.shared.games.chilli_chase.tables import DICE, lay_out
from tests.support.games import Deal, walk_table


def test_c27_it_is_for_two_to_six():
    """Without a turn limit (C26) a game ends after 10,000 turns, each a card and perhaps a new Chilli Score."""
    assert GAME.info == Info(
        slug="chilli_chase",
        title="Chilli Chase",
        seats=(2, 6),
        official=(2, 6),
        rules_version=1,
        max_moves=2 * 10_000,
    )


def test_bots_of_daily_deals_are_of_levels_that_there_are():
    assert {level for plan in GAME.daily_plans for level in plan.levels} <= {*list_levels(GAME.info.slug)}


def test_info_of_the_game():
    assert GAME.text.tagline is not None
    assert GAME.text.tagline.text == "Combine a card with the total to hit your own Chilli Score."
    labels = {key: phrase.text for key, phrase in GAME.text.option_names.items()}
    assert labels == {
        "points": "Points to win",
        "extended": "Roots, remainder",
        "zero": "Zero allowed",
        "cap": "Largest total",
        "die_scores": "Scores 1 to 12",
        "shuffle": "Shuffle Hot Pile",
        "turn_limit": "Turn limit",
    }


def test_usual_options():
    assert GAME.codec.encode_plain(GAME.codec.decode_options({})) == {
        "points": 5,
        "extended": False,
        "zero": False,
        "cap": 9_999,
        "die_scores": False,
        "shuffle": False,
        "turn_limit": 300,
    }


def test_options_at_the_bounds_are_played():
    for name, bounds in (("points", (3, 10)), ("cap", (99, 999_999)), ("turn_limit", (50, 10_000))):
        for bound in bounds:
            assert GAME.codec.encode_plain(GAME.codec.decode_options({name: bound}))[name] == bound


@pytest.mark.parametrize("seats", [2, 6])
def test_values_of_a_whole_game_come_back_typed(seats):
    deal = Deal(GAME, Options(extended=True, zero=True, shuffle=True), seats, DICE)
    for state in (deal.setup(), *(moment.state for moment in walk_table(deal, deal.setup(), Random(seats)))):
        assert GAME.codec.unpack_state(GAME.codec.pack_state(state)) == state
        for watcher in deal.watchers:
            view = GAME.view(state, watcher)
            assert GAME.codec.decode_view(GAME.codec.encode_plain(view)) == view


@pytest.mark.parametrize("options", [Options(), Options(extended=True, zero=True, die_scores=True)])
def test_facts_of_a_whole_game_come_back_typed(options):
    deal = Deal(GAME, options, 3, DICE)
    for moment in walk_table(deal, deal.setup(), Random(1)):
        for addressed in moment.step.facts:
            assert GAME.codec.decode_fact(GAME.codec.encode_plain(addressed.fact)) == addressed.fact


@pytest.mark.parametrize(("turn", "lap"), [(1, 0), (3, 0), (4, 1), (6, 1), (7, 2)])
def test_a_round_is_once_around_the_table(turn, lap):
    assert GAME.round(lay_out(9, turn=turn)) == (lap,)


def test_every_option_is_named_and_explained():
    assert {*GAME.text.option_names} == {*GAME.text.option_help} == {*Options.__struct_fields__}
