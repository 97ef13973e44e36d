"""`play()` as the only entrance, and replaying of recorded games."""

import pytest

from scoville_shared.engine.contract import Refusal, Step, rank_places
from scoville_shared.engine.dice import Dice
from scoville_shared.engine.play import IllegalMove, play_move, replay_moves
from scoville_shared.games.dicht_dran import GAME
from scoville_shared.games.dicht_dran.state import Options, Play, Reason
from scoville_shared.ids import Seat

DICE = Dice(b"k" * 32)


def recorded(seats):
    """Play a game with every seat's fallback; returns its moves and its last state."""
    state, moves = GAME.setup(Options(cycles=1), seats, DICE), []
    while pending := sorted(GAME.pending(state)):
        move = GAME.fallback(GAME.view(state, pending[0]))
        moves.append((pending[0], move))
        state = play_move(GAME, state, pending[0], move).state
    return moves, state


def test_a_legal_move_is_a_step():
    state = GAME.setup(Options(), 2, DICE)
    assert isinstance(play_move(GAME, state, Seat(0), Play(state.secret.hands[0][0])), Step)


def test_an_illegal_move_is_a_refusal_with_its_reason():
    state = GAME.setup(Options(), 2, DICE)
    assert play_move(GAME, state, Seat(0), Play(state.secret.hands[1][0])) == Refusal(
        Reason.NOT_IN_HAND, {"card": state.secret.hands[1][0]}
    )


def test_a_recorded_game_replays_to_the_same_end():
    moves, end = recorded(3)
    *_, last = replay_moves(GAME, Options(cycles=1), 3, DICE, moves)
    assert last.state == end
    assert GAME.outcome(last.state) is not None


def test_replaying_stops_at_the_first_illegal_move_and_names_it():
    moves, _ = recorded(3)
    moves[4] = moves[3]
    steps = replay_moves(GAME, Options(cycles=1), 3, DICE, moves)
    with pytest.raises(IllegalMove, match=r"move 5 \(seat") as caught:
        list(steps)
    assert caught.value.number == 5


@pytest.mark.parametrize(
    ("scores", "ranks"), [((3, 1, 2), (1, 3, 2)), ((5, 5, 1), (1, 1, 3)), ((0, 0), (1, 1)), ((-4, -1), (2, 1))]
)
def test_ties_share_a_place_and_the_next_is_skipped(scores, ranks):
    assert rank_places(scores) == ranks
