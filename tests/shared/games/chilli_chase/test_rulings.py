"""Rulings on what the rulebook leaves open, one by one."""

from itertools import islice

import pytest

from scoville_shared.engine.contract import Refusal
from scoville_shared.engine.dice import Dice
from scoville_shared.games.chilli_chase import GAME
from scoville_shared.games.chilli_chase.facts import Drew, DrewCard, PointScored, Recycled, ScoreChanged, ScoreKept
from scoville_shared.games.chilli_chase.game import roll_scores
from scoville_shared.games.chilli_chase.state import (
    DECK,
    FEWEST_TURNS,
    KEEP,
    MOST_TURNS,
    Ending,
    NewScore,
    Options,
    Reason,
)
from tests.shared.games.chilli_chase.tables import (
    DICE,
    A,
    B,
    C,
    card_by,
    change,
    do,
    facts,
    keep,
    lay_out,
    refused,
    total_by,
)


@pytest.fixture
def hit():
    """A has hit B's 11 from 14 and may change."""
    return do(lay_out(14, (3, 1, 1), (2, 2, 2), (4, 4, 4), hot=(6,)), total_by("-", 3)).state


def test_c1_six_sets_of_one_to_six():
    assert sorted(DECK) == sorted(list(range(1, 7)) * 6)


@pytest.mark.parametrize("seats", range(2, 7))
def test_the_deal_goes_clockwise_from_the_dealers_left(seats):
    state = GAME.setup(Options(), seats, DICE)
    board, cards = state.board, DICE.open_stream("chilli_chase/deck").shuffle_cards(DECK)
    assert board.dealer == DICE.open_stream("chilli_chase/dealer").draw_below(seats)
    for place in range(seats):
        seat = (board.dealer + 1 + place) % seats
        assert state.secret.hands[seat] == tuple(sorted(cards[3 * place : 3 * place + 3]))
    assert board.hot == (cards[3 * seats],)
    assert board.total == cards[3 * seats]
    assert state.secret.deck == tuple(cards[3 * seats + 1 :])
    assert board.mover == (board.dealer + 1) % seats


@pytest.mark.parametrize("seats", range(2, 7))
def test_c3_scores_are_rolled_clockwise_from_the_dealers_left(seats):
    board = GAME.setup(Options(), seats, DICE).board
    rolled = roll_scores(DICE.open_stream("chilli_chase/dice"), seats)
    assert [board.scores[(board.dealer + 1 + place) % seats] for place in range(seats)] == rolled


class LoadedDie:
    """A die that shows these numbers in turn."""

    def __init__(self, *shown):
        self._shown = iter(shown)

    def draw_below(self, bound):
        assert bound == 12
        return next(self._shown) - 1


def test_c3_a_clashing_roll_is_repeated():
    assert roll_scores(LoadedDie(7, 7, 7, 3, 3, 12), 3) == [7, 3, 12]


def test_c4_every_seat_can_be_the_dealer():
    dealers = {GAME.setup(Options(), 3, Dice(bytes([key] * 32))).board.dealer for key in range(20)}
    assert dealers == {A, B, C}


def test_c4_in_a_rematch_the_deal_moves_left():
    first = GAME.deal(Options(), 3, DICE, dealer=B)
    assert (first.board.dealer, GAME.next_dealer(first)) == (B, C)
    second = GAME.deal(Options(), 3, DICE, GAME.next_dealer(first))
    assert (second.board.dealer, second.board.mover, GAME.next_dealer(second)) == (C, A, A)


def test_c4_who_deals_first_is_drawn():
    assert GAME.deal(Options(), 3, DICE, None) == GAME.setup(Options(), 3, DICE)


def test_c5_an_opening_score_gives_no_point():
    for key in range(60):
        board = GAME.setup(Options(), 6, Dice(bytes([key] * 32))).board
        assert board.points == (0,) * 6


def test_c8_a_card_that_is_not_held_cannot_be_played():
    assert refused(lay_out(2, (1, 2, 3), (4, 5, 6)), total_by("+", 4)) == Refusal(Reason.CARD_NOT_HELD, {"card": 4})


def test_only_the_mover_plays():
    state = lay_out(2, mover=B)
    assert GAME.pending(state) == {B}
    assert GAME.check(state, A, total_by("+", 1)) == Refusal(Reason.NOT_YOUR_TURN, {"mover": B})
    assert list(GAME.moves(GAME.view(state, A))) == []


def test_c15_a_total_that_stays_the_same_scores_again():
    step = do(lay_out(8, (1, 2, 3), (4, 5, 6)), total_by("*", 1))
    assert PointScored(A, by=A, points=1) in facts(step)


def test_c16_the_last_point_ends_without_a_change():
    state = lay_out(14, (3, 1, 1), (2, 2, 2), scores=(8, 11), points=(0, 4), hot=(6,))
    step = do(state, total_by("-", 3))
    assert facts(step)[-1] == PointScored(B, by=A, points=5)
    assert step.state.board.over
    assert not step.state.board.choosing
    assert step.state.board.hands == (2, 3)
    outcome = GAME.outcome(step.state)
    assert (outcome.scores, outcome.places, outcome.reason) == ((0, 5), (2, 1), Ending.TARGET_REACHED)
    assert GAME.pending(step.state) == frozenset()
    assert GAME.check(step.state, A, total_by("+", 1)) == Refusal(Reason.GAME_OVER)
    assert list(GAME.moves(GAME.view(step.state, A))) == []


