"""Invariants of every position of every game."""

from hypothesis import given
from hypothesis import strategies as st

from scoville_shared.games.chilli_chase import GAME
from scoville_shared.games.chilli_chase.arithmetic import list_reaches, result_of, write_call
from scoville_shared.games.chilli_chase.facts import Played
from scoville_shared.games.chilli_chase.formula import read_formula
from scoville_shared.games.chilli_chase.state import DECK, Play
from tests.support.games import draw_dice, draw_finished_games, draw_positions

seats_at_table = st.integers(2, 6)


def played(draw, course):
    return draw(seats_at_table.flatmap(lambda seats: course(GAME, seats)))


@given(data=st.data())
def test_all_36_cards_are_somewhere_once(data):
    for moment in played(data.draw, draw_finished_games).moments:
        board, secret = moment.state.board, moment.state.secret
        hands = [card for hand in secret.hands for card in hand]
        assert sorted([*hands, *board.hot, *secret.deck]) == sorted(DECK)
        assert board.hands == tuple(map(len, secret.hands))
        assert board.deck == len(secret.deck)


@given(data=st.data())
def test_scores_differ_and_are_never_zero(data):
    for moment in played(data.draw, draw_finished_games).moments:
        scores = moment.state.board.scores
        assert len(set(scores)) == len(scores)
        assert 0 not in scores


@given(data=st.data())
def test_turns_begin_with_three_playable_cards(data):
    position = played(data.draw, draw_finished_games)
    for moment in position.moments:
        board = moment.state.board
        if not board.over and not board.choosing:
            assert set(board.hands) == {3}
            for card in moment.state.secret.hands[board.mover]:
                assert list_reaches(card, board.total, board.options)


@given(data=st.data())
def test_the_total_stays_within_the_cap_and_off_zero(data):
    position = played(data.draw, draw_finished_games)
    options = position.deal.options
    for moment in position.moments:
        total = moment.state.board.total
        assert abs(total) <= options.cap
        assert total or options.zero


@given(data=st.data())
def test_the_deck_and_the_hot_pile_never_run_dry(data):
    for moment in played(data.draw, draw_finished_games).moments:
        assert moment.state.board.deck + len(moment.state.board.hot) >= 36 - 3 * 6
        assert moment.state.board.hot


@given(data=st.data())
def test_a_game_ends_by_its_target_or_its_last_turn(data):
    position = played(data.draw, draw_finished_games)
    board, options = position.state.board, position.deal.options
    assert max(board.points) <= options.points
    assert (max(board.points) == options.points) == (GAME.outcome(position.state).reason.value == "target_reached")
    assert board.turn <= options.turn_limit


@given(data=st.data())
def test_points_are_what_the_called_totals_gave(data):
    points = None
    for moment in played(data.draw, draw_finished_games).moments:
        board = moment.state.board
        if points is not None and isinstance(moment.move, Play):
            assert board.total == moment.step.facts[0].fact.total
            points = [had + (score == board.total) for had, score in zip(points, board.scores, strict=True)]
        points = points or list(board.points)
        assert list(board.points) == points


@given(data=st.data())
def test_every_formula_that_is_called_can_be_typed(data):
    state = played(data.draw, draw_positions).state
    board = state.board
    if board.over or board.choosing:
        return
    view = GAME.view(state, board.mover)
    for play in GAME.moves(view):
        made = result_of(play, board.total, board.options)
        again = read_formula(write_call(play, board.total, made), view)
        assert result_of(again, board.total, board.options) == made


@given(data=st.data())
def test_an_invented_world_has_the_cards_that_were_not_seen(data):
    position = played(data.draw, draw_positions)
    watcher = data.draw(st.sampled_from(position.deal.watchers))
    world = GAME.imagine(GAME.view(position.state, watcher), data.draw(draw_dice()))
    hands = [card for hand in world.secret.hands for card in hand]
    assert sorted([*hands, *world.board.hot, *world.secret.deck]) == sorted(DECK)


@given(data=st.data())
def test_drawn_card_is_sent_to_its_player_alone(data):
    for moment in played(data.draw, draw_positions).moments[1:]:
        public = [addressed.fact for addressed in moment.step.facts if addressed.to is None]
        private = [addressed for addressed in moment.step.facts if addressed.to is not None]
        assert all(addressed.to == moment.seat for addressed in private)
        assert not any(hasattr(fact, "card") and not isinstance(fact, Played) for fact in public)
