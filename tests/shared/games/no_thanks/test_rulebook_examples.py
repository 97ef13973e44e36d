"""The examples of the rulebook: Sabrina's 41, Peter's 14, Lisa's 51, and the 11 that nobody wanted."""

from scoville_shared.games.no_thanks.facts import Passed, Took, TurnedUp
from scoville_shared.games.no_thanks.runs import card_points, list_runs, weigh_taking
from tests.shared.games.no_thanks.tables import LISA, PETER, SABRINA, facts, lay_out, pass_, take


def test_sabrinas_four_single_cards_count_41():
    assert card_points((4, 6, 10, 21)) == 41


def test_8_9_and_17_to_20_count_25():
    assert card_points((8, 9)) == 8
    assert card_points((17, 18, 19, 20)) == 17


def test_the_14_makes_one_run_of_peters_28_points():
    gain = weigh_taking((13, 15, 16), 14, pot=0)
    assert (gain.before, gain.after, gain.run, gain.change) == (28, 13, (13, 14, 15, 16), -15)


def test_lisas_59_card_points_less_8_chips_are_51():
    lisa = (3, 7, 10, 14, 15, 25, 26, 27)
    assert list_runs(lisa) == [(3,), (7,), (10,), (14, 15), (25, 26, 27)]
    assert card_points(lisa) == 59
    end = take(lay_out([30], cards=((), (), lisa), chips=(11, 11, 8))).state
    assert end.board.totals[LISA] == 51


def test_peter_and_sabrina_decline_and_lisa_takes_the_11():
    state = lay_out([11, 16, 20])
    peter = pass_(state)
    assert facts(peter) == [Passed(PETER, 11, pot=1)]
    sabrina = pass_(peter.state)
    lisa = take(sabrina.state)
    assert facts(lisa) == [Took(LISA, 11, chips=2, run=(11,), points=11), TurnedUp(LISA, 16, left=1)]
    assert lisa.state.chips == (10, 10, 13)
    assert lisa.state.board.cards == ((), (), (11,))


def test_lisa_then_faces_the_16_first_and_declines_it():
    lisa = take(pass_(pass_(lay_out([11, 16, 20])).state).state).state
    assert (lisa.board.card, lisa.board.pot, lisa.board.mover) == (16, 0, LISA)
    declined = pass_(lisa).state
    assert (declined.board.pot, declined.board.mover, declined.chips[LISA]) == (1, PETER, 12)


def test_a_card_may_be_declined_several_turns_over():
    state = lay_out([35, 3])
    for _ in range(7):
        state = pass_(state).state
    assert (state.board.pot, state.board.mover, state.chips) == (7, SABRINA, (8, 9, 9))
