"""One turn of Chilli Chase, in the order of ruling C19: point, change of score, draw."""

from msgspec.structs import replace

from scoville_shared.engine.contract import Addressed, Step
from scoville_shared.engine.tuples import replaced, without
from scoville_shared.games.chilli_chase.facts import (
    Drew,
    DrewCard,
    Fact,
    Played,
    PointScored,
    Recycled,
    ScoreChanged,
    ScoreKept,
    ScoreOffered,
)
from scoville_shared.games.chilli_chase.state import Keep, NewScore, Play, Secret, State
from scoville_shared.games.chilli_chase.view import Board
from scoville_shared.ids import Seat


def play(state: State, seat: Seat, move: Play, total: int) -> Step[State, Fact]:
    """Lay a card, which makes `total`; whoever's Chilli Score that is gets a point (C16, C20)."""
    laid = _laid(state, seat, move.card, total)
    told = _to_all(Played(seat, move.card, move.op, move.left, state.board.total, total))
    scorer = laid.board.holder(total)
    return _finish(laid, seat, told) if scorer is None else _score(laid, seat, scorer, told)


def choose(state: State, seat: Seat, move: NewScore | Keep) -> Step[State, Fact]:
    """Change or keep the mover's Chilli Score; then the card is drawn (C18, C19)."""
    board = state.board
    mine = board.scores[seat]
    if isinstance(move, Keep):
        after, fact = replace(board, choosing=False), ScoreKept(seat, mine)
        return _finish(State(after, state.secret), seat, _to_all(fact))
    after = replace(board, choosing=False, scores=replaced(board.scores, seat, move.score))
    return _finish(State(after, state.secret), seat, _to_all(ScoreChanged(seat, mine, move.score)))


def _laid(state: State, seat: Seat, card: int, total: int) -> State:
    board, secret = state.board, state.secret
    hand = without(secret.hands[seat], card)
    after = replace(board, total=total, hot=(*board.hot, card), hands=replaced(board.hands, seat, len(hand)))
    return State(after, Secret(secret.dice, replaced(secret.hands, seat, hand), secret.deck))


def _score(state: State, seat: Seat, scorer: Seat, told: list[Addressed[Fact]]) -> Step[State, Fact]:
    """Give the point; the last one ends the game at once, without a change of score (C16)."""
    board = state.board
    points = board.points[scorer] + 1
    won = points == board.options.points
    offered = not won and scorer != seat
    after = replace(board, points=replaced(board.points, scorer, points), choosing=offered, over=won)
    scored = State(after, state.secret)
    told += _to_all(PointScored(scorer, seat, points))
    if won:
        return Step(scored, told)
    if offered:
        return Step(scored, [*told, *_to_all(ScoreOffered(seat))])
    return _finish(scored, seat, told)


def _finish(state: State, seat: Seat, told: list[Addressed[Fact]]) -> Step[State, Fact]:
    """Draw a card; the turn passes clockwise, or was the last one (C26)."""
    if not state.secret.deck:
        state = _recycled(state)
        told += _to_all(Recycled(len(state.secret.deck), state.board.options.shuffle))
    board, secret = state.board, state.secret
    card, deck = secret.deck[0], secret.deck[1:]
    hand = tuple(sorted((*secret.hands[seat], card)))
    told += (*_to_all(Drew(seat, len(deck))), Addressed(seat, DrewCard(card)))
    after = _passed_on(replace(board, deck=len(deck), hands=replaced(board.hands, seat, len(hand))))
    return Step(State(after, Secret(secret.dice, replaced(secret.hands, seat, hand), deck)), told)


def _recycled(state: State) -> State:
    """Turn the Hot Pile over but for its top card, the oldest card first (C22)."""
    board, secret = state.board, state.secret
    *pile, top = board.hot
    recycled = board.recycled + 1
    if board.options.shuffle:
        pile = secret.dice.stream(f"chilli_chase/recycle/{recycled}").shuffled(pile)
    return State(replace(board, hot=(top,), recycled=recycled), Secret(secret.dice, secret.hands, tuple(pile)))


def _passed_on(board: Board) -> Board:
    if board.turn == board.options.turn_limit:
        return replace(board, over=True)
    return replace(board, turn=board.turn + 1, mover=Seat((board.mover + 1) % len(board.points)))


def _to_all(fact: Fact) -> list[Addressed[Fact]]:
    return [Addressed(None, fact)]
