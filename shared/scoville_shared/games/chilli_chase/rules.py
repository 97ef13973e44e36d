"""Whose turn it is, what is legal, and what a move leads to."""

from scoville_shared.engine.contract import Outcome, Refusal, Step, places
from scoville_shared.games.chilli_chase import turn
from scoville_shared.games.chilli_chase.arithmetic import result
from scoville_shared.games.chilli_chase.cards import DIE, MOST_SEATS
from scoville_shared.games.chilli_chase.facts import Fact
from scoville_shared.games.chilli_chase.state import Ending, Move, NewScore, Play, Reason, State
from scoville_shared.games.chilli_chase.view import Board
from scoville_shared.ids import Seat

_NOBODY: frozenset[Seat] = frozenset()
_ALONE = tuple(frozenset({Seat(seat)}) for seat in range(MOST_SEATS))


def pending(state: State) -> frozenset[Seat]:
    """Name the seat whose turn it is."""
    return _NOBODY if state.board.over else _ALONE[state.board.mover]


def check(state: State, seat: Seat, move: Move) -> Refusal | None:
    """Judge a move: in turn, a card when a card is owed, a Chilli Score when one is offered."""
    board = state.board
    if board.over:
        return Refusal(Reason.GAME_OVER)
    if seat != board.mover:
        return Refusal(Reason.NOT_YOUR_TURN, {"mover": board.mover})
    if isinstance(move, Play):
        return _check_play(state, seat, move)
    if not board.choosing:
        return Refusal(Reason.NO_SCORE_OFFERED)
    return check_score(board, move.score) if isinstance(move, NewScore) else None


def check_score(board: Board, score: int) -> Refusal | None:
    """Judge a new Chilli Score: a whole number other than zero, within the cap, that nobody holds (C18)."""
    if board.options.die_scores and not 1 <= score <= DIE:
        return Refusal(Reason.SCORE_NOT_ON_DIE, {"most": DIE})
    if score == 0:
        return Refusal(Reason.SCORE_ZERO)
    if abs(score) > board.options.cap:
        return Refusal(Reason.SCORE_TOO_BIG, {"cap": board.options.cap})
    holder = board.holder(score)
    return None if holder is None else Refusal(Reason.SCORE_TAKEN, {"score": score, "holder": holder})


def apply(state: State, seat: Seat, move: Move) -> Step[State, Fact]:
    """Carry out a play, or what becomes of the mover's Chilli Score after it."""
    if not isinstance(move, Play):
        return turn.choose(state, seat, move)
    made = result(move, state.board.total, state.board.options)
    assert isinstance(made, int), "check has let the play pass"
    return turn.play(state, seat, move, made)


def outcome(state: State) -> Outcome | None:
    """Rank the points: most win, ties share; by the turn limit when nobody has reached the target (C26)."""
    board = state.board
    if not board.over:
        return None
    reason = Ending.TARGET_REACHED if max(board.points) == board.options.points else Ending.TURN_LIMIT
    return Outcome(scores=board.points, places=places(board.points), reason=reason)


def round_of(state: State) -> tuple[int, ...]:
    """Count how often the turn has gone once around the table, from 0."""
    return ((state.board.turn - 1) // len(state.board.points),)


def _check_play(state: State, seat: Seat, play: Play) -> Refusal | None:
    if state.board.choosing:
        return Refusal(Reason.SCORE_OWED)
    if play.card not in state.secret.hands[seat]:
        return Refusal(Reason.CARD_NOT_HELD, {"card": play.card})
    made = result(play, state.board.total, state.board.options)
    return made if isinstance(made, Refusal) else None
