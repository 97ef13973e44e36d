"""The coach of Chilli Chase against enumeration of its last turns."""

from itertools import combinations
from random import Random
from typing import Any

from scoville_shared.coach.base import Policy
from scoville_shared.coach.chilli_chase.coach import TurnCoach
from scoville_shared.coach.sample import SURE
from scoville_shared.coach.study import study_moves
from scoville_shared.coach.tally import SCORE, WIN
from scoville_shared.engine.dice import Dice
from scoville_shared.engine.play import play_move
from scoville_shared.games.chilli_chase import GAME
from scoville_shared.games.chilli_chase.arithmetic import list_choices
from scoville_shared.games.chilli_chase.state import DECK, KEEP, Board, Options, Secret, State
from tests.support.machines import MACHINES


def last_turns(luck: Random) -> State:
    """Draw a position of two players with two turns left, all but six of the cards being in the Hot Pile."""
    state = GAME.setup(Options(turn_limit=50, points=5), 2, Dice(luck.randbytes(32)))
    cards = luck.sample(DECK, len(DECK))
    hands = (tuple(sorted(cards[:3])), tuple(sorted(cards[3:6])))
    points = luck.randrange(4)
    board = {name: getattr(state.board, name) for name in Board.__struct_fields__}
    board |= {
        "turn": 49, "mover": 0, "total": luck.randrange(1, 15), "hot": tuple(cards[9:]), "deck": 3,
        "points": (points, luck.choice([points, max(points - 1, 0)])),
    }  # fmt: skip
    return State(Board(**board), Secret(Dice(bytes(32)), hands, tuple(cards[6:9])))


def worlds(state: State) -> list[State]:
    """List all deals of the other hand; what the deck holds is never played."""
    hidden = [*state.secret.hands[1], *state.secret.deck]
    deals = [
        (tuple(hidden[place] for place in held), tuple(hidden[place] for place in range(6) if place not in held))
        for held in combinations(range(6), 3)
    ]
    return [
        State(state.board, Secret(Dice(bytes(32)), (state.secret.hands[0], tuple(sorted(hand))), deck))
        for hand, deck in deals
    ]


def finished(state: State, move: Any) -> State:
    """Play a move; the one who hit the other keeps the Chilli Score, and the last player hits what it can."""
    after: Any = play_move(GAME, state, state.board.mover, move)
    state = after.state
    while not state.board.over:
        mover, board = state.board.mover, state.board
        view = GAME.view(state, mover)
        if board.choosing:
            move = KEEP
        else:
            mine, other = board.scores[mover], board.scores[1 - mover]
            ways = sorted(list_choices(view), key=lambda way: (way[1].total != mine, way[1].total == other))
            move = ways[0][1].plays[0]
        after = play_move(GAME, state, mover, move)
        state = after.state
    return state


def test_sampled_figures_are_within_two_standard_errors_in_95_percent() -> None:
    luck, machine = Random(2), MACHINES["compiled"]()
    held = figures = 0
    for number in range(15):
        state = last_turns(luck)
        view = GAME.view(state, state.board.mover)
        question = TurnCoach(GAME).make_question(view, Policy.TRAINED)
        assert question is not None
        sample = study_moves(question, 200 * len(question.moves), 1_000 + number + 1, machine).sample
        deals = worlds(state)
        for place, plain in enumerate(question.moves):
            move = GAME.codec.decode_move(plain)
            ends = [finished(deal, move).board.points for deal in deals]
            shares = [1.0 if mine > other else 0.5 if mine == other else 0.0 for mine, other in ends]
            for column, right in ((SCORE, sum(mine for mine, _ in ends) / len(ends)), (WIN, sum(shares) / len(ends))):
                estimate = sample.estimate_column(place, column)
                held += abs(estimate.mean - right) <= SURE * estimate.error + 1e-9
                figures += 1
    assert held / figures >= 0.95
