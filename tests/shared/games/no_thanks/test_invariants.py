"""Invariants of every position of every game."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from scoville_shared.games.no_thanks import GAME
from scoville_shared.games.no_thanks.facts import RoundScored
from scoville_shared.games.no_thanks.runs import card_points, list_runs, run_of, weigh_taking
from scoville_shared.games.no_thanks.state import CARDS, Board, chips_each
from tests.support.games import draw_dice, draw_finished_games, draw_positions

seats_at_table = st.integers(3, 7)
hands = st.frozensets(st.sampled_from(CARDS))


def played(draw, course):
    return draw(seats_at_table.flatmap(lambda seats: course(GAME, seats)))


@given(data=st.data())
def test_chips_are_neither_made_nor_lost(data):
    position = played(data.draw, draw_finished_games)
    dealt = chips_each(position.deal.options, position.deal.seats) * position.deal.seats
    for moment in position.moments:
        assert sum(moment.state.chips) + moment.state.board.pot == dealt
        assert min(moment.state.chips) >= 0


@given(data=st.data())
def test_all_33_cards_are_somewhere_once(data):
    for moment in played(data.draw, draw_finished_games).moments:
        board, secret = moment.state.board, moment.state.secret
        middle = [] if board.card is None else [board.card]
        lying = [card for mine in board.cards for card in mine]
        assert sorted([*middle, *lying, *secret.deck, *secret.removed]) == list(CARDS)
        assert board.left == len(secret.deck)


@given(data=st.data())
def test_24_cards_are_taken_in_the_end(data):
    end = played(data.draw, draw_finished_games).state
    assert sum(map(len, end.board.cards)) == 24
    assert end.board.left == 0
    assert end.secret.deck == ()


@given(data=st.data())
def test_totals_sum_rounds_and_facts(data):
    position = played(data.draw, draw_finished_games)
    addressed = [fact.fact for moment in position.moments[1:] for fact in moment.step.facts]
    scored = [fact for fact in addressed if isinstance(fact, RoundScored)]
    board = position.state.board
    assert [fact.scores for fact in scored] == list(board.rounds)
    assert scored[-1].totals == board.totals == tuple(map(sum, zip(*board.rounds, strict=True)))
    assert len(scored) == position.deal.options.rounds
    assert scored[-1].points == board.points
    assert board.chips == scored[-1].chips == position.state.chips


@given(data=st.data())
def test_preview_of_taking_equals_its_effect(data):
    position = played(data.draw, draw_positions)
    board: Board = position.state.board
    if board.over or board.left == 0:
        return
    mover = board.mover
    weighed = board.weigh_taking(mover)
    before = board.points[mover] - position.state.chips[mover]
    after = GAME.apply(position.state, mover, GAME.moves(GAME.view(position.state, mover))[0]).state
    assert after.board.points[mover] - after.chips[mover] - before == weighed.change
    assert weighed.run in after.board.list_runs(mover)


@given(hands)
def test_runs_part_the_cards_and_count_their_lowest(cards):
    parts = list_runs(cards)
    assert [card for run in parts for card in run] == sorted(cards)
    assert card_points(cards) == sum(run[0] for run in parts)
    assert all(low[-1] + 1 < high[0] for low, high in pairwise(parts))
    assert all(run_of(card, cards) == run for run in parts for card in run)


@given(hands, st.sampled_from(CARDS), st.integers(0, 55))
def test_taking_changes_a_score_by_its_points_less_its_chips(cards, card, pot):
    mine = cards - {card}
    weighed = weigh_taking(mine, card, pot)
    assert weighed.change == card_points(mine | {card}) - card_points(mine) - pot
    assert card in weighed.run


@given(data=st.data())
def test_hidden_chips_are_invented_from_those_that_are_left(data):
    position = played(data.draw, draw_positions)
    watcher = data.draw(st.sampled_from(position.deal.watchers))
    world = GAME.imagine(GAME.view(position.state, watcher), data.draw(draw_dice()))
    assert sum(world.chips) == sum(position.state.chips)
    assert min(world.chips) >= 0
    assert sorted((*world.secret.deck, *world.secret.removed)) == sorted(
        (*position.state.secret.deck, *position.state.secret.removed)
    )
    assert not position.deal.options.tactical or {10, 20, 30} <= set(world.secret.removed)