def test_c16_ones_own_last_point_ends_the_game_at_once():
    step = do(lay_out(2, (4, 1, 1), (2, 2, 2), points=(4, 0)), card_by("*", 4))
    assert facts(step)[-1] == PointScored(A, by=A, points=5)
    assert GAME.outcome(step.state).places == (1, 2)


@pytest.mark.parametrize("score", [9, -9, 9_999, -9_999, 1])
def test_c18_any_number_nobody_holds_may_be_taken(hit, score):
    step = change(hit, score)
    assert step.state.board.scores == (score, 11, 4)
    assert facts(step)[0] == ScoreChanged(A, old=8, new=score)
    assert step.state.board.mover == B


@pytest.mark.parametrize(
    ("score", "reason", "data"),
    [
        (0, Reason.SCORE_ZERO, {}),
        (10_000, Reason.SCORE_TOO_BIG, {"cap": 9_999}),
        (-10_000, Reason.SCORE_TOO_BIG, {"cap": 9_999}),
        (10**30, Reason.SCORE_TOO_BIG, {"cap": 9_999}),
        (4, Reason.SCORE_TAKEN, {"score": 4, "holder": C}),
        (11, Reason.SCORE_TAKEN, {"score": 11, "holder": B}),
        (8, Reason.SCORE_TAKEN, {"score": 8, "holder": A}),
    ],
)
def test_c18_other_scores_are_refused(hit, score, reason, data):
    assert refused(hit, NewScore(score)) == Refusal(reason, data)


def test_c18_the_old_score_may_be_kept(hit):
    step = keep(hit)
    assert facts(step)[0] == ScoreKept(A, 8)
    assert step.state.board.scores == hit.board.scores
    assert step.state.board.mover == B


def test_c18_scores_of_the_die_only_by_option():
    options = Options(die_scores=True)
    state = do(lay_out(14, (3, 1, 1), (2, 2, 2), (4, 4, 4), hot=(6,), options=options), total_by("-", 3)).state
    for score in (13, 0, -1):
        assert refused(state, NewScore(score)) == Refusal(Reason.SCORE_NOT_ON_DIE, {"most": 12})
    assert refused(state, NewScore(4)).reason is Reason.SCORE_TAKEN
    assert list(GAME.moves(GAME.view(state, A))) == [KEEP, *map(NewScore, (1, 2, 3, 5, 6, 7, 9, 10, 12))]


def test_c18_new_scores_are_offered_from_small_to_large(hit):
    moves = GAME.moves(GAME.view(hit, A))
    assert len(moves) == 1 + 2 * 9_999 - 3
    assert moves[0] == KEEP
    assert moves[1:10] == [NewScore(score) for score in (1, -1, 2, -2, 3, -3, -4, 5, -5)]
    assert moves[-1] == NewScore(-9_999)
    assert len(set(moves)) == len(moves)
    assert all(refused(hit, move) is None for move in moves)
    with pytest.raises(IndexError):
        moves[len(moves)]


def test_c18_a_negative_score_that_somebody_holds_is_not_offered():
    state = do(lay_out(14, (3, 1, 1), (2, 2, 2), (4, 4, 4), scores=(-4, 11, -1), hot=(6,)), total_by("-", 3)).state
    assert state.board.choosing
    moves = GAME.moves(GAME.view(state, A))
    offered = [move.score for move in moves[1:]]
    assert offered[:8] == [1, 2, -2, 3, -3, 4, 5, -5]
    assert len(offered) == len(set(offered)) == 2 * state.board.options.cap - 3
    assert not {-4, 11, -1} & set(offered)


def test_c18_two_million_scores_are_lazy():
    options = Options(cap=999_999)
    state = lay_out(14, (3, 1, 1), (2, 2, 2), scores=(999_999, 11), hot=(6,), options=options)
    moves = GAME.moves(GAME.view(do(state, total_by("-", 3)).state, A))
    assert len(moves) == 1 + 2 * 999_999 - 2
    assert list(islice(moves, 3)) == [KEEP, NewScore(1), NewScore(-1)]
    assert moves[-1] == NewScore(-999_999)
    assert moves[-2] == NewScore(-999_998)


def test_c19_a_card_waits_for_the_score(hit):
    assert refused(hit, total_by("+", 1)) == Refusal(Reason.SCORE_OWED)
    assert GAME.pending(hit) == {A}


def test_c20_hitting_ones_own_score_offers_no_change():
    state = lay_out(2, (4, 1, 1), (2, 2, 2))
    assert refused(state, NewScore(9)) == refused(state, KEEP) == Refusal(Reason.NO_SCORE_OFFERED)
    after = do(state, card_by("*", 4)).state
    assert not after.board.choosing
    assert after.board.mover == B


