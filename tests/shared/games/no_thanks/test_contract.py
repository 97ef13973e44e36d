"""No Thanks! by the game contract: info, codec, options."""

from random import Random

import pytest

from scoville_shared.bots.registry import list_levels
from scoville_shared.engine.codec import CodecError
from scoville_shared.engine.contract import Info
from scoville_shared.games.no_thanks import GAME
from scoville_shared.games.no_thanks.state import Options
from tests.shared.games.no_thanks.tables import DICE, lay_out, pass_, take
from tests.support.games import Deal, walk_table


def test_b1_it_is_for_three_to_seven():
    """At most 4 rounds (B13) of 24 cards (B15), each of which can be declined with every chip there is (B16)."""
    assert GAME.info == Info(
        slug="no_thanks",
        title="No Thanks!",
        seats=(3, 7),
        official=(3, 7),
        rules_version=1,
        max_moves=4 * 24 * (7 * 10 + 1),
    )


def test_bots_of_daily_deals_are_of_levels_that_there_are():
    assert {level for plan in GAME.daily_plans for level in plan.levels} <= {*list_levels(GAME.info.slug)}


def test_info_of_the_game():
    assert GAME.text.tagline is not None
    assert GAME.text.tagline.text == "Take the card and its chips, or pay a chip to pass."
    labels = {key: phrase.text for key, phrase in GAME.text.option_names.items()}
    assert labels == {
        "rounds": "Rounds",
        "open_chips": "Chips open",
        "show_removed": "Show removed",
        "tactical": "Tactical",
    }


def test_usual_options():
    usual = {"rounds": 1, "open_chips": False, "show_removed": False, "tactical": False}
    assert GAME.codec.encode_plain(GAME.codec.decode_options({})) == usual


@pytest.mark.parametrize("rounds", [1, 4])
def test_rounds_at_the_bounds_are_played(rounds):
    assert GAME.codec.decode_options({"rounds": rounds}) == Options(rounds=rounds)


def test_a_pot_beyond_a_hundred_chips_is_refused():
    """There are at most 55 chips (B1), but a hostile server may send any number."""
    deal = Deal(GAME, Options(), 3, DICE)
    plain = GAME.codec.encode_plain(GAME.view(deal.setup(), None))
    assert GAME.codec.decode_view({**plain, "board": {**plain["board"], "pot": 100}}).board.pot == 100
    with pytest.raises(CodecError):
        GAME.codec.decode_view({**plain, "board": {**plain["board"], "pot": 101}})


@pytest.mark.parametrize("options", [Options(), Options(rounds=2, open_chips=True, show_removed=True, tactical=True)])
@pytest.mark.parametrize("seats", [3, 7])
def test_values_of_a_whole_game_come_back_typed(options, seats):
    deal = Deal(GAME, options, seats, DICE)
    moments = list(walk_table(deal, deal.setup(), Random(seats)))
    for state in (deal.setup(), *(moment.state for moment in moments)):
        assert GAME.codec.unpack_state(GAME.codec.pack_state(state)) == state
        for watcher in deal.watchers:
            view = GAME.view(state, watcher)
            assert GAME.codec.decode_view(GAME.codec.encode_plain(view)) == view
    for moment in moments:
        for addressed in moment.step.facts:
            assert GAME.codec.decode_fact(GAME.codec.encode_plain(addressed.fact)) == addressed.fact


def test_a_round_is_the_fate_of_a_card():
    before = lay_out([30, 12, 7])
    assert GAME.round(before) == GAME.round(pass_(before).state) == (1, 22)
    assert GAME.round(take(before).state) == (1, 23)
    assert GAME.round(GAME.setup(Options(), 3, DICE)) == (1, 1)


def test_every_option_is_named_and_explained():
    assert {*GAME.text.option_names} == {*GAME.text.option_help} == {*Options.__struct_fields__}
