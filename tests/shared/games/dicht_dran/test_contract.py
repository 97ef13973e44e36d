"""Dicht dran by the game contract: info, codec, options."""

import msgspec
import pytest

from scoville_shared.bots.registry import list_levels
from scoville_shared.engine.codec import CodecError
from scoville_shared.engine.contract import Info
from scoville_shared.games.dicht_dran import GAME
from scoville_shared.games.dicht_dran.state import Board, Options
from tests.shared.games.dicht_dran.tables import choose, lay_out


def test_it_is_for_three_to_five_and_unofficially_for_two():
    """A1; at most 5 cycles (A21) of 94 cards, each of which may be taken back and chosen again nine times (A25)."""
    assert GAME.info == Info(
        slug="dicht_dran",
        title="Dicht dran",
        seats=(2, 5),
        official=(3, 5),
        rules_version=1,
        max_moves=5 * 94 * (1 + 2 * 9),
    )


def test_bots_of_daily_deals_are_of_levels_that_there_are():
    assert {level for plan in GAME.daily_plans for level in plan.levels} <= {*list_levels(GAME.info.slug)}


def test_info_of_the_game():
    assert GAME.text.tagline is not None
    assert GAME.text.tagline.text == "The closest card wins the target; a card that fits the gap is discarded for free."
    labels = {key: phrase.text for key, phrase in GAME.text.option_names.items()}
    assert labels == {"cycles": "Cycles", "open_won": "Won peppers open", "take_back": "May take back"}


def test_a_host_may_set_the_peppers_from_a_file():
    ((name, read),) = GAME.option_files.items()
    assert name == "peppers"
    assert GAME.codec.decode_options({name: read("1 2 3 1 " * 25)}).peppers == (1, 2, 3, 1) * 25


def test_two_cycles_are_usual_and_everything_else_is_an_option():
    usual = {"cycles": 2, "open_won": False, "take_back": False, "peppers": None}
    assert GAME.codec.encode_plain(GAME.codec.decode_options({})) == usual


@pytest.mark.parametrize(
    "options",
    [
        {"cycles": 0},
        {"cycles": 6},
        {"peppers": [1] * 99},
        {"peppers": [1] * 101},
        {"peppers": [4] * 100},
        {"peppers": [0] * 100},
    ],
)
def test_options_out_of_bounds_are_refused(options):
    with pytest.raises(CodecError):
        GAME.codec.decode_options(options)


@pytest.mark.parametrize("options", [{"cycles": 1}, {"cycles": 5}, {"peppers": (1, 3) * 50}])
def test_options_at_the_bounds_are_played(options):
    assert GAME.codec.encode_plain(GAME.codec.decode_options(options)).items() >= options.items()


@pytest.mark.parametrize("card", [1, 100])
def test_a_move_may_name_any_card_there_is(card):
    assert GAME.codec.encode_plain(GAME.codec.decode_move({"card": card})) == {"card": card}


def test_states_views_and_facts_come_back_typed():
    before = lay_out([(63, 8), (32, 50)], open_won=True)
    step = choose(before, 63, 32)
    for state in (GAME.setup(before.board.options, 2, before.secret.dice), step.state, ended().state):
        assert GAME.codec.unpack_state(GAME.codec.pack_state(state)) == state
        view = GAME.view(state, 0)
        assert GAME.codec.decode_view(GAME.codec.encode_plain(view)) == view
    for addressed in step.facts:
        assert GAME.codec.decode_fact(GAME.codec.encode_plain(addressed.fact)) == addressed.fact


def ended():
    """Play a second and last cycle to its end; in the first Anna won 8 points and Paul 2."""
    return choose(lay_out([(63,), (50,)], cycles=((8, 2),)), 63, 50)


def test_in_the_end_the_points_of_every_cycle_are_reported():
    board = ended().state.board
    assert board.cycles[0] == (8, 2)
    assert board.totals == tuple(map(sum, zip(*board.cycles, strict=True)))
    assert len(board.cycles) == 2
    assert (board.cycle, board.round, board.target) == (2, 1, 1), "the table stays as the last round left it"


def test_a_round_lasts_until_the_last_card_is_chosen():
    """Rounds are counted within their cycle; the end of the game is no round of its own."""
    before = lay_out([(63, 8), (32, 50)])
    assert GAME.round(before) == GAME.round(choose(before, 63).state) == (1, 1)
    assert GAME.round(choose(before, 63, 32).state) == (1, 2)
    assert GAME.round(ended().state) == (2, 1)


def test_a_board_keeps_to_its_bounds():
    """Six slots from 0, at most all 100 cards won, at most three peppers on each."""

    def board(**changed):
        return msgspec.convert(msgspec.to_builtins(lay_out([(63, 8), (32, 50)]).board) | changed, Board)

    assert board(target=0).target == 0
    assert board(target=5).target == 5
    assert board(won=[100], won_peppers=[300]).won_peppers == (300,)
    wrong_ones = (
        {"target": -1},
        {"target": 6},
        {"won": [-1]},
        {"won": [101]},
        {"won_peppers": [-1]},
        {"won_peppers": [301]},
    )
    for wrong in wrong_ones:
        with pytest.raises(msgspec.ValidationError):
            board(**wrong)


def test_every_option_is_named_and_explained():
    chosen = {*Options.__struct_fields__} - {"peppers"}  # a file, which no form asks for
    assert {*GAME.text.option_names} == {*GAME.text.option_help} == chosen