def test_c22_the_hot_pile_turns_over_beneath_its_top():
    state = lay_out(14, (3, 1, 1), (2, 2, 2), hot=(6, 5, 4, 2), deck=(), scores=(50, 60))
    step = do(state, total_by("+", 1))
    assert facts(step)[1:] == [Recycled(4, shuffled=False), Drew(A, left=3), DrewCard(6)]
    board = step.state.board
    assert (board.hot, board.deck, board.total, board.recycled) == ((1,), 3, 15, 1)
    assert step.state.secret.deck == (5, 4, 2)


def test_c22_the_deck_is_renewed_when_needed():
    state = lay_out(14, (3, 1, 1), (2, 2, 2), hot=(6, 5), deck=(4,), scores=(50, 60))
    step = do(state, total_by("+", 1))
    assert not any(isinstance(fact, Recycled) for fact in facts(step))
    assert (step.state.board.deck, step.state.board.hot) == (0, (6, 5, 1))


def test_c22_optional_shuffles_have_their_own_label():
    state = lay_out(1, (1, 1, 1), (1, 2, 2), hot=(6, 5, 4), deck=(), scores=(50, 60), options=Options(shuffle=True))
    first = do(state, total_by("+", 1))
    deck = DICE.open_stream("chilli_chase/recycle/1").shuffle_cards((6, 5, 4))
    assert facts(first)[1:] == [Recycled(3, shuffled=True), Drew(A, left=2), DrewCard(deck[0])]
    assert first.state.secret.deck == tuple(deck[1:])
    state = first.state
    while state.secret.deck:
        state = do(state, total_by("+", state.secret.hands[state.board.mover][0])).state
    second = do(state, total_by("+", state.secret.hands[state.board.mover][0]))
    pile = (*state.board.hot,)
    assert second.state.board.recycled == 2
    assert facts(second)[-1] == DrewCard(DICE.open_stream("chilli_chase/recycle/2").shuffle_cards(pile)[0])


def test_c24_a_view_holds_ones_own_hand_and_no_other():
    state = lay_out(2, (1, 2, 3), (4, 5, 6), (1, 1, 1))
    assert [GAME.view(state, seat).hand for seat in (A, B, C, None)] == [(1, 2, 3), (4, 5, 6), (1, 1, 1), ()]
    assert GAME.view(state, A).board.hands == (3, 3, 3)


def test_c26_after_the_last_turn_most_points_win():
    state = lay_out(2, (4, 1, 1), (2, 2, 2), (3, 3, 3), points=(2, 2, 1), turn=300)
    outcome = GAME.outcome(do(state, total_by("+", 1)).state)
    assert (outcome.scores, outcome.places, outcome.reason) == ((2, 2, 1), (1, 1, 3), Ending.TURN_LIMIT)


def test_c26_the_penultimate_turn_does_not_end_the_game():
    after = do(lay_out(2, (4, 1, 1), (2, 2, 2), turn=299), total_by("+", 1)).state
    assert GAME.outcome(after) is None
    assert after.board.turn == 300


def test_c26_a_score_change_belongs_to_the_last_turn():
    state = lay_out(14, (3, 1, 1), (2, 2, 2), hot=(6,), turn=300)
    hit = do(state, total_by("-", 3)).state
    assert GAME.pending(hit) == {A}
    end = keep(hit).state
    assert end.board.over
    assert end.board.hands == (3, 3)


@pytest.mark.parametrize("limit", [FEWEST_TURNS, MOST_TURNS])
def test_c26_the_turn_limit_is_an_option(limit):
    def after(turn):
        return do(lay_out(2, (4, 1, 1), (2, 2, 2), turn=turn, options=Options(turn_limit=limit)), total_by("+", 1))

    assert GAME.outcome(after(limit - 1).state) is None
    assert GAME.outcome(after(limit).state).reason == "turn_limit"


@pytest.mark.parametrize("target", [3, 10])
def test_c27_the_points_that_win_are_an_option(target):
    state = lay_out(2, (4, 1, 1), (2, 2, 2), points=(target - 1, 0), options=Options(points=target))
    assert GAME.outcome(do(state, card_by("*", 4)).state).scores == (target, 0)
    before = lay_out(2, (4, 1, 1), (2, 2, 2), points=(target - 2, 0), options=Options(points=target))
    assert GAME.outcome(do(before, card_by("*", 4)).state) is None


def test_absent_players_hit_their_score_and_help_nobody():
    def fallback(state):
        return GAME.fallback(GAME.view(state, A))

    assert fallback(lay_out(2, (4, 1, 1), (2, 2, 2))) == total_by("*", 4)
    assert do(lay_out(12, (1, 1, 1), (2, 2, 2)), fallback(lay_out(12, (1, 1, 1), (2, 2, 2)))).state.board.total == 12
    assert fallback(lay_out(12, (1, 1, 1), (2, 2, 2), scores=(10, 11))) == total_by("*", 1)


def test_absent_players_keep_their_score(hit):
    assert GAME.fallback(GAME.view(hit, A)) == KEEP
